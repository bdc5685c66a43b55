"""Merges specs like Kubernetes' strategic merge patch, and handles what that leaves out.

Mappings merge key by key, and the lists in ``MERGE_KEYS`` item by item. Every other list and every scalar of the upper
spec replaces the lower one's. Unset and empty values never erase anything. Items that only the upper list has come
last.

Decisions: K14 (docs/decisions).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .core import EnvVarSource
from .pod import MERGE_KEYS, VOLUME_SOURCES

_HANDLERS = frozenset(["exec", "grpc", "httpGet", "sleep", "tcpSocket"])
ONE_OF = {
    "env": frozenset(["value", "valueFrom"]),
    "livenessProbe": _HANDLERS,
    "postStart": _HANDLERS,
    "preStop": _HANDLERS,
    "readinessProbe": _HANDLERS,
    "resourceClaims": frozenset(["resourceClaimName", "resourceClaimTemplateName"]),
    "startupProbe": _HANDLERS,
    "valueFrom": frozenset(EnvVarSource.model_fields),
    "volumes": VOLUME_SOURCES,
}
"""For each field that holds them, fields of a pod of which only one may be set: the upper spec's choice drops the lower
spec's."""


@dataclass(frozen=True)
class Merge:
    """A merge of specs that contain pods. A family adds rules for the rest of its specs.

    ``whole``: mappings that are replaced as one. ``one_of``: like ``ONE_OF``; the key ``""`` is the spec itself.
    """

    one_of: Mapping[str, frozenset[str]]
    whole: frozenset[str] = frozenset()

    def all(self, specs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """All specs as one; later ones win."""
        result: dict[str, Any] = {}
        for spec in specs:
            result = self(result, spec)
        return result

    def __call__(self, lower: Mapping[str, Any], upper: Mapping[str, Any], field: str = "") -> dict[str, Any]:
        """``upper`` over ``lower``; ``field`` is the field that holds them."""
        options = self.one_of.get(field, frozenset())
        chosen = {option for option in options if upper.get(option) is not None}
        result = {key: value for key, value in lower.items() if not chosen or key not in options or key in chosen}
        for key, value in upper.items():
            if value is not None and not (_empty(value) and key in result):
                result[key] = self._value(result.get(key), value, key)
        return result

    def _value(self, lower: Any, upper: Any, field: str) -> Any:
        if isinstance(upper, Mapping) and field not in self.whole:
            return self(lower if isinstance(lower, Mapping) else {}, upper, field)
        if field in MERGE_KEYS and isinstance(upper, list):
            return self._list(lower if isinstance(lower, list) else [], upper, field)
        return _without_nulls(upper)

    def _list(self, lower: list[Any], upper: list[Any], field: str) -> list[Any]:
        """The items of both lists. One with the key of an earlier item is merged into it, even within one list."""
        result: list[Any] = []
        places: dict[str, int] = {}
        for item in [*lower, *upper]:
            identity = str(item.get(MERGE_KEYS[field])) if isinstance(item, Mapping) else None
            if identity is None:
                result.append(item)
            elif identity in places:
                result[places[identity]] = self(result[places[identity]], item, field)
            else:
                places[identity] = len(result)
                result.append(self({}, item, field))
        return result


def _empty(value: Any) -> bool:
    return isinstance(value, Mapping | list) and not value


def _without_nulls(value: Any) -> Any:
    """Removes nulls at any depth: null means unset."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


merge = Merge(ONE_OF)
"""Merges two pod specs, or two specs that contain some."""
