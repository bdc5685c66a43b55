"""What reaches beyond the pod to its node: folders, namespaces, ports, and the choice of the node."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Integer, Name
from modelservices.kubernetes.values import value_at

from ..fields import fields, is_on
from ..rule import ObjectRule, Parameters

_NAMESPACES: Mapping[Literal["hostIPC", "hostNetwork", "hostPID"], str] = {
    "hostIPC": "IPC",
    "hostNetwork": "network",
    "hostPID": "process",
}
_WINDOWS = "hostProcess"


class HostPath(Parameters):
    paths: list[Name] = []
    """Folders and devices of nodes that may be mounted, with everything below them; none by default."""


class HostNamespaces(Parameters):
    allowed: list[Literal["hostIPC", "hostNetwork", "hostPID"]] = []
    """Fields that may be true; none by default."""


class HostPort(Parameters):
    ports: list[Annotated[Integer, Field(ge=1, le=65535)]] = []
    """Ports of nodes that may be opened; none by default."""


class NodeName(Parameters):
    nodes: list[Name] = []
    """Nodes that pods may be bound to by name; none by default."""


def check_paths(obj: Object, parameters: HostPath) -> Iterator[Problem]:
    for path, folder in _folders(obj):
        if isinstance(folder, str) and not _is_below(folder, parameters.paths):
            message = (
                f"mounts {folder} of the node; use a claim, a ConfigMap or an emptyDir, or let the platform list it "
                "under host-path.paths"
            )
            yield Problem(path, message)


def _folders(obj: Object) -> Iterator[tuple[str, Any]]:
    """Each folder of a node with the path of its field. A value that only an update can tell is not a string."""
    for path, value in fields(obj, "hostPath"):
        yield path, value.get("path") if isinstance(value, Mapping) else value
    if obj["kind"] == "PersistentVolume":
        yield "spec.local.path", value_at(obj, "spec", "local", "path")


def _is_below(folder: str, allowed: list[str]) -> bool:
    path = posixpath.normpath(folder)
    return any(path == top or path.startswith(f"{top.rstrip('/')}/") for top in map(posixpath.normpath, allowed))


def check_namespaces(obj: Object, parameters: HostNamespaces) -> Iterator[Problem]:
    for name, what in _NAMESPACES.items():
        for path, value in fields(obj, name):
            if is_on(value) and name not in parameters.allowed:
                yield Problem(path, f"shares the {what} namespace of the node; leave {name} out")
    for path, value in fields(obj, _WINDOWS):
        if is_on(value):
            yield Problem(path, f"runs on the node itself; leave {_WINDOWS} out")


def check_ports(obj: Object, parameters: HostPort) -> Iterator[Problem]:
    for path, value in fields(obj, "hostPort"):
        port = str(value) if isinstance(value, int | str) else ""
        if port not in ("", "0", *map(str, parameters.ports)):
            yield Problem(path, f"opens port {port} of the node; leave hostPort out, because a Service reaches the pod")


def check_node(obj: Object, parameters: NodeName) -> Iterator[Problem]:
    for pod in pods(obj):
        node = pod.spec.get("nodeName")
        if isinstance(node, str) and node and node not in parameters.nodes:
            message = (
                f"binds the pod to the node {node}, bypassing the scheduler's quotas, taints and policies; use "
                "nodeSelector"
            )
            yield Problem(f"{pod.path}.nodeName", message)


HOST_PATH = ObjectRule("host-path", "No pod mounts folders of its node.", "mandatory", HostPath, check_paths)
HOST_NAMESPACES = ObjectRule(
    "host-namespaces", "No pod shares namespaces of its node.", "mandatory", HostNamespaces, check_namespaces
)
HOST_PORT = ObjectRule("host-port", "No container opens a port of its node.", "mandatory", HostPort, check_ports)
NODE_NAME = ObjectRule("node-name", "The scheduler chooses the nodes of pods.", "mandatory", NodeName, check_node)
