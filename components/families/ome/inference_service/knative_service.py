"""The Knative Service of a component that may scale to zero.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/knative/ksvc_reconciler.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from .component import TemplateOf
from .labels import Identity, component_annotations, workload
from .scaling import Scaling

_TAG_ROUTING = "ome.io/enable-tag-routing"


def knative_service(identity: Identity, scaling: Scaling, template: TemplateOf) -> Object:
    component = scaling.component
    revision = template("revision")
    revision["metadata"] = {
        **revision["metadata"],
        "annotations": {**revision["metadata"]["annotations"], **_scale_annotations(scaling)},
    }
    spec = component.spec
    limits = {
        "containerConcurrency": spec.containerConcurrency,
        "timeoutSeconds": spec.timeoutSeconds,
        "responseStartTimeoutSeconds": spec.timeoutSeconds,
    }
    revision["spec"] = {**revision["spec"], **{field: value for field, value in limits.items() if value is not None}}
    traffic: dict[str, Any] = {"latestRevision": True, "percent": 100}
    if component_annotations(identity, component).get(_TAG_ROUTING) == "true":
        traffic["tag"] = "latest"
    body = {"template": revision, "traffic": [traffic]}
    return workload(identity, component, "serving.knative.dev/v1", "Service", component.name, "knative", body)


def _scale_annotations(scaling: Scaling) -> dict[str, Any]:
    """Bounds, class, target and metric of the Knative autoscaler."""
    values = {
        "min-scale": str(scaling.component.low),
        "max-scale": str(scaling.component.high),
        "class": scaling.annotations.get("autoscaling.knative.dev/class", "kpa.autoscaling.knative.dev"),
        **scaling.knative,
    }
    return {f"autoscaling.knative.dev/{key}": value for key, value in values.items()}
