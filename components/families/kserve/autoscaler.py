"""The autoscaler of a workload: a HorizontalPodAutoscaler or a KEDA ScaledObject.

What it scales by comes from the Workload Variant Autoscaler, or from KEDA triggers of the user's own.
"""

from __future__ import annotations

from typing import Any

from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from . import names
from .context import Service, Workload
from .labels import metadata
from .scaling_spec import KEDABase, ScalingSpec, WVASpec

ACCELERATOR = "inference.optimization/acceleratorName"
_METRIC = "wva_desired_replicas"


def objects(service: Service, workload: Workload, target: Object) -> dict[str, Object]:
    """The autoscaler of a workload, by role; ``target`` is the Deployment or LeaderWorkerSet."""
    scaling = workload.spec.scaling
    if scaling is None:
        return {}
    reference = {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": target["metadata"]["name"]}
    if scaling.wva and scaling.wva.hpa:
        return {"hpa": _hpa(service, workload, scaling, scaling.wva, reference)}
    return {"keda": _scaled_object(service, workload, scaling, reference)}


def _metadata(service: Service, workload: Workload, name: str, wva: WVASpec | None) -> dict[str, Any]:
    """The Workload Variant Autoscaler finds its objects by annotations."""
    result = metadata(service, "workload parts", name)
    if wva is None:
        return result
    accelerator = workload.spec.labels.get(ACCELERATOR) or "unknown"
    return {
        **result,
        "labels": {**result["labels"], ACCELERATOR: accelerator},
        "annotations": {
            "llm-d.ai/managed": "true",
            "llm-d.ai/model-id": service.model_name,
            "llm-d.ai/variant-cost": wva.variantCost,
        },
    }


def _hpa(service: Service, workload: Workload, scaling: ScalingSpec, wva: WVASpec, target: dict[str, Any]) -> Object:
    name = names.autoscaler(service.name, "hpa", prefill=workload.is_prefill)
    metric = {"name": _METRIC, "selector": {"matchLabels": {"variant_name": name}}}
    external = {"metric": metric, "target": {"type": "Value", "value": "1"}}
    behavior = wva.hpa.behavior if wva.hpa else None
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": _metadata(service, workload, name, wva),
        "spec": {
            "scaleTargetRef": target,
            "minReplicas": scaling.minReplicas or 1,
            "maxReplicas": scaling.maxReplicas,
            "metrics": [{"type": "External", "external": external}],
            **({"behavior": behavior} if behavior else {}),
        },
    }


def _scaled_object(service: Service, workload: Workload, scaling: ScalingSpec, target: dict[str, Any]) -> Object:
    name = names.autoscaler(service.name, "keda", prefill=workload.is_prefill)
    wva = scaling.wva
    keda: KEDABase | None = wva.keda if wva else scaling.keda
    options = dump(keda) if keda else {}
    triggers = options.pop("triggers", None) or [_prometheus_trigger(service, name)]
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": _metadata(service, workload, name, wva),
        "spec": {
            "scaleTargetRef": target,
            "minReplicaCount": scaling.minReplicas or 1,
            "maxReplicaCount": scaling.maxReplicas,
            **options,
            "triggers": triggers,
        },
    }


def _prometheus_trigger(service: Service, variant: str) -> dict[str, Any]:
    """What the autoscaler wants, read from Prometheus, which renames its ``namespace`` to ``exported_namespace``."""
    prometheus = service.settings.wva.prometheus
    query = f'{_METRIC}{{variant_name="{variant}",exported_namespace="{service.namespace}"}}'
    trigger: dict[str, Any] = {
        "type": "prometheus",
        "name": "wva-desired-replicas",
        "metadata": {
            "serverAddress": prometheus.url,
            "query": query,
            "threshold": "1",
            "unsafeSsl": "true" if prometheus.tlsInsecureSkipVerify else "false",
            **({"authModes": prometheus.authModes} if prometheus.authModes else {}),
        },
    }
    if prometheus.triggerAuthName:
        kind = {"kind": prometheus.triggerAuthKind} if prometheus.triggerAuthKind else {}
        trigger["authenticationRef"] = {"name": prometheus.triggerAuthName, **kind}
    return trigger
