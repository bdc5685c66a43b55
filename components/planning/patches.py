"""A stack's changes to manifests that several stacks share: patches in its config, applied before anything is read.

A patch names its target as Kustomize's patches do. ``merge`` is merged into the manifest: mappings field by field,
anything else replaces the previous value. ``remove`` removes fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from ..findings import Finding
from ..kubernetes.beside import group_of
from ..kubernetes.model import Spec
from ..kubernetes.scalars import FreeForm, Name
from ..kubernetes.values import mapping, value_at
from ..manifests.documents import Document
from ..manifests.lines import steps


class PatchTarget(Spec):
    """The manifests that a patch changes: those that match all fields of the target."""

    group: Name | None = None
    """API group, such as `ome.io`."""
    kind: Name | None = None
    """Kind, such as `InferenceService`."""
    name: Name | None = None
    """Name; `*` stands for any text."""
    namespace: Name | None = None
    """Namespace, as the manifest has it."""


class Patch(Spec):
    """A change to the manifests of a stack."""

    target: PatchTarget
    """The manifests to change."""
    merge: FreeForm = None
    """Fields to set, in the structure of the manifest."""
    remove: list[Name] = []
    """Paths of fields to remove, such as `spec.autoscaling`."""


def patched(documents: Sequence[Document], patches: Sequence[Patch], file: str) -> tuple[list[Document], list[Finding]]:
    """The documents after all patches, in their order, and a finding for each patch that changes nothing."""
    result, findings = list(documents), []
    for index, patch in enumerate(patches):
        after = [_patched(document, patch) if _fits(document, patch.target) else document for document in result]
        findings += _problems(result, after, patch, file, f"modelservices:patches[{index}]")
        result = after
    return result, findings


def _fits(document: Document, target: PatchTarget) -> bool:
    data, metadata = document.data, mapping(document.data.get("metadata"))
    pairs = (
        (target.group, group_of(str(data.get("apiVersion", "")))),
        (target.kind, str(data.get("kind", ""))),
        (target.name, str(metadata.get("name", ""))),
        (target.namespace, str(metadata.get("namespace", ""))),
    )
    return all(wanted is None or fnmatchcase(has, wanted) for wanted, has in pairs)


def _patched(document: Document, patch: Patch) -> Document:
    data = merged(document.data, patch.merge) if isinstance(patch.merge, Mapping) else document.data
    for path in patch.remove:
        data = without(data, steps(path))
    return replace(document, data=data)


def merged(value: Any, patch: Any) -> Any:
    """``value`` with ``patch`` merged in: mappings field by field, anything else replaced."""
    if not isinstance(value, Mapping) or not isinstance(patch, Mapping):
        return patch
    return {**value, **{name: merged(value.get(name), change) for name, change in patch.items()}}


def without(value: Any, path: Sequence[str | int]) -> Any:
    """A copy without the field at a path; unchanged if there is no such field."""
    first, *rest = path
    if isinstance(value, Mapping) and first in value:
        others = {name: each for name, each in value.items() if name != first}
        return {**value, first: without(value[first], rest)} if rest else others
    if isinstance(value, list) and isinstance(first, int) and first < len(value):
        middle = [without(value[first], rest)] if rest else []
        return [*value[:first], *middle, *value[first + 1 :]]
    return value


def _problems(
    before: Sequence[Document], after: Sequence[Document], patch: Patch, file: str, path: str
) -> Iterator[Finding]:
    if not any(_fits(document, patch.target) for document in before):
        message = "no manifest of the stack matches it; correct it, or remove the patch"
        yield Finding(file, "config", f"{path}.target", message, code="patch-target")
    elif list(before) == list(after):
        message = "changes nothing, because the manifests already have what it sets, or lack what it removes"
        yield Finding(file, "config", path, message, "warning", "patch-without-effect")
    for field in _identity_fields(patch.merge):
        message = "can't be patched, because it identifies the object; write a separate manifest"
        yield Finding(file, "config", f"{path}.merge.{field}", message, code="patch-identity")


def _identity_fields(merge: Any) -> Iterator[str]:
    for path in (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")):
        if value_at(merge, *path) is not None:
            yield ".".join(path)
