"""The HTTPRoute: the preset's rules or the user's, with backends, model headers and adapters filled in.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/router.go at v0.20.0-rc0.
Decisions: K11, K19 (docs/decisions).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ...findings import Problem
from ...kubernetes.durations import timeout_problems
from ...kubernetes.model import defaults
from ...kubernetes.objects import Object
from ...kubernetes.values import mappings, value_at
from . import inference_pool, names
from .context import Service
from .labels import MODEL_ROUTING, metadata
from .listening import SERVICE_PORT
from .lora import adapters
from .presets import PREFIX
from .router_spec import HTTPRouteSpec

MAX_RULES = 16
MAX_MATCHES = 64
MAX_MATCHES_OF_ALL = 128
GROUP_LABEL = "serving.kserve.io/routing-group"
MIGRATED = "serving.kserve.io/inference-pool-migrated"

Rule = dict[str, Any]
Match = dict[str, Any]


def wanted(service: Service) -> bool:
    """Whether a route is rendered: it has a spec, which the route's preset gives to services that ask for one, and no
    user routes."""
    return service.http.spec is not None and not service.http.refs


def http_route(service: Service) -> Object:
    result = metadata(service, "route", names.route(service.name))
    if service.router.route and service.router.route.group:
        result["labels"] = {**result["labels"], GROUP_LABEL: service.router.route.group}
    if service.settings.gatewayResolves == "v1" and service.has_scheduler:
        result["annotations"] = {MIGRATED: "v1"}
    spec = route_spec(service)
    return {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": result, "spec": spec}


def _stated_spec(service: Service) -> HTTPRouteSpec:
    return service.http.spec or defaults(HTTPRouteSpec)


def route_spec(service: Service) -> dict[str, Any]:
    """The route's spec. Defaults of the API are spelled out."""
    spec = _stated_spec(service).model_dump(exclude_none=True)
    if service.gateway_refs:
        kind = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
        spec["parentRefs"] = [{**kind, **ref.model_dump(exclude_none=True)} for ref in service.gateway_refs]
    rules = spec.get("rules", [])
    for rule in rules:
        if rule.get("backendRefs"):
            rule["backendRefs"] = [_backend(ref, service) for ref in rule["backendRefs"]]
    if not _by_model(service):
        rules = list(_without_model_rules(rules, service))
    models = [names.publisher_model(service.namespace, adapter.name) for adapter in adapters(service)]
    rules = [_with_adapters(rule, models, service) for rule in rules]
    if service.settings.ingress.disableHTTPRouteTimeout and not _users_rules(service):
        rules = [{key: value for key, value in rule.items() if key != "timeouts"} for rule in rules]
    return {**spec, **({"rules": rules} if rules else {})}


def _users_rules(service: Service) -> bool:
    """Whether the rules are the user's (a service's or a base config's), not the preset's."""
    sources = [source.spec for source in service.sources if not source.name.endswith(f"{PREFIX}router-route")]
    routes = [spec.router.route for spec in sources if spec.router and spec.router.route]
    return any(route.http and route.http.spec and route.http.spec.rules for route in routes)


def _backend(ref: dict[str, Any], service: Service) -> dict[str, Any]:
    """Replace the default pool by the user's pool, or by the workload's Service if there is no scheduler."""
    if ref["kind"] != "InferencePool" or ref["name"] != names.inference_pool(service.name):
        return ref
    if not service.has_scheduler and not service.pool_ref:
        its_service = {"kind": "Service", "name": names.workload_service(service.name)}
        return {**ref, "group": "", **its_service, "port": ref.get("port") or SERVICE_PORT}
    name = service.pool_ref or ref["name"]
    return {**ref, "group": inference_pool.route_group(service), "name": name}


def _header(service: Service) -> str:
    return service.settings.ingress.modelBasedRoutingHeaderName


def _by_model(service: Service) -> bool:
    """Whether rules may match the header with the model's name."""
    mode = service.settings.ingress.modelBasedRoutingMode
    if mode == "disabled" or service.spec.annotations.get(MODEL_ROUTING) != "true":
        return False
    parents = service.gateway_refs or _stated_spec(service).parentRefs or []
    gateways = [(str(parent.namespace or service.namespace), str(parent.name)) for parent in parents]
    allow = [service.known.annotations("Gateway", *each).get(MODEL_ROUTING) != "false" for each in gateways]
    return mode == "forced" or all(allow)


def _is_by_model(match: Match, service: Service) -> bool:
    return any(header["name"] == _header(service) for header in match.get("headers", []))


