"""The fields of the Kubernetes types that manifests can carry, from the OpenAPI document of the Kubernetes module that
the control plane is built of. ``python -m tools.generate`` writes them to components/kubernetes/api_fields.json.

A field's type is `string`, `integer`, `boolean`, `quantity`, `int-or-string`, `any` or another type's name, in `[]` for
a list and in `{}` for a mapping; `!` in front marks a required field.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools import go_command
from tools.versions import KUBERNETES

TARGET = Path("components/kubernetes/api_fields.json")
ROOTS = (
    "Affinity",
    "ContainerRestartRule",
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
"""PodSpec has a model; its fields and a container's are compared with the model's by a test."""
_SPECIAL = {"Quantity": "quantity", "IntOrString": "int-or-string", "Time": "string", "FieldsV1": "any"}


def definitions(document: dict[str, Any]) -> dict[str, Any]:
    """The types of core/v1 and of metadata, by their short names."""
    return {
        name.rpartition(".")[2]: definition
        for name, definition in document["definitions"].items()
        if name.startswith(("io.k8s.api.core.v1.", "io.k8s.apimachinery."))
    }


def api_fields(document: dict[str, Any], *, int32: str = "integer") -> dict[str, dict[str, str]]:
    """The types that can be reached from the roots, by their short names; ``int32``: what short integers are called."""
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
            field: ("!" if field in required else "") + _type(rule, int32) for field, rule in sorted(properties.items())
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


def openapi() -> dict[str, Any]:
    """The OpenAPI document of Kubernetes, as its Go module has it."""
    folder = go_command.module_folder(f"k8s.io/kubernetes@v{KUBERNETES}", Path(__file__).parent)
    return json.loads((folder / "api/openapi-spec/swagger.json").read_text())
