"""Stacks with tenants and their plans, for the tests of manifests' reach."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from modelservices.kubernetes.objects import Object
from modelservices.planning.plan import StackPlan
from modelservices.stack_config import plan_stack, read_config

ATTACKS = Path(__file__).parent / "attacks"
THING = {"apiVersion": "example.com/v1", "kind": "Thing"}
SETTINGS = {"passthrough": [THING]}


def obj(kind: str, name: str, namespace: str | None, spec: Any = None, api: str = "example.com/v1") -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **({"spec": spec} if spec is not None else {})}


def kserve(name: str, namespace: str, spec: Mapping[str, Any] | None = None) -> dict[str, Any]:
    spec = {"model": {"uri": "hf://a/b", "name": "m"}, **(spec or {})}
    return obj("LLMInferenceService", name, namespace, spec, "serving.kserve.io/v1alpha2")


def secret(namespace: str, **keys: str) -> dict[str, Any]:
    values = {name: f"${{secret:{key}}}" for name, key in keys.items()}
    return {**obj("Secret", "s", namespace, api="v1"), "stringData": values}


def planned(
    root: Path, files: Mapping[str, Any], tenants: Any, settings: Any = SETTINGS, services: Any = (), **config: Any
) -> StackPlan:
    """The plan of a stack with these files (lists of objects) in its folder."""
    for name, objects in files.items():
        path = root / "stacks" / "dev" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump_all(objects))
    values = {"tenants": tenants, "settings": settings, "services": list(services), **config}
    return plan_stack(read_config(values, "Pulumi.dev.yaml"), "dev", root, "default")


def refused(plan: StackPlan) -> list[tuple[str, str, str]]:
    """Object, path and code of each error."""
    return [(found.object, found.path, found.code) for found in plan.findings if found.severity == "error"]


def image(plan: StackPlan, namespace: str) -> list[str]:
    """The images of the main containers of a namespace's Deployments."""
    found = [obj for obj in plan.all_objects() if obj["kind"] == "Deployment" and namespace_of(obj) == namespace]
    return [container["image"] for obj in found for container in obj["spec"]["template"]["spec"]["containers"]]


def namespace_of(obj: Object) -> str:
    return obj["metadata"].get("namespace", "")


A = {"manifests": "stacks/dev/a", "namespaces": ["team-a"]}
B = {"manifests": "stacks/dev/b", "namespaces": ["team-b", "team-b-*"]}
