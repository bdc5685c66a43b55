"""What an LLMInferenceService says about its way to the clients: route, gateway, scheduler, pool.

A pool in the older form of v1alpha1 (``extensionRef``, ``targetPortNumber``, a flat selector) is rewritten before specs
are merged, so that a service's port takes the place of the preset's.

Decisions: K21 (docs/decisions).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from ...kubernetes.core import KeySelector, LocalObjectReference
from ...kubernetes.metadata import PassedNamespace
from ...kubernetes.model import Spec, defaults
from ...kubernetes.pod import PodSpec
from ...kubernetes.scalars import FreeForm, Int32, Name, PassedText, Port, Strings, Text
from ...kubernetes.values import value_at
from .model_spec import ObjectReference


def current_selector(selector: Any) -> Any:
    """A selector in the later form."""
    if not isinstance(selector, Mapping) or not selector or {"matchLabels", "matchExpressions"} & {*selector}:
        return selector
    return {"matchLabels": dict(selector)}


class ParentReference(Spec):
    group: Text = "gateway.networking.k8s.io"
    """API group of the parent."""
    kind: Text = "Gateway"
    """Kind of the parent."""
    namespace: PassedNamespace | None = None
    """Namespace of the parent, the route's by default."""
    name: PassedText
    """Name of the parent."""
    sectionName: PassedText | None = None
    """A listener of the Gateway."""
    port: Port | None = None
    """A port of the Gateway."""


class BackendReference(Spec):
    group: Text = ""
    """API group, empty for a Service."""
    kind: Text = "Service"
    """Kind of the backend."""
    name: PassedText
    """Name of the backend."""
    namespace: PassedNamespace | None = None
    """Its namespace, the route's by default."""
    port: Port | None = None
    """Port of the backend."""
    weight: Annotated[Int32, Field(ge=0, le=1_000_000)] = 1
    """Relative share of the requests."""
    filters: list[FreeForm] | None = None
    """Filters of this backend."""


class PathMatch(Spec):
    type: Literal["Exact", "PathPrefix", "RegularExpression"] = "PathPrefix"
    """Type of the path comparison."""
    value: PassedText = "/"
    """Value to compare with."""


class HeaderMatch(Spec):
    type: Literal["Exact", "RegularExpression"] = "Exact"
    """Type of the value comparison."""
    name: Name
    """Name of the header or query parameter."""
    value: PassedText
    """Value to compare with."""


class RouteMatch(Spec):
    path: PathMatch = defaults(PathMatch)
    """Path of the request."""
    headers: list[HeaderMatch] | None = None
    """Headers that must match."""
    queryParams: list[HeaderMatch] | None = None
    """Query parameters that must match."""
    method: Text | None = None
    """HTTP method."""


class RouteTimeouts(Spec):
    request: Text | None = None
    """Time for the whole request; 0s is unlimited."""
    backendRequest: Text | None = None
    """Time for one attempt; 0s is unlimited."""


class RouteRule(Spec):
    name: Text | None = None
    """Name of the rule."""
    matches: list[RouteMatch] | None = None
    """Conditions, one of which must match; all requests by default."""
    filters: list[FreeForm] | None = None
    """Filters that are applied to the requests."""
    backendRefs: list[BackendReference] | None = None
    """Backends that get the requests."""
    timeouts: RouteTimeouts | None = None
    """Time limits of the gateway."""
    retry: FreeForm = None
    """Retries."""
    sessionPersistence: FreeForm = None
    """Sticky sessions."""


class HTTPRouteSpec(Spec):
    parentRefs: list[ParentReference] | None = None
    """Gateways that the route is attached to."""
    hostnames: list[PassedText] | None = None
    """Host names that the route serves."""
    useDefaultGateways: Text | None = None
    """Whether default Gateways also serve the route."""
    rules: list[RouteRule] | None = None
    """Rules; they replace all default rules."""


class HTTPRoute(Spec):
    refs: list[LocalObjectReference] | None = None
    """Your existing routes; no route is created."""
    spec: HTTPRouteSpec | None = None
    """The route's spec; its lists replace the default ones."""


class RouteSpec(Spec):
    http: HTTPRoute | None = None
    """The HTTPRoute, or references to yours."""
    group: Annotated[Text, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)] | None = None
    """Label of the route that selects the members of a group; traffic is not split between them here."""
    weight: Annotated[Int32, Field(ge=0, le=1_000_000)] | None = None
    """Share of the group's traffic; has no effect here."""


class GatewayReference(Spec):
    name: PassedText
    """Name of the Gateway."""
    namespace: PassedNamespace | None = None
    """Its namespace, the route's by default."""
    sectionName: PassedText | None = None
    """Listener of the Gateway."""


class GatewaySpec(Spec):
    refs: list[GatewayReference] | None = None
    """Your Gateways instead of the platform's."""


class IngressReference(Spec):
    name: PassedText | None = None
    """Name of the Ingress."""
    namespace: PassedNamespace | None = None
    """Its namespace."""


