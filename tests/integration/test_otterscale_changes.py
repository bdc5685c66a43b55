"""Changes of a running ModelService on the real engine: they happen in place and are reversible.

Not proven here: that requests survive a rollout of the endpoint picker.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.live import read
from tests.integration.model_services import PICKER, configure, model_service
from tests.integration.stacks import Stack, changes
from tests.integration.waiting import eventually

APPS = "apps/v1"
PLUGINS = {
    "plugins": [{"type": "queue-scorer"}],
    "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 1}]}],
}


@pytest.fixture
def service(stack: Stack) -> Iterator[Stack]:
    """A stack with one decode-only service that uses only defaults."""
    stack.write(model_service(inferencePool=PICKER))
    stack.up()
    yield stack
    stack.destroy()


def done(stack: Stack) -> set[tuple[str, str]]:
    """Brings the stack up; returns the changes as (operation, child of the service)."""
    prefix = f"{stack.namespace}/chat-"
    return {(op, name.removeprefix(prefix)) for op, _, name in changes(stack.up())}


def deployment(api: DynamicClient, stack: Stack, name: str) -> dict[str, Any]:
    return read(api, APPS, "Deployment", name, stack.namespace)


def status(stack: Stack) -> dict[str, Any]:
    return stack.outputs()["services"][f"{stack.namespace}/chat"]


def test_prefill_comes_and_goes(service: Stack, api: DynamicClient) -> None:
    before = deployment(api, service, "chat-decode")
    assert counters(status(service)) == (1, 1, 0, 0)

    service.write(model_service(inferencePool=PICKER, prefill={"replicas": 2}, routingProxy={}))
    # Decode pods get the proxy, the picker gets different plugins.
    rolled = {("update", "decode-deployment"), ("update", "epp-config-map"), ("update", "epp-deployment")}
    assert done(service) == {("create", "prefill-deployment"), *rolled}
    found = status(service)
    assert counters(found) == (1, 1, 2, 2)
    assert (found["phase"], found["readyReplicas"], found["desiredReplicas"]) == ("Ready", 3, 3)
    sides = [condition["type"] for condition in found["conditions"]]
    assert sides == ["Ready", "DecodeReady", "PrefillReady", "EndpointPickerReady"]

    service.write(model_service(inferencePool=PICKER))
    assert done(service) == {("delete", "prefill-deployment"), *rolled}
    assert deployment(api, service, "chat-prefill") is None
    after = deployment(api, service, "chat-decode")
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["spec"] == before["spec"]
    assert counters(status(service)) == (1, 1, 0, 0)


def counters(status: dict[str, Any]) -> tuple[int, ...]:
    """Ready and wanted pods, for decode and for prefill."""
    names = ("decodeReady", "decodeReplicas", "prefillReady", "prefillReplicas")
    return tuple(status["details"][name] for name in names)


def test_another_gateway_provider_and_back(service: Stack, api: DynamicClient) -> None:
    monitored = {"podMonitor": {"enabled": True}}
    service.write(model_service(inferencePool=PICKER, monitoring=monitored))
    assert done(service) == {("create", "decode-pod-monitor"), ("create", "epp-service-monitor")}
    only_istio = {"epp-destination-rule", "epp-token-secret"}

    configure(service, epp={"provider": "gke"})
    assert done(service) == {("update", "epp-service-monitor"), *(("delete", child) for child in only_istio)}

    configure(service, epp={"provider": "istio"})
    assert done(service) == {("update", "epp-service-monitor"), *(("create", child) for child in only_istio)}
    token = read(api, "v1", "Secret", "chat-epp-sa-metrics-reader-secret", service.namespace)
    assert token["type"] == "kubernetes.io/service-account-token"


def test_rights_of_the_picker_follow_its_replicas(service: Stack, api: DynamicClient) -> None:
    scaled = {("update", "epp-deployment"), ("update", "epp-role")}
    alone = {"pods", "pools", "metrics", "tokens"}
    eventually(lambda: rights(api, service.namespace) == alone, "the rights of one picker")

    service.write(model_service(inferencePool={"endpointPicker": {"replicas": 3}}))
    assert done(service) == scaled
    eventually(lambda: rights(api, service.namespace) == alone | {"leases", "events"}, "the rights of three pickers")
    assert status(service)["details"]["endpointPickerReplicas"] == 3

    service.write(model_service(inferencePool=PICKER))
    assert done(service) == scaled
    eventually(lambda: rights(api, service.namespace) == alone, "fewer rights")


ASKED: dict[str, dict[str, Any]] = {
    "pods": {"resourceAttributes": {"resource": "pods", "verb": "watch"}},
    "pools": {
        "resourceAttributes": {"group": "inference.networking.k8s.io", "resource": "inferencepools", "verb": "get"}
    },
    "leases": {"resourceAttributes": {"group": "coordination.k8s.io", "resource": "leases", "verb": "update"}},
    "events": {"resourceAttributes": {"resource": "events", "verb": "create"}},
    "metrics": {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}},
    "tokens": {"resourceAttributes": {"group": "authentication.k8s.io", "resource": "tokenreviews", "verb": "create"}},
}


def rights(api: DynamicClient, namespace: str) -> set[str]:
    """The rights in ``ASKED`` that the API server grants the picker in its namespace."""
    reviews = api.resources.get(api_version="authorization.k8s.io/v1", kind="SubjectAccessReview")
    allowed = set()
    for right, asked in ASKED.items():
        where = {name: {"namespace": namespace, **attributes} for name, attributes in asked.items()}
        where = where if "resourceAttributes" in asked else asked
        review = {"spec": {"user": f"system:serviceaccount:{namespace}:chat-epp", **where}}
        if reviews.create(body=review).status.allowed:
            allowed.add(right)
    return allowed


def test_all_else_at_once(service: Stack, api: DynamicClient) -> None:
    """Changing all other fields of a service at once replaces nothing."""
    service.write(model_service(**EARLIER))
    configure(service, version="v1")
    service.up()

    service.write(model_service(**LATER))
    configure(service, **SETTINGS)
    result = service.up()

    changed = {(step.op, step.type.rpartition(":")[2], step.replace) for step in result.changes}
    assert changed == {("update", kind, ()) for kind in KINDS}
    ports = read(api, "v1", "Service", "chat-epp", service.namespace)["spec"]["ports"]
    assert [port["port"] for port in ports] == [9102, 9090]
    service.preview("--refresh", "--expect-no-changes")


EARLIER: dict[str, Any] = {
    "httpRoute": {"gatewayRef": {"name": "one"}, "hostnames": ["one.example.com"]},
    "inferencePool": {"endpointPicker": {"failureMode": "FailClose", "resources": {"requests": {"cpu": "1"}}}},
    "monitoring": {"podMonitor": {"enabled": True}},
    "prefill": {},
    "routingProxy": {"zapLogLevel": "info"},
}
LATER: dict[str, Any] = {
    "model": {"name": "example/other", "image": "registry.example.com/other:2", "mountPath": "/weights"},
    "engine": {"image": "example/vllm:2", "args": ["--seed", "1"], "env": [{"name": "A", "value": "1"}], "port": 8001},
    "accelerator": {"type": "nvidia"},
    "decode": {"replicas": 2, "parallelism": {"tensor": 2}, "resources": {"requests": {"cpu": "2"}}},
    "httpRoute": {"gatewayRef": {"name": "two", "namespace": "gateways"}, "hostnames": ["two.example.com"]},
    "inferencePool": {
        "endpointPicker": {"image": "example/picker:2", "port": 9102, "resources": {"limits": {"memory": "2Gi"}}}
    },
    "monitoring": {"podMonitor": {"enabled": True, "path": "/other", "interval": "10s"}},
    "prefill": {"nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [{"operator": "Exists"}]},
    "routingProxy": {"connector": "sglang", "zapLogLevel": "debug"},
}
SETTINGS: dict[str, Any] = {
    "version": "v2",
    "kitImage": "example/kit:2",
    "epp": {"flags": {"v": "4"}, "tracing": {"enabled": True, "otelExporterEndpoint": "http://otel:4317"}},
    "routeTimeout": "90s",
}
# The kinds of all objects of the service; each has the version label.
KINDS = (
    *("ClusterRole", "ClusterRoleBinding", "ConfigMap", "Deployment", "DestinationRule", "HTTPRoute", "InferencePool"),
    *("PodMonitor", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount", "ServiceMonitor"),
)


def test_changes_by_hand_are_shown_and_undone(service: Stack, api: DynamicClient) -> None:
    here = service.namespace
    objects = {place: read(api, *place, here) for place in by_hand(here)}
    for (api_version, kind, name), change in by_hand(here).items():
        api.resources.get(api_version=api_version, kind=kind).patch(
            name=name,
            namespace=None if kind == "ClusterRole" else here,
            body=change,
            content_type="application/merge-patch+json",
            field_manager="kubectl-edit",
        )

    shown = service.preview("--refresh")
    undone = service.up("--refresh")

    for result in (shown, undone):
        kinds = [(step.op, step.type.rpartition(":")[2]) for step in result.changes]
        assert sorted(kinds) == sorted(("update", kind) for _, kind, _ in objects)
    for place, before in objects.items():
        after = read(api, *place, here)
        assert [after.get(part) for part in ("spec", "data", "rules")] == [
            before.get(part) for part in ("spec", "data", "rules")
        ], place
    service.preview("--refresh", "--expect-no-changes")


def by_hand(namespace: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Changes of objects other than workloads (test_drift.py has those), by API version, kind and name."""
    rbac, everything = "rbac.authorization.k8s.io/v1", {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
    return {
        ("inference.networking.k8s.io/v1", "InferencePool", "chat"): {"spec": {"targetPorts": [{"number": 1}]}},
        ("gateway.networking.k8s.io/v1", "HTTPRoute", "chat"): {"spec": {"parentRefs": [{"name": "other"}]}},
        ("networking.istio.io/v1beta1", "DestinationRule", "chat-epp"): {"spec": {"host": "elsewhere"}},
        ("v1", "ConfigMap", "chat-epp-config"): {"data": {"default-plugins.yaml": "plugins: []"}},
        (rbac, "Role", "chat-epp"): {"rules": []},
        (rbac, "ClusterRole", f"{namespace}-chat-epp"): {"rules": [everything]},
    }


def test_a_changed_plugin_config_rolls_the_picker(service: Stack, api: DynamicClient) -> None:
    before = {kind: picker(api, service, kind) for kind in ("ConfigMap", "Deployment")}
    pods = picker_pods(api, service)

    configure(service, epp={"pluginsConfig": PLUGINS})

    assert done(service) == {("update", "epp-config-map"), ("update", "epp-deployment")}
    after = {kind: picker(api, service, kind) for kind in before}
    assert [after[kind]["metadata"]["uid"] for kind in after] == [before[kind]["metadata"]["uid"] for kind in before]
    template = "checksum/config"
    old, new = (side["Deployment"]["spec"]["template"]["metadata"]["annotations"] for side in (before, after))
    assert old[template] != new[template]
    assert not pods & picker_pods(api, service)


def picker(api: DynamicClient, stack: Stack, kind: str) -> dict[str, Any]:
    api_version, name = {"ConfigMap": ("v1", "chat-epp-config"), "Deployment": (APPS, "chat-epp")}[kind]
    return read(api, api_version, kind, name, stack.namespace)


def picker_pods(api: DynamicClient, stack: Stack) -> set[str]:
    pods = api.resources.get(api_version="v1", kind="Pod")
    found = pods.get(namespace=stack.namespace, label_selector="app.kubernetes.io/component=epp").items
    return {pod.metadata.name for pod in found if not pod.metadata.deletionTimestamp}
