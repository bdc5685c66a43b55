"""An operator's cluster, for tests of taking over: its custom resources, and the objects that it made of them.

The reference outputs stand for the operator's objects: created under its field manager, owned by the custom resource.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import ConflictError

from tests.integration.live import read

MANAGER = "manager"
"""The field manager of a controller that was built with kubebuilder and says nothing else."""

DEFINITIONS = {
    "inference.llmkube.dev": ("InferenceService", "inferenceservices", ("v1alpha1",)),
    "model.otterscale.io": ("ModelService", "modelservices", ("v1alpha1",)),
    "serving.kserve.io": ("LLMInferenceService", "llminferenceservices", ("v1alpha1", "v1alpha2")),
    "ome.io": ("InferenceService", "inferenceservices", ("v1beta1",)),
}
"""API group to the kind of its services, its plural and versions."""

_UNOWNED = ("llmkube-model-cache",)
"""LLMKube's shared claim outlives its services."""

Object = dict[str, Any]


def install_definitions(api: DynamicClient) -> None:
    """The operators' kinds, with schemas that take everything."""
    for group, (kind, plural, versions) in DEFINITIONS.items():
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        spec = {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [
                {"name": version, "served": True, "storage": version == versions[-1], "schema": schema}
                for version in versions
            ],
        }
        create(api, _typed("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.{group}") | {"spec": spec})


def create(api: DynamicClient, obj: Object) -> bool:
    """As the operator creates it; False where it is there already."""
    resource = api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
    try:
        resource.create(body=obj, namespace=obj["metadata"].get("namespace"), field_manager=MANAGER)
    except ConflictError:
        return False
    return True


def _typed(api_version: str, kind: str, name: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


@dataclass
class Operator:
    """Makes objects in a namespace as an operator does. ``made`` are the objects, ``resources`` the custom ones."""

    api: DynamicClient
    namespace: str
    made: list[Object] = field(default_factory=list)
    resources: list[Object] = field(default_factory=list)

    def reconcile(self, service: Object, objects: Iterable[Object]) -> None:
        """Take a custom resource in, and make the objects that it owns."""
        custom = _typed(service["apiVersion"], service["kind"], service["metadata"]["name"])
        custom["metadata"]["namespace"] = self.namespace
        kept = {
            field: service["metadata"][field] for field in ("labels", "annotations") if service["metadata"].get(field)
        }
        create(self.api, custom | {"metadata": custom["metadata"] | kept, "spec": service.get("spec", {})})
        self.resources.append(custom)
        name = custom["metadata"]["name"]
        live = read(self.api, custom["apiVersion"], custom["kind"], name, self.namespace)
        owner = {
            **{name: custom[name] for name in ("apiVersion", "kind")},
            "name": name,
            "uid": live["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        for obj in objects:
            owned = _owned(obj, owner)
            self.made += [owned] if create(self.api, owned) else []

    def delete_resources(self) -> None:
        """Every custom resource, as when the operator is uninstalled; what they own goes with them."""
        for obj in self.resources:
            resource = self.api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
            resource.delete(name=obj["metadata"]["name"], namespace=self.namespace)


def _owned(obj: Object, owner: Object) -> Object:
    obj = copy.deepcopy(obj)
    if "namespace" in obj["metadata"] and obj["metadata"]["name"] not in _UNOWNED:
        obj["metadata"]["ownerReferences"] = [owner]
    if obj["kind"] == "Secret":  # the reference has placeholders for keys
        obj["data"] = dict.fromkeys(obj.get("data", {}), "cGxhY2Vob2xkZXI=")
    if obj["kind"] == "ConfigMap":  # the reference has files that are YAML as what they say
        obj["data"] = {
            name: text if isinstance(text, str) else yaml.safe_dump(text) for name, text in obj["data"].items()
        }
    return obj


def moved(file: Path, namespace: str) -> list[Object]:
    """The documents of a file, with another namespace in place of that of its service."""
    text = file.read_text()
    own = next(
        doc["metadata"]["namespace"] for doc in yaml.safe_load_all(text) if doc and "namespace" in doc["metadata"]
    )
    return [doc for doc in yaml.safe_load_all(re.sub(rf"(?<![\w./-]){own}(?![\w./-])", namespace, text)) if doc]
