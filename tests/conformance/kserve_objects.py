"""Compares rendered KServe objects with the reference, strictly except for what its README calls loose."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.quantities import amount

from . import kserve_flags

SCRIPT = "<script>"
_IDENTITIES = {
    "containers": "name",
    "env": "name",
    "initContainers": "name",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
_POOL_GROUPS = ("inference.networking.k8s.io", "inference.networking.x-k8s.io")
_DEFAULTS = {"appProtocol": "http", "group": "", "metadata": {}}
_MISSING = object()
_EXPIRATION = "certificates.kserve.io/expiration"
_TEMPLATES = {
    "Deployment": {"template": ("spec", "template")},
    "LeaderWorkerSet": {
        "leaderTemplate": ("spec", "leaderWorkerTemplate", "leaderTemplate"),
        "workerTemplate": ("spec", "leaderWorkerTemplate", "workerTemplate"),
    },
}

Identity = tuple[str, str, str, str]


def differences(ours: list[Object], reference: list[Object]) -> list[str]:
    """All differences except labels and annotations (``metadata_differences``) and scripts (``serve_differences``)."""
    have, want = _by_identity(ours), _by_identity(reference)
    found = [f"{_name(key)}: object missing" for key in sorted(want.keys() - have.keys())]
    found += [f"{_name(key)}: object unexpected" for key in sorted(have.keys() - want.keys())]
    for key in sorted(have.keys() & want.keys()):
        lines = _compare("", comparable(have[key]), comparable(want[key]))
        found += [f"{_name(key)}: {line}" for line in lines]
    return found


def _by_identity(objects: list[Object]) -> dict[Identity, Object]:
    found = {
        (o["apiVersion"], o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"]): o for o in objects
    }
    assert len(found) == len(objects), "an object is there twice"
    return found


def _name(key: Identity) -> str:
    api_version, kind, _, name = key
    return f"{kind} {name} ({api_version})" if kind == "InferencePool" else f"{kind} {name}"


def comparable(obj: Object) -> Any:
    obj = copy.deepcopy(obj)
    for holder in [obj, *_templates(obj).values()]:
        metadata = holder.get("metadata", {})
        metadata.pop("labels", None)
        metadata.pop("annotations", None)
    if obj["kind"] == "Secret":
        obj.pop("data", None)
    return _plain(obj, "")


def _plain(value: Any, field: str) -> Any:
    if isinstance(value, Mapping):
        items = {key: _plain(item, key) for key, item in value.items()}
        return {key: item for key, item in items.items() if item != _DEFAULTS.get(key, _MISSING)}
    if isinstance(value, list) and field in _IDENTITIES:
        found = {str(item[_IDENTITIES[field]]): _plain(item, "") for item in value}
        assert len(found) == len(value), f"{field} has an item twice"
        return found
    if isinstance(value, list) and field == "ports":
        return sorted((_plain(item, "") for item in value), key=json.dumps)
    if isinstance(value, list) and field == "command":
        return [SCRIPT if _is_script(item) else item for item in value if item != ""]
    if isinstance(value, list) and field == "args":
        return [_config(item) for item in value]
    if isinstance(value, list):
        return [_plain(item, "") for item in value]
    if field == "group" and value in _POOL_GROUPS:
        return "pool group"
    return _number(value) if isinstance(value, str) and field in _QUANTITIES else value


_QUANTITIES = {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "sizeLimit", "storage"}


def _number(value: str) -> str:
    return str(amount(value))


def _is_script(item: Any) -> bool:
    return isinstance(item, str) and (item == SCRIPT or "exec vllm" in item)


def _config(item: Any) -> Any:
    return yaml.safe_load(item) if isinstance(item, str) and "kind: EndpointPickerConfig" in item else item


def _templates(obj: Object) -> dict[str, Any]:
    found = {}
    for name, path in _TEMPLATES.get(obj["kind"], {}).items():
        value: Any = obj
        for key in path:
            value = value.get(key, {})
        if value:
            found[name] = value
    return found


def _compare(path: str, ours: Any, reference: Any) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(reference, dict):
        for key in sorted({*ours, *reference}):
            where = f"{path}.{key}" if path else key
            if key not in ours:
                yield f"{where}: missing, reference {json.dumps(reference[key])}"
            elif key not in reference:
                yield f"{where}: unexpected {json.dumps(ours[key])}"
            else:
                yield from _compare(where, ours[key], reference[key])
    elif isinstance(ours, list) and isinstance(reference, list) and len(ours) == len(reference):
        for index, pair in enumerate(zip(ours, reference, strict=True)):
            yield from _compare(f"{path}[{index}]", *pair)
    elif ours != reference:
        yield f"{path}: ours {json.dumps(ours)}, reference {json.dumps(reference)}"


def metadata_differences(ours: list[Object], reference: list[dict[str, Any]]) -> list[str]:
    """Differences in labels and annotations of objects and pod templates from expected-metadata."""
    have = {(o["apiVersion"], o["kind"], o["metadata"]["name"]): _metadata(o) for o in ours}
    found = []
    for item in reference:
        key = (item["apiVersion"], item["kind"], item["name"])
        if key in have:
            want = {
                "labels": item["labels"],
                "annotations": {k: v for k, v in item["annotations"].items() if k != _EXPIRATION},
                "podTemplates": item.get("podTemplates", {}),
            }
            lines = _compare("", have[key], want)
            found += [f"{item['kind']} {item['name']}: {line}" for line in lines]
    listed = {(item["apiVersion"], item["kind"], item["name"]) for item in reference}
    return found + [f"{kind} {name}: metadata unexpected" for _, kind, name in sorted(have.keys() - listed)]


def _metadata(obj: Object) -> dict[str, Any]:
    return {**_pair(obj), "podTemplates": {name: _pair(template) for name, template in _templates(obj).items()}}


def _pair(holder: Mapping[str, Any]) -> dict[str, Any]:
    metadata = holder["metadata"]
    return {"labels": metadata.get("labels", {}), "annotations": metadata.get("annotations", {})}


def serve_differences(ours: list[Object], reference: Mapping[str, str]) -> list[str]:
    """Differences in vLLM's flags from expected-serve."""
    scripts = {path: script for obj in ours for path, script in _scripts(obj)}
    lines = {path: line for path, line in reference.items() if "#" not in path}
    found = [f"{path}: script missing" for path in sorted(lines.keys() - scripts.keys())]
    found += [f"{path}: script unexpected" for path in sorted(scripts.keys() - lines.keys())]
    for path in sorted(lines.keys() & scripts.keys()):
        own = {key: value for key, value in reference.items() if key.startswith(f"{path}#")}
        variables = {key.partition("#")[2]: str(value) for key, value in own.items()}
        want, have = kserve_flags.of_reference(lines[path], variables), kserve_flags.of_script(scripts[path])
        found += [f"{path}: missing {' '.join(flag)}" for flag in sorted(want - have)]
        found += [f"{path}: unexpected {' '.join(flag)}" for flag in sorted(have - want)]
    return found


def _scripts(obj: Object) -> Iterator[tuple[str, str]]:
    """Each start script, with its path as in expected-serve."""
    for name, template in _templates(obj).items():
        place = "/".join(_TEMPLATES[obj["kind"]][name])
        for container in template["spec"]["containers"]:
            for item in container.get("command", []):
                if _is_script(item):
                    path = f"{place}/spec/containers({container['name']})/command"
                    yield f"{obj['kind']}/{obj['metadata']['name']}/{path}", item
