"""The Deployment of a component.

Mirrors sgl-project/ome
pkg/controller/v1beta1/inferenceservice/reconcilers/deployment/deployment_reconciler.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.model import dump
from ....kubernetes.objects import Object
from .. import names
from .component import TemplateOf
from .component_spec import DeploymentStrategy
from .labels import Identity, workload
from .scaling import Scaling

_ROLLING = {"maxSurge": 1, "maxUnavailable": 0}


def deployment(identity: Identity, scaling: Scaling, template: TemplateOf) -> Object:
    """Has no replicas where an autoscaler sets them."""
    component = scaling.component
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": names.shortened(component.name)}},
        "strategy": _strategy(component.spec.deploymentStrategy),
        "template": template("pod"),
    }
    if scaling.stays_at_zero:
        spec["replicas"] = 0
    return workload(identity, component, "apps/v1", "Deployment", component.name, "deployment", spec)


def _strategy(stated: DeploymentStrategy | None) -> dict[str, Any]:
    """One pod more than there are, and none fewer, where nothing else is said."""
    strategy = {"type": "RollingUpdate", **(dump(stated) if stated else {})}
    rolling = {"rollingUpdate": _ROLLING} if strategy["type"] == "RollingUpdate" else {}
    return {**rolling, **strategy}
