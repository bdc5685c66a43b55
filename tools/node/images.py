"""Images built from this machine's files, under the names in rendered objects, for a read-only registry.

All images contain the same files: a shell with the usual programs, curl, and llama.cpp's server, with their libraries.
They differ in entrypoint and user.
"""

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

PAUSE = "registry.k8s.io/pause:3"
_PROGRAMS = """
awk bash basename cat chmod chown cp curl cut date dd df dirname du echo env expr false find flock getent grep gzip
head hostname id ln ls mkdir mktemp mv nproc od printenv printf ps pwd readlink rm rmdir sed seq sh sha256sum sleep sort
stat sync tail tar tee test timeout touch tr true uname uniq wc which xargs
"""
"""The programs to include, as far as the machine has them."""
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
_COMMON = "common.json"
"""Describes the layer that all images share."""
_SERVER = "app/llama-server"
_ENVIRONMENT = (
    "PATH=/usr/bin:/bin",
    # Threads that share the work of a tiny model mostly wait for each other, and on a busy machine for seconds.
    "LLAMA_ARG_THREADS=1",
)
_USERS = """\
root:x:0:0:root:/root:/bin/sh
curl_user:x:100:101::/home/curl_user:/bin/sh
nobody:x:65534:65534::/:/bin/sh
"""
_LIBRARY = re.compile(r"(/\S+) \(0x")


@dataclass(frozen=True)
class Image:
    """A repository's image, for all tags."""

    registry: str
    repository: str
    entrypoint: tuple[str, ...]
    user: str = ""


IMAGES = (
    Image("registry.k8s.io", "pause", ("/usr/bin/sleep", "infinity"), "65535:65535"),
    Image("docker.io", "curlimages/curl", ("/usr/bin/curl",), "100:101"),
    Image("ghcr.io", "ggml-org/llama.cpp", (f"/{_SERVER}",)),
)


def write(folder: Path, llama_server: Path) -> None:
    """Writes all images into a folder: blobs by digest, and each manifest as `<registry>/<repository>.json`."""
    (folder / "blobs").mkdir(parents=True)
    (folder / _COMMON).write_text(json.dumps(write_layer(folder, _machine_files(llama_server), _machine_folders)))
    for image in IMAGES:
        add(folder, image)


def add(folder: Path, image: Image, *layers: dict) -> None:
    """Adds an image to a folder's images; ``layers`` are additional ones, as `write_layer` returns them."""
    layers = (json.loads((folder / _COMMON).read_text()), *layers)
    config = {
        "architecture": _architecture(),
        "os": "linux",
        "config": {"Entrypoint": list(image.entrypoint), "User": image.user, "Env": list(_ENVIRONMENT)},
        "rootfs": {"type": "layers", "diff_ids": [layer["digest"] for layer in layers]},
    }
    publish(folder, f"{image.registry}/{image.repository}", _blob(folder, json.dumps(config), _CONFIG), layers)


def publish(folder: Path, name: str, config: dict, layers: Iterable[dict]) -> None:
    """Writes a manifest under `<registry>/<repository>`, or `<registry>/<repository>:<tag>` for one tag."""
    manifest = {"schemaVersion": 2, "mediaType": _MANIFEST, "config": config, "layers": list(layers)}
    _blob(folder, json.dumps(manifest), _MANIFEST)
    file = folder / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(manifest))


def _architecture() -> str:
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip()
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


def _blob(folder: Path, content: str, media_type: str) -> dict:
    digest = f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"
    (folder / "blobs" / digest).write_text(content)
    return {"mediaType": media_type, "digest": digest, "size": len(content.encode())}


def write_layer(
    folder: Path, files: Mapping[str, Path], begin: Callable[[tarfile.TarFile], None] | None = None
) -> dict:
    """Writes a layer with files, by their path in it, and the libraries of programs among them."""
    unfinished = folder / "layer.tar"
    with tarfile.open(unfinished, "w") as layer:
        if begin:
            begin(layer)
        for name, file in {**files, **{f"{library}"[1:]: library for library in _libraries(files.values())}}.items():
            entry = layer.gettarinfo(file.resolve(), name)
            entry.type, entry.mode, entry.uid, entry.gid, entry.linkname = tarfile.REGTYPE, 0o755, 0, 0, ""
            entry.size = file.resolve().stat().st_size  # a file with several hard links would become a link
            with file.open("rb") as content:
                layer.addfile(entry, content)
    with unfinished.open("rb") as content:
        digest = f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"
    described = {"mediaType": _LAYER, "digest": digest, "size": unfinished.stat().st_size}
    unfinished.rename(folder / "blobs" / digest)
    return described


def _machine_files(llama_server: Path) -> dict[str, Path]:
    found = {name: program for name in _PROGRAMS.split() if (program := shutil.which(name))}
    return {_SERVER: llama_server} | {f"usr/bin/{name}": Path(program) for name, program in found.items()}


def _machine_folders(layer: tarfile.TarFile) -> None:
    for name in ("tmp", "var/tmp"):
        _add_folder(layer, name, 0o1777)
    _add_folder(layer, "home/curl_user", 0o777)
    _add_text(layer, "etc/passwd", _USERS)
    _add_link(layer, "bin", "usr/bin")


def _libraries(programs: Iterable[Path]) -> Iterator[Path]:
    """The shared libraries of programs, including the loader, by the paths that the loader prints."""
    binaries = [program for program in programs if _is_binary(program)]
    done = subprocess.run(["ldd", *binaries], capture_output=True, text=True, check=False)
    yield from map(Path, sorted(set(_LIBRARY.findall(done.stdout))))


def _is_binary(program: Path) -> bool:
    with program.open("rb") as content:
        return content.read(4) == b"\x7fELF"


def _add_folder(layer: tarfile.TarFile, name: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    layer.addfile(entry)


def _add_text(layer: tarfile.TarFile, name: str, text: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(text.encode())
    layer.addfile(entry, io.BytesIO(text.encode()))


def _add_link(layer: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    layer.addfile(entry)