def _without_model_rules(rules: list[Rule], service: Service) -> Iterator[Rule]:
    for rule in rules:
        matches = rule.get("matches", [])
        kept = [match for match in matches if not _is_by_model(match, service)]
        if kept or not matches:
            yield {**rule, **({"matches": kept} if kept else {})}


def _with_adapters(rule: Rule, models: Sequence[str], service: Service) -> Rule:
    """Repeat each match by the model's name with each adapter's name."""
    more: list[Match] = []
    for match in rule.get("matches", []):
        for model in models if _is_by_model(match, service) else ():
            headers = [{**h, "value": model} if h["name"] == _header(service) else h for h in match["headers"]]
            more.append({**match, "headers": headers})
    return {**rule, "matches": [*rule["matches"], *more]} if more else rule


def _port_problems(rule: Rule, path: str) -> Iterator[Problem]:
    backends = {f"backendRefs[{index}]": ref for index, ref in enumerate(rule.get("backendRefs", []))}
    for index, one in enumerate(rule.get("filters", [])):
        mirror = value_at(one, "requestMirror", "backendRef")
        backends |= {f"filters[{index}].requestMirror.backendRef": mirror} if isinstance(mirror, dict) else {}
    for field, ref in backends.items():
        if not ref.get("group") and ref.get("kind", "Service") == "Service" and not ref.get("port"):
            yield Problem(f"{path}.{field}.port", f"is required: a route needs the port of Service {ref.get('name')}")


def problems(service: Service) -> Iterator[Problem]:
    """What the Gateway API would refuse: a Service without a port, an attempt that may last longer than the request,
    too many rules or matches."""
    rules = route_spec(service).get("rules", [])
    for index, rule in enumerate(rules):
        path = f"spec.router.route.http.spec.rules[{index}]"
        yield from timeout_problems(rule.get("timeouts", {}), f"{path}.timeouts")
        yield from _port_problems(rule, path)
    if len(rules) > MAX_RULES:
        yield Problem("spec.router.route.http.spec.rules", f"must have at most {MAX_RULES} rules, got {len(rules)}")
    counts = [len(rule.get("matches", [])) for rule in rules]
    if adapters(service) and (max(counts, default=0) > MAX_MATCHES or sum(counts) > MAX_MATCHES_OF_ALL):
        message = (
            f"makes {max(counts)} matches in one rule of the route and {sum(counts)} in all, but the Gateway API "
            f"allows {MAX_MATCHES} and {MAX_MATCHES_OF_ALL}; use fewer adapters, or write router.route.http.spec.rules"
        )
        yield Problem("spec.model.lora.adapters", message, code="too-many-matches")


_ISTIOS_CONTROLLERS = ("istio.io/", "openshift.io/gateway-controller")
"""OpenShift's Gateways also run on Istio."""


def gateways(service: Service) -> list[tuple[str, str]]:
    """Namespace and name of each Gateway: from ``gateway.refs``, otherwise from the route, otherwise the platform's."""
    parents = (service.http.spec and service.http.spec.parentRefs) or []
    references = service.gateway_refs or [parent for parent in parents if parent.kind == "Gateway"]
    named = [(str(ref.namespace or service.namespace), str(ref.name)) for ref in references] or _of_user_routes(service)
    ingress = service.settings.ingress
    return named or [(ingress.gateway_namespace, ingress.gateway_name)]


def _of_user_routes(service: Service) -> list[tuple[str, str]]:
    refs = service.http.refs or []
    routes = [service.known.field("HTTPRoute", service.namespace, str(ref.name), "spec") for ref in refs]
    parents = [parent for route in routes for parent in mappings(value_at(route, "parentRefs"))]
    return [
        (str(parent.get("namespace") or service.namespace), str(parent.get("name")))
        for parent in parents
        if parent.get("kind", "Gateway") == "Gateway"
    ]


def are_istios(service: Service) -> bool:
    """Whether one of the Gateways is Istio's, by the setting or by the class of a Gateway among the manifests."""
    specs = [service.known.field("Gateway", *each, "spec") for each in gateways(service)]
    classes = [value_at(spec, "gatewayClassName") for spec in specs if spec]
    return service.settings.gatewayProvider == "istio" or any(_is_istios(name, service) for name in classes)


def _is_istios(gateway_class: Any, service: Service) -> bool:
    """Decide by the name of the class, or by its controller if the class is among the manifests."""
    spec = service.known.field("GatewayClass", "", str(gateway_class), "spec")
    controller = str(value_at(spec, "controllerName") or "")
    named = "istio" in str(gateway_class) or gateway_class == "openshift-default"
    return named or controller.startswith(_ISTIOS_CONTROLLERS)
