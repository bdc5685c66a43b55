"""The HorizontalPodAutoscaler of a component that is a Deployment.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/hpa/hpa_reconciler.go at v0.1.5.
"""

from ....kubernetes.objects import Object
from ....ome_keys.autoscalers import horizontal, utilization
from .labels import Identity, metadata_of
from .scaling import Scaling


def horizontal_pod_autoscaler(identity: Identity, scaling: Scaling) -> Object:
    component = scaling.component
    metadata = metadata_of(identity, component, component.name, "autoscaler")
    metric = utilization(scaling.hpa_metric, scaling.utilization)
    return horizontal(metadata, scaling.target, component.low, component.high, metric)
