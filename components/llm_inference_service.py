"""LLMInferenceServiceComponent: a KServe LLMInferenceService with its workloads, scheduler and route."""

from typing import Any

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import ServiceArgs, manifest, render_arguments
from .registration.component import ServiceComponent


class LLMInferenceServiceArgs(ServiceArgs):
    """A LLMInferenceService of KServe."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the LLMInferenceService (v1alpha2), as in its YAML. Values only passed on may be Outputs."""


class LLMInferenceServiceComponent(ServiceComponent):
    """Deployments or LeaderWorkerSets, Service, pool, route and autoscalers, with an EPPComponent inside."""

    def __init__(self, name: str, args: LLMInferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: LLMInferenceServiceArgs) -> Rendered:
    service = manifest("serving.kserve.io/v1alpha2", "LLMInferenceService", name, args)
    manifests = [service, *args.get("manifests", [])]
    return render_arguments("LLMInferenceServiceComponent", name, manifests, args.get("settings"))
