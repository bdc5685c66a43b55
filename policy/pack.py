"""The rules as policies of a Pulumi policy pack. Only this module uses Pulumi."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.scalars import Opaque
from modelservices.kubernetes.values import mappings

from .rule import ObjectRule, Rule, StackRule
from .rules import RULES

NAME = "modelservices"


def serve() -> None:
    """Answer the engine until it ends this process."""
    PolicyPack(name=NAME, policies=[policy(rule) for rule in RULES])


def policy(rule: Rule) -> Policy:
    """A rule as a Pulumi policy."""
    level = EnforcementLevel(rule.level)
    schema = PolicyConfigSchema(rule.parameters.model_json_schema()["properties"])
    if isinstance(rule, ObjectRule):
        return ResourceValidationPolicy(rule.name, rule.description, _on_resource(rule), level, schema)
    assert isinstance(rule, StackRule)
    return StackValidationPolicy(rule.name, rule.description, _on_stack(rule), level, schema)


def _on_resource(rule: ObjectRule) -> Callable[[ResourceValidationArgs, ReportViolation], None]:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        parameters = rule.read(args.get_config())
        for obj in kubernetes_objects(args.resource_type, args.props):
            for sentence in rule.sentences(obj, parameters):
                report(sentence, None)

    return validate


def _on_stack(rule: StackRule) -> Callable[[StackValidationArgs, ReportViolation], None]:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        objects = [obj for each in args.resources for obj in kubernetes_objects(each.resource_type, each.props)]
        for sentence in rule.sentences(objects, rule.read(args.get_config())):
            report(sentence, None)

    return validate


def kubernetes_objects(type_token: str, properties: Mapping[str, Any]) -> Iterator[Object]:
    """The Kubernetes object of a resource, or those of its list; nothing for other resources. Secrets are left out."""
    if type_token.startswith("kubernetes:"):
        obj = plain(properties)
        for each in mappings(obj.get("items")) if str(obj.get("kind")).endswith("List") else [obj]:
            if _is_object(each) and (each["apiVersion"], each["kind"]) != ("v1", "Secret"):
                yield dict(each)


def _is_object(value: Mapping[str, Any]) -> bool:
    texts = all(isinstance(value.get(field), str) for field in ("apiVersion", "kind"))
    return texts and isinstance(value.get("metadata"), dict)


def plain(value: Any) -> Any:
    """Properties as rules read them: whole numbers are integers, and values that only an update can tell are Opaque."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        items = ((key, _item(value, key)) for key in value)
        return {key: plain(item) for key, item in items if item is not None}
    if isinstance(value, Sequence):
        return [plain(_item(value, index)) for index in range(len(value))]
    return value


def _item(container: Any, key: Any) -> Any:
    try:
        return container[key]
    except UnknownValueError:
        return Opaque(None)
