"""The first process in a node's namespaces: prepares them, starts the node's programs, and ends if any of them ends.

    python3 -m tools.node.inside RUN_DIR    started by `outside`, which holds its input open

When this process ends, the kernel kills all others in its PID namespace, and namespaces, mounts and interfaces go too.
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from tools.cluster.commands import SERVICE_ADDRESSES
from tools.node import configuration, files, relays
from tools.node.layout import ADDRESS, API_PORT, CPUS, FILES_PORT, MEMORY, NAME, Layout

KERNEL = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
"""Kernel settings that the kubelet requires. It is shown these values; the machine's stay unchanged."""


def main() -> None:
    """Runs until its input or a program ends."""
    layout = Layout(Path(sys.argv[1]))
    threading.Thread(target=_end_with_input, daemon=True).start()
    mount_own(layout)
    connect()
    files.serve(layout.files, ADDRESS, FILES_PORT)
    threading.Thread(target=lambda: asyncio.run(_relay(layout)), daemon=True).start()
    programs: dict[int, str] = {}
    for name, command in configuration.commands(layout).items():
        programs[_start(layout, name, command)] = name
        if name == "containerd":
            _until_it_listens(programs)
    _until_one_ends(programs)
    os._exit(1)  # doesn't wait for threads


def mount_own(layout: Layout) -> None:
    """Mounts the node's own files over the machine's files that its programs read and write."""
    for folder in ("/run", "/var/log"):
        _run("mount", "-t", "tmpfs", "tmpfs", folder)
    for folder in (layout.folder / "kubelet", Path(configuration.KUBELET)):
        folder.mkdir()
    _run("mount", "--bind", str(layout.folder / "kubelet"), configuration.KUBELET)
    shown = {f"/proc/sys/{name}": value for name, value in KERNEL.items()}
    shown |= {"/proc/meminfo": meminfo(), "/sys/devices/system/cpu/online": f"0-{CPUS - 1}\n"}
    shown |= {"/etc/hosts": f"127.0.0.1 localhost\n{ADDRESS} {NAME}\n"}
    for index, (path, text) in enumerate(shown.items()):
        file = layout.folder / "shown" / str(index)
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        if Path(path).exists():
            _run("mount", "--bind", str(file), path)
    if Path("/sys/devices/system/node").exists():
        _run("mount", "--bind", str(_cpus(layout.folder / "shown/cpus")), "/sys/devices/system/node")


def meminfo() -> str:
    """The machine's meminfo, with the node's amount of memory."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    sizes = {"MemTotal": MEMORY, "MemFree": MEMORY // 2, "MemAvailable": MEMORY // 2}
    return "".join(
        f"{name}: {sizes[name] // 1024} kB\n" if name in sizes else f"{name}:{rest}\n"
        for name, _, rest in (line.partition(":") for line in lines)
    )


def _cpus(folder: Path) -> Path:
    """A folder that shows the node's number of processors, in the kernel's format."""
    for number in range(CPUS):
        topology = folder / f"node0/cpu{number}/topology"
        topology.mkdir(parents=True)
        (topology / "core_id").write_text(f"{number}\n")
        (topology / "physical_package_id").write_text("0\n")
    (folder / "node0/meminfo").write_text(f"Node 0 MemTotal: {MEMORY // 1024} kB\n")
    (folder / "node0/distance").write_text("10\n")
    (folder / "node0/hugepages").mkdir()
    return folder


def connect() -> None:
    """Gives the node its address, on a pair of interfaces because some kernels lack dummy interfaces."""
    commands = (
        "link set lo up",
        "link add node type veth peer name other",
        f"address add {ADDRESS}/32 dev node",
        "link set node up",
        "link set other up",
        f"route add {SERVICE_ADDRESSES} dev node",  # any route: rules select the pod after routing
    )
    for command in commands:
        _run("ip", *command.split())
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


async def _relay(layout: Layout) -> None:
    await relays.to_socket(["127.0.0.1", ADDRESS], API_PORT, layout.api_socket)
    await relays.connect_proxy(layout.egress_socket)
    await asyncio.Event().wait()


def _start(layout: Layout, name: str, command: list[str]) -> int:
    environment = os.environ | {"PATH": f"{layout.programs}:{os.environ['PATH']}"}
    with layout.log(name).open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=layout.folder
        )
    return process.pid


def _until_it_listens(programs: dict[int, str]) -> None:
    """Waits until containerd accepts connections; the kubelet ends at once without it. Exits if containerd ends."""
    while True:
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.connect(configuration.RUNTIME_SOCKET)
            return
        if any(os.waitpid(pid, os.WNOHANG)[0] for pid in programs):
            print("containerd has ended before it took requests", file=sys.stderr, flush=True)
            os._exit(1)
        time.sleep(0.05)


def _until_one_ends(programs: dict[int, str]) -> None:
    """Returns when a program has ended. Other processes that end are orphans from containers, adopted by this
    process."""
    while True:
        pid, status = os.wait()
        if pid in programs:
            print(f"{programs[pid]} has ended with {os.waitstatus_to_exitcode(status)}", file=sys.stderr, flush=True)
            return


def _end_with_input() -> None:
    with contextlib.suppress(OSError):
        sys.stdin.buffer.read()
    os._exit(0)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
