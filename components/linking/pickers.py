"""Two InferencePools with one endpoint picker, which watches one pool only."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.endpoint_picker.inference_pool import GROUP
from ..kubernetes.objects import Object, TypedObjectReference
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import value_at

FIELDS = {GROUP: "endpointPickerRef"}
_ALPHA_FIELD = "extensionRef"


def shared_pickers(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each pool whose picker another pool has. A pool in both API versions is one pool."""
    pools: dict[TypedObjectReference, tuple[str, Object]] = {}
    for record in objects:  # those of services first: their pickers are made for them
        if record.key.kind != "InferencePool":
            continue
        obj = record.body
        field = FIELDS.get(obj["apiVersion"].partition("/")[0], _ALPHA_FIELD)
        picker = _picker(obj, value_at(obj, "spec", field))
        if picker is None:
            continue
        name, _ = pools.setdefault(picker, (obj["metadata"]["name"], obj))
        if name != obj["metadata"]["name"]:
            message = (
                f"{picker.name} is also the endpoint picker of InferencePool {picker.namespace}/{name}, but a picker "
                "chooses pods of one pool only, so requests to the other are lost; give each pool a separate picker"
            )
            path = f"spec.{field}.name" if record.field == "spec" else record.field
            yield record.source, Problem(path, message, "warning", "shared-picker")


def _picker(pool: Object, reference: Any) -> TypedObjectReference | None:
    name = value_at(reference, "name")
    if not isinstance(name, str):
        return None
    group, kind = value_at(reference, "group") or "", value_at(reference, "kind") or "Service"
    return TypedObjectReference(str(group), str(kind), pool["metadata"].get("namespace", ""), name)
