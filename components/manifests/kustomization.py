"""Reads what a kustomization names: files, folders and addresses.

Reading is strict: only fields that Kustomize documents, spelled exactly, and values that JSON has. The file that
Kustomize gets is rewritten from what was read here (``kustomize_copy.py``), so that it can't read anything else.
"""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from ..findings import Finding
from ..kubernetes.values import mapping, mappings
from ..kubernetes.yaml_text import load
from .files import text_of
from .kustomize import NAMES

Role = Literal["base", "file", "plugin"]
_LISTS: Mapping[str, Role] = {
    "resources": "base",
    "bases": "base",
    "components": "base",
    "crds": "file",
    "configurations": "file",
    "patchesStrategicMerge": "file",
    "generators": "plugin",
    "transformers": "plugin",
    "validators": "plugin",
}
"""List fields with things to read: files, folders to build on, or configurations of plugins."""
_INLINE = frozenset(["patchesStrategicMerge", "generators", "transformers", "validators"])
"""Fields whose items may be inline YAML objects."""
_WITH_PATH = {
    "patches": ("path", "patch", "target", "options"),
    "patchesJson6902": ("path", "patch", "target"),
    "replacements": ("path", "source", "targets"),
}
"""Lists of mappings with a ``path``, and their fields."""
_GENERATORS = ("configMapGenerator", "secretGenerator")
_OF_GENERATORS = ("name", "namespace", "behavior", "type", "options", "literals", "files", "envs", "env")
_FILES = ("files", "envs", "env")
_OTHERS = (
    *("apiVersion", "kind", "metadata", "openapi", "namespace", "namePrefix", "nameSuffix", "commonLabels", "labels"),
    *("commonAnnotations", "images", "imageTags", "replicas", "vars", "generatorOptions", "sortOptions"),
    *("buildMetadata", "helmCharts", "helmGlobals", "helmChartInflationGenerator"),
)
_FIELDS = frozenset([*_LISTS, *_WITH_PATH, *_GENERATORS, *_OTHERS])
_HELM = ("helmCharts", "helmGlobals", "helmChartInflationGenerator")

_PLUGINS: Mapping[str, tuple[str, ...]] = {
    "ConfigMapGenerator": _FILES,
    "SecretGenerator": _FILES,
    "PatchTransformer": ("path",),
    "PatchJson6902Transformer": ("path",),
    "PatchStrategicMergeTransformer": ("paths",),
    "ReplacementTransformer": ("replacements",),
    **{
        f"{name}Transformer": ()
        for name in (
            *("Annotations", "Hash", "ImageTag", "Label", "LegacyOrder", "Namespace", "Prefix", "PrefixSuffix"),
            *("ReplicaCount", "SortOrder", "Suffix", "ValueAdd"),
        )
    },
}
"""Kustomize's builtin plugins that run no other program, with their fields that name files."""
_OF_ADDRESSES = re.compile(r"[\x00-\x1f\x7f:?@#%\\]|//|_git/|\.git(/|$)|^/|^github\.com", re.IGNORECASE)
"""Text that some release of Kustomize may read as an address, or that leads out of every folder."""


class Reference(NamedTuple):
    """``place`` is the file or folder with links followed; None for an address or if nothing is there. ``link``: a
    symbolic link is on the way."""

    kustomization: Path
    path: str
    text: str
    place: Path | None
    role: Role = "file"
    link: bool = False


class Kustomization(NamedTuple):
    """The kustomization file of a folder, its content, and what it names (the file itself first)."""

    file: Path
    content: Mapping[str, Any]
    references: list[Reference]


def read_kustomization(folder: Path) -> Kustomization:
    """The kustomization of a folder. Raises ValueError if it can't be read, or if readers may differ on it."""
    files = [folder / name for name in NAMES if (folder / name).is_file()]
    if len(files) != 1:
        raise ValueError(f"{folder} has {len(files)} of {', '.join(NAMES)}, of which it takes one")
    (file,) = files
    content = _strict(file)
    named = _references(file, folder, _named(content))
    return Kustomization(file, content, [Reference(file, "", file.name, file.resolve()), *named])


