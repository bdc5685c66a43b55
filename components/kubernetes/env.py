"""Environment variables of a container: one entry for each name, where the user's replaces a generated one.

Decisions: L9 (docs/decisions).
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ..findings import Problem
from .core import EnvVar, EnvVarSource
from .model import dump
from .scalars import describe
from .values import repeated

REFERENCE = re.compile(r"(?<!\$)(?:\$\$)*\$\(([A-Za-z_.][\w.-]*)\)")
"""A variable that Kubernetes fills in, and no text with a doubled dollar sign."""
_MOST_ADDED = 1 << 12
_SOURCES = tuple(EnvVarSource.model_fields)
_POD_FIELD = (
    r"metadata\.(name|namespace|uid|(labels|annotations)\['[^']+'\])|spec\.(nodeName|serviceAccountName)"
    r"|status\.(hostIPs?|podIPs?)"
)
_RESOURCE = r"(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)"


def merge_env(generated: Sequence[dict[str, Any]], user: Sequence[EnvVar]) -> list[dict[str, Any]]:
    """Generated variables, then the user's. Of a repeated name, only the last entry stays, at its position.

    The position matters because ``$(NAME)`` in a value refers only to variables before it.
    """
    entries = [*generated, *map(entry, user)]
    last = {item["name"]: index for index, item in enumerate(entries)}
    return [item for index, item in enumerate(entries) if last[item["name"]] == index]


def with_variables(text: str, pattern: re.Pattern[str], value: Callable[[re.Match[str]], str]) -> str:
    """A text with the variables that a pattern finds replaced; unchanged if they would add more than ``_MOST_ADDED``
    characters, because a long value may be referenced a thousand times."""
    parts: list[str] = []
    size = end = 0
    for match in pattern.finditer(text):
        parts += [text[end : match.start()], value(match)]
        end = match.end()
        size += len(parts[-1]) + len(parts[-2])
        if size > len(text) + _MOST_ADDED:
            return text
    return "".join([*parts, text[end:]])


def from_field(name: str, path: str) -> dict[str, Any]:
    """A variable with the value of a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def entry(variable: EnvVar) -> dict[str, Any]:
    """A variable as the API server stores it."""
    result = dump(variable)
    source = result.get("valueFrom", {})
    if "fileKeyRef" in source:
        result["valueFrom"] = {**source, "fileKeyRef": {"optional": False, **source["fileKeyRef"]}}
    return result


def env_problems(env: Sequence[EnvVar], path: str, *, volumes: Collection[str] = ()) -> Iterator[Problem]:
    """What the API server would reject, and repeated names. ``volumes`` are the names of the pod's volumes."""
    for index, name, first in repeated(variable.name for variable in env):
        message = f"{name} is set twice, and this entry overrides the one at {path}[{first}]; remove the other"
        yield Problem(f"{path}[{index}].name", message, "warning", "duplicate-env")
    for index, variable in enumerate(env):
        where = f"{path}[{index}]"
        if "=" in variable.name or not variable.name.isprintable() or not variable.name.isascii():
            yield Problem(f"{where}.name", "must be printable ASCII characters without '='")
        yield from _source_problems(variable, where, volumes)


def _source_problems(variable: EnvVar, where: str, volumes: Collection[str]) -> Iterator[Problem]:
    source = variable.valueFrom
    if source is None:
        return
    stated = [name for name in _SOURCES if getattr(source, name) is not None]
    if variable.value is not None and variable.value != "":
        yield Problem(where, "has a value and a valueFrom: keep one of them")
    if len(stated) != 1:
        yield Problem(f"{where}.valueFrom", f"must have exactly one of {', '.join(_SOURCES)}")
    for name in ("configMapKeyRef", "secretKeyRef"):
        reference = getattr(source, name)
        if reference and not reference.name:
            yield Problem(f"{where}.valueFrom.{name}.name", "is required", code="required")
    if source.fieldRef and not re.fullmatch(_POD_FIELD, source.fieldRef.fieldPath):
        message = f"must be a pod field that a variable can refer to, got {describe(source.fieldRef.fieldPath)}"
        yield Problem(f"{where}.valueFrom.fieldRef.fieldPath", message, code="bad-value")
    if source.resourceFieldRef and not re.fullmatch(_RESOURCE, source.resourceFieldRef.resource):
        message = (
            "must be a resource such as limits.cpu or requests.memory, got "
            f"{describe(source.resourceFieldRef.resource)}"
        )
        yield Problem(f"{where}.valueFrom.resourceFieldRef.resource", message, code="bad-value")
    if source.fileKeyRef and source.fileKeyRef.volumeName not in volumes:
        message = f"the pod has no volume {source.fileKeyRef.volumeName}, which an API server refuses: use a ConfigMap"
        yield Problem(f"{where}.valueFrom.fileKeyRef.volumeName", message, code="unknown-volume")
