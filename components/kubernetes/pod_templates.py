"""Pods in objects of any kind, and their containers, with the paths that findings name.

The kind doesn't matter (a Deployment, a JobSet, a Ray cluster, a custom resource that is passed through): a mapping is
a pod spec if it has a field that only pod specs have.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .objects import Object
from .values import mapping, mappings

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_LISTS = (*CONTAINERS, "volumes")
_FLAGS = ("hostIPC", "hostNetwork", "hostPID")
_NAMES = ("nodeName", "serviceAccountName")
_MARKS = frozenset([*_LISTS, *_FLAGS, *_NAMES])
_NESTED = (dict, list)
TRAINER = "trainer"
"""Field of a TrainJob's spec that changes one container in the pods of its runtime."""
_SINGLE = {"TrainJob": TRAINER}
_NO_PODS = frozenset(["apiVersion", "kind", "metadata", "status", "data", "affinity", "securityContext", *_LISTS])


class Pod(NamedTuple):
    """A pod spec within an object, with its path (``spec.template.spec``) and the template that holds it, if any."""

    path: str
    spec: Mapping[str, Any]
    template: Mapping[str, Any] | None

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The labels and annotations of the pods."""
        return mapping((self.template or {}).get("metadata"))


class Container(NamedTuple):
    """A container and its path. ``init`` says whether it is an init container."""

    path: str
    body: Mapping[str, Any]
    init: bool

    @property
    def ends(self) -> bool:
        """Whether it ends before the others run: an init container, but not a sidecar."""
        return self.init and self.body.get("restartPolicy") != "Always"

    @property
    def name(self) -> str:
        return str(self.body.get("name"))

    def field(self, name: str) -> Mapping[str, Any]:
        """A field that is a mapping; empty if it is missing."""
        return mapping(self.body.get(name))


def pods(obj: Mapping[str, Any]) -> Iterator[Pod]:
    """Every pod spec within an object."""
    for field, value in obj.items():
        if field not in _NO_PODS:
            yield from _pods(value, field, obj if field == "spec" else None)


def _pods(value: Any, path: str, holder: Mapping[str, Any] | None) -> Iterator[Pod]:
    """``holder`` is the mapping that has ``value`` as its ``spec``."""
    if isinstance(value, dict):
        if _is_pod(value):
            yield Pod(path, value, holder)
        for field, item in value.items():
            if isinstance(item, _NESTED) and field not in _NO_PODS:
                yield from _pods(item, f"{path}.{field}", value if field == "spec" else None)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, _NESTED):
                yield from _pods(item, f"{path}[{index}]", None)


def _is_pod(value: Mapping[str, Any]) -> bool:
    return not _MARKS.isdisjoint(value) and (
        any(mappings(value.get(field)) or value.get(field) == [] for field in _LISTS)
        or any(isinstance(value.get(field), bool) for field in _FLAGS)
        or any(isinstance(value.get(field), str) for field in _NAMES)
    )


def pod_templates(obj: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every pod template within an object, with its path (``spec.template``; empty for a Pod itself)."""
    for pod in pods(obj):
        if pod.template is not None and isinstance(pod.spec.get("containers"), list):
            yield pod.path[: -len("spec")].rstrip("."), pod.template


def containers(pod: Pod) -> Iterator[Container]:
    for field in CONTAINERS:
        for index, body in enumerate(mappings(pod.spec.get(field))):
            yield Container(f"{pod.path}.{field}[{index}]", body, field == "initContainers")


def containers_of(obj: Object) -> Iterator[Container]:
    """All containers of all pods of an object."""
    for pod in pods(obj):
        yield from containers(pod)
    field = _SINGLE.get(obj.get("kind", ""))
    body = mapping(obj.get("spec")).get(field) if field else None
    if isinstance(body, Mapping):
        yield Container(f"spec.{field}", {"name": field, **body}, init=False)
