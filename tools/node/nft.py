"""The program `nft`, with which kube-proxy writes the kernel's rules: from PATH, or otherwise from Debian's packages.

The packages are unpacked into the cache; nothing is installed.
"""

import shutil
import subprocess
from pathlib import Path

from tools import cache
from tools.go_build import Progress
from tools.go_command import ToolchainError

_PACKAGES = (
    "nftables",
    "libnftables1",
    "libnftnl11",
    "libmnl0",
    "libjansson4",
    "libxtables12",
    "libedit2",
    "libbsd0",
    "libmd0",
    "libgmp10",
    "libtinfo6",
)
_SCRIPT = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="{path}" exec "$here/{program}" "$@"
"""
_ADVICE = "kube-proxy needs `nft`, and there is none on PATH: install nftables"


def missing() -> str:
    """A sentence about why `nft` is missing; empty if it is present or can be downloaded."""
    if shutil.which("nft") or _folder().is_dir() or (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return ""
    return _ADVICE


def ensure(progress: Progress) -> Path:
    """The path of `nft`. Raises ToolchainError if it can't be downloaded."""
    found = shutil.which("nft")
    if found:
        return Path(found)
    with cache.fill_once(_folder()) as folder:
        if folder is not None:
            progress("unpacking nftables …")
            _unpack(folder)
    return _folder() / "nft"


def _folder() -> Path:
    return cache.folder() / f"nftables-{cache.key(*_PACKAGES)}"


def _unpack(folder: Path) -> None:
    lists = folder / "lists"
    (lists / "partial").mkdir(parents=True)
    own_lists = ["-o", f"Dir::State::Lists={lists}"]
    download = ["download", *_PACKAGES]
    if _apt(folder, *download) and (_apt(folder, *own_lists, "update") or _apt(folder, *own_lists, *download)):
        raise ToolchainError(f"{_ADVICE}; Debian's packages of it can't be downloaded here.")
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, folder / "root"], check=True)
        package.unlink()
    shutil.rmtree(lists)
    libraries = sorted({file.parent.relative_to(folder) for file in (folder / "root").rglob("*.so*")})
    path = ":".join(f"$here/{library}" for library in libraries)
    script = folder / "nft"
    script.write_text(_SCRIPT.format(path=path, program=next((folder / "root").rglob("sbin/nft")).relative_to(folder)))
    script.chmod(0o755)


def _apt(folder: Path, *words: str) -> int:
    command = ["apt-get", "--quiet", "-o", "APT::Sandbox::User=root", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode
