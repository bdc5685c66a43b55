"""The Deployment of a component.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/deployment/deployment_reconciler.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.model import dump
from ....kubernetes.objects import Object
from .. import names
from .component import TemplateOf
from .labels import Identity, workload
from .scaling import Scaling

_ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}


def deployment(identity: Identity, scaling: Scaling, template: TemplateOf) -> Object:
    """Has no replicas where an autoscaler sets them."""
    component = scaling.component
    strategy = dump(component.spec.deploymentStrategy) if component.spec.deploymentStrategy else _ROLLING
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": names.shortened(component.name)}},
        "strategy": strategy,
        "template": template("pod"),
    }
    if scaling.stays_at_zero:
        spec["replicas"] = 0
    return workload(identity, component, "apps/v1", "Deployment", component.name, "deployment", spec)
