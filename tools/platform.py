"""Creates a platform's existing objects on a local control plane: namespaces, and objects that a stack only reads."""

from __future__ import annotations

import json

from modelservices.kubernetes.existing import Existing
from modelservices.planning.plan import StackPlan
from tools.cluster.api import Api

PLURALS = {
    "ConfigMap": "configmaps",
    "Gateway": "gateways",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "ServiceAccount": "serviceaccounts",
}
"""The kinds that are created; other kinds in manifests (a Pod, a Deployment) belong to workloads."""


def prepare(api: Api, plan: StackPlan) -> None:
    """Create a stack's namespaces and the existing objects in its manifests."""
    api.apply_all((f"/api/v1/namespaces/{name}", _namespace(name)) for name in plan.namespaces())
    api.apply_all((_path(manifest), _document(manifest)) for manifest in plan.existing if manifest.kind in PLURALS)


def _namespace(name: str) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def _path(manifest: Existing) -> str:
    api_version = manifest.apiVersion
    root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    return f"{root}/namespaces/{manifest.namespace}/{PLURALS[manifest.kind]}/{manifest.name}"


def _document(manifest: Existing) -> str:
    metadata = {"name": manifest.name, "namespace": manifest.namespace}
    bodies = {field: manifest.body(field) for field in ("spec", "data") if manifest.body(field)}
    return json.dumps({"apiVersion": manifest.apiVersion, "kind": manifest.kind, "metadata": metadata, **bodies})
