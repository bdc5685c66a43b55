"""What the Workload Variant Autoscaler finds its objects by, and the metric that it exports."""

from typing import Any

from .context import Service, Workload
from .labels import metadata
from .scaling_spec import WVASpec

ACCELERATOR = "inference.optimization/acceleratorName"
METRIC = "wva_desired_replicas"


def variant_metadata(service: Service, workload: Workload, name: str, wva: WVASpec | None) -> dict[str, Any]:
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