def plugin_references(file: Path, folder: Path, path: str, text: str) -> tuple[str, list[Reference]]:
    """The rewritten configuration of a builtin plugin, and what it names. Raises ValueError for any other plugin."""
    objects = [_plain(obj) for obj in _documents(text)]
    named = [each for obj in objects for each in _of_plugin(obj, path)]
    return "\n---\n".join(map(_json, objects)), list(_references(file, folder, named))


def rewritten(content: Mapping[str, Any]) -> str:
    """A kustomization and its inline objects as JSON, which all YAML readers read alike."""
    inline = {
        field: [_json(_inline(item)) if _inline(item) else item for item in content[field]]
        for field in _INLINE & content.keys()
    }
    return _json({**content, **inline})


def not_named(folder: Path, folders: Collection[Path]) -> Finding:
    """The finding for a folder that contains kustomizations but is not one: which one is meant can't be guessed."""
    used = {used for each in folders for used in _used(each)}
    names = ", ".join(str(each) for each in folders if each.resolve() not in used) or ", ".join(map(str, folders))
    message = f"has several kustomizations ({names}); list the one to build under modelservices:manifests"
    return Finding(str(folder), "", "", message, code="kustomize-several")


def _used(folder: Path) -> Iterator[Path]:
    """The folders that a kustomization builds on; its own if it is only a component of others."""
    try:
        kustomization = read_kustomization(folder)
    except ValueError:
        return
    if kustomization.content.get("kind") == "Component":
        yield folder.resolve()
    yield from (
        reference.place for reference in kustomization.references if reference.place and reference.role == "base"
    )


def _strict(file: Path) -> Mapping[str, Any]:
    text = text_of(file)
    if isinstance(text, Finding):
        raise ValueError(f"{file}: {text.message}")
    try:
        content = _plain(load(text) if text.strip() else {})
        _check_fields(content)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return content


