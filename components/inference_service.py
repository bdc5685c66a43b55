"""InferenceServiceComponent: an LLMKube InferenceService with its Model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

import pulumi

from .registration.arguments import ManifestComponent, arguments_model, manifest

if TYPE_CHECKING:
    from .args.index import InferenceServiceArgs
    from .args.snake_case import index as snake_case

MODEL = ("inference.llmkube.dev/v1alpha1", "Model")


class InferenceServiceComponent(ManifestComponent):
    """Deployment, Service, and as asked for autoscaler and cache claim of one LLMKube service."""

    KIND = ("inference.llmkube.dev/v1alpha1", "InferenceService")
    ARGUMENTS = arguments_model(
        "InferenceServiceArguments",
        "An InferenceService of LLMKube and the Model that it serves.",
        {
            "spec": (
                KIND,
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
        super().__init__(name, args, opts)

    @classmethod
    def manifests(cls, name: str, args: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The Model, too, in the service's namespace under the name that the service refers to."""
        place = {"namespace": args["namespace"]} if "namespace" in args else {}
        model = manifest(MODEL, args["spec"].get("modelRef", name), {**place, "spec": args["model"]})
        return [*super().manifests(name, args), model]