class IngressSpec(Spec):
    refs: list[IngressReference] | None = None
    """Your Ingresses that lead to the service."""


class PoolPort(Spec):
    number: Port
    """Port of the model servers."""


class PickerPort(Spec):
    number: Port
    """gRPC port of the endpoint picker."""


class _Picker(Spec):
    group: Text = ""
    """API group of the endpoint picker."""
    kind: Text = "Service"
    """Kind of the endpoint picker."""
    name: Name
    """Name of the endpoint picker and of its Service."""
    failureMode: Literal["FailOpen", "FailClose"] = "FailClose"
    """Whether requests pass while the endpoint picker does not answer."""


class PickerReference(_Picker):
    port: PickerPort | None = None
    """gRPC port of the endpoint picker, 9002 by default."""


class PoolSelector(Spec):
    matchLabels: Strings = {}
    """Labels of the pods, in addition to the service's."""


class ExtensionReference(_Picker):
    """The endpoint picker in the v1alpha1 form."""

    portNumber: Port | None = None
    """gRPC port of the endpoint picker, 9002 by default."""


class InferencePoolSpec(Spec):
    """The v1alpha2 form; the v1alpha1 form has extensionRef, targetPortNumber and a flat selector of labels."""

    selector: Annotated[PoolSelector, BeforeValidator(current_selector)] | None = None
    """Which pods belong to the pool."""
    targetPorts: Annotated[list[PoolPort], Field(max_length=8)] = []
    """Ports of the model servers, 8000 by default."""
    appProtocol: Literal["http", "kubernetes.io/h2c"] | None = None
    """Protocol of the model servers."""
    endpointPickerRef: PickerReference | None = None
    """The endpoint picker."""
    extensionRef: ExtensionReference | None = None
    """v1alpha1 only: the endpoint picker."""
    targetPortNumber: Port | None = None
    """v1alpha1 only: port of the model servers."""


class PoolSpec(Spec):
    spec: InferencePoolSpec | None = None
    """The pool's spec, merged over the default one."""
    ref: ObjectReference | None = None
    """Your existing pool; neither a pool nor a scheduler is created."""


class SchedulerConfigSpec(Spec):
    inline: FreeForm = None
    """The EndpointPickerConfig, as a mapping."""
    ref: KeySelector | None = None
    """ConfigMap key with the EndpointPickerConfig; the ConfigMap must be among the manifests."""


class TokenizerSpec(Spec):
    template: PodSpec | None = None
    """The tokenizer's pod, merged over the default one."""


class SchedulerSpec(Spec):
    pool: PoolSpec | None = None
    """The InferencePool."""
    labels: Strings = {}
    """Labels of the scheduler's pods."""
    annotations: Strings = {}
    """Annotations of the scheduler's pods; app.kubernetes.io/version names the release for which the config is
    written."""
    template: PodSpec | None = None
    """The scheduler's pod, merged over the default one."""
    config: SchedulerConfigSpec | None = None
    """Configuration of the endpoint picker."""
    replicas: Annotated[Int32, Field(ge=0)] | None = None
    """Number of scheduler pods; one is active."""
    tokenizer: TokenizerSpec | None = None
    """A separate tokenizer."""


class RouterSpec(Spec):
    route: RouteSpec | None = None
    """The HTTPRoute; {} creates the default one."""
    gateway: GatewaySpec | None = None
    """The Gateway; {} uses the platform's."""
    ingress: IngressSpec | None = None
    """Your Ingress, for information."""
    scheduler: SchedulerSpec | None = None
    """The scheduler (endpoint picker); {} creates the default one."""


def _current_pool(pool: Mapping[str, Any]) -> dict[str, Any]:
    result = {key: value for key, value in pool.items() if key not in ("extensionRef", "targetPortNumber")}
    extension = pool.get("extensionRef")
    if isinstance(extension, Mapping) and "endpointPickerRef" not in pool:
        port = {"port": {"number": extension["portNumber"]}} if "portNumber" in extension else {}
        result["endpointPickerRef"] = {k: v for k, v in extension.items() if k != "portNumber"} | port
    if isinstance(result.get("endpointPickerRef"), Mapping):
        # What the API server gives a picker of the user's own, which has nothing of the preset's.
        result["endpointPickerRef"] = {"failureMode": "FailClose"} | result["endpointPickerRef"]
    if "targetPortNumber" in pool and "targetPorts" not in pool:
        result["targetPorts"] = [{"number": pool["targetPortNumber"]}]
    if "selector" in pool:
        result["selector"] = current_selector(pool["selector"])
    return result


def with_current_pool(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A (raw) service spec with its pool in the v1alpha2 form."""
    pool = value_at(spec, "router", "scheduler", "pool", "spec")
    if not isinstance(pool, Mapping):
        return spec
    router = spec["router"]
    scheduler = router["scheduler"]
    changed = {**scheduler, "pool": {**scheduler["pool"], "spec": _current_pool(pool)}}
    return {**spec, "router": {**router, "scheduler": changed}}
