"""Generates components/kubernetes/api_fields.json: the fields of the types that manifests can contain.

Kubernetes' own types come from the OpenAPI document of the Go module from which the control plane is built, other types
from the CRDs whose objects are rendered. ``python -m tools.generate`` writes the file.

A field's type is `string`, `integer`, `number`, `boolean`, `quantity`, `int-or-string`, `any`, its allowed texts
(`=Pods|Percent`) or the name of another type. `[]` around it means a list, `{}` a mapping; a leading `!` marks a
required field. A CRD's types are named after their path: `HTTPRoute.spec.rules`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tools import go_command
from tools.versions import CRDS, KUBERNETES

TARGET = Path("components/kubernetes/api_fields.json")
ROOTS = (
    "Affinity",
    "ContainerRestartRule",
    "HorizontalPodAutoscalerSpec",
    "HostAlias",
    "LabelSelector",
    "PodDNSConfig",
    "PodOS",
    "PodReadinessGate",
    "PodSchedulingGate",
    "PodSchedulingGroup",
    "PodSpec",
    "Volume",
)
"""PodSpec has a model; a test compares its fields and a container's with the model's."""
_CRDS = {
    "gateway-api": ("config/crd/experimental/gateway.networking.k8s.io_httproutes.yaml", "v1"),
    "keda": ("config/crd/bases/keda.sh_scaledobjects.yaml", "v1alpha1"),
}
"""Maps a CRD module to the file of the rendered kind and its version. The Gateway API's experimental channel has more
fields, and a cluster may have it installed."""
_NARROWER = {
    ("HPAScalingPolicy", "type"): "!=Percent|Pods",
    ("HPAScalingRules", "selectPolicy"): "=Disabled|Max|Min",
    (
        "ScaledObject.spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown",
        "selectPolicy",
    ): "=Disabled|Max|Min",
    ("ScaledObject.spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp", "selectPolicy"): "=Disabled|Max|Min",
    ("ScaledObject.spec.triggers", "metricType"): "=AverageValue|Utilization|Value",
}
"""Restrictions that an API enforces although its schema doesn't state them."""
_SPECIAL = {"Quantity": "quantity", "IntOrString": "int-or-string", "Time": "string", "FieldsV1": "any"}


def definitions(document: dict[str, Any]) -> dict[str, Any]:
    """The types of core/v1, autoscaling/v2 and of metadata, by their short names."""
    return {
        name.rpartition(".")[2]: definition
        for name, definition in document["definitions"].items()
        if name.startswith(("io.k8s.api.core.v1.", "io.k8s.api.autoscaling.v2.", "io.k8s.apimachinery."))
    }


def api_fields(document: dict[str, Any], *, int32: str = "integer") -> dict[str, dict[str, str]]:
    """The types reachable from the roots, by their short names; ``int32`` is the name for 32-bit integers."""
    known = definitions(document)
    found: dict[str, dict[str, str]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        required = known[name].get("required", [])
        properties = known[name].get("properties", {})
        found[name] = {
            field: _NARROWER.get((name, field), ("!" if field in required else "") + _type(rule, int32))
            for field, rule in sorted(properties.items())
        }
        waiting += [inner for kind in found[name].values() if (inner := kind.strip("![]{}")) in known]
    return dict(sorted(found.items()))


def _type(rule: dict[str, Any], int32: str) -> str:
    if "$ref" in rule:
        name = rule["$ref"].rpartition(".")[2]
        return str(_SPECIAL.get(name, name))
    if rule.get("type") == "array":
        return f"[{_type(rule['items'], int32)}]"
    if rule.get("type") == "object":
        return f"{{{_type(rule['additionalProperties'], int32)}}}" if "additionalProperties" in rule else "any"
    return int32 if rule.get("format") == "int32" else str(rule["type"])


def crd_fields() -> dict[str, dict[str, str]]:
    """The types within the spec of each CRD, by their paths."""
    found: dict[str, dict[str, str]] = {}
    for source in CRDS:
        if source.name in _CRDS:
            path, version = _CRDS[source.name]
            module = f"{source.module}@{source.version}"
            file = go_command.module_folder(module, Path(__file__).parent, source.checksum) / path
            crd = yaml.safe_load(file.read_text())["spec"]
            (schema,) = (each["schema"] for each in crd["versions"] if each["name"] == version)
            spec = schema["openAPIV3Schema"]["properties"]["spec"]
            found |= dict(_places(spec, f"{crd['names']['kind']}.spec"))
    return found


def _places(rule: dict[str, Any], place: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The type at a path and the types within it."""
    required = rule.get("required", [])
    types: dict[str, str] = {}
    for field, item in sorted(rule["properties"].items()):
        where = f"{place}.{field}"
        mark = "!" if field in required else ""
        types[field] = _NARROWER.get((place, field), mark + _place_type(item, where))
        while "properties" not in item and _inner(item):
            item = _inner(item)
        if "properties" in item:
            yield from _places(item, where)
    yield place, types


def _inner(rule: dict[str, Any]) -> Any:
    """The schema of a list's items or of a mapping's values."""
    more = rule.get("additionalProperties")
    return rule.get("items") or (more if isinstance(more, dict) else None)


def _place_type(rule: dict[str, Any], place: str) -> str:
    if "properties" in rule:
        return place
    if rule.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    if "enum" in rule and rule["type"] == "string":
        return f"={'|'.join(rule['enum'])}"
    kind, inner = rule.get("type"), _inner(rule)
    if inner is None:
        return "any" if kind in (None, "object", "array") else str(kind)
    return f"[{_place_type(inner, place)}]" if kind == "array" else f"{{{_place_type(inner, place)}}}"


def openapi() -> dict[str, Any]:
    """The OpenAPI document in Kubernetes' Go module."""
    folder = go_command.module_folder(f"k8s.io/kubernetes@v{KUBERNETES}", Path(__file__).parent)
    return json.loads((folder / "api/openapi-spec/swagger.json").read_text())
