"""A node without a kubelet: tests write its pods' status."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError

NODE = "bare-"
"""Prefix of such a node's name. Simulated nodes report their pods' status themselves."""

ANYWHERE: list[dict[str, Any]] = [{"operator": "Exists"}]
"""Tolerations of pods that run on such a node."""


def waiting(reason: str, message: str) -> dict[str, Any]:
    """The status of a container that hasn't started."""
    return {"restartCount": 0, "state": {"waiting": {"reason": reason, "message": message}}}


def crashed(times: int, message: str, code: int = 1, reason: str = "Error") -> dict[str, Any]:
    """The status of a container that crashed repeatedly."""
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s restarting failed container"}}
    ended = {"exitCode": code, "reason": reason, "message": message}
    return {"restartCount": times, "state": state, "lastState": {"terminated": ended}}


@contextmanager
def node(api: DynamicClient) -> Iterator[dict[str, str]]:
    """A node for pods that tolerate everything; yields the labels that select it."""
    nodes = api.resources.get(api_version="v1", kind="Node")
    name = f"{NODE}{uuid.uuid4().hex[:8]}"
    taint = {"key": "kubelet", "value": "none", "effect": "NoSchedule"}
    labels = {"kubernetes.io/hostname": name}
    nodes.create(body={"metadata": {"name": name, "labels": labels}, "spec": {"taints": [taint]}})
    capacity = {"cpu": "64", "memory": "1Ti", "pods": "100", "nvidia.com/gpu": "64", "ephemeral-storage": "1Ti"}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": _now()}
    status = {"capacity": capacity, "allocatable": capacity, "conditions": [ready]}
    nodes.status.patch(name=name, body={"status": status}, content_type="application/merge-patch+json")
    try:
        yield labels
    finally:
        nodes.delete(name=name)


@contextmanager
def reporting(api: DynamicClient, namespace: str, statuses: Mapping[str, dict[str, Any]]) -> Iterator[None]:
    """Reports the status of the serving containers of pods on such nodes, by the pods' name prefix, until the end.
    Terminating pods are removed."""
    pods = api.resources.get(api_version="v1", kind="Pod")
    over = threading.Event()

    def report() -> None:
        while not over.wait(0.3):
            here = [pod for pod in pods.get(namespace=namespace).items if (pod.spec.nodeName or "").startswith(NODE)]
            for pod in here:
                found = [status for name, status in statuses.items() if pod.metadata.name.startswith(f"{name}-")]
                if found and pod.metadata.deletionTimestamp:
                    end(api, pod)
                elif found and not pod.status.containerStatuses:
                    write_status(api, pod, found[0])

    thread = threading.Thread(target=report)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def end(api: DynamicClient, pod: Any) -> None:
    with contextlib.suppress(NotFoundError):
        pods = api.resources.get(api_version="v1", kind="Pod")
        pods.delete(name=pod.metadata.name, namespace=pod.metadata.namespace, body={"gracePeriodSeconds": 0})


def write_status(api: DynamicClient, pod: Any, status: dict[str, Any]) -> None:
    container = pod.spec.containers[0]
    given = {"name": container.name, "image": container.image, "imageID": "", "ready": False, **status}
    scheduled = {"type": "PodScheduled", "status": "True"}
    body = {"phase": "Pending", "conditions": [scheduled, {"type": "Ready", "status": "False"}]}
    api.resources.get(api_version="v1", kind="Pod").status.patch(
        name=pod.metadata.name,
        namespace=pod.metadata.namespace,
        body={"status": {**body, "containerStatuses": [given]}},
        content_type="application/merge-patch+json",
    )


def write_ready(api: DynamicClient, pod: Any) -> None:
    """Reports that the container runs and is ready after all."""
    container = pod.spec.containers[0]
    running = {"name": container.name, "image": container.image, "imageID": "", "ready": True, "restartCount": 7}
    conditions = [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Ready")]
    status = {"phase": "Running", "conditions": conditions}
    api.resources.get(api_version="v1", kind="Pod").status.patch(
        name=pod.metadata.name,
        namespace=pod.metadata.namespace,
        body={"status": {**status, "containerStatuses": [{**running, "state": {"running": {"startedAt": _now()}}}]}},
        content_type="application/merge-patch+json",
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
