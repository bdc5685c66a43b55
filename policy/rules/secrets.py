"""No literal secret in what is registered: the manifests' own check, on everything that the cluster gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import containers_of
from modelservices.kubernetes.secrets import argument_secrets, env_secrets, text_secrets
from modelservices.kubernetes.values import mapping, mappings

from ..rule import ObjectRule, Parameters


class _Variable(NamedTuple):
    name: str
    value: Any


def check(obj: Object, _parameters: Parameters) -> Iterator[Problem]:
    for container in containers_of(obj):
        yield from env_secrets(_env(container.body.get("env")), f"{container.path}.env")
        for field in ("command", "args"):
            words = container.body.get(field)
            yield from argument_secrets(words if isinstance(words, list) else [], f"{container.path}.{field}")
    for path, text in _texts(obj):
        yield from text_secrets(text, path)


def _env(value: Any) -> list[_Variable]:
    return [_Variable(str(variable.get("name")), variable.get("value")) for variable in mappings(value)]


def _texts(obj: Object) -> Iterator[tuple[str, str]]:
    """Annotations, and the files of a ConfigMap."""
    places = {"metadata.annotations": mapping(obj["metadata"].get("annotations"))}
    if obj["kind"] == "ConfigMap":
        places["data"] = mapping(obj.get("data"))
    for path, texts in places.items():
        yield from ((f'{path}["{name}"]', text) for name, text in texts.items() if isinstance(text, str))


LITERAL_SECRET = ObjectRule("literal-secret", "No secret stands in an object's text.", "mandatory", Parameters, check)
