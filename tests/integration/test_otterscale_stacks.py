"""Stacks of ModelServices from the first update to the last: side by side, removed completely, without touching others'
objects.

Not proven here: that a gateway routes to them.
"""

from collections.abc import Callable
from typing import Any

from kubernetes.dynamic import DynamicClient

from modelservices.cluster.ownership import owners
from tests.integration.live import cluster_scoped, everything, objects, read
from tests.integration.model_services import PICKER, model_service
from tests.integration.stacks import Stack
from tests.integration.waiting import eventually

POOLS = "inference.networking.k8s.io/v1"
RBAC = "rbac.authorization.k8s.io/v1"


def test_services_side_by_side(stack: Stack, api: DynamicClient, new_namespace: Callable[[], str]) -> None:
    here, there = stack.namespace, new_namespace()
    complete = {"inferencePool": PICKER, "monitoring": {"podMonitor": {"enabled": True}}}
    pair = {"prefill": {"replicas": 2}, "routingProxy": {}}
    stack.write(model_service(**complete, **pair) + model_service("code"))
    stack.write(model_service(namespace=there, **complete), "elsewhere.yaml")

    stack.up()

    assert objects(api, here) == expected("chat", "prefill") | MONITORED_PAIR | expected("code") - TOKEN
    assert objects(api, there) == expected("chat") | MONITORED
    roles = {item["metadata"]["name"] for item in cluster_objects(api, stack) if item["kind"] == "ClusterRole"}
    assert roles == {f"{here}-chat-epp", f"{there}-chat-epp"}
    services = stack.outputs()["services"]
    assert {name: (service["phase"], service["readyReplicas"]) for name, service in services.items()} == {
        f"{here}/chat": ("Ready", 3),
        f"{here}/code": ("Ready", 1),
        f"{there}/chat": ("Ready", 1),
    }
    for service in services.values():
        ready, *sides = service["conditions"]
        assert (ready["type"], ready["status"], ready["reason"]) == ("Ready", "True", "AllReplicasReady")
        assert {condition["status"] for condition in sides} == {"True"}
    assert services[f"{here}/chat"]["details"] == {
        "decodeReady": 1,
        "decodeReplicas": 1,
        "prefillReady": 2,
        "prefillReplicas": 2,
        "endpointPickerReady": 1,
        "endpointPickerReplicas": 1,
    }
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes")
    stack.destroy()
    for namespace in (here, there):
        eventually(lambda namespace=namespace: everything(api, namespace) == [], "the controllers' objects gone")
    assert cluster_objects(api, stack) == []


TOKEN = {("Secret", "code-epp-sa-metrics-reader-secret")}
"""Without an `inferencePool` in the service, the picker has no metrics reader."""

MONITORED = {("PodMonitor", "chat-decode"), ("ServiceMonitor", "chat-epp")}
MONITORED_PAIR = MONITORED | {("PodMonitor", "chat-prefill")}


def expected(name: str, *roles: str) -> set[tuple[str, str]]:
    """(kind, name) of a service's objects in its namespace, with all defaults; ``roles`` are roles besides decode."""
    suffixes = {"ConfigMap": "-config", "Secret": "-sa-metrics-reader-secret"}
    kinds = ("Deployment", "DestinationRule", "Role", "RoleBinding", "Service", "ServiceAccount", *suffixes)
    picker = {(kind, f"{name}-epp{suffixes.get(kind, '')}") for kind in kinds}
    serving = {("Deployment", f"{name}-{role}") for role in ("decode", *roles)}
    return picker | serving | {("HTTPRoute", name), ("InferencePool", name)}


def cluster_objects(api: DynamicClient, stack: Stack) -> list[dict[str, Any]]:
    """The stack's cluster-scoped objects."""
    return [item for item in cluster_scoped(api) if stack.mark in owners(item["metadata"])]


def test_objects_of_others_are_left_alone(stack: Stack, api: DynamicClient) -> None:
    namespace = stack.namespace
    theirs = {
        ("v1", "ServiceAccount", "chat-epp"): {},
        (POOLS, "InferencePool", "chat"): {"spec": THEIR_POOL},
        (RBAC, "ClusterRole", f"{namespace}-chat-epp"): {"rules": []},
    }
    for (api_version, kind, name), fields in theirs.items():
        where = None if kind == "ClusterRole" else namespace
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}
        api.resources.get(api_version=api_version, kind=kind).create(body=body, namespace=where)
    before = {place: read(api, *place, namespace) for place in theirs}
    stack.write(model_service(inferencePool=PICKER))

    try:
        for refused in (stack.preview(fails=True), stack.up(fails=True)):
            named = [f"ServiceAccount {namespace}/chat-epp", f"InferencePool {namespace}/chat"]
            for name in [*named, f"ClusterRole {namespace}-chat-epp"]:
                assert f"{name} exists already and was not made by this stack" in refused.text
        assert {place: read(api, *place, namespace) for place in theirs} == before
        assert objects(api, namespace) == {("ServiceAccount", "chat-epp"), ("InferencePool", "chat")}
    finally:
        api.resources.get(api_version=RBAC, kind="ClusterRole").delete(name=f"{namespace}-chat-epp")


THEIR_POOL = {
    "selector": {"matchLabels": {"app": "theirs"}},
    "targetPorts": [{"number": 9000}],
    "endpointPickerRef": {"name": "theirs", "port": {"number": 9002}},
}
