"""LLMInferenceServiceComponent: a KServe LLMInferenceService with its workloads, scheduler and route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import LLMInferenceServiceArgs
    from .args.snake_case import index as snake_case


class LLMInferenceServiceComponent(ManifestComponent):
    """Deployments or LeaderWorkerSets, Service, pool, route and autoscalers, with an EPPComponent inside."""

    KIND = ("serving.kserve.io/v1alpha2", "LLMInferenceService")
    ARGUMENTS = arguments_model(
        "LLMInferenceServiceArguments",
        "A LLMInferenceService of KServe.",
        {
            "spec": (
                KIND,
                "The spec of the LLMInferenceService (v1alpha2), as in its YAML. Values only passed on may be Outputs.",
            )
        },
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.LLMInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(
        self, name: str, args: LLMInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
