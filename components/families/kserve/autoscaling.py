"""What scales a workload: the Workload Variant Autoscaler, through an HPA or KEDA, or the service's own KEDA triggers.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/scaling.go at v0.20.0-rc0.
"""

from collections.abc import Mapping
from typing import Any

from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from . import names
from .context import Service, Workload
from .labels import metadata
from .scaling_spec import KEDABase, ScalingSpec, WVASpec

_ACCELERATOR = "inference.optimization/acceleratorName"
_METRIC = "wva_desired_replicas"


def autoscaler(service: Service, workload: Workload, target: Object) -> dict[str, Object]:
    """What scales the Deployment or LeaderWorkerSet, by its role."""
    scaling = workload.spec.scaling
    if scaling is None:
        return {}
    reference = {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": target["metadata"]["name"]}
    if scaling.wva and scaling.wva.hpa:
        return {"hpa": horizontal_pod_autoscaler(service, workload, scaling, scaling.wva, reference)}
    return {"keda": scaled_object(service, workload, scaling, reference)}


def horizontal_pod_autoscaler(
    service: Service, workload: Workload, scaling: ScalingSpec, wva: WVASpec, target: Mapping[str, Any]
) -> Object:
    name = names.autoscaler(service.name, "hpa", prefill=workload.is_prefill)
    metric = {"name": _METRIC, "selector": {"matchLabels": {"variant_name": name}}}
    external = {"metric": metric, "target": {"type": "Value", "value": "1"}}
    spec = {
        "scaleTargetRef": target,
        "minReplicas": scaling.minReplicas or 1,
        "maxReplicas": scaling.maxReplicas,
        "metrics": [{"type": "External", "external": external}],
        **({"behavior": wva.hpa.behavior} if wva.hpa and wva.hpa.behavior else {}),
    }
    described = _metadata(service, workload, name, wva)
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": described, "spec": spec}


def scaled_object(service: Service, workload: Workload, scaling: ScalingSpec, target: Mapping[str, Any]) -> Object:
    name, wva = names.autoscaler(service.name, "keda", prefill=workload.is_prefill), scaling.wva
    keda: KEDABase | None = wva.keda if wva else scaling.keda
    options = dump(keda) if keda else {}
    triggers = options.pop("triggers", None) or [_prometheus_trigger(service, name)]
    spec = {
        "scaleTargetRef": target,
        "minReplicaCount": scaling.minReplicas or 1,
        "maxReplicaCount": scaling.maxReplicas,
        **options,
        "triggers": triggers,
    }
    described = _metadata(service, workload, name, wva)
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": described, "spec": spec}


def _prometheus_trigger(service: Service, variant: str) -> dict[str, Any]:
    """Reads the wanted replicas from Prometheus, which renames the metric's ``namespace`` to ``exported_namespace``."""
    prometheus = service.settings.wva.prometheus
    metadata = {
        "serverAddress": prometheus.url,
        "query": f'{_METRIC}{{variant_name="{variant}",exported_namespace="{service.namespace}"}}',
        "threshold": "1",
        "unsafeSsl": "true" if prometheus.tlsInsecureSkipVerify else "false",
        **({"authModes": prometheus.authModes} if prometheus.authModes else {}),
    }
    trigger: dict[str, Any] = {"type": "prometheus", "name": "wva-desired-replicas", "metadata": metadata}
    if prometheus.triggerAuthName:
        kind = {"kind": prometheus.triggerAuthKind} if prometheus.triggerAuthKind else {}
        trigger["authenticationRef"] = {"name": prometheus.triggerAuthName, **kind}
    return trigger


def _metadata(service: Service, workload: Workload, name: str, wva: WVASpec | None) -> dict[str, Any]:
    """Metadata with the annotations for the Workload Variant Autoscaler."""
    result = metadata(service, "workload parts", name)
    if wva is None:
        return result
    annotations = {
        "llm-d.ai/managed": "true",
        "llm-d.ai/model-id": service.model_name,
        "llm-d.ai/variant-cost": wva.variantCost,
    }
    labels = {**result["labels"], _ACCELERATOR: workload.spec.labels.get(_ACCELERATOR) or "unknown"}
    return {**result, "labels": labels, "annotations": annotations}
