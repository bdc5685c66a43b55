"""What a kustomization names: files, folders and addresses.

Kustomize itself keeps files within the folder of the kustomization that names them. Folders may lie anywhere, and an
address is fetched wherever a file or folder may stand.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..findings import Finding
from ..kubernetes.values import mapping, mappings
from ..kubernetes.yaml_text import load
from .files import text_of
from .kustomize import NAMES

_LISTS = (
    *("resources", "bases", "components", "crds", "configurations", "patchesStrategicMerge"),
    *("generators", "transformers", "validators"),
)
"""Fields that are lists of what is read; an item may be YAML itself instead."""
_WITH_PATH = ("patches", "patchesJson6902", "replacements")
"""Lists of mappings with a ``path``."""
_GENERATORS = ("configMapGenerator", "secretGenerator")
_REMOTE = r"(?is).*([:?]|//|_git/|\.git(/|$))|[^/]*@[^/]*/|github\.com"
"""How an address may look to any release of Kustomize, which tries that before it looks for a file."""


class Reference(NamedTuple):
    """``place`` is the file or folder, links followed; None for an address, or what is not there."""

    kustomization: Path
    path: str
    text: str
    place: Path | None


def references(folder: Path) -> Iterator[Reference]:
    """All that the kustomization of a folder names, its own file first. Raises ValueError where it can't be read."""
    for file in (folder / name for name in NAMES):
        if file.is_file():
            yield Reference(file, "", file.name, file.resolve())
            for path, text in _named(_content(file)):
                yield Reference(file, path, text, _place(folder, text))


def not_named(folder: Path, found: Collection[Path]) -> Finding:
    """For a folder that is no kustomization but has some: which of them is meant can't be guessed."""
    used = {used for each in found for used in _used(each)}
    names = ", ".join(str(each) for each in found if each.resolve() not in used) or ", ".join(map(str, found))
    message = f"has kustomizations in it ({names}): name the one to build under modelservices:manifests"
    return Finding(str(folder), "", "", message, code="kustomize-several")


def _used(folder: Path) -> Iterator[Path]:
    """The folders that a kustomization builds on; itself where it is only a part of others."""
    try:
        content = mapping(_content(next(folder / name for name in NAMES if (folder / name).is_file())))
    except ValueError:
        return
    if content.get("kind") == "Component":
        yield folder.resolve()
    for field in ("resources", "bases", "components"):
        yield from filter(None, (_place(folder, text) for _, text in _items(content, field)))


def _content(file: Path) -> Any:
    text = text_of(file)
    if isinstance(text, Finding):
        raise ValueError(f"{file}: {text.message}")
    try:
        return load(text)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _named(content: Any) -> Iterator[tuple[str, str]]:
    """Path and text of each field that names something."""
    fields = mapping(content)
    for field in _LISTS:
        yield from ((path, text) for path, text in _items(fields, field) if not _is_yaml(text))
    for field in _WITH_PATH:
        for index, item in enumerate(mappings(fields.get(field))):
            yield from _items(item, "path", f"{field}[{index}].")
    for field in _GENERATORS:
        for index, item in enumerate(mappings(fields.get(field))):
            for inner in ("files", "envs", "env"):
                for path, text in _items(item, inner, f"{field}[{index}]."):
                    yield path, text.partition("=")[2] or text
    yield from _items(mapping(fields.get("openapi")), "path", "openapi.")


def _items(holder: Mapping[str, Any], field: str, before: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of a field, or of each of its items."""
    value = holder.get(field)
    if isinstance(value, str):
        yield f"{before}{field}", value
    for index, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, str):
            yield f"{before}{field}[{index}]", item


def _is_yaml(text: str) -> bool:
    return "\n" in text or text.startswith("{")


def _place(folder: Path, text: str) -> Path | None:
    if re.match(_REMOTE, text):
        return None
    try:
        place = (folder / text).resolve()
        return place if place.exists() else None
    except (OSError, ValueError):
        return None
