"""Rules of APIs beyond the types of their fields: what an API server, KEDA's webhook or its operator refuses.

Specs are those of rendered objects; fields of another type are reported by :mod:`.api_fields` and skipped here.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from .scalars import describe
from .values import mapping, mappings, repeated, value_at

_BODIES = {
    "CORS": "cors",
    "ExtensionRef": "extensionRef",
    "ExternalAuth": "externalAuth",
    "RequestHeaderModifier": "requestHeaderModifier",
    "RequestMirror": "requestMirror",
    "RequestRedirect": "requestRedirect",
    "ResponseHeaderModifier": "responseHeaderModifier",
    "URLRewrite": "urlRewrite",
}
"""Types of a route's filters, with the field that each needs."""
_FILTER_FIELDS = {"type", *_BODIES.values()}
"""With another field, the body is probably misspelt, which is reported."""
_RESOURCES = frozenset(["cpu", "memory"])
_LONGEST_NAME = 63
_WINDOW = (0, 3600)
_PERIOD = (1, 1800)
_CHANGE = (1, 2**31 - 1)


def rule_problems(kind: str, spec: Any) -> Iterator[Problem]:
    """Problems of an object's spec; their paths begin with ``spec``."""
    yield from _RULES[kind](mapping(spec), "spec") if kind in _RULES else ()


def _route_problems(spec: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for index, rule in enumerate(mappings(spec.get("rules"))):
        where = f"{path}.rules[{index}]"
        yield from _filter_problems(rule, where)
        for place, backend in enumerate(mappings(rule.get("backendRefs"))):
            yield from _filter_problems(backend, f"{where}.backendRefs[{place}]")
        for place, match in enumerate(mappings(rule.get("matches"))):
            wanted = mapping(match.get("path"))
            value = wanted.get("value")
            if wanted.get("type") != "RegularExpression" and isinstance(value, str) and not value.startswith("/"):
                message = f"must begin with a slash, got {describe(value)}"
                yield Problem(f"{where}.matches[{place}].path.value", message, code="bad-value")


def _filter_problems(holder: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for index, each in enumerate(mappings(holder.get("filters"))):
        kind, where = str(each.get("type")), f"{path}.filters[{index}]"
        for other, body in _BODIES.items() if kind in _BODIES else ():
            if other == kind and each.get(body) is None and each.keys() <= _FILTER_FIELDS:
                yield Problem(f"{where}.{body}", f"is required in a filter of type {kind}", code="required")
            elif other != kind and each.get(body) is not None:
                message = f"belongs to a filter of type {other}, but this one's type is {kind}; keep one of them"
                yield Problem(f"{where}.{body}", message, code="bad-value")


def _autoscaler_problems(spec: Mapping[str, Any], path: str) -> Iterator[Problem]:
    for direction, rules in mapping(spec.get("behavior")).items():
        where = f"{path}.behavior.{direction}"
        yield from _range_problems(rules, where, {"stabilizationWindowSeconds": _WINDOW})
        for index, policy in enumerate(mappings(mapping(rules).get("policies"))):
            yield from _range_problems(
                policy, f"{where}.policies[{index}]", {"value": _CHANGE, "periodSeconds": _PERIOD}
            )


def _range_problems(holder: Any, path: str, ranges: Mapping[str, tuple[int, int]]) -> Iterator[Problem]:
    for field, (least, most) in ranges.items():
        value = mapping(holder).get(field)
        if isinstance(value, int) and not isinstance(value, bool) and not least <= value <= most:
            yield Problem(f"{path}.{field}", f"must be between {least} and {most}, got {value}", code="bad-value")


def _scaled_object_problems(spec: Mapping[str, Any], path: str) -> Iterator[Problem]:
    triggers = mappings(spec.get("triggers"))
    for index, trigger in enumerate(triggers):
        kind, metric = trigger.get("type"), trigger.get("metricType")
        if metric == ("Value" if kind in _RESOURCES else "Utilization"):
            taken = "Utilization and AverageValue" if kind in _RESOURCES else "AverageValue and Value"
            message = f"is {metric}, but a trigger of type {kind} takes {taken} only, so KEDA never scales"
            yield Problem(f"{path}.triggers[{index}].metricType", message, code="bad-value")
    for index, name, _ in repeated(name if isinstance(name := each.get("name"), str) else None for each in triggers):
        message = f"is a duplicate: {describe(name)}; KEDA refuses it"
        yield Problem(f"{path}.triggers[{index}].name", message, code="duplicate-name")
    yield from _range_problems(
        spec.get("fallback"), f"{path}.fallback", {"failureThreshold": (0, 2**31 - 1), "replicas": (0, 2**31 - 1)}
    )
    advanced, where = mapping(spec.get("advanced")), f"{path}.advanced"
    autoscaler = mapping(advanced.get("horizontalPodAutoscalerConfig"))
    yield from _autoscaler_problems(autoscaler, f"{where}.horizontalPodAutoscalerConfig")
    name = autoscaler.get("name")
    if isinstance(name, str) and len(name) > _LONGEST_NAME:
        message = f"must have at most {_LONGEST_NAME} characters, because KEDA makes a label of it, got {len(name)}"
        yield Problem(f"{where}.horizontalPodAutoscalerConfig.name", message, code="name-too-long")
    if value_at(advanced, "scalingModifiers", "formula") and not value_at(advanced, "scalingModifiers", "target"):
        message = "is required beside formula: KEDA compares the formula's result with it"
        yield Problem(f"{where}.scalingModifiers.target", message, code="required")


_RULES: Mapping[str, Callable[[Mapping[str, Any], str], Iterator[Problem]]] = {
    "HTTPRoute": _route_problems,
    "HorizontalPodAutoscaler": _autoscaler_problems,
    "ScaledObject": _scaled_object_problems,
}
