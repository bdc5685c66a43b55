"""The pods that an object makes, and their containers, with the paths that findings name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modelservices.kubernetes.objects import Object


@dataclass(frozen=True)
class Pod:
    """A pod's spec within an object (``path``: ``spec.template.spec``), and its labels and annotations."""

    path: str
    spec: Mapping[str, Any]
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class Container:
    """A container and its path. ``init``: it stands among the init containers."""

    path: str
    body: Mapping[str, Any]
    init: bool

    @property
    def ends(self) -> bool:
        """Whether it has ended when the others run: an init container, but no sidecar."""
        return self.init and self.body.get("restartPolicy") != "Always"

    @property
    def name(self) -> str:
        return str(self.body.get("name"))

    def field(self, name: str) -> Mapping[str, Any]:
        """A field that is a mapping, empty where there is none."""
        return mapping(self.body.get(name))


def pods(obj: Object) -> Iterator[Pod]:
    """Every pod spec within an object of any kind: whatever is a mapping with a list of containers."""
    yield from _pods(obj.get("spec"), "spec", mapping(obj.get("metadata")))


def _pods(value: Any, path: str, metadata: Mapping[str, Any]) -> Iterator[Pod]:
    if isinstance(value, Mapping):
        if isinstance(value.get("containers"), list):
            yield Pod(path, value, metadata)
            return
        for key, item in value.items():
            yield from _pods(item, f"{path}.{key}", mapping(value.get("metadata")))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _pods(item, f"{path}[{index}]", {})


def containers(pod: Pod) -> Iterator[Container]:
    for field in ("initContainers", "containers"):
        for index, body in enumerate(mappings(pod.spec.get(field))):
            yield Container(f"{pod.path}.{field}[{index}]", body, field == "initContainers")


def containers_of(obj: Object) -> Iterator[Container]:
    """All containers of all pods of an object."""
    for pod in pods(obj):
        yield from containers(pod)


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one: objects may be anything that someone has registered."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list; empty for anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
