"""Which label and annotation reaches which object of a service: the layers, from the weakest to the strongest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.propagation import Layer, Propagation, propagate
from ....kubernetes.values import without_empty
from ....ome_keys import keys
from ....ome_keys.pod_template import monitoring
from ....ome_keys.scheduling import scheduler_labels
from .. import names
from ..base_model import BaseModel
from ..metadata import standard_labels
from .component import Component
from .spec import InferenceService

SERVICE_LABEL = "ome.io/inferenceservice"
COMPONENT_LABEL = "component"
NODE_TYPE = "ray.io/node-type"
VISIBILITY = "networking.knative.dev/visibility"
_OF_KNATIVE = ("serving.knative.dev/rollout-duration", "serving.knative.openshift.io/enablePassthrough")
_INTERNAL = frozenset(
    [
        "autoscaling.knative.dev/min-scale",
        "autoscaling.knative.dev/max-scale",
        "internal.ome.io/storage-initializer-sourceuri",
        "kubectl.kubernetes.io/last-applied-configuration",
    ]
)
_POD_ONLY = ("k8s.grafana.com/", "loki.grafana.com/", "prometheus.io/", "networking.gke.io/", "rdma.ome.io/")
_POD_ONLY_KEYS = frozenset(
    ["ome.io/inject-model-init", "ome.io/inject-fine-tuned-adapter", "ome.io/inject-serving-sidecar"]
)
_PROMETHEUS = frozenset(["prometheus.io/scrape", "prometheus.io/port", "prometheus.io/path"])
_EXTERNAL = ("service.beta.kubernetes.io/", "service.kubernetes.io/", "cloud.google.com/")
_DECRYPTION = ("ome.io/base-model-decryption-key-name", "ome.io/base-model-decryption-secret-name")
# Objects of a component. The scheduler and the label app reach some of them only.
_RAW = frozenset(["deployment", "pod", "autoscaler", "budget", "service"])
_LWS = frozenset(["lws", "leader", "worker", "lws-service"])
_KNATIVE = frozenset(["knative", "revision"])
_RAY = frozenset(["ray", "ray-pod", "ray-service", "prober"])
_COMPONENT = _RAW | _LWS | _KNATIVE | _RAY | {"scaled-object", "access"}
_WITH_APP = _RAW | {"leader", "prober"}
_SCHEDULED = _RAW | {"leader", "worker", "knative"}
_GROUP = "spec.leaderWorkerTemplate"
TARGETS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "autoscaler": ("autoscaler", {}),
    "deployment": ("deployment", {"spec.template": "pod"}),
    "disruption-budget": ("budget", {}),
    "knative-service": ("knative", {"spec.template": "revision"}),
    "leader-worker-set": ("lws", {f"{_GROUP}.leaderTemplate": "leader", f"{_GROUP}.workerTemplate": "worker"}),
    "scaled-object": ("scaled-object", {}),
}
"""Role of a component's object to what it is called here, and its pod templates by path."""


@dataclass(frozen=True)
class Identity:
    """What labels and annotations tell about a service beyond its manifest."""

    service: InferenceService
    annotations: Mapping[str, Any]
    model: BaseModel | None
    runtime: str
    effective: Mapping[str, Any]
    version: str = ""
    """For the documented labels on everything that is made; empty where they are not asked for."""
    model_labels: Mapping[str, Any] = field(default_factory=dict)
    """Documented labels of the model's manifest."""

    @property
    def model_name(self) -> str:
        return self.service.spec.model.name if self.service.spec.model else ""


def labels_of(identity: Identity, component: Component, target: str) -> dict[str, Any]:
    """Labels of one of a component's objects."""
    result = propagate(_label_layers(identity, component), target)
    dropped = {"revision": VISIBILITY, "scaled-object": "k8slens-edit-resource-version"}.get(target)
    return {key: value for key, value in result.items() if key != dropped}


def annotations_of(identity: Identity, component: Component, target: str) -> dict[str, Any]:
    """Annotations of one of a component's objects."""
    result = propagate(_annotation_layers(identity, component), target)
    return {key: value for key, value in result.items() if not _is_dropped(key, target)}


def metadata_of(identity: Identity, component: Component, name: str, target: str) -> dict[str, Any]:
    """The metadata of one of a component's objects."""
    return {
        "name": name,
        "namespace": identity.service.namespace,
        "labels": labels_of(identity, component, target),
        "annotations": annotations_of(identity, component, target),
    }


