"""HorizontalPodAutoscaler of a workload: as many replicas as the Workload Variant Autoscaler wants.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/scaling.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .context import Service, Workload
from .scaling_spec import ScalingSpec, WVASpec
from .variant import METRIC, variant_metadata


def horizontal_pod_autoscaler(
    service: Service, workload: Workload, scaling: ScalingSpec, wva: WVASpec, target: dict[str, Any]
) -> Object:
    name = names.autoscaler(service.name, "hpa", prefill=workload.is_prefill)
    metric = {"name": METRIC, "selector": {"matchLabels": {"variant_name": name}}}
    external = {"metric": metric, "target": {"type": "Value", "value": "1"}}
    behavior = wva.hpa.behavior if wva.hpa else None
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": variant_metadata(service, workload, name, wva),
        "spec": {
            "scaleTargetRef": target,
            "minReplicas": scaling.minReplicas or 1,
            "maxReplicas": scaling.maxReplicas,
            "metrics": [{"type": "External", "external": external}],
            **({"behavior": behavior} if behavior else {}),
        },
    }
