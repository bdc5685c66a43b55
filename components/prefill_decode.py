"""PrefillDecodeComponent: an OtterScale ModelService with its endpoint picker, pool, route and monitors."""

from typing import TYPE_CHECKING

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import PrefillDecodeArgs  # noqa: F401
    from .args.snake_case import index as snake_case  # noqa: F401


class PrefillDecodeComponent(ManifestComponent["PrefillDecodeArgs", "snake_case.PrefillDecodeArgs"]):
    """Decode and prefill Deployments, InferencePool, HTTPRoute and monitors, with an EPPComponent inside."""

    KIND = ("model.otterscale.io/v1alpha1", "ModelService")
    ARGUMENTS = arguments_model(
        "PrefillDecodeArguments",
        "A ModelService of OtterScale.",
        spec=(KIND, "The spec of the ModelService, as in its YAML. Values only passed on may be Outputs."),
    )
