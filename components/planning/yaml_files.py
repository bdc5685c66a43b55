"""Objects as YAML: one stream, or one file each in a folder that is kept in step with the plan."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..kubernetes.objects import Object, key
from ..kubernetes.yaml_text import documents

HEADER = "# Rendered by modelservices; changes are overwritten.\n"


def stream(objects: Iterable[Object]) -> str:
    """The objects as one YAML stream, in the order given; empty for none."""
    return documents(objects)


def file_name(obj: Object) -> str:
    """Where an object stands in a folder: ``<namespace>/<kind>-<name>.yaml``; cluster-scoped ones at the top."""
    identity = key(obj)
    name = f"{identity.kind.lower()}-{identity.name}.yaml"
    return f"{identity.namespace}/{name}" if identity.namespace else name


def write(objects: Iterable[Object], folder: Path) -> list[Path]:
    """Write each object into its file and remove files of ours that no object stands for. Returns what changed.

    A file without our header is never overwritten or removed: raises FileExistsError.
    """
    wanted = {folder / file_name(obj): HEADER + stream([obj]) for obj in objects}
    changed = []
    for path, text in wanted.items():
        before = path.read_text() if path.exists() else None
        if before is not None and not before.startswith(HEADER):
            raise FileExistsError(f"{path} was not written by modelservices: move it away or choose another folder")
        if before != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            changed.append(path)
    for path in folder.rglob("*.yaml"):
        if path not in wanted and path.read_text().startswith(HEADER):
            path.unlink()
            changed.append(path)
    return changed
