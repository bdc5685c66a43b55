"""Writes objects as YAML: one stream, or one file each in a folder that is kept in step with the plan."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ..kubernetes.objects import Object, key
from ..kubernetes.yaml_text import documents

_LONGEST = 200
HEADER = "# Rendered by modelservices; changes are overwritten.\n"


def stream(objects: Iterable[Object]) -> str:
    """The objects as one YAML stream, in their order; empty for none."""
    return documents(objects)


def file_name(obj: Object, *, with_group: bool = False) -> str:
    """The path of an object in a folder: ``<namespace>/<kind>-<name>.yaml``; at the top if cluster-scoped.

    Raises FileExistsError for a name that is itself a path.
    """
    identity = key(obj)
    group = f".{identity.api_version.partition('/')[0]}" if with_group else ""
    name = _shortened(f"{identity.kind.lower()}{group}-{identity.name}")
    parts = [part for part in (identity.namespace, f"{name}.yaml") if part]
    if any(part in (".", "..") or Path(part).name != part for part in parts):
        raise FileExistsError(f"the name of {identity} is a path, so it is not written")
    return "/".join(parts)


def _shortened(name: str) -> str:
    """A name short enough for a file: an object's name alone may have a file name's full length."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[:_LONGEST]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def write(objects: Iterable[Object], folder: Path) -> list[Path]:
    """Write each object to its file and remove those of our files that have no object. Returns what changed.

    Files without our header are never overwritten or removed, and nothing outside the folder is touched: raises
    FileExistsError before anything is written.
    """
    wanted = _files(objects, folder)
    before = {path: _content_of_ours(path) for path in wanted}
    changed = [path for path, text in wanted.items() if text != before[path]]
    for path in changed:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path])
    for path in folder.rglob("*.yaml"):
        if path not in wanted and path.is_file() and not path.is_symlink() and _is_ours(path):
            path.unlink()
            changed.append(path)
    return changed


def _files(objects: Iterable[Object], folder: Path) -> dict[Path, bytes]:
    """Path to content. If several API groups have a kind of the same name, file names include the group."""
    named = [(file_name(obj), obj) for obj in objects]
    times = Counter(name for name, _ in named)
    names = [(file_name(obj, with_group=times[name] > 1), obj) for name, obj in named]
    return {_within(folder, name): (HEADER + stream([obj])).encode() for name, obj in names}


def _within(folder: Path, name: str) -> Path:
    path = folder / name
    if "\0" in str(path):
        raise FileNotFoundError(f"{str(path)!r} is not a path")
    if path.is_symlink() or path.resolve() != folder.resolve() / name:
        raise FileExistsError(f"{path} is a symbolic link to another place; remove the link, or choose another folder")
    return path


def _content_of_ours(path: Path) -> bytes | None:
    """The content of a file, or None without one. Raises FileExistsError for a file that is not ours."""
    if not path.exists():
        return None
    if not path.is_file() or not _is_ours(path):
        raise FileExistsError(f"{path} was not written by modelservices; move it away, or choose another folder")
    return path.read_bytes()


def _is_ours(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(HEADER)) == HEADER.encode()
