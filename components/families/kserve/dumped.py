"""What KServe's webhook writes into services, and nobody has said."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...kubernetes.values import value_at


def without_default_name(spec: Mapping[str, Any], service: str, bases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A service's (raw) spec without ``model.name`` where that is what the webhook writes, the service's name, and
    a base config has one: the controller lets the config's win."""
    if value_at(spec, "model", "name") != service or not any(value_at(base, "model", "name") for base in bases):
        return dict(spec)
    return {**spec, "model": {key: value for key, value in spec["model"].items() if key != "name"}}
