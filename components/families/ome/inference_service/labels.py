"""Which labels and annotations reach which object of a service: layers from weakest to strongest."""

from collections.abc import Mapping
from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.propagation import Layer, Propagation, propagate
from ....kubernetes.values import without_empty
from ....ome_keys import keys
from ....ome_keys.labels import scheduler_labels
from ....ome_keys.pod_template import monitoring
from .. import names
from ..metadata import standard_labels
from .component import Component
from .context import Context

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
# Objects of a component. The scheduler's labels and the label app reach only some of them.
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
"""For each role of a component's object: its target name here, and its pod templates by path."""


def described(context: Context, component: Component, target: str) -> dict[str, Any]:
    labels = propagate(_label_layers(context, component), target)
    dropped = {"revision": VISIBILITY, "scaled-object": "k8slens-edit-resource-version"}.get(target)
    annotations = propagate(_annotation_layers(context, component), target)
    return {
        "labels": {key: value for key, value in labels.items() if key != dropped},
        "annotations": {key: value for key, value in annotations.items() if not _is_dropped(key, target)},
    }


def metadata_of(context: Context, component: Component, name: str, target: str) -> dict[str, Any]:
    return {"name": name, "namespace": context.service.namespace, **described(context, component, target)}


def workload(
    context: Context, component: Component, api_version: str, kind: str, name: str, target: str, spec: dict[str, Any]
) -> Object:
    metadata = without_empty(metadata_of(context, component, name, target))
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def propagations(context: Context, component: Component) -> dict[str, Propagation]:
    """Where the labels and annotations of a component's objects come from, by role."""
    layers = tuple(_label_layers(context, component)), tuple(_annotation_layers(context, component))
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


def _label_layers(context: Context, component: Component) -> list[Layer]:
    service = context.service
    app = {"app": names.shortened(component.name)}
    scheduling = queue_labels(context, component)
    return [
        Layer("ome", _standard(context, component), _COMPONENT),
        Layer("the model's metadata.labels", context.model_labels, _COMPONENT),
        Layer("metadata.labels", service.metadata.labels, _COMPONENT),
        Layer(f"{component.role}Config.labels", component.runtime.labels, _COMPONENT),
        Layer(f"spec.{component.role}.labels", component.stated.labels, _COMPONENT),
        Layer("ome", _owned_labels(context, component), _COMPONENT, owned=True),
        Layer("ome", app, _WITH_APP, owned=True),
        Layer("ome", {NODE_TYPE: "head"}, frozenset(["leader"]), owned=True),
        Layer("scheduler", scheduling, _SCHEDULED, owned=True),
    ]


def _annotation_layers(context: Context, component: Component) -> list[Layer]:
    return [
        Layer("metadata.annotations", public_annotations(context), _COMPONENT),
        Layer(f"{component.role}Config.annotations", component.runtime.annotations, _COMPONENT),
        Layer("metadata.annotations", monitoring(context.effective), _COMPONENT),
        Layer(f"spec.{component.role}.annotations", component.stated.annotations, _COMPONENT),
        Layer("ome", _owned_annotations(context), _COMPONENT, owned=True),
    ]


def component_annotations(context: Context, component: Component) -> dict[str, Any]:
    """All annotations that apply to a component: those of its pods."""
    return propagate(_annotation_layers(context, component), "pod")


def queue_labels(context: Context, component: Component) -> dict[str, Any]:
    return scheduler_labels(
        component_annotations(context, component), context.service.metadata.labels, context.effective
    )


def _owned_labels(context: Context, component: Component) -> dict[str, Any]:
    labels = {SERVICE_LABEL: context.service.name, COMPONENT_LABEL: component.role}
    if context.runtime:
        labels["serving-runtime"] = context.runtime
    weights = context.service.spec.model.fineTunedWeights if context.service.spec.model else []
    labels["fine-tuned-serving"] = "true" if weights else "false"
    if context.model:
        labels["base-model-name"] = context.model.name
        labels["base-model-size"] = context.model.category
        labels["base-model-type"] = "Serving"
        if context.model.spec.vendor:
            labels["base-model-vendor"] = context.model.spec.vendor
    return labels


def _owned_annotations(context: Context) -> dict[str, Any]:
    annotations = {"ome.io/serving-runtime": context.runtime} if context.runtime else {}
    if context.model is None:
        return annotations
    spec = context.model.spec
    annotations["ome.io/base-model-name"] = context.model.name
    model_format = spec.modelFormat
    facts = {
        "format": model_format.name if model_format else None,
        "vendor": spec.vendor,
        "format-version": model_format.version if model_format else None,
    }
    annotations |= {f"ome.io/base-model-{fact}": value for fact, value in facts.items() if value}
    of_model = context.model.metadata.annotations
    return annotations | {key: of_model[key] for key in _DECRYPTION if key in of_model}


def _standard(context: Context, component: Component) -> dict[str, Any]:
    if not context.settings.standardLabels:
        return {}
    labels = {
        **standard_labels(component.role, context.service.name, context.settings.version),
        keys.SERVING_INFERENCESERVICE: context.service.name,
        keys.SERVING_COMPONENT: component.role,
        keys.SERVING_MODEL: context.model_name,
        keys.SERVING_RUNTIME: context.runtime,
    }
    return {str(key): value for key, value in labels.items() if value}


def public_annotations(context: Context) -> dict[str, Any]:
    """The service's annotations without those meant for a single object."""
    return {key: value for key, value in context.annotations.items() if key not in _INTERNAL}


def external_annotations(context: Context) -> dict[str, Any]:
    """Annotations that cloud providers read on the external Service."""
    return {key: value for key, value in context.annotations.items() if key.startswith(_EXTERNAL)}
