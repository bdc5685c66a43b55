"""A local Kubernetes control plane with simulated nodes, up in seconds, for tests and for trying the examples.

    python3 -m tools.control_plane start [--name NAME] [--crds all|none|LIST] [--controllers lws,jobset]
    python3 -m tools.control_plane stop  [--name NAME]
    python3 -m tools.control_plane status [--name NAME]

`start` prints the path of a kubeconfig and leaves the processes running. Several control planes can run side by side,
each in its own run folder. Uses the standard library only.
"""

import argparse
import fcntl
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tools import crds as crd_manifests
from tools import toolchain
from tools.cluster import commands, controllers, core, install, schema, store
from tools.cluster.api import Api, ApiError
from tools.cluster.ports import ports_for
from tools.cluster.processes import Process, ProcessError
from tools.cluster.waiting import Progress
from tools.go_command import ToolchainError
from tools.node import lifetime
from tools.node.layout import Layout
from tools.versions import CONTROL_PLANE

_VOLUMES = 60
_REPOSITORY = Path(__file__).parent.parent

ALL_CRDS = tuple(crd_manifests.crd_groups())
FURTHER_CRDS = tuple(crd_manifests.further_groups())


@dataclass(frozen=True)
class ControlPlane:
    """A control plane in a run folder. Leaving the context manager stops it."""

    run_dir: Path

    @classmethod
    def start(
        cls,
        run_dir: Path,
        *,
        crds: Sequence[str] = ALL_CRDS,
        with_controllers: Sequence[str] = (),
        volumes: int = _VOLUMES,
        real_node: bool = False,
        progress: Progress = print,
    ) -> Self:
        """Starts the parts that aren't running yet in this folder, and returns when the control plane is ready.

        With ``real_node`` a kubelet runs pods in containers, and no pods are scheduled to the simulated nodes.
        """
        plane = cls(run_dir.absolute())
        binaries = toolchain.ensure(*CONTROL_PLANE, *with_controllers, progress=progress)
        crd_files = toolchain.crd_files(crds, progress)
        with plane._alone():
            if plane.is_running() and plane.has_node() == real_node:
                progress(f"control plane in {plane.run_dir} is running already")
            else:
                core.stop(plane.run_dir)  # leftovers of a crash
                if set(ALL_CRDS) <= set(crds):
                    store.seed(plane.run_dir, binaries, toolchain.crd_files(ALL_CRDS, progress), progress)
                plane._start_core(binaries, volumes, Layout(plane.run_dir) if real_node else None, progress)
            install.install_crds(plane.api(), crd_files, progress)
            for name in with_controllers:
                plane._start_controller(controllers.CONTROLLERS[name], binaries, progress)
            schema.publish(plane.api(), progress)
        return plane

    def stop(self) -> None:
        """Stops all processes in reverse starting order; the run folder stays, for a restart or for its logs."""
        with self._alone():
            core.stop(self.run_dir)

    @property
    def kubeconfig(self) -> Path:
        """Full access to this control plane."""
        return self.run_dir / "kubeconfig"

    def processes(self) -> list[Process]:
        """Its processes in starting order, running or not."""
        return core.processes(self.run_dir)

    def is_running(self) -> bool:
        """Whether all parts run and the API server answers."""
        return all(process.pid() for process in self.processes()) and self.api().is_ready()

    def has_node(self) -> bool:
        """Whether it has a real node."""
        return Layout(self.run_dir).folder.exists()

    def api(self) -> Api:
        """A client for its API server."""
        return core.api(self.run_dir)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Makes launchers on the same run folder take turns."""
        self.run_dir.mkdir(parents=True, exist_ok=True)
        with (self.run_dir / "lock").open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _start_core(self, binaries: dict[str, Path], volumes: int, node: Layout | None, progress: Progress) -> None:
        try:
            if node:
                lifetime.prepare(node, progress)
            setting = core.prepare(self.run_dir, binaries, with_node=node is not None)
            core.start_server(setting, progress)
            core.start_others(setting)
            install.install_basics(self.api(), volumes, node)
            if node:
                lifetime.start(node, self.api(), progress)
        except BaseException:
            core.stop(self.run_dir)
            raise

    def _start_controller(
        self, controller: controllers.Controller, binaries: dict[str, Path], progress: Progress
    ) -> None:
        if Process(self.run_dir, controller.name).pid() is not None:
            return
        ports = ports_for(self.run_dir, controllers.port_names(controller))
        webhooks = crd_manifests.webhook_file(controller.name, progress).read_text()
        controllers.start(controller, commands.Setting(self.run_dir, binaries, ports), self.api(), webhooks, progress)


def _crd_groups(choice: str) -> tuple[str, ...]:
    if choice in ("all", "none"):
        return ALL_CRDS if choice == "all" else ()
    return _checked(choice, (*ALL_CRDS, *FURTHER_CRDS), "group of CRDs")


def _checked(choice: str, known: Iterable[str], what: str) -> tuple[str, ...]:
    names = tuple(name for name in choice.split(",") if name)
    for name in names:
        if name not in known:
            raise argparse.ArgumentTypeError(f"there is no {what} {name}; there are {', '.join(known)}")
    return names


def _start_command(arguments: argparse.Namespace) -> int:
    started = time.monotonic()
    plane = ControlPlane.start(
        arguments.run_dir,
        crds=arguments.crds,
        with_controllers=arguments.controllers,
        volumes=arguments.volumes,
        real_node=arguments.node == "real",
        progress=_to_stderr,
    )
    _to_stderr(f"control plane in {plane.run_dir} is ready after {time.monotonic() - started:.1f} s")
    print(plane.kubeconfig)
    return 0


def _stop_command(arguments: argparse.Namespace) -> int:
    if arguments.run_dir.exists():
        ControlPlane(arguments.run_dir).stop()
    _to_stderr(f"the control plane in {arguments.run_dir} is stopped")
    return 0


def _status_command(arguments: argparse.Namespace) -> int:
    plane = ControlPlane(arguments.run_dir)
    for process in plane.processes():
        pid = process.pid()
        print(f"{process.name:26}{f'running, pid {pid}' if pid else 'not running'}")
    running = plane.is_running()
    print(f"KUBECONFIG={plane.kubeconfig}" if running else "the control plane can't be used: start it")
    return 0 if running else 1


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python3 -m tools.control_plane", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("command", choices=["start", "stop", "status"])
    parser.add_argument("--name", default="local", help="its run folder is .run/NAME (default: local)")
    parser.add_argument("--run-dir", type=Path, help="a run folder elsewhere")
    groups = ",".join((*ALL_CRDS, *FURTHER_CRDS))
    parser.add_argument("--crds", type=_crd_groups, default="all", help=f"all, none, or a list of {groups}")
    parser.add_argument(
        "--controllers",
        type=lambda choice: _checked(choice, controllers.CONTROLLERS, "controller"),
        default="",
        help="a list of lws,jobset",
    )
    parser.add_argument("--volumes", type=int, default=_VOLUMES, help="how many volumes claims can be bound to")
    parser.add_argument("--node", choices=["simulated", "real"], default="simulated", help="what runs pods")
    arguments = parser.parse_args()
    arguments.run_dir = (arguments.run_dir or _REPOSITORY / ".run" / arguments.name).absolute()
    return arguments


def main() -> int:
    """The command line: 0, or 1 with the reason on stderr (status: 1 when it is not running)."""
    arguments = _arguments()
    commands_by_name = {"start": _start_command, "stop": _stop_command, "status": _status_command}
    try:
        return commands_by_name[arguments.command](arguments)
    except (ToolchainError, ProcessError, ApiError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
