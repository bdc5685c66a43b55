"""Compares rendered objects with recorded ones, without the API server's defaults; list items are matched by name.

``defaults.yaml`` has the API server's defaults. Each difference is a line: object, path, recorded and rendered value.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from modelservices.kubernetes.quantities import amount

from . import kserve_flags

_TABLE = yaml.safe_load((Path(__file__).parent / "oracle/defaults.yaml").read_text())
_DEFAULTS = {(*key.split(),): values for key, values in _TABLE.items()}
_LONGEST = max(len(key) for key in _DEFAULTS)
_IDENTITIES = ("name", "mountPath", "containerPort", "topologyKey", "ip", "key", "type")
_QUANTITIES = ("limits", "requests", "sizeLimit", "divisor", "averageValue")
_EMPTY: tuple[Any, ...] = ({}, [], "", None)
_NAMES_OF_FLAGS = {
    "--embeddings": "--embedding",
    "--tp": "--tensor-parallel-size",
    "--tp-size": "--tensor-parallel-size",
    "-tp": "--tensor-parallel-size",
    "--dp": "--data-parallel-size",
    "--dp-size": "--data-parallel-size",
    "-dp": "--data-parallel-size",
    "--ep": "--expert-parallel-size",
    "--ep-size": "--expert-parallel-size",
    "--model": "--model-path",
    "-m": "--model-path",
    "-c": "--ctx-size",
    "-fa": "--flash-attn",
    "-ngl": "--n-gpu-layers",
    "--gpu-layers": "--n-gpu-layers",
    "-np": "--parallel",
}
"""Maps aliases of flags to the names that are compared."""

Object = Mapping[str, Any]
Path_ = tuple[str, ...]


def differences(recorded: list[Object], rendered: list[Object]) -> Iterator[str]:
    want, have = _by_name(recorded), _by_name(rendered)
    yield from (f"{name}: missing" for name in sorted(want.keys() - have.keys()))
    yield from (f"{name}: surplus" for name in sorted(have.keys() - want.keys()))
    for name in sorted(want.keys() & have.keys()):
        yield from (f"{name}: {line}" for line in _compared("", want[name], have[name]))


def _by_name(objects: list[Object]) -> dict[str, Any]:
    found = {}
    for obj in objects:
        name = f"{obj['kind']} {obj['metadata']['name']}"
        assert (name in found) <= (obj["kind"] == "InferencePool"), f"{name} is there twice"
        name = f"{name} ({obj['apiVersion']})" if obj["kind"] == "InferencePool" else name
        found[name] = plain(obj, (obj["kind"],))
    return found


def plain(value: Any, path: Path_) -> Any:
    """The value without API server defaults and empty values; named list items as a mapping, quantities as amounts."""
    if isinstance(value, Mapping):
        items = {str(key): plain(item, (*path, str(key))) for key, item in value.items()}
        if "image" in items and items.get("imagePullPolicy") == _usual_pull_policy(items["image"]):
            del items["imagePullPolicy"]
        return {key: item for key, item in items.items() if not _says_nothing((*path, key), item)}
    if isinstance(value, list):
        return _plain_list([plain(item, path) for item in value], path)
    if isinstance(value, str) and path[:2] == ("ConfigMap", "data") and ("\n" in value or value[:1] in ("[", "{")):
        return plain(yaml.safe_load(value), path)
    return _plain_leaf(value, path)


def _usual_pull_policy(image: str) -> str:
    name, _, digest = str(image).partition("@")
    _, _, tag = name.rpartition("/")[2].partition(":")
    return "IfNotPresent" if digest or tag not in ("", "latest") else "Always"


def _plain_list(items: list[Any], path: Path_) -> Any:
    if items and all(isinstance(item, str) for item in items):
        return _flags(items) if path[-1] in ("args", "command") else items
    for identity in _IDENTITIES:
        if items and all(isinstance(item, dict) and isinstance(item.get(identity), str | int) for item in items):
            return _named(items, identity)
    return items


def _named(items: list[dict[str, Any]], identity: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in items:
        name = str(item[identity])
        while name in found:
            name += " again"
        found[name] = item
    return found


def _flags(items: list[str]) -> list[str]:
    """Each flag and its value as one item, however they are spelled; for a script, the flags of its last command."""
    found: list[str] = []
    for item in filter(None, items):
        if "kind: EndpointPickerConfig" in item:
            found.append(_shown(plain(yaml.safe_load(item.partition("=")[2] or item), ("config",))))
        elif 'eval "exec vllm serve' in item:
            found += [f"serve {' '.join(flag)}" for flag in sorted(kserve_flags.of_recorded(item))]
        elif "\nexec vllm serve" in item:
            found += [f"serve {' '.join(flag)}" for flag in sorted(kserve_flags.of_script(item))]
        elif "\n" in item or " && " in item:
            found.append("<script>")
        elif found and found[-1].startswith("--") and " " not in found[-1] and not item.startswith("--"):
            found[-1] += f" {item}"
        else:
            found.append(item.replace("=", " ", 1) if item.startswith("--") else item)
    return found


def _plain_leaf(value: Any, path: Path_) -> Any:
    if isinstance(value, str) and any(part in _QUANTITIES for part in path[-2:]):
        with suppress(ValueError):
            return str(amount(value))
    return value


def _says_nothing(path: Path_, value: Any) -> bool:
    values = [_DEFAULTS[path[-length:]] for length in range(1, _LONGEST + 1) if path[-length:] in _DEFAULTS]
    filled_in = any(listed == "any" or _shown(value) in map(_shown, listed) for listed in values)
    return filled_in or (value in _EMPTY and path[-1] != "emptyDir")


def _compared(path: str, want: Any, have: Any) -> Iterator[str]:
    if isinstance(want, dict) and isinstance(have, dict):
        for key in sorted(want.keys() | have.keys()):
            where = f"{path}.{key}" if path else key
            if key not in have:
                yield f"{where}: missing {_shown(want[key])}"
            elif key not in want:
                yield f"{where}: surplus {_shown(have[key])}"
            else:
                yield from _compared(where, want[key], have[key])
        if path.endswith("initContainers") and [k for k in want if k in have] != [k for k in have if k in want]:
            yield f"{path}: order {[*want]} became {[*have]}"
    elif isinstance(want, list) and isinstance(have, list):
        yield from _compared_lists(path, want, have)
    elif want != have:
        yield f"{path}: {_shown(want)} became {_shown(have)}"


def _compared_lists(path: str, want: list[Any], have: list[Any]) -> Iterator[str]:
    if len(want) == len(have) and not all(isinstance(item, str) for item in want):
        for index, pair in enumerate(zip(want, have, strict=True)):
            yield from _compared(f"{path}[{index}]", *pair)
        return
    before, after = (Counter(map(_shown, items)) for items in (want, have))
    lost, new = list((before - after).elements()), list((after - before).elements())
    changed = {item: [other for other in new if _is_same_flag(item, other)] for item in lost}
    for item in lost:
        beside = ", ".join(other for other in after if other not in new and _is_same_flag(item, other))
        if changed[item]:
            yield f"{path}: {item} became {', '.join(changed[item])}"
        else:
            yield f"{path}: missing {item}{beside and f' beside {beside}'}"
    yield from (f"{path}: surplus {item}" for item in new if not any(item in others for others in changed.values()))
    if before == after and want != have:
        yield f"{path}: order {_shown(want)} became {_shown(have)}"


def _is_same_flag(item: str, other: str) -> bool:
    """Whether two words are values of one flag. Configurations are."""
    are_configs = item.startswith("{") and other.startswith("{")
    return are_configs or (item.startswith(("-", "serve -")) and _flag(item) == _flag(other))


def _flag(item: str) -> str:
    name = item.removeprefix("serve ").partition(" ")[0]
    return _NAMES_OF_FLAGS.get(name, name)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
