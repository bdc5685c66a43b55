"""Writes components/kubernetes/api_fields.json: the fields of the Kubernetes types that models here keep free form.

python -m tools.api_fields    from the OpenAPI document of the Kubernetes module that the control plane is built of

A field's type is `string`, `integer`, `boolean`, `quantity`, `int-or-string`, `any` or another type's name, in `[]` for
a list and in `{}` for a mapping; `!` in front marks a required field.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools import go_command
from tools.versions import KUBERNETES

REPOSITORY = Path(__file__).parent.parent
TARGET = REPOSITORY / "components/kubernetes/api_fields.json"
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


def api_fields(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The types that can be reached from the roots, by their short names."""
    definitions = {
        name.rpartition(".")[2]: definition
        for name, definition in document["definitions"].items()
        if name.startswith(("io.k8s.api.core.v1.", "io.k8s.apimachinery."))
    }
    found: dict[str, dict[str, str]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        required = definitions[name].get("required", [])
        properties = definitions[name].get("properties", {})
        found[name] = {
            field: ("!" if field in required else "") + _type(rule) for field, rule in sorted(properties.items())
        }
        waiting += [inner for kind in found[name].values() if (inner := kind.strip("![]{}")) in definitions]
    return dict(sorted(found.items()))


def _type(rule: dict[str, Any]) -> str:
    if "$ref" in rule:
        name = rule["$ref"].rpartition(".")[2]
        return str(_SPECIAL.get(name, name))
    if rule.get("type") == "array":
        return f"[{_type(rule['items'])}]"
    if rule.get("type") == "object":
        return f"{{{_type(rule['additionalProperties'])}}}" if "additionalProperties" in rule else "any"
    return str(rule["type"])


def main() -> None:
    folder = go_command.module_folder(f"k8s.io/kubernetes@v{KUBERNETES}", Path(__file__).parent)
    document = json.loads((folder / "api/openapi-spec/swagger.json").read_text())
    TARGET.write_text(json.dumps(api_fields(document), indent=1) + "\n")


if __name__ == "__main__":
    main()
