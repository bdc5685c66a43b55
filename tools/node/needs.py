"""A real node's requirements on the machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tools import go_build, llama_server
from tools.node import cgroups, nft
from tools.toolchain import tool_named

_PROGRAMS = {"unshare": "util-linux", "mount": "util-linux", "ip": "iproute2", "ldd": "the C library's programs"}
_COMPILERS = ("gcc", "cc", "clang")


def missing() -> str:
    """A sentence about why a real node is impossible here and what to do; empty if it is possible."""
    if not sys.platform.startswith("linux"):
        return "a real node needs Linux: on other systems leave NODE=real out, and the nodes are simulated"
    if os.geteuid() != 0:
        return (
            "a real node needs root, for namespaces, mounts and control groups: run the command as root, or leave "
            "NODE=real out, and the nodes are simulated"
        )
    return _missing_programs() or _refused() or llama_server.missing_compiler() or nft.missing()


def _missing_programs() -> str:
    for program, package in _PROGRAMS.items():
        if not shutil.which(program):
            return f"a real node needs `{program}`, and there is none on PATH: install {package}"
    if not go_build.built_folder(tool_named("runc")).is_dir() and not any(map(shutil.which, _COMPILERS)):
        return "runc is built with a C compiler, and there is none on PATH: install gcc"
    return ""


def _refused() -> str:
    """What root may not do in some containers."""
    done = subprocess.run(
        ["unshare", "--mount", "--net", "--pid", "--fork", "mount", "-t", "tmpfs", "tmpfs", "/run"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"a real node needs namespaces and mounts, and this machine refuses them: {done.stderr.strip()}"
    if not os.access("/sys/fs/cgroup", os.W_OK):
        return "a real node needs control groups of its own, and /sys/fs/cgroup can't be written here"
    return cgroups.refusal()


def snapshotter(folder: Path) -> str:
    """The snapshotter with which containerd stacks image layers in a folder: overlayfs, or copies if the kernel lacks
    it."""
    parts = {name: folder / name for name in ("lower", "upper", "work", "merged")}
    for part in parts.values():
        part.mkdir(parents=True)
    options = f"lowerdir={parts['lower']},upperdir={parts['upper']},workdir={parts['work']}"
    command = ["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o", options, str(parts["merged"])]
    possible = subprocess.run(command, capture_output=True, check=False).returncode == 0
    shutil.rmtree(folder)
    return "overlayfs" if possible else "native"