def _plain(value: Any) -> Any:
    """The value, if it is a mapping of JSON values. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("is no mapping")
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if odd := next((name for name in item if not isinstance(name, str)), None):
                raise ValueError(f"has the key {str(odd)[:60]!r}, which is no text")
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif not (item is None or isinstance(item, str | bool | int | float)):
            raise ValueError(f"has a value of the type {type(item).__name__}, which JSON does not have")
    return value


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _check_fields(content: Mapping[str, Any]) -> None:
    """Raises ValueError for a field that Kustomize may read differently."""
    _known(content, _FIELDS, "")
    if any(content.get(field) for field in _HELM):
        raise ValueError("has Helm charts, which Helm renders: take what `helm template` prints as a resource")
    for field, inner in (*_WITH_PATH.items(), *((name, _OF_GENERATORS) for name in _GENERATORS)):
        for item in _list(content, field):
            if not isinstance(item, dict):
                raise ValueError(f"{field}: an item is no mapping")
            _known(item, inner, f"{field}.")
            _texts(item, (*_FILES, "path"), field)
    for field in _LISTS:
        if not all(isinstance(item, str) for item in _list(content, field)):
            raise ValueError(f"{field}: an item is no text")
    openapi = content.get("openapi") or {}
    if not isinstance(openapi, dict):
        raise ValueError("openapi: is no mapping")
    _known(openapi, ("path",), "openapi.")
    _texts(openapi, ("path",), "openapi")


def _list(content: Mapping[str, Any], field: str) -> list[Any]:
    value = content.get(field) or []
    if not isinstance(value, list):
        raise ValueError(f"{field}: is no list")
    return value


def _known(fields: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for name in fields:
        if name not in known:
            raise ValueError(f"{where}{name}: is no field of a kustomization; write its fields exactly as documented")


def _texts(item: Mapping[str, Any], fields: Collection[str], where: str) -> None:
    for field in fields:
        value = item.get(field)
        items = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) for each in items):
            raise ValueError(f"{where}.{field}: is neither a text nor a list of texts")


def _named(content: Mapping[str, Any]) -> Iterator[tuple[str, str, Role]]:
    """Path, text and role of each value that names something."""
    for field, role in _LISTS.items():
        for path, text in _items(content, field):
            if field not in _INLINE or not _inline(text):
                yield path, text, role
            elif role == "plugin":
                yield from _of_plugin(_inline(text), path)
    for field in _WITH_PATH:
        for index, item in enumerate(mappings(content.get(field))):
            yield from _as_files(_items(item, "path", f"{field}[{index}]."))
    for field in _GENERATORS:
        for index, item in enumerate(mappings(content.get(field))):
            yield from _of_generator(item, f"{field}[{index}].")
    yield from _as_files(_items(mapping(content.get("openapi")), "path", "openapi."))


def _as_files(items: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str, Role]]:
    for path, text in items:
        yield path, text, "file"


def _of_generator(item: Mapping[str, Any], before: str) -> Iterator[tuple[str, str, Role]]:
    for inner in _FILES:
        for path, text in _items(item, inner, before):
            yield path, text.partition("=")[2] or text, "file"


def _of_plugin(obj: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, Role]]:
    """What a plugin's configuration names. Raises ValueError for a plugin that is not builtin."""
    kind = obj.get("kind")
    fields = _PLUGINS.get(kind) if isinstance(kind, str) else None
    if fields is None or obj.get("apiVersion") != "builtin":
        raise ValueError(f"{path}: {str(kind)[:60]} is no plugin of Kustomize's own (apiVersion: builtin) without Helm")
    files = {name.casefold() for name in (*_FILES, "path", "paths", "replacements")}
    for name in obj:
        if name.casefold() in files and name not in fields:
            raise ValueError(f"{path}.{name}: is no field of {kind}")
    if "replacements" in fields:
        for index, item in enumerate(mappings(obj.get("replacements"))):
            _known(item, _WITH_PATH["replacements"], f"{path}.replacements.")
            yield from _as_files(_items(item, "path", f"{path}.replacements[{index}]."))
        return
    _texts(obj, fields, path)
    if fields == _FILES:
        yield from _of_generator(obj, f"{path}.")
    else:
        for field in fields:
            items = ((where, text) for where, text in _items(obj, field, f"{path}.") if not _object(text))
            yield from _as_files(items)


def _items(holder: Mapping[str, Any], field: str, before: str = "") -> Iterator[tuple[str, str]]:
    value = holder.get(field)
    if isinstance(value, str):
        yield f"{before}{field}", value
    for index, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, str):
            yield f"{before}{field}[{index}]", item


def _inline(text: Any) -> dict[str, Any]:
    """The inline object of an item; empty for an item that names a file."""
    return _object(text) if isinstance(text, str) and "\n" in text.strip() else {}


def _object(text: str) -> dict[str, Any]:
    try:
        value = _plain(load(text))
    except ValueError:
        return {}
    return value if isinstance(value.get("apiVersion"), str) and isinstance(value.get("kind"), str) else {}


def _documents(text: str) -> list[Any]:
    try:
        parts = [yaml.serialize(node) for node in yaml.compose_all(text, yaml.SafeLoader) if node is not None]
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"is not valid YAML: {error}") from None
    return [load(part) for part in parts]


def _references(file: Path, folder: Path, named: Any) -> Iterator[Reference]:
    for path, text, role in named:
        # In Kustomize's order: first resolve the dots, then the links.
        place = Path(os.path.normpath(folder.resolve() / text))
        real = None if _OF_ADDRESSES.search(text) else _there(place)
        yield Reference(file, path, text, real, role, real is not None and real != place)


def _there(place: Path) -> Path | None:
    try:
        real = place.resolve()
        return real if real.exists() else None
    except (OSError, ValueError):
        return None
