"""Builds a tool from its pinned Go module, once for each content of that module."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from tools import cache, go_command
from tools.versions import CopiedFile, NodeTool, Tool

Progress = Callable[[str], object]

MODULES = Path(__file__).parent / "go"


def key(tool: Tool) -> str:
    """Changes with the module's files or the tool's row, but not with the Go version: that needs no rebuild."""
    return cache.key(repr(tool), files=MODULES / tool.module)


def built_folder(tool: Tool) -> Path:
    """The folder of the tool, which may not be built yet."""
    return cache.folder() / f"{tool.name}-{key(tool)}"


def build(tool: Tool, progress: Progress) -> Path:
    """The folder with the tool's binary and its accompanying files."""
    final = built_folder(tool)
    if final.is_dir():  # the usual case needs neither Go nor a lock
        return final
    with cache.fill_once(final) as folder:
        if folder is not None:
            _compile(tool, folder, progress)
    return final


def _compile(tool: Tool, folder: Path, progress: Progress) -> None:
    """Builds in a copy of the module, where files can be added and the Go command can write."""
    go_command.check(MODULES / tool.module, tool.name)
    progress(f"building {tool.name} {tool.version} …")
    started = time.monotonic()
    source = folder / "source"
    shutil.copytree(MODULES / tool.module, source)
    for file in tool.files:
        _copy(file, source, source if file.into_source else folder, tool.version)
    stamps = [f"-X {variable}={value}" for variable, value in tool.stamps]
    flags = ["-trimpath", "-ldflags", " ".join(["-s", "-w", *stamps])]
    in_c = False
    if isinstance(tool, NodeTool):
        flags += ["-tags", ",".join(tool.tags)]
        in_c = tool.in_c
    go_command.run(["build", *flags, "-o", str(folder / tool.name), tool.package], source, in_c=in_c)
    shutil.rmtree(source)
    progress(f"built {tool.name} {tool.version} in {time.monotonic() - started:.0f} s")


def _copy(file: CopiedFile, source: Path, target_folder: Path, version: str) -> None:
    origin = go_command.module_folder(file.module, source) / file.path
    target = target_folder / origin.name
    if file.set_version:
        target.write_text(json.dumps(json.loads(origin.read_text()) | {"version": version}))
    else:
        shutil.copyfile(origin, target)
        target.chmod(0o644 if file.into_source else 0o755)
