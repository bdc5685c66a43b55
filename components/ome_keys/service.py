"""A service of another family as the keys see it: its keys, and its workloads by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.rendered import RenderedComponent
from .pod_template import Template, with_containers
from .presence import KNATIVE, has_keys
from .settings import KeySettings
from .vocabulary import effective_keys, vocabulary

KIND = "InferenceService"
"""Kind in OME's documentation that stands for services of other families."""
SERVING = ("deployment", "decode-deployment", "decode-group", "prefill-deployment", "prefill-group")
"""Roles of the workloads whose pods serve a model; the first that a service has is its main one."""
MAIN = SERVING[:3]

_MAIN = "main"
_GROUP = "leaderworkerset.sigs.k8s.io/name"


@dataclass(frozen=True)
class Workload:
    """A Deployment or LeaderWorkerSet whose pods serve a model."""

    role: str
    obj: Object

    @property
    def name(self) -> str:
        return self.obj["metadata"]["name"]

    @property
    def prefix(self) -> str:
        """Prefix of its objects' roles: ``decode-``, ``prefill-``, or empty."""
        part, dash, _ = self.role.rpartition("-")
        return f"{part}{dash}"

    @property
    def pods(self) -> dict[str, Any]:
        """Labels that select exactly its pods."""
        selector = self.obj["spec"].get("selector", {}).get("matchLabels")
        return dict(selector) if selector else {_GROUP: self.name}

    @property
    def template(self) -> Template:
        """Pod template of the pods that receive requests: the first one."""
        return next(template for _, template in pod_templates(self.obj))

    @property
    def main(self) -> Mapping[str, Any]:
        return main_first(self.template)["spec"]["containers"][0]

    @property
    def ports(self) -> list[int]:
        """Ports of its pods' containers, including sidecars."""
        spec = self.template["spec"]
        containers = [*spec.get("initContainers", []), *spec["containers"]]
        return sorted({port["containerPort"] for container in containers for port in container.get("ports", [])})


@dataclass(frozen=True)
class Keys:
    """The documented keys in effect on a service of another family."""

    manifest: Manifest
    effective: Mapping[str, Any]
    settings: KeySettings

    @classmethod
    def of(cls, manifest: Manifest, settings: KeySettings) -> Keys | None:
        """None for OME's own manifests, and for those without keys of OME's domains."""
        labels, annotations = manifest.metadata.labels, manifest.metadata.annotations
        if manifest.apiVersion.startswith("ome.io/") or not has_keys(manifest.metadata):
            return None
        effective = effective_keys(labels, annotations, settings)
        entries = vocabulary().entries
        ours = {k: v for k, v in effective.items() if k not in KNATIVE and entries[k].belongs_on(KIND)}
        return cls(manifest, ours, settings)

    def placed(self, place: str) -> dict[str, Any]:
        """The keys of one place: labels or annotations."""
        entries = vocabulary().entries
        return {key: value for key, value in self.effective.items() if entries[key].place == place}


def main_first(template: Template) -> dict[str, Any]:
    """The template with the serving container first: the one named ``main``, if it has one."""
    containers = template["spec"]["containers"]
    return with_containers(template, sorted(containers, key=lambda container: container["name"] != _MAIN))


def workloads(rendered: RenderedComponent) -> tuple[Workload, ...]:
    return tuple(Workload(role, rendered.objects[role]) for role in SERVING if role in rendered.objects)


def with_template(value: Mapping[str, Any], path: str, change: Callable[[Template], Template]) -> dict[str, Any]:
    """An object with the pod template at a path (``spec.template``) changed."""
    field, _, rest = path.partition(".")
    return {**value, field: with_template(value[field], rest, change) if rest else change(value[field])}
