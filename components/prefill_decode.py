"""PrefillDecodeComponent: an OtterScale ModelService with its endpoint picker, pool, route and monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .registration.arguments import ManifestComponent, arguments_model

if TYPE_CHECKING:
    from .args.index import PrefillDecodeArgs
    from .args.snake_case import index as snake_case


class PrefillDecodeComponent(ManifestComponent):
    """Decode and prefill Deployments, InferencePool, HTTPRoute and monitors, with an EPPComponent inside."""

    KIND = ("model.otterscale.io/v1alpha1", "ModelService")
    ARGUMENTS = arguments_model(
        "PrefillDecodeArguments",
        "A ModelService of OtterScale.",
        {"spec": (KIND, "The spec of the ModelService, as in its YAML. Values only passed on may be Outputs.")},
    )

    @overload
    def __init__(
        self, name: str, args: snake_case.PrefillDecodeArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None: ...
    @overload
    def __init__(self, name: str, args: PrefillDecodeArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
