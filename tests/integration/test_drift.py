"""`preview --refresh` finds manual changes and `up --refresh` repairs them, whoever made them.

Not found, by the provider's design: fields and list items that others added to an object and that the stack doesn't
mention, such as an injected container.
"""

from collections.abc import Callable
from typing import Any

from kubernetes.dynamic import DynamicClient

from tests.integration.live import edit, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack, changes
from tests.integration.test_in_place import SCALING
from tests.integration.waiting import eventually

ENV = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
OTHER_STRATEGY = {"type": "RollingUpdate"}
POD_NAME = {"fieldRef": {"fieldPath": "metadata.name"}}
SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: "${secret:token}"}
"""
Change = Callable[[DynamicClient, str, str], None]


def patched(kind: str, body: dict[str, Any], manager: str = "kubectl-edit") -> Change:
    """Changes fields of the object with the service's name; lists are merged by their keys."""
    api_version = {"Deployment": "apps/v1", "HorizontalPodAutoscaler": "autoscaling/v2", "Service": "v1"}[kind]
    return lambda api, namespace, name: edit(api, api_version, kind, name, namespace, body, manager)


def in_pod(body: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"template": body}}


def in_container(**fields: Any) -> dict[str, Any]:
    return in_pod({"spec": {"containers": [{"name": "inference-server", **fields}]}})


def deleted(api_version: str, kind: str) -> Change:
    return lambda api, namespace, name: api.resources.get(api_version=api_version, kind=kind).delete(
        name=name, namespace=namespace
    )


def applied_by_others(api: DynamicClient, namespace: str, name: str) -> None:
    """Another tool's server-side apply, which takes over one of our fields."""
    pod = in_container(image="example/theirs")["spec"]["template"]
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": pod},
    }
    api.resources.get(api_version="apps/v1", kind="Deployment").server_side_apply(
        body=body, name=name, namespace=namespace, field_manager="argocd-controller", force_conflicts=True
    )


CHANGES: dict[str, tuple[Change, tuple[str, str]]] = {
    "image": (patched("Deployment", in_container(image="example/by-hand")), ("update", "deployment")),
    "env-value": (
        patched("Deployment", in_container(env=[{"name": "A", "value": "by hand"}])),
        ("update", "deployment"),
    ),
    "env-gone": (
        patched("Deployment", in_container(env=[{"name": "A", "$patch": "delete"}])),
        ("update", "deployment"),
    ),
    "replicas": (patched("Deployment", {"spec": {"replicas": 4}}, "kubectl-scale"), ("update", "deployment")),
    "label": (
        patched("Deployment", in_pod({"metadata": {"labels": {"team": "others"}}}), "somebody"),
        ("update", "deployment"),
    ),
    "applied": (applied_by_others, ("update", "deployment")),
    "port": (patched("Service", {"spec": {"ports": [{"port": 8080, "targetPort": 81}]}}), ("update", "service")),
    "type": (patched("Service", {"spec": {"type": "NodePort"}}, "somebody"), ("update", "service")),
    "limits": (
        patched("HorizontalPodAutoscaler", {"spec": {"maxReplicas": 9}}, "somebody"),
        ("update", "autoscaler"),
    ),
    # Fields that exclude one of ours, whoever sets them.
    "strategy": (patched("Deployment", {"spec": {"strategy": OTHER_STRATEGY}}, "k9s"), ("update", "deployment")),
    "probe": (
        patched("Deployment", in_container(readinessProbe={"httpGet": None, "tcpSocket": {"port": 1}}), "k9s"),
        ("update", "deployment"),
    ),
    "env-source": (
        patched("Deployment", in_container(env=[{"name": "A", "value": None, "valueFrom": POD_NAME}]), "lens"),
        ("update", "deployment"),
    ),
    "service-gone": (deleted("v1", "Service"), ("create", "service")),
    "all-gone": (deleted("apps/v1", "Deployment"), ("create", "deployment")),
}


def test_changes_by_hand(stack: Stack, api: DynamicClient) -> None:
    special = {"limits": {"autoscaling": SCALING}, "strategy": {"resources": {"gpu": 1}}}
    services = [service(name, env=ENV, podLabels={"team": "ours"}, **special.get(name, {})) for name in CHANGES]
    stack.write("".join([model(), SECRET, *services]))
    stack.secret("token", "ours")
    stack.up()
    before = specs(api, stack)
    edit(api, "v1", "Secret", "token", stack.namespace, {"data": {"token": "dGhlaXJz"}}, "kubectl-edit")
    for name, (change, _) in CHANGES.items():
        change(api, stack.namespace, name)
    eventually(lambda: read(api, "apps/v1", "Deployment", "all-gone", stack.namespace) is None, "the deletion")
    wanted = {(op, f"{stack.namespace}/{name}-{child}") for name, (_, (op, child)) in CHANGES.items()}
    wanted |= {("update", f"{stack.namespace}/token")}

    assert operations(stack.preview("--refresh")) == wanted
    assert operations(stack.up("--refresh")) == wanted

    assert specs(api, stack) == before
    stack.preview("--refresh", "--expect-no-changes")


def operations(result: Any) -> set[tuple[str, str]]:
    return {(op, path) for op, _, path in changes(result)}


def specs(api: DynamicClient, stack: Stack) -> dict[tuple[str, str], Any]:
    """Each service's state in the API server, without fields that the server assigns."""
    found: dict[tuple[str, str], Any] = {}
    for name in CHANGES:
        deployment = read(api, "apps/v1", "Deployment", name, stack.namespace)
        exposed = read(api, "v1", "Service", name, stack.namespace)
        chosen = {"clusterIP": "", "clusterIPs": ""}
        found["Deployment", name] = deployment["spec"]
        found["Service", name] = exposed["spec"] | chosen
    found["HorizontalPodAutoscaler", "limits"] = read(
        api, "autoscaling/v2", "HorizontalPodAutoscaler", "limits", stack.namespace
    )["spec"]
    found["Secret", "token"] = read(api, "v1", "Secret", "token", stack.namespace)["data"]
    return found
