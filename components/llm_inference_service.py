"""LLMInferenceServiceComponent: a KServe LLMInferenceService with its workloads, scheduler and route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import arguments_model, manifest, render_service
from .registration.component import ServiceComponent

if TYPE_CHECKING:
    from .args.index import LLMInferenceServiceArgs
    from .args.snake_case import index as snake_case


KIND = ("serving.kserve.io/v1alpha2", "LLMInferenceService")


class LLMInferenceServiceComponent(ServiceComponent):
    """Deployments or LeaderWorkerSets, Service, pool, route and autoscalers, with an EPPComponent inside."""

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
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: object) -> Rendered:
    return render_service(LLMInferenceServiceComponent, name, args, lambda found: [manifest(KIND, name, found)])
