"""InferenceServiceComponent: an LLMKube InferenceService with its Model."""

from typing import Any

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import ServiceArgs, manifest, render_arguments
from .registration.component import ServiceComponent

API_VERSION = "inference.llmkube.dev/v1alpha1"


class InferenceServiceArgs(ServiceArgs):
    """An InferenceService of LLMKube and the Model that it serves."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the InferenceService, as in its YAML. Values that are only passed on may be Outputs."""
    model: dict[str, pulumi.Input[Any]]
    """The spec of the Model, as in its YAML. Its name is the service's modelRef."""


class InferenceServiceComponent(ServiceComponent):
    """Deployment, Service, and as asked for autoscaler and cache claim of one LLMKube service."""

    def __init__(self, name: str, args: InferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: InferenceServiceArgs) -> Rendered:
    service = manifest(API_VERSION, "InferenceService", name, args)
    model = manifest(API_VERSION, "Model", args["spec"].get("modelRef", name), {"namespace": args.get("namespace")})
    manifests = [service, {**model, "spec": args["model"]}, *args.get("manifests", [])]
    return render_arguments("InferenceServiceComponent", name, manifests, args.get("settings"))
