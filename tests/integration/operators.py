"""An operator's cluster, for tests of adoption: its custom resources and the objects that it creates for them.

The reference outputs serve as the operator's objects, created under its field manager and owned by the custom resource.
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
"""The default field manager of a controller built with kubebuilder."""

DEFINITIONS = {
    "inference.llmkube.dev": ("InferenceService", "inferenceservices", ("v1alpha1",)),
    "model.otterscale.io": ("ModelService", "modelservices", ("v1alpha1",)),
    "serving.kserve.io": ("LLMInferenceService", "llminferenceservices", ("v1alpha1", "v1alpha2")),
    "ome.io": ("InferenceService", "inferenceservices", ("v1beta1",)),
}
"""Maps an API group to its service kind, the plural and the versions."""

_UNOWNED = ("llmkube-model-cache",)
"""LLMKube's shared claim outlives its services."""

Object = dict[str, Any]


def install_definitions(api: DynamicClient) -> None:
    """Installs the operators' kinds with schemas that accept everything."""
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
    """Creates an object as the operator would; returns False if it already exists."""
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
    """Creates objects in a namespace as an operator does. ``made`` has the objects, ``resources`` the custom
    resources."""

    api: DynamicClient
    namespace: str
    made: list[Object] = field(default_factory=list)
    resources: list[Object] = field(default_factory=list)

    def reconcile(self, service: Object, objects: Iterable[Object]) -> None:
        """Creates a custom resource and the objects that it owns."""
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
        """Deletes all custom resources and thereby the objects that they own, as if the operator were uninstalled."""
        for obj in self.resources:
            resource = self.api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
            resource.delete(name=obj["metadata"]["name"], namespace=self.namespace)


def _owned(obj: Object, owner: Object) -> Object:
    obj = copy.deepcopy(obj)
    if "namespace" in obj["metadata"] and obj["metadata"]["name"] not in _UNOWNED:
        obj["metadata"]["ownerReferences"] = [owner]
    if obj["kind"] == "Secret":  # the reference has placeholders instead of keys
        obj["data"] = dict.fromkeys(obj.get("data", {}), "cGxhY2Vob2xkZXI=")
    if obj["kind"] == "ConfigMap":  # the reference has the parsed content of YAML files
        obj["data"] = {
            name: text if isinstance(text, str) else yaml.safe_dump(text) for name, text in obj["data"].items()
        }
    return obj


def moved(file: Path, namespace: str) -> list[Object]:
    """The documents of a file, with the namespace of its service replaced, also where names of cluster-scoped objects
    begin with it."""
    text = file.read_text()
    own = next(
        doc["metadata"]["namespace"] for doc in yaml.safe_load_all(text) if doc and "namespace" in doc["metadata"]
    )
    documents = yaml.safe_load_all(re.sub(rf"(?<![\w./-]){own}(?![\w./-])", namespace, text))
    return [_with_cluster_name(doc, own, namespace) for doc in documents if doc]


def _with_cluster_name(document: Object, own: str, namespace: str) -> Object:
    if not document["kind"].startswith("ClusterRole"):
        return document
    text = yaml.safe_dump(document)
    return yaml.safe_load(re.sub(rf"name: {own}-", f"name: {namespace}-", text))
