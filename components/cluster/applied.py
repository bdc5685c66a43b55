"""Whether applying an object would change nothing, so that the API server need not be asked.

The comparison is strict: a value in another spelling or a list in another order counts as a change.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..kubernetes.objects import Object
from ..kubernetes.values import mapping

_PULUMIS_OWN = "f:pulumi.com/"
"""Prefix of the annotations that are added at registration and not rendered."""


def is_applied(obj: Object, live: Mapping[str, Any], manager: str) -> bool:
    """Whether applying an object as ``manager`` would change nothing.

    The live object has all of its fields, and the manager owns no others, which an apply would remove.
    """
    entries = mapping(live.get("metadata")).get("managedFields") or []
    applied = [entry for entry in entries if entry.get("manager") == manager and not entry.get("subresource")]
    return bool(applied) and _has_all(live, obj) and all(_says(obj, entry.get("fieldsV1") or {}) for entry in applied)


def _has_all(live: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        return isinstance(live, Mapping) and all(_has_all(live.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        same_length = isinstance(live, list) and len(live) == len(wanted)
        return same_length and all(map(_has_all, live, wanted))
    return type(live) is type(wanted) and live == wanted


def _says(value: Any, fields: Mapping[str, Any]) -> bool:
    """Whether a value has every field of a set. An empty set is a whole value, ``.`` the mapping or item itself."""
    return all(_says_one(value, name, inner) for name, inner in fields.items() if name != ".")


def _says_one(value: Any, name: str, inner: Mapping[str, Any]) -> bool:
    how, _, rest = name.partition(":")
    if how == "f" and isinstance(value, Mapping) and rest in value:
        return _says(value[rest], inner)
    if how == "f":  # not rendered: unchanged only if it holds nothing but Pulumi's annotations
        return name.startswith(_PULUMIS_OWN) or (bool(inner.keys() - {"."}) and _says({}, inner))
    items = value if isinstance(value, list) else []
    if how == "k":
        wanted = json.loads(rest)
        matching = [item for item in items if isinstance(item, Mapping) and _has_key(item, wanted)]
        return len(matching) == 1 and _says(matching[0], inner)
    return how == "v" and json.loads(rest) in items


def _has_key(item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    """Whether a list's item has a key. A port without a protocol uses TCP."""
    return all(item.get(name, "TCP" if name == "protocol" else None) == value for name, value in key.items())
