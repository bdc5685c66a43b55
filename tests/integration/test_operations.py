"""The procedures of docs/operations.md: recovery from a failed update, canary, moves, a lost state.

test_two_stacks.py covers a renamed stack, test_crash.py and test_recover.py a killed update. Not proven here: that a
gateway follows a route's weights.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack, changes
from tests.integration.test_adoption import pods
from tests.integration.test_commands import command
from tests.integration.waiting import eventually


def image(name: str, version: int, **spec: Any) -> str:
    return service(name, image=f"example/server:{version}", **spec)


@pytest.fixture
def two_deployments(api: DynamicClient, namespace: str) -> Iterator[None]:
    """Limits the namespace to two Deployments."""
    quotas = api.resources.get(api_version="v1", kind="ResourceQuota")
    spec = {"hard": {"count/deployments.apps": "2"}}
    quotas.create(body={"metadata": {"name": "two"}, "spec": spec}, namespace=namespace)
    eventually(lambda: quotas.get(name="two", namespace=namespace).to_dict().get("status", {}).get("hard"), "a quota")
    yield
    quotas.delete(name="two", namespace=namespace)


@pytest.mark.usefixtures("two_deployments")
def test_an_update_that_fails_midway_and_the_way_back(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + image("changed", 1) + image("kept", 1))
    stack.up()
    before = pods(api, stack.namespace)

    stack.write(model() + image("changed", 2) + image("kept", 1) + image("new", 1))
    failed = stack.up("--parallel", "1", fails=True)  # one after the other, in the order of the manifests
    assert "exceeded quota: two" in failed.text and "Traceback" not in failed.text
    assert image_of(api, stack, "changed") == "example/server:2"

    # The state has what was done: continuing repeats nothing, and the old manifests restore the old state.
    assert ("update", "Deployment") not in {(op, kind) for op, kind, _ in changes(stack.preview())}
    stack.write(model() + image("changed", 1) + image("kept", 1))
    back = changes(stack.up())
    assert {(op, kind) for op, kind, name in back if "/changed" in name} == {("update", "Deployment")}
    assert not any("/kept" in name for _, _, name in back)
    assert image_of(api, stack, "changed") == "example/server:1"
    after = pods(api, stack.namespace)
    kept = {name: uid for name, uid in before.items() if name.startswith("kept")}
    assert kept and kept.items() <= after.items()
    stack.up("--expect-no-changes")


def image_of(api: DynamicClient, stack: Stack, name: str) -> str:
    deployment = read(api, "apps/v1", "Deployment", name, stack.namespace)
    return deployment["spec"]["template"]["spec"]["containers"][0]["image"]


def route(canary: int) -> str:
    backends = [
        {"name": name, "port": 80, "weight": w} for name, w in (("chat", 100 - canary), ("chat-canary", canary))
    ]
    spec = {"parentRefs": [{"name": "gateway"}], "rules": [{"backendRefs": backends}]}
    body = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "chat"}}
    return f"---\n{yaml.safe_dump(body | {'spec': spec})}"


def kserve(name: str, version: int, **spec: Any) -> str:
    body = {"apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService", "metadata": {"name": name}}
    containers = [{"name": "main", "image": f"example/server:{version}"}]
    fields = {"model": {"uri": "hf://example/chat"}, "template": {"containers": containers}, **spec}
    return f"---\n{yaml.safe_dump(body | {'spec': fields})}"


def kserve_route(canary: int) -> dict[str, Any]:
    weights = (("team-kserve-workload-svc", 100 - canary), ("team-canary-kserve-workload-svc", canary))
    backends = [{"name": name, "port": 8000, "weight": weight} for name, weight in weights]
    spec = {"parentRefs": [{"name": "gateway"}], "rules": [{"backendRefs": backends}]}
    return {"router": {"route": {"http": {"spec": spec}}}}


def test_a_canary_is_a_second_service_and_a_weight(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": {"beside": {"HTTPRoute": "apply"}}})

    def write(canary: int) -> None:
        stack.write(model() + image("chat", 1) + image("chat-canary", 2) + route(canary))
        stack.write(kserve("team", 1, **kserve_route(canary)) + kserve("team-canary", 2), "kserve.yaml")

    write(10)
    stack.up()
    before = pods(api, stack.namespace)
    write(100)

    assert {(op, kind) for op, kind, _ in changes(stack.up())} == {("update", "HTTPRoute")}

    assert pods(api, stack.namespace) == before
    routes = api.resources.get(api_version="gateway.networking.k8s.io/v1", kind="HTTPRoute")
    weights = {
        backend.name: backend.weight
        for item in routes.get(namespace=stack.namespace).items
        for rule in item.spec.rules
        for backend in rule.backendRefs
    }
    assert weights == {
        "chat": 0,
        "chat-canary": 100,
        "team-kserve-workload-svc": 0,
        "team-canary-kserve-workload-svc": 100,
    }


def test_a_service_moves_to_another_stack(
    stack: Stack, cluster: SharedCluster, api: DynamicClient, tmp_path: Path
) -> None:
    stack.write(model() + image("stays", 1) + image("moves", 1))
    stack.up()
    before = pods(api, stack.namespace)
    other = Stack(tmp_path / "other", cluster, stack.namespace, name=f"{stack.namespace}-other")
    other.config({"adopted": str(tmp_path / "other.adopted.yaml")})
    other.write(model() + image("moves", 1))

    (urn,) = [
        r["urn"] for r in stack.state() if r["urn"].endswith(f"InferenceServiceComponent::{stack.namespace}/moves")
    ]
    stack.forget(urn)
    stack.write(model() + image("stays", 1))
    stack.up("--expect-no-changes")
    assert f"belongs to stack organization/modelservices/{stack.stack}" in other.up(fails=True).text
    done = command(other, "adopt", "--yes", "--from", f"organization/modelservices/{stack.stack}")
    assert done.returncode == 0, done.stderr
    other.up()

    assert pods(api, stack.namespace) == before
    other.up("--expect-no-changes")
    other.preview("--refresh", "--expect-no-changes")
    stack.destroy()
    assert {name for _, name in objects(api, stack.namespace)} == {"moves"}


def test_a_lost_state_is_made_anew_around_what_runs(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + image("chat", 1) + image("gone", 1))
    stack.up()
    before = pods(api, stack.namespace)
    shutil.rmtree(stack.backend)
    stack.backend.mkdir()
    stack.create()
    stack.write(model() + image("chat", 1))

    stack.up()

    assert pods(api, stack.namespace) == before
    stack.preview("--refresh", "--expect-no-changes")
    named = command(stack, "recover")
    assert f"Deployment {stack.namespace}/gone" in named.stdout, named.stderr
    assert command(stack, "recover", "--yes").returncode == 0
    eventually(lambda: {name for _, name in objects(api, stack.namespace)} == {"chat"}, "the rest gone")
    assert {
        name: uid for name, uid in pods(api, stack.namespace).items() if name.startswith("chat")
    }.items() <= before.items()
