"""Who owns the fields of a live object: handing them from an operator's field manager to the stack's.

Server-side apply removes a field only when the last manager that states it no longer does. Fields that an operator set
would stay for ever after it is gone. So the stack's manager gets all of them: its next apply keeps those that it states
and removes the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..kubernetes.list_keys import FieldPath

Entry = Mapping[str, Any]

KUBERNETES = "kube-"
"""How the field managers of Kubernetes' own components begin: a volume's name and a revision stay theirs."""

_OWNER_REFERENCES = ("f:metadata", "f:ownerReferences")


def is_handed_over(entry: Entry) -> bool:
    """Whether an entry is an operator's or a user's: not Kubernetes' own, and not of a subresource (status, scale)."""
    return not entry.get("subresource") and not entry.get("manager", "").startswith(KUBERNETES)


def handed_over(
    entries: Sequence[Entry], manager: str, api_version: str, *, without: Iterable[FieldPath]
) -> list[Entry]:
    """The entries of an object after the stack's manager got the fields of the others.

    Nobody gets the fields ``without``: an autoscaler has them, or nobody can apply them.
    """
    taken = [entry for entry in entries if is_handed_over(entry)]
    kept = [entry for entry in entries if not is_handed_over(entry)]
    fields: dict[str, Any] = {}
    for entry in taken:
        fields = _union(fields, entry.get("fieldsV1") or {})
    for path in (_OWNER_REFERENCES, *without):
        fields = _without(fields, path)
    newest = max((entry["time"] for entry in taken if entry.get("time")), default=None)
    own = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": api_version,
        **({"time": newest} if newest else {}),
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return [own, *kept]


def _union(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Two sets of fields: keys are path elements, an empty mapping is a leaf."""
    both = {name: _union(first[name], second[name]) for name in first.keys() & second.keys()}
    return {**first, **second, **both}


def _without(fields: Mapping[str, Any], path: FieldPath) -> dict[str, Any]:
    name, *rest = path
    if name not in fields:
        return dict(fields)
    inner = _without(fields[name], tuple(rest)) if rest else {}
    left = {key: value for key, value in fields.items() if key != name}
    return {**left, name: inner} if rest and inner else left
