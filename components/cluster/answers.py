"""Answers of an API server, as far as every reader relies on their shape.

What stands between may answer too: a proxy's page, a gateway's error. Such an answer is refused here, once, so that no
reader meets it.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..kubernetes.values import mapping


class NoAnswerOfAPI(Exception):
    """The message says what came instead."""


def object_of(data: bytes) -> dict[str, Any]:
    """A JSON object. Raises NoAnswerOfAPI."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise NoAnswerOfAPI("no JSON object")
    return answer


def api_answer(data: bytes) -> dict[str, Any]:
    """An object of the API, a list of some, or a list of resources; without fields that are null. Raises
    NoAnswerOfAPI."""
    answer = _object(object_of(data))
    for field, needed in (("items", ()), ("resources", ("name", "kind"))):
        if field in answer:
            answer[field] = [_object(item, *needed) for item in _list(answer[field], field)]
    return answer


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise NoAnswerOfAPI(f"an answer whose {field} are no list")
    return value


def _object(value: Any, *needed: str) -> dict[str, Any]:
    """An object without its null fields, of which metadata, spec and status are mappings and names are texts."""
    if not isinstance(value, Mapping):
        raise NoAnswerOfAPI("a list with something other than objects")
    fields = {field: item for field, item in value.items() if item is not None}
    for field in ("metadata", "spec", "status"):
        if not isinstance(fields.get(field, {}), Mapping) and fields.get("kind") != "Status":
            raise NoAnswerOfAPI(f"an object whose {field} is no mapping")
    metadata = mapping(fields.get("metadata"))
    if not all(isinstance(name, str) for name in (metadata.get("name", ""), *map(fields.get, needed))):
        raise NoAnswerOfAPI("an object without a name")
    owners = metadata.get("ownerReferences") or []
    if not isinstance(owners, list) or not all(map(_is_owner, owners)):
        raise NoAnswerOfAPI("an object whose owners have no name")
    return fields


def _is_owner(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(value.get(field), str) for field in _OWNER)


_OWNER = ("apiVersion", "kind", "name")
