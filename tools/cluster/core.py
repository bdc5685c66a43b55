"""The processes of every control plane: their files, and their starting and stopping order."""

import subprocess
from pathlib import Path

from tools.cluster import commands, controllers
from tools.cluster.api import Api
from tools.cluster.commands import Setting
from tools.cluster.ports import known_ports, ports_for
from tools.cluster.processes import Process
from tools.cluster.waiting import Progress, wait_for
from tools.node import lifetime
from tools.node.layout import Layout

NAMES = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")

_TOKEN = "local-admin"  # the API server listens on loopback only
_PORTS = ["etcd", "etcd-peer", "apiserver", "kwok"]


def api(run_dir: Path) -> Api:
    """A client for the API server of a run folder."""
    return Api(known_ports(run_dir)["apiserver"], _TOKEN, run_dir / "certificates" / "tls.crt")


def processes(run_dir: Path) -> list[Process]:
    """All processes in starting order, running or not; optional controllers only if they were started before."""
    optional = [name for name in controllers.CONTROLLERS if (run_dir / f"{name}.json").exists()]
    node = ["node"] if Layout(run_dir).folder.exists() else []
    return [Process(run_dir, name) for name in [*NAMES, *optional, *node]]


def stop(run_dir: Path) -> None:
    """Stops all processes in reverse starting order."""
    for process in reversed(processes(run_dir)):
        process.stop()
    if Layout(run_dir).folder.exists():
        lifetime.clean(Layout(run_dir))


def prepare(run_dir: Path, binaries: dict[str, Path], *, with_node: bool = False) -> Setting:
    """Writes the files that the processes read. A restart keeps the certificates, as existing kubeconfigs trust
    them."""
    setting = Setting(run_dir, binaries, ports_for(run_dir, _PORTS), with_node)
    if with_node:
        setting.egress.write_text(Layout(run_dir).egress_configuration())
    if not setting.certificates.exists():
        setting.certificates.mkdir()
        subprocess.run([binaries["certificates"], setting.certificates], check=True)
    setting.tokens.write_text(f"{_TOKEN},admin,admin,system:masters\n")
    setting.kubeconfig.write_text(api(run_dir).kubeconfig())
    return setting


def start_server(setting: Setting, progress: Progress) -> None:
    """Starts the store and the API server; returns when the API server is ready."""
    store = _start(setting, "etcd", commands.etcd(setting))
    server = _start(setting, "kube-apiserver", commands.apiserver(setting))
    client = api(setting.run_dir)

    def not_ready() -> str:
        store.check()
        server.check()
        return client.not_ready()

    wait_for("the API server", not_ready, progress, news=lambda: (store.log_length(), server.log_length()))


def start_others(setting: Setting) -> None:
    """Starts the API server's clients; each waits until it can work."""
    _start(setting, "kube-controller-manager", commands.controller_manager(setting))
    _start(setting, "kube-scheduler", commands.scheduler(setting))
    _start(setting, "kwok", commands.kwok(setting))


def _start(setting: Setting, name: str, command: list[str]) -> Process:
    process = Process(setting.run_dir, name)
    process.start(command)
    return process
