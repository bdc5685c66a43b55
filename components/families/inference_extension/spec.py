"""The kinds of the Gateway API Inference Extension, as bundle v1.2.0 defines them.

Two checks (``problems``) are CEL rules in the bundle; the field types do all others.

Decisions: status (docs/decisions).
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from ...findings import Problem
from ...kubernetes.endpoint_picker.inference_pool import GROUP
from ...kubernetes.metadata import metadata_problems
from ...kubernetes.model import Manifest, Spec
from ...kubernetes.values import repeated
from .fields import ExactInteger, ExactPort, Group, KindName, LabelValue, ObjectName, PassedName

LLM_D_GROUP = "llm-d.ai"
"""API group of the objective since release 1.6, with the same spec."""


class PoolRef(Spec):
    HINTS = {"namespace": "the pool must be in the objective's namespace; remove the field"}

    group: Group = GROUP
    """API group of the pool; a v1alpha2 pool needs inference.networking.x-k8s.io here."""
    kind: KindName = "InferencePool"
    """Kind of the pool."""
    name: ObjectName
    """Name of the pool, in the objective's namespace."""


class ObjectiveSpec(Spec):
    HINTS = {
        "criticality": "it belongs to the older InferenceModel; write priority: <number>, where higher is served first"
    }

    poolRef: PoolRef
    """The pool to whose requests this objective applies."""
    priority: ExactInteger | None = None
    """Priority: higher is served first, 0 by default; may be negative."""


class InferenceObjective(Manifest):
    """How urgent a class of requests to a pool is."""

    spec: ObjectiveSpec | None = None
    """The pool and the priority."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)


class _EndpointPicker(Spec):
    failureMode: Literal["FailOpen", "FailClose"] = "FailClose"
    """Whether requests pass while the endpoint picker does not answer."""
    group: Group = ""
    """API group of the endpoint picker, empty for a Service."""
    kind: KindName = "Service"
    """Kind of the endpoint picker."""
    name: PassedName
    """Name of the endpoint picker."""


class ExtensionRef(_EndpointPicker):
    """The endpoint picker of a v1alpha2 pool."""

    HINTS = {"port": "a v1alpha2 pool has portNumber: <number>"}

    portNumber: ExactPort | None = None
    """gRPC port of the endpoint picker; gateways use 9002 for a Service without one."""


_EXTENSION_REF = "write extensionRef: {name: <Service of the endpoint picker>, portNumber: 9002}"


class AlphaPoolSpec(Spec):
    HINTS = {
        "endpointPickerConfig": f"no version of InferencePool has it, {_EXTENSION_REF}",
        "extensionRef": f"{_EXTENSION_REF}, the endpoint picker that chooses the pod for each request",
        "endpointPickerRef": f"it belongs to {GROUP}/v1, in v1alpha2 {_EXTENSION_REF}",
        "targetPorts": f"it belongs to {GROUP}/v1, a v1alpha2 pool has one targetPortNumber",
    }

    extensionRef: ExtensionRef
    """The endpoint picker."""
    selector: dict[str, LabelValue]
    """Labels of the pods, as a flat map."""
    targetPortNumber: ExactPort
    """Port of the pods that requests go to."""


class AlphaInferencePool(Manifest):
    """InferencePool of inference.networking.x-k8s.io/v1alpha2."""

    spec: AlphaPoolSpec | None = None
    """Pods, port and endpoint picker."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)


class TargetPort(Spec):
    number: ExactPort
    """Port of the pods."""


class EndpointPickerRef(_EndpointPicker):
    """The endpoint picker of a v1 pool."""

    HINTS = {"portNumber": "a v1 pool has port: {number: <number>}"}

    port: TargetPort | None = None
    """gRPC port of the endpoint picker; required for a Service."""


class PodSelector(Spec):
    HINTS = {"matchExpressions": "an InferencePool selects by matchLabels only"}

    matchLabels: Annotated[dict[str, LabelValue], Field(min_length=1, max_length=64)]
    """Labels that the pods have."""


_PICKER_REF = "write endpointPickerRef: {name: <Service of the endpoint picker>, port: {number: 9002}}"


class PoolSpec(Spec):
    HINTS = {
        "endpointPickerConfig": f"no version of InferencePool has it, {_PICKER_REF}",
        "endpointPickerRef": f"{_PICKER_REF}, the endpoint picker that chooses the pod for each request",
        "extensionRef": f"it belongs to v1alpha2, in v1 {_PICKER_REF}",
        "targetPortNumber": "it belongs to v1alpha2, in v1 write targetPorts: [{number: <port>}]",
        "appProtocol": "it came with release 1.4 of the Inference Extension, but this program covers 1.2",
    }

    endpointPickerRef: EndpointPickerRef
    """The endpoint picker."""
    selector: PodSelector
    """The pods."""
    targetPorts: Annotated[list[TargetPort], Field(min_length=1, max_length=8)]
    """Ports of the pods that requests go to."""


class InferencePool(Manifest):
    """InferencePool of inference.networking.k8s.io/v1."""

    spec: PoolSpec
    """Pods, ports and endpoint picker."""

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        yield from self._picker_port()
        yield from self._unique_ports()

    def _picker_port(self) -> Iterator[Problem]:
        picker = self.spec.endpointPickerRef
        if picker.kind == "Service" and picker.port is None:
            message = (
                "needs a port when it names a Service; add port: {number: 9002}, or the gRPC port of your endpoint "
                "picker"
            )
            yield Problem("spec.endpointPickerRef", message, code="port-required")

    def _unique_ports(self) -> Iterator[Problem]:
        twice = sorted({number for _, number, _ in repeated(port.number for port in self.spec.targetPorts)})
        if twice:
            listed = ", ".join(map(str, twice))
            yield Problem(
                "spec.targetPorts",
                f"must not repeat a port number, but {listed} is listed twice; remove one",
                code="unique-port",
            )


class InferencePoolImport(Manifest):
    """A pool that other clusters export. Multi-cluster controllers write it; it has no spec."""

    HINTS = {"spec": "an InferencePoolImport has no spec, and controllers fill in its status"}

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
