"""Who owns the fields of a live object, and how the fields of an operator are handed to the stack's field manager.

Server-side apply removes a field only when its last manager no longer states it. An operator's fields would stay
after the operator is gone. So the stack's manager gets all of them: its next apply keeps those that it states and
removes the others. Fields that anyone else has set (a person, a cloud controller, a backup) stay theirs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..kubernetes.list_keys import FieldPath

Entry = Mapping[str, Any]
Fields = Mapping[str, Any]
"""A set of fields: keys are path elements, an empty mapping is a leaf, ``.`` the mapping or item itself."""

KUBERNETES = "kube-"
"""Prefix of the field managers of Kubernetes' components. A volume's name and a revision stay theirs."""

_OWNER_REFERENCES = ("f:metadata", "f:ownerReferences")


def states_fields(entry: Entry) -> bool:
    """Whether an entry is of a manager that states the object: not of Kubernetes, nor of a subresource (status,
    scale)."""
    return not entry.get("subresource") and not entry.get("manager", "").startswith(KUBERNETES)


def owner_setters(entries: Iterable[Entry], uid: str) -> frozenset[str]:
    """The managers that made a custom resource an object's owner: its operator, whatever its program is called."""
    path = (*_OWNER_REFERENCES, f'k:{{"uid":"{uid}"}}')
    return frozenset(
        entry["manager"] for entry in entries if states_fields(entry) and has(entry.get("fieldsV1") or {}, path)
    )


def handed_over(
    entries: Sequence[Entry],
    manager: str,
    api_version: str,
    *,
    is_taken: Callable[[Entry], bool],
    without: Iterable[FieldPath] = (),
) -> list[Entry]:
    """An object's entries after the stack's manager got the fields of the entries that are taken.

    Nobody gets the fields ``without``: an autoscaler has them, or nobody can apply them.
    """
    taken = [entry for entry in entries if is_taken(entry)]
    kept = [entry for entry in entries if not is_taken(entry)]
    fields: Fields = {}
    for entry in taken:
        fields = union(fields, entry.get("fieldsV1") or {})
    for path in (_OWNER_REFERENCES, *without):
        fields = less(fields, path)
    return [_applied_entry(manager, api_version, fields, taken), *kept]


def with_fields(entries: Sequence[Entry], manager: str, api_version: str, paths: Iterable[FieldPath]) -> list[Entry]:
    """An object's entries after the stack's manager alone got the fields at ``paths``."""
    applied = [entry for entry in entries if entry.get("manager") == manager and entry.get("operation") == "Apply"]
    others = [entry for entry in entries if entry not in applied]
    fields: Fields = {}
    for entry in applied:
        fields = union(fields, entry.get("fieldsV1") or {})
    for path in paths:
        stated = [inner for entry in entries if (inner := at(entry.get("fieldsV1") or {}, path)) is not None]
        for inner in stated or [{}]:
            fields = union(fields, _nested(path, inner))
        others = [{**entry, "fieldsV1": less(entry.get("fieldsV1") or {}, path)} for entry in others]
    return [_applied_entry(manager, api_version, fields, applied), *(entry for entry in others if entry["fieldsV1"])]


def _applied_entry(manager: str, api_version: str, fields: Fields, before: Iterable[Entry]) -> Entry:
    newest = max((entry["time"] for entry in before if entry.get("time")), default=None)
    return {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": api_version,
        **({"time": newest} if newest else {}),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def readable(fields: Fields, path: str = "") -> Iterator[str]:
    """The fields of a set in readable form: down to the second level, and each annotation, label and finalizer."""
    for name, inner in fields.items():
        if name == ".":
            continue
        text = _readable_name(name, path)
        deeper = {key: value for key, value in inner.items() if key != "."}
        if deeper and (not path or path == "metadata" or (path.count(".") < 1 and "[" not in path)):
            yield from readable(deeper, text)
        else:
            yield text


def _readable_name(name: str, path: str) -> str:
    how, _, rest = name.partition(":")
    if how != "f":
        return f"{path}[{rest.strip(chr(34))}]"
    return f"{path}[{rest}]" if "/" in rest else f"{path}.{rest}".lstrip(".")


def has(fields: Fields, path: FieldPath) -> bool:
    return at(fields, path) is not None


def at(fields: Fields, path: FieldPath) -> Fields | None:
    """The fields of a set at a path, or None."""
    inner: Fields | None = fields
    for name in path:
        inner = inner.get(name) if inner is not None else None
    return inner


def part_of(value: Any, fields: Fields) -> Any:
    """The part of a value whose fields are in a set; lists stay whole."""
    if not isinstance(value, Mapping) or not fields.keys() - {"."}:
        return value
    return {name: part_of(item, fields[f"f:{name}"]) for name, item in value.items() if f"f:{name}" in fields}


def _nested(path: FieldPath, inner: Fields) -> Fields:
    for name in reversed(path):
        inner = {name: inner}
    return inner


def union(first: Fields, second: Fields) -> dict[str, Any]:
    """The union of two sets of fields."""
    both = {name: union(first[name], second[name]) for name in first.keys() & second.keys()}
    return {**first, **second, **both}


def less(fields: Fields, path: FieldPath) -> dict[str, Any]:
    """A set without the fields at a path."""
    name, *rest = path
    if name not in fields:
        return dict(fields)
    inner = less(fields[name], tuple(rest)) if rest else {}
    left = {key: value for key, value in fields.items() if key != name}
    return {**left, name: inner} if rest and inner else left
