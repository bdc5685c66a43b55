"""The autoscaler of a workload: a HorizontalPodAutoscaler or a KEDA ScaledObject.

What it scales by comes from the Workload Variant Autoscaler, or from KEDA triggers of the user's own.
"""

from __future__ import annotations

from ...kubernetes.objects import Object
from .context import Service, Workload
from .horizontal_pod_autoscaler import horizontal_pod_autoscaler
from .scaled_object import scaled_object


def objects(service: Service, workload: Workload, target: Object) -> dict[str, Object]:
    """The autoscaler of a workload, by role; ``target`` is the Deployment or LeaderWorkerSet."""
    scaling = workload.spec.scaling
    if scaling is None:
        return {}
    reference = {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": target["metadata"]["name"]}
    if scaling.wva and scaling.wva.hpa:
        return {"hpa": horizontal_pod_autoscaler(service, workload, scaling, scaling.wva, reference)}
    return {"keda": scaled_object(service, workload, scaling, reference)}
