"""What containers and pods request from the scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import containers, pods
from modelservices.kubernetes.scalars import Boolean, Name
from modelservices.kubernetes.values import mapping

from ..rule import ObjectRule, Parameters


class Requests(Parameters):
    resources: list[Name] = ["cpu", "memory"]
    """Resources that each container must request."""
    initContainers: Boolean = False
    """Whether init containers and sidecars must as well; operators write theirs without requests."""


class PriorityClass(Parameters):
    classes: list[Name] = []
    """Priority classes that pods may have; any by default."""


def check_requests(obj: Object, parameters: Requests) -> Iterator[Problem]:
    for pod in pods(obj):
        shared = _asked(pod.spec.get("resources"))
        for container in containers(pod):
            if container.init and not parameters.initContainers:
                continue
            asked = {*shared, *_asked(container.field("resources"))}
            missing = [name for name in parameters.resources if name not in asked]
            if missing:
                message = (
                    f"the container {container.name} requests no {' and no '.join(missing)}; set {_requests(missing)}"
                )
                yield Problem(f"{container.path}.resources", message)


def _asked(resources: Any) -> set[str]:
    """The requested resources. A limit alone is also a request."""
    fields = [mapping(resources).get(field) for field in ("requests", "limits")]
    return {name for values in fields for name in mapping(values)}


def _requests(names: list[str]) -> str:
    return " and ".join(f"resources.requests.{name}" for name in names)


def check_priority_class(obj: Object, parameters: PriorityClass) -> Iterator[Problem]:
    for pod in pods(obj):
        name = pod.spec.get("priorityClassName")
        if parameters.classes and isinstance(name, str) and name and name not in parameters.classes:
            message = f"the priority class {name} is not allowed; use one of {', '.join(parameters.classes)}"
            yield Problem(f"{pod.path}.priorityClassName", message)


REQUESTS = ObjectRule("requests", "Containers request what they need.", "advisory", Requests, check_requests)
PRIORITY_CLASS = ObjectRule(
    "priority-class", "Pods have allowed priority classes.", "advisory", PriorityClass, check_priority_class
)
