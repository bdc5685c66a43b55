"""LLMInferenceServiceComponent: a KServe LLMInferenceService with its workloads, scheduler and route."""

from typing import TYPE_CHECKING

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import LLMInferenceServiceArgs  # noqa: F401
    from .args.snake_case import index as snake_case  # noqa: F401


class LLMInferenceServiceComponent(ManifestComponent["LLMInferenceServiceArgs", "snake_case.LLMInferenceServiceArgs"]):
    """Deployments or LeaderWorkerSets, Service, pool, route and autoscalers, with an EPPComponent inside."""

    KIND = ("serving.kserve.io/v1alpha2", "LLMInferenceService")
    ARGUMENTS = arguments_model(
        "LLMInferenceServiceArguments",
        "A LLMInferenceService of KServe.",
        spec=(
            KIND,
            "The spec of the LLMInferenceService (v1alpha2), as in its YAML. Values only passed on may be Outputs.",
        ),
    )
