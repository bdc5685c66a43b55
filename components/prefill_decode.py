"""PrefillDecodeComponent: an OtterScale ModelService with its endpoint picker, pool, route and monitors."""

from typing import Any

import pulumi

from .kubernetes.objects import Rendered
from .registration.arguments import ServiceArgs, manifest, render_arguments
from .registration.component import ServiceComponent


class PrefillDecodeArgs(ServiceArgs):
    """A ModelService of OtterScale."""

    spec: dict[str, pulumi.Input[Any]]
    """The spec of the ModelService, as in its YAML. Values that are only passed on may be Outputs."""


class PrefillDecodeComponent(ServiceComponent):
    """Decode and prefill Deployments, InferencePool, HTTPRoute and monitors, with an EPPComponent inside."""

    def __init__(self, name: str, args: PrefillDecodeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        # The stack has planned all its services already and hands over what it rendered.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: PrefillDecodeArgs) -> Rendered:
    service = manifest("model.otterscale.io/v1alpha1", "ModelService", name, args)
    manifests = [service, *args.get("manifests", [])]
    return render_arguments("PrefillDecodeComponent", name, manifests, args.get("settings"))
