"""Images and models on the node's server. Programs that need GPUs or the Internet are replaced.

A stand-in downloads its model as the program of its name does, but from the node, and serves that file with llama.cpp's
server, so a service without its model does not start.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools import cache, toolchain
from tools.node import images
from tools.node.images import Image
from tools.node.layout import ADDRESS, FILES_PORT, Layout
from tools.tiny_model import write_tiny_model

SITE = f"http://{ADDRESS}:{FILES_PORT}/models"
"""Has `tiny.gguf`, and repositories as Hugging Face's hub has them."""
REPOSITORIES = ("single", "split", "group", "base")
"""The hub's repositories, by their owner `example`. Each has one file, which is named after it."""
KITS = ("otter", "picked")
"""The models in the node's registry, packed by KitOps."""
CAR = Image("registry.example.com", "models/car", ())
AGENT = Image("ghcr.io", "sgl-project/ome/model-agent", ("/usr/bin/model-agent",))
_PROGRAMS = Path(__file__).parent / "programs"
_INTERPRETER = Path(sys.executable).resolve()
_PYTHON = f"""#!/bin/sh
exec {_INTERPRETER} -I -S "$@"
"""
_MODULES = """
import encodings.ascii, encodings.idna, os, signal, socket, sys, threading, time
places = [getattr(module, name, None) for module in sys.modules.values() for name in ("__file__", "__cached__")]
print(*sorted({place for place in places if place and os.path.exists(place)}), sep="\\n")
"""
"""Prints the files of the modules that stand-ins in Python import."""


def ensure(layout: Layout) -> None:
    """Writes them once, although each process of a test session calls this."""
    with cache.fill_once(layout.files / "models") as folder:
        if folder:
            write_tiny_model(folder / "tiny.gguf")
            for name in REPOSITORIES:
                _add_repository(folder, name)
            _add_images(layout)


def _add_repository(hub: Path, name: str) -> None:
    file = hub / f"example/{name}/resolve/main/{name}.gguf"
    described = hub / f"api/models/example/{name}/revision/main"
    for path in (file, described):
        path.parent.mkdir(parents=True)
    write_tiny_model(file, name)
    described.write_text(json.dumps({"siblings": [{"rfilename": file.name}]}))


def _add_images(layout: Layout) -> None:
    """The endpoint picker is the Gateway API project's own."""
    folder = layout.files / "v2"
    python = images.write_layer(folder, _python(layout.folder))
    vllm = _programs(folder, "usr/bin/vllm")
    for registry, repository in (("docker.io", "vllm/vllm-openai"), ("ghcr.io", "llm-d/llm-d-cuda")):
        images.add(folder, Image(registry, repository, ("/usr/bin/vllm", "serve"), "2000:2000"), python, vllm)
    sidecar = _programs(folder, "app/pd-sidecar")
    for repository in ("llm-d/llm-d-routing-sidecar", "llm-d/llm-d-router-disagg-sidecar"):
        images.add(folder, Image("ghcr.io", repository, ("/app/pd-sidecar",), "2000:2000"), python, sidecar)
    initializer = _programs(folder, "usr/bin/storage-initializer")
    named = ("/usr/bin/storage-initializer",)
    images.add(folder, Image("docker.io", "kserve/storage-initializer", named, "1000:1000"), initializer)
    images.add(folder, AGENT, initializer, _programs(folder, "usr/bin/model-agent"))
    kit = _programs(folder, "usr/bin/kit")
    images.add(folder, Image("ghcr.io", "kitops-ml/kitops", ("/usr/bin/kit",), "1001:0"), kit)
    picker = images.write_layer(folder, {"app/epp": toolchain.ensure("endpoint-picker")["endpoint-picker"]})
    images.add(folder, Image("ghcr.io", "llm-d/llm-d-inference-scheduler", ("/app/epp",), "65532:65532"), picker)
    _add_packed_models(folder, layout.folder)


def _add_packed_models(folder: Path, scratch: Path) -> None:
    """A model in an image, and models that are unpacked from a registry."""
    for name in (*KITS, "car"):
        write_tiny_model(scratch / f"{name}.gguf", name)
    for name in KITS:
        layer = images.write_layer(folder, {f"{name}.gguf": scratch / f"{name}.gguf"})
        images.publish(folder, f"docker.io/models/{name}:1", layer, [layer])
    images.add(folder, CAR, images.write_layer(folder, {"models/car.gguf": scratch / "car.gguf"}))


def _programs(folder: Path, *names: str) -> dict:
    return images.write_layer(folder, {name: _PROGRAMS / Path(name).name for name in names})


def _python(scratch: Path) -> dict[str, Path]:
    """This machine's Python, at the same place as here, with the modules that the stand-ins import."""
    start = scratch / "python3"
    start.write_text(_PYTHON)
    command = [_INTERPRETER, "-I", "-S", "-c", _MODULES]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    files = [_INTERPRETER, *map(Path, filter(None, listed))]
    return {"usr/bin/python3": start} | {str(file)[1:]: file for file in files}
