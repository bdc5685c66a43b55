"""InferenceServiceComponent: an LLMKube InferenceService with its Model."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import pulumi

from .arguments import manifest, render_arguments
from .component import ServiceComponent
from .kubernetes.objects import Rendered

API_VERSION = "inference.llmkube.dev/v1alpha1"


class InferenceServiceArgs(TypedDict):
    """An InferenceService of LLMKube and the Model that it serves."""

    spec: dict[str, Any]
    """The spec of the InferenceService, as in its YAML. Values that are only passed on may be Outputs."""
    model: dict[str, Any]
    """The spec of the Model, as in its YAML. Its name is the service's modelRef."""
    name: NotRequired[str]
    """Name of the service in the cluster; the component's name by default."""
    namespace: NotRequired[str]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[dict[str, str]]
    """Labels of the InferenceService."""
    annotations: NotRequired[dict[str, str]]
    """Annotations of the InferenceService."""
    manifests: NotRequired[list[dict[str, Any]]]
    """Further manifests that the service refers to: a draft Model, a claim that exists."""
    settings: NotRequired[dict[str, Any]]
    """Platform settings, as in the stack's config."""


class InferenceServiceComponent(ServiceComponent):
    """Deployment, Service, and as asked for autoscaler and cache claim of one LLMKube service."""

    def __init__(self, name: str, args: InferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has planned all its services already and hands over what it rendered.
        rendered = args if isinstance(args, Rendered) else _render(name, args)
        super().__init__(name, rendered, opts)


def _render(name: str, args: InferenceServiceArgs) -> Rendered:
    service = manifest(API_VERSION, "InferenceService", name, args)
    model = manifest(API_VERSION, "Model", args["spec"].get("modelRef", name), {"namespace": args.get("namespace")})
    manifests = [service, {**model, "spec": args["model"]}, *args.get("manifests", [])]
    return render_arguments("InferenceServiceComponent", name, manifests, args.get("settings"))
