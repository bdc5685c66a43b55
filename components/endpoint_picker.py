"""EPPComponent: a standalone endpoint picker, for pods and a pool that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import pulumi

from .findings import Finding
from .kubernetes.endpoint_picker.render import render_endpoint_picker
from .kubernetes.endpoint_picker.spec import EndpointPickerOptions, EndpointPickerSpec
from .kubernetes.model import Spec, defaults, read
from .kubernetes.rendered import RenderedComponent
from .kubernetes.scalars import Name, Text
from .kubernetes.secrets import secret_problems
from .registration.arguments import InvalidArguments, read_arguments
from .registration.component import ServiceComponent

if TYPE_CHECKING:
    from .args.index import EPPArgs
    from .args.snake_case import index as snake_case


class EPPArguments(Spec):
    """An endpoint picker for one InferencePool of its namespace."""

    poolName: Name
    """The InferencePool whose pods it picks from."""
    name: Text = ""
    """Name of its Deployment, Service, ServiceAccount and Role; the component's name by default."""
    namespace: Text = ""
    """Namespace of the picker, its pool and the pods; `default` by default."""
    spec: EndpointPickerOptions = defaults(EndpointPickerOptions)
    """Everything else: image, replicas, resources, plugins, monitoring."""


class EPPComponent(ServiceComponent):
    """Deployment, Service, ServiceAccount, RBAC, plugin ConfigMap and monitor of one endpoint picker."""

    ARGUMENTS = EPPArguments

    @overload
    def __init__(self, name: str, args: snake_case.EPPArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    @overload
    def __init__(self, name: str, args: EPPArgs, opts: pulumi.ResourceOptions | None = None) -> None: ...
    def __init__(self, name: str, args: Any, opts: pulumi.ResourceOptions | None = None) -> None:
        # A service that contains a picker has already rendered it and passes it.
        super().__init__(name, args if isinstance(args, RenderedComponent) else _render(name, args), opts)


def _render(name: str, args: object) -> RenderedComponent:
    arguments = read_arguments("EPPComponent", name, EPPArguments, args)
    beside_spec = {key: value for key, value in arguments.items() if key != "spec"}
    spec, problems = read(EndpointPickerSpec, {"name": name, **arguments.get("spec", {}), **beside_spec})
    rendered = render_endpoint_picker(spec) if spec else None
    problems = [*problems, *secret_problems(arguments), *(rendered.problems if rendered else ())]
    findings = [Finding.of(problem, f"EPPComponent {name}", "") for problem in problems]
    if rendered is None or any(finding.severity == "error" for finding in findings):
        raise InvalidArguments(findings)
    for finding in findings:
        pulumi.log.warn(str(finding))
    return rendered
