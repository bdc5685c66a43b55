"""PrefillDecodeComponent: an OtterScale ModelService with its endpoint picker, pool, route and monitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import arguments_model, manifest, render_service
from .registration.component import ServiceComponent

if TYPE_CHECKING:
    from .args.index import PrefillDecodeArgs
    from .args.snake_case import index as snake_case


KIND = ("model.otterscale.io/v1alpha1", "ModelService")


class PrefillDecodeComponent(ServiceComponent):
    """Decode and prefill Deployments, InferencePool, HTTPRoute and monitors, with an EPPComponent inside."""

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
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: object) -> Rendered:
    return render_service(PrefillDecodeComponent, name, args, lambda found: [manifest(KIND, name, found)])
