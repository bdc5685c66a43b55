"""Compares our objects with OtterScale's goldens, strictly except for what their README calls incidental."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from modelservices.kubernetes.objects import key
from modelservices.kubernetes.quantities import canonical

_MISSING = object()
_KEPT_WHEN_BLANK = ("emptyDir", "group")


def differences(ours: Iterable[dict[str, Any]], reference: Iterable[dict[str, Any]]) -> list[str]:
    """One line for each difference: ``Kind namespace/name: path: ours …, reference …``, sorted."""
    got = {str(key(obj)): _even(obj) for obj in ours}
    wanted = {str(key(obj)): _even(obj) for obj in reference}
    lines = [f"{name}: only ours" for name in got.keys() - wanted.keys()]
    lines += [f"{name}: only the reference's" for name in wanted.keys() - got.keys()]
    for name in got.keys() & wanted.keys():
        lines += [f"{name}: {line}" for line in compare("", got[name], wanted[name])]
    return sorted(lines)


def compare(path: str, ours: Any, reference: Any) -> Iterator[str]:
    """One line for each value that differs, starting with ``path``."""
    if isinstance(ours, dict) and isinstance(reference, dict):
        for name in sorted(ours.keys() | reference.keys()):
            yield from compare(f"{path}.{name}", ours.get(name, _MISSING), reference.get(name, _MISSING))
    elif isinstance(ours, list) and isinstance(reference, list):
        for index in range(max(len(ours), len(reference))):
            pair = [items[index] if index < len(items) else _MISSING for items in (ours, reference)]
            yield from compare(f"{path}[{index}]", *pair)
    elif ours is _MISSING or reference is _MISSING or ours != reference:
        yield f"{path.lstrip('.')}: ours {_shown(ours)}, reference {_shown(reference)}"


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else json.dumps(value, sort_keys=True)


def _even(obj: dict[str, Any]) -> dict[str, Any]:
    """The object without empty values, with canonical quantities and parsed config files."""
    if obj["kind"] == "ConfigMap":
        obj = {**obj, "data": {name: _parsed(text) for name, text in obj["data"].items()}}
    return _even_value(obj, "")


def _parsed(text: Any) -> Any:
    return yaml.safe_load(text) if isinstance(text, str) else text


def _even_value(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        even = {key: _even_value(item, key) for key, item in value.items()}
        even = {key: item for key, item in even.items() if key in _KEPT_WHEN_BLANK or item not in (None, "", {}, [])}
        return {key: canonical(str(item)) for key, item in even.items()} if name in ("limits", "requests") else even
    if isinstance(value, list):
        return [_even_value(item, name) for item in value]
    return canonical(str(value)) if name == "divisor" else value


def masked(objects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Our objects with the goldens' placeholders, after checking the replaced values."""
    listed = list(objects)
    hashes = {obj["metadata"]["name"]: _hash(obj["data"]) for obj in listed if obj["kind"] == "ConfigMap"}
    return [_masked_deployment(obj, hashes) if obj["kind"] == "Deployment" else obj for obj in listed]


def _masked_deployment(obj: dict[str, Any], hashes: dict[str, str]) -> dict[str, Any]:
    copy = json.loads(json.dumps(obj))
    pod = copy["spec"]["template"]
    for container in pod["spec"].get("initContainers", []):
        if container["name"] == "model-unpack":
            assert len(container["args"]) == 1 and isinstance(container["args"][0], str)
            container["args"] = ["<script>"]
    annotations = pod["metadata"].get("annotations", {})
    if "checksum/config" in annotations and hashes:
        assert annotations["checksum/config"] == hashes[pod["spec"]["volumes"][0]["configMap"]["name"]]
        annotations["checksum/config"] = "<sha256>"
    return copy


def _hash(data: dict[str, str]) -> str:
    return hashlib.sha256("".join(name + data[name] for name in sorted(data)).encode()).hexdigest()
