"""InferenceServiceComponent: an LLMKube InferenceService with its Model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .registration.arguments import ManifestComponent, arguments_model, manifest

if TYPE_CHECKING:
    from .args.index import InferenceServiceArgs  # noqa: F401
    from .args.snake_case import index as snake_case  # noqa: F401

MODEL = ("inference.llmkube.dev/v1alpha1", "Model")


class InferenceServiceComponent(ManifestComponent["InferenceServiceArgs", "snake_case.InferenceServiceArgs"]):
    """Deployment, Service, and on request autoscaler and cache claim of one LLMKube service."""

    KIND = ("inference.llmkube.dev/v1alpha1", "InferenceService")
    ARGUMENTS = arguments_model(
        "InferenceServiceArguments",
        "An InferenceService of LLMKube and the Model that it serves.",
        spec=(KIND, "The spec of the InferenceService, as in its YAML. Values only passed on may be Outputs."),
        model=(MODEL, "The spec of the Model, as in its YAML. Its name is the service's modelRef."),
    )

    @classmethod
    def manifests(cls, name: str, args: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Adds the Model, in the service's namespace under the name that the service refers to."""
        place = {"namespace": args["namespace"]} if "namespace" in args else {}
        model = manifest(MODEL, args["spec"].get("modelRef", name), {**place, "spec": args["model"]})
        return [*super().manifests(name, args), model]
