"""Ordinary edits change objects in place: no replacement, the same Deployment and selector, no fewer pods.

Not proven here: a rollout of the new pods on real nodes.
"""

from typing import Any, NamedTuple

from kubernetes.dynamic import DynamicClient

from tests.integration.live import edit, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack, changes
from tests.integration.waiting import eventually

SCALING = {
    "minReplicas": 1,
    "maxReplicas": 5,
    "metrics": [{"type": "Pods", "name": "requests_running", "targetAverageValue": "8"}],
}
VLLM = {"runtime": "vllm", "image": "vllm/vllm-openai:v1"}


class Edit(NamedTuple):
    """A service before and after an edit, and the engine's steps for it as (operation, child)."""

    before: dict[str, Any]
    after: dict[str, Any]
    steps: set[tuple[str, str]]


ROLLED = {("update", "deployment")}
EXPOSED = {("update", "service")}
EDITS = {
    "replicas": Edit({"replicas": 1}, {"replicas": 3}, ROLLED),
    "stop": Edit({"replicas": 1}, {"replicas": 0}, ROLLED),
    "image": Edit({"image": "example/server:1"}, {"image": "example/server:2"}, ROLLED),
    "args": Edit({"args": ["--a", "1"]}, {"args": ["--a", "2", "--b"]}, ROLLED),
    "extra-args": Edit(VLLM | {"extraArgs": ["--seed", "1"]}, VLLM | {"extraArgs": ["--seed", "2"]}, ROLLED),
    "env": Edit({"env": [{"name": "A", "value": "1"}]}, {"env": [{"name": "B", "value": "2"}]}, ROLLED),
    "pod-labels": Edit({"podLabels": {"team": "a"}}, {"podLabels": {"team": "b", "more": "c"}}, ROLLED),
    "model": Edit({"model": "bge"}, {"model": "e5"}, ROLLED),
    "resources": Edit({"resources": {"cpu": "1"}}, {"resources": {"cpu": "2", "memory": "1Gi"}}, ROLLED),
    "priority": Edit({"priority": "normal"}, {"priority": "high"}, ROLLED),
    "endpoint": Edit({"endpoint": {"type": "ClusterIP"}}, {"endpoint": {"type": "NodePort"}}, EXPOSED),
    "port": Edit({"containerPort": 8000}, {"containerPort": 8001}, ROLLED | EXPOSED),
    "scaling-on": Edit({"replicas": 3}, {"replicas": 3, "autoscaling": SCALING}, {("create", "autoscaler")}),
    "scaling-off": Edit({"autoscaling": SCALING}, {"replicas": 2}, ROLLED | {("delete", "autoscaler")}),
    "nothing": Edit({}, {}, set()),
}


def write(stack: Stack, side: str) -> None:
    services = [service(name, **getattr(edit, side)) for name, edit in EDITS.items()]
    stack.write("".join([model("bge"), model("e5"), *services]))


def test_edits(stack: Stack, api: DynamicClient) -> None:
    write(stack, "before")
    stack.up()
    before = {name: deployment(api, stack, name) for name in EDITS}
    scale(api, stack, "scaling-off", 4)

    write(stack, "after")
    result = stack.up()

    assert (
        f"Deployment {stack.namespace}/image: 1 pod restarts; image example/server:1 → example/server:2" in result.text
    )
    assert (
        f"Deployment {stack.namespace}/replicas: replicas 1 → 3; no pod restarts; changed: spec.replicas" in result.text
    )
    assert f"Deployment {stack.namespace}/nothing" not in result.text
    done = changes(result)
    for name, wanted in EDITS.items():
        prefix = f"{stack.namespace}/{name}-"
        assert {(op, path.removeprefix(prefix)) for op, _, path in done if path.startswith(prefix)} == wanted.steps, (
            name
        )
        now = deployment(api, stack, name)
        assert now["metadata"]["uid"] == before[name]["metadata"]["uid"], name
        assert now["spec"]["selector"] == before[name]["spec"]["selector"], name
    shared = {(op, path) for op, _, path in done if "/" not in path}
    assert shared == {("create", "llmkube-high"), ("create", "llmkube-high-owner-object")}
    assert deployment(api, stack, "scaling-off")["spec"]["replicas"] == 2
    assert_left_to_the_autoscaler(stack, api)


def assert_left_to_the_autoscaler(stack: Stack, api: DynamicClient) -> None:
    """Enabling autoscaling kept the pods. The autoscaler's scaling is no change for the stack, and the next edit keeps
    it."""
    assert deployment(api, stack, "scaling-on")["spec"]["replicas"] == 3
    scale(api, stack, "scaling-on", 5)
    stack.preview("--refresh", "--expect-no-changes")
    stack.write("".join([model(), service("scaling-on", image="example/server:2", autoscaling=SCALING)]))
    done = stack.up("--refresh", "--target", urn(stack, "scaling-on-deployment"))
    assert ("update", "Deployment", f"{stack.namespace}/scaling-on-deployment") in changes(done)
    assert deployment(api, stack, "scaling-on")["spec"]["replicas"] == 5


def urn(stack: Stack, child: str) -> str:
    (found,) = [r["urn"] for r in stack.state() if r["urn"].endswith(f"::{stack.namespace}/{child}")]
    return found


def deployment(api: DynamicClient, stack: Stack, name: str) -> dict[str, Any]:
    return read(api, "apps/v1", "Deployment", name, stack.namespace)


def scale(api: DynamicClient, stack: Stack, name: str, replicas: int) -> None:
    """Scales like an autoscaler, which then owns the field."""
    edit(api, "apps/v1", "Deployment", name, stack.namespace, {"spec": {"replicas": replicas}}, "autoscaler")
    wanted = {"replicas": replicas, "readyReplicas": replicas}
    eventually(lambda: deployment(api, stack, name)["status"].items() >= wanted.items(), f"{replicas} pods")


SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: "${secret:token}"}
"""


def test_a_changed_secret_restarts_the_pods_that_read_it_where_the_platform_wants_it(
    stack: Stack, api: DynamicClient
) -> None:
    env = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "token", "key": "token"}}}]
    stack.config({"settings": {"restartOnChange": True}})
    stack.write(model() + SECRET + service("reads", env=env) + service("other"))
    stack.secret("token", "the first value")
    stack.up()
    stack.up("--expect-no-changes")

    stack.secret("token", "the second value")
    preview = stack.preview()

    assert f"Deployment {stack.namespace}/reads: " in preview.text
    assert f"Deployment {stack.namespace}/other: " not in preview.text
    assert "metadata.annotations" in preview.text
    assert changes(stack.up()) == {
        ("update", "Secret", f"{stack.namespace}/token"),
        ("update", "Deployment", f"{stack.namespace}/reads-deployment"),
    }
    template = read(api, "apps/v1", "Deployment", "reads", stack.namespace)["spec"]["template"]
    assert template["metadata"]["annotations"]["modelservices/reads"].startswith("token=")
