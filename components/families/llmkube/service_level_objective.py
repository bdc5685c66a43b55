"""The ServiceLevelObjective of a service with ``slo``, from which Pyrra makes recording and alerting rules.

Mirrors defilantech/LLMKube internal/controller/inferenceservice_slo_controller.go at v0.9.19.
"""

from typing import Any

from ...kubernetes.objects import Object
from . import names
from .context import Context
from .spec import SLO


def service_level_objective(service: Context) -> Object | None:
    slo = service.spec.slo
    if slo is None or not service.settings.enablePyrraSLO:
        return None
    return {
        "apiVersion": "pyrra.dev/v1alpha1",
        "kind": "ServiceLevelObjective",
        "metadata": {
            "name": slo.name or f"{service.name}-{slo.indicator}",
            "namespace": service.namespace,
            "labels": {"app.kubernetes.io/managed-by": "llmkube", names.INFERENCE_SERVICE_LABEL: service.name},
        },
        "spec": {"target": slo.objective, "window": slo.window, "indicator": _indicator(service, slo)},
    }


def _indicator(service: Context, slo: SLO) -> dict[str, Any]:
    """Share of scrapes that succeed, or of requests that are answered in time."""
    pods = f'namespace="{service.namespace}",service="{service.name}"'
    if slo.indicator == "availability":
        return {"bool_gauge": {"metric": f"up{{{pods}}}"}}
    seconds = service.engine.latency
    return {
        "latency": {
            "success": {"metric": f'{seconds}_bucket{{{pods},le="{slo.latencyThreshold}"}}'},
            "total": {"metric": f"{seconds}_count{{{pods}}}"},
        }
    }
