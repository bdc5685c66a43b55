"""ScaledObject of a workload: KEDA scales it, by the Workload Variant Autoscaler's metric or by the service's triggers.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/scaling.go at v0.20.0-rc0.
"""

from typing import Any

from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from . import names
from .context import Service, Workload
from .scaling_spec import KEDABase, ScalingSpec
from .variant import METRIC, variant_metadata


def scaled_object(service: Service, workload: Workload, scaling: ScalingSpec, target: dict[str, Any]) -> Object:
    name = names.autoscaler(service.name, "keda", prefill=workload.is_prefill)
    wva = scaling.wva
    keda: KEDABase | None = wva.keda if wva else scaling.keda
    options = dump(keda) if keda else {}
    triggers = options.pop("triggers", None) or [_prometheus_trigger(service, name)]
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": variant_metadata(service, workload, name, wva),
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
    query = f'{METRIC}{{variant_name="{variant}",exported_namespace="{service.namespace}"}}'
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
