"""EPPComponent: an endpoint picker by itself, for pods and a pool that exist."""

from typing import Any, NotRequired, TypedDict

import pulumi

from .findings import Finding
from .kubernetes.endpoint_picker.render import render_endpoint_picker
from .kubernetes.endpoint_picker.spec import EndpointPickerSpec
from .kubernetes.model import read
from .kubernetes.objects import Rendered
from .registration.arguments import InvalidArguments
from .registration.component import ServiceComponent
from .registration.outputs import hide_outputs


class EPPArgs(TypedDict):
    """An endpoint picker for one InferencePool of its own namespace."""

    poolName: str
    """The InferencePool whose pods it picks from."""
    name: NotRequired[str]
    """Name of its Deployment, Service, ServiceAccount and Role; the component's name by default."""
    namespace: NotRequired[str]
    """Namespace of the picker, its pool and the pods; `default` by default."""
    spec: NotRequired[dict[str, pulumi.Input[Any]]]
    """Everything else: image, imagePullSecrets, replicas, port, failureMode, resources, provider, metricsEndpointAuth,
    flags, tracing, pluginsConfig, monitoring, labels."""


class EPPComponent(ServiceComponent):
    """Deployment, Service, ServiceAccount, RBAC, plugin ConfigMap and monitor of one endpoint picker."""

    def __init__(self, name: str, args: EPPArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        # A service with a picker inside has rendered it already and hands it over.
        super().__init__(name, args if isinstance(args, Rendered) else _render(name, args), opts)


def _render(name: str, args: EPPArgs) -> Rendered:
    own = {key: value for key, value in args.items() if key != "spec"}
    spec, problems = read(EndpointPickerSpec, hide_outputs({"name": name, **args.get("spec", {}), **own}))
    rendered = render_endpoint_picker(spec) if spec else None
    problems = [*problems, *(rendered.problems if rendered else ())]
    findings = [Finding.of(problem, f"EPPComponent {name}", "") for problem in problems]
    if rendered is None or any(finding.severity == "error" for finding in findings):
        raise InvalidArguments(findings)
    for finding in findings:
        pulumi.log.warn(str(finding))
    return rendered
