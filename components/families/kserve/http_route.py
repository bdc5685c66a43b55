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
from ...kubernetes.values import value_at
from . import inference_pool, names
from .context import Service
from .labels import MODEL_ROUTING, metadata
from .lora import adapters
from .presets import PREFIX
from .router_spec import HTTPRouteSpec
from .service import SERVICE_PORT

MAX_RULES = 16
MAX_MATCHES = 64
MAX_MATCHES_OF_ALL = 128
GROUP_LABEL = "serving.kserve.io/routing-group"
MIGRATED = "serving.kserve.io/inference-pool-migrated"

Rule = dict[str, Any]
Match = dict[str, Any]


def wanted(service: Service) -> bool:
    """Whether a route is made: asked for, and none of the user's takes its place."""
    return service.router.route is not None and not service.http.refs


def http_route(service: Service) -> Object:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": _metadata(service),
        "spec": route_spec(service),
    }


def _metadata(service: Service) -> dict[str, Any]:
    result = metadata(service, "route", names.route(service.name))
    if service.router.route and service.router.route.group:
        result["labels"] = {**result["labels"], GROUP_LABEL: service.router.route.group}
    if service.settings.gatewayResolves == "v1" and service.has_scheduler:
        result["annotations"] = {MIGRATED: "v1"}
    return result


def _stated_spec(service: Service) -> HTTPRouteSpec:
    return service.http.spec or defaults(HTTPRouteSpec)


def route_spec(service: Service) -> dict[str, Any]:
    """The route's spec. Defaults of the API are spelled out."""
    spec = _stated_spec(service).model_dump(exclude_none=True)
    refs = _gateway_refs(service)
    if refs:
        spec["parentRefs"] = refs
    rules = [_with_backends(rule, service) for rule in spec.get("rules", [])]
    if not _by_model(service):
        rules = list(_without_model_rules(rules, service))
    models = [names.publisher_model(service.namespace, adapter.name) for adapter in adapters(service)]
    rules = [_with_adapters(rule, models, service) for rule in rules]
    if service.settings.ingress.disableHTTPRouteTimeout and not _users_rules(service):
        rules = [{key: value for key, value in rule.items() if key != "timeouts"} for rule in rules]
    return {**spec, **({"rules": rules} if rules else {})}


def _gateway_refs(service: Service) -> list[dict[str, Any]]:
    parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
    return [{**parent, **ref.model_dump(exclude_none=True)} for ref in service.gateway_refs]


def _users_rules(service: Service) -> bool:
    """Whether the rules are the user's (a service's or a base config's), not the preset's."""
    preset = f"{PREFIX}router-route"
    return any(_has_rules(source.spec) for source in service.sources if not source.name.endswith(preset))


def _has_rules(spec: Any) -> bool:
    http = spec.router.route.http if spec.router and spec.router.route else None
    return bool(http and http.spec and http.spec.rules)


def _with_backends(rule: Rule, service: Service) -> Rule:
    """The default pool becomes what the service has instead: its Service without a scheduler, or the user's pool."""
    refs = rule.get("backendRefs")
    return {**rule, "backendRefs": [_backend(ref, service) for ref in refs]} if refs else rule


def _backend(ref: dict[str, Any], service: Service) -> dict[str, Any]:
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
    return mode == "forced" or all(_gateway_allows(ref, service) for ref in _parents(service))


def _parents(service: Service) -> list[dict[str, Any]]:
    return _gateway_refs(service) or _stated_spec(service).model_dump(exclude_none=True).get("parentRefs", [])


def _gateway_allows(ref: dict[str, Any], service: Service) -> bool:
    namespace = ref.get("namespace") or service.namespace
    annotations = service.known.annotations("Gateway", str(namespace), str(ref["name"]))
    return annotations.get(MODEL_ROUTING) != "false"


def _is_by_model(match: Match, service: Service) -> bool:
    return any(header["name"] == _header(service) for header in match.get("headers", []))


def _without_model_rules(rules: list[Rule], service: Service) -> Iterator[Rule]:
    for rule in rules:
        matches = rule.get("matches", [])
        kept = [match for match in matches if not _is_by_model(match, service)]
        if kept or not matches:
            yield {**rule, **({"matches": kept} if kept else {})}


def _with_adapters(rule: Rule, models: Sequence[str], service: Service) -> Rule:
    """Each match by the model's name again for every adapter's name."""
    more = [
        _for_model(match, model, service)
        for match in rule.get("matches", [])
        if _is_by_model(match, service)
        for model in models
    ]
    return {**rule, "matches": [*rule["matches"], *more]} if more else rule


def _for_model(match: Match, model: str, service: Service) -> Match:
    headers = [{**h, "value": model} if h["name"] == _header(service) else h for h in match["headers"]]
    return {**match, "headers": headers}


def _port_problems(rule: Rule, path: str) -> Iterator[Problem]:
    backends = {f"backendRefs[{index}]": ref for index, ref in enumerate(rule.get("backendRefs", []))}
    for index, one in enumerate(rule.get("filters", [])):
        mirror = value_at(one, "requestMirror", "backendRef")
        backends |= {f"filters[{index}].requestMirror.backendRef": mirror} if isinstance(mirror, dict) else {}
    for field, ref in backends.items():
        if not ref.get("group") and ref.get("kind", "Service") == "Service" and not ref.get("port"):
            yield Problem(f"{path}.{field}.port", f"must be given: Service {ref.get('name')} may have several ports")


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
