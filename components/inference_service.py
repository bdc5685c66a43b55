"""InferenceServiceComponent: an LLMKube InferenceService with its Model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import arguments_model, manifest, render_service
from .registration.component import ServiceComponent

if TYPE_CHECKING:
    from .args.index import InferenceServiceArgs
    from .args.snake_case import index as snake_case

SERVICE = ("inference.llmkube.dev/v1alpha1", "InferenceService")
MODEL = ("inference.llmkube.dev/v1alpha1", "Model")


class InferenceServiceComponent(ServiceComponent):
    """Deployment, Service, and as asked for autoscaler and cache claim of one LLMKube service."""

    ARGUMENTS = arguments_model(
        "InferenceServiceArguments",
        "An InferenceService of LLMKube and the Model that it serves.",
        {
            "spec": (
                SERVICE,
                "The spec of the InferenceService, as in its YAML. Values only passed on may be Outputs.",
            ),
            "model": (MODEL, "The spec of the Model, as in its YAML. Its name is the service's modelRef."),
        },
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.InferenceServiceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(self, name: str, args: InferenceServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: object) -> Rendered:
    def manifests(found: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [manifest(SERVICE, name, found), _model(name, found)]

    return render_service(InferenceServiceComponent, name, args, manifests)


def _model(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The Model, in the service's namespace under the name that the service refers to."""
    place = {"namespace": args["namespace"]} if "namespace" in args else {}
    return manifest(MODEL, args["spec"].get("modelRef", name), {**place, "spec": args["model"]})