def workload(
    identity: Identity, component: Component, api_version: str, kind: str, name: str, target: str, spec: dict[str, Any]
) -> Object:
    """An object of a component that makes pods."""
    metadata = without_empty(metadata_of(identity, component, name, target))
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def propagations(identity: Identity, component: Component) -> dict[str, Propagation]:
    """Where the labels and annotations of a component's objects come from, by role."""
    layers = tuple(_label_layers(identity, component)), tuple(_annotation_layers(identity, component))
    return {
        f"{component.role}-{role}": Propagation(*layers, target, templates)
        for role, (target, templates) in TARGETS.items()
    }


def _is_dropped(key: str, target: str) -> bool:
    if target in ("service", "lws-service"):
        return key.startswith(_POD_ONLY) or key in _POD_ONLY_KEYS
    if target == "worker":
        return key in _PROMETHEUS
    if target == "knative":
        return key not in _OF_KNATIVE
    return target == "revision" and key in _OF_KNATIVE


def _label_layers(identity: Identity, component: Component) -> list[Layer]:
    service = identity.service
    app = {"app": names.shortened(component.name)}
    scheduling = scheduler_labels(
        component_annotations(identity, component), service.metadata.labels, identity.effective
    )
    return [
        Layer("ome", _standard(identity, component), _COMPONENT),
        Layer("the model's metadata.labels", identity.model_labels, _COMPONENT),
        Layer("metadata.labels", service.metadata.labels, _COMPONENT),
        Layer(f"{component.role}Config.labels", component.runtime.labels, _COMPONENT),
        Layer(f"spec.{component.role}.labels", component.stated.labels, _COMPONENT),
        Layer("ome", _owned_labels(identity, component), _COMPONENT, owned=True),
        Layer("ome", app, _WITH_APP, owned=True),
        Layer("ome", {NODE_TYPE: "head"}, frozenset(["leader"]), owned=True),
        Layer("scheduler", scheduling, _SCHEDULED, owned=True),
    ]


def _annotation_layers(identity: Identity, component: Component) -> list[Layer]:
    return [
        Layer("metadata.annotations", public_annotations(identity), _COMPONENT),
        Layer(f"{component.role}Config.annotations", component.runtime.annotations, _COMPONENT),
        Layer("metadata.annotations", monitoring(identity.effective), _COMPONENT),
        Layer(f"spec.{component.role}.annotations", component.stated.annotations, _COMPONENT),
        Layer("ome", _owned_annotations(identity), _COMPONENT, owned=True),
    ]


def component_annotations(identity: Identity, component: Component) -> dict[str, Any]:
    """All annotations that hold for a component: those of its pods."""
    return propagate(_annotation_layers(identity, component), "pod")


def _owned_labels(identity: Identity, component: Component) -> dict[str, Any]:
    labels = {SERVICE_LABEL: identity.service.name, COMPONENT_LABEL: component.role}
    if identity.runtime:
        labels["serving-runtime"] = identity.runtime
    weights = identity.service.spec.model.fineTunedWeights if identity.service.spec.model else []
    labels["fine-tuned-serving"] = "true" if weights else "false"
    if identity.model:
        labels["base-model-name"] = identity.model.name
        labels["base-model-size"] = identity.model.category
        labels["base-model-type"] = "Serving"
        if identity.model.spec.vendor:
            labels["base-model-vendor"] = identity.model.spec.vendor
    return labels


def _owned_annotations(identity: Identity) -> dict[str, Any]:
    annotations = {"ome.io/serving-runtime": identity.runtime} if identity.runtime else {}
    if identity.model is None:
        return annotations
    spec = identity.model.spec
    annotations["ome.io/base-model-name"] = identity.model.name
    model_format = spec.modelFormat
    facts = {
        "format": model_format.name if model_format else None,
        "vendor": spec.vendor,
        "format-version": model_format.version if model_format else None,
    }
    annotations |= {f"ome.io/base-model-{fact}": value for fact, value in facts.items() if value}
    of_model = identity.model.metadata.annotations
    return annotations | {key: of_model[key] for key in _DECRYPTION if key in of_model}


def _standard(identity: Identity, component: Component) -> dict[str, Any]:
    """The documented labels, where the settings ask for them."""
    if not identity.version:
        return {}
    labels = {
        **standard_labels(component.role, identity.service.name, identity.version),
        keys.SERVING_INFERENCESERVICE: identity.service.name,
        keys.SERVING_COMPONENT: component.role,
        keys.SERVING_MODEL: identity.model_name,
        keys.SERVING_RUNTIME: identity.runtime,
    }
    return {str(key): value for key, value in labels.items() if value}


def public_annotations(identity: Identity) -> dict[str, Any]:
    """The service's annotations without those that mean something to one object only."""
    return {key: value for key, value in identity.annotations.items() if key not in _INTERNAL}


def external_annotations(identity: Identity) -> dict[str, Any]:
    """Those that a cloud reads on the Service that clients use."""
    return {key: value for key, value in identity.annotations.items() if key.startswith(_EXTERNAL)}
