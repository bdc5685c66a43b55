"""LLMInferenceServices on a real API server and engine: the server accepts the rendered objects, edits happen in place.

Not proven here: that vLLM serves; pods are simulated.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from kubernetes.dynamic import DynamicClient

from tests.conformance import test_kserve as conformance
from tests.integration.live import objects, read
from tests.integration.stacks import Stack, changes
from tests.integration.strictness import Asked, asked, refusal
from tests.integration.waiting import eventually
from tests.unit.families.kserve.random_specs import KEYED, NAMES, SETTINGS, specs
from tests.unit.families.kserve.services import DATA_PARALLEL, MODEL, manifest, plan

LAYERS: dict[str, Any] = {
    "metadata": {"labels": {"kueue.x-k8s.io/priority": "a"}, "annotations": {"prometheus.io/scrape": "true"}},
    "spec": {"labels": {"team": "a"}},
    "prefill": {"labels": {"stage": "a"}},
    "scheduler": {"labels": {"part": "a"}},
}


def test_the_server_takes_the_objects(api: DynamicClient, tmp_path: Path) -> None:
    plans = [(case.name, conformance.plan_of(case, tmp_path)) for case in conformance.CASES]
    cases = [(name, each, [filled(obj) for obj in conformance.objects(each)]) for name, each in plans]
    assert asked(api, cases) == Asked(objects=439, refused_here=8, refused=[])


@settings(max_examples=40, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(spec=specs(), own=SETTINGS, name=NAMES, labels=KEYED, annotations=KEYED)
def test_random_services_are_taken_or_refused(
    spec: dict[str, Any],
    own: dict[str, Any],
    name: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    api: DynamicClient,
) -> None:
    planned = plan(manifest(spec, name=name, labels=labels, annotations=annotations), settings=own)
    assert [text for obj in planned.all_objects() if (text := refusal(api, filled(obj)))] == []


def filled(obj: dict[str, Any]) -> dict[str, Any]:
    """The object with empty certificate data, which registration fills in."""
    return {**obj, "data": {"tls.crt": "", "tls.key": ""}} if obj["kind"] == "Secret" else obj


def service(name: str = "chat", *, metadata: dict[str, Any] | None = None, **spec: Any) -> str:
    """A YAML document. The model is on a claim that simulated pods don't wait for."""
    document = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"model": dict(MODEL), "replicas": 1, **spec},
    }
    return f"---\n{yaml.safe_dump(document)}"


def layered(value: str, *layers: str) -> str:
    """A service with labels at each layer; ``layers`` get another value, or no labels if ``value`` is empty."""

    def of(layer: str) -> dict[str, Any]:
        given = LAYERS[layer]
        if layer not in layers:
            return given
        return {field: dict.fromkeys(keys, value) for field, keys in given.items()} if value else {}

    return service(
        metadata=of("metadata"),
        prefill={"replicas": 1, **of("prefill")},
        router={"scheduler": of("scheduler")},
        **of("spec"),
    )


def deployment(api: DynamicClient, stack: Stack, name: str) -> Any:
    return read(api, "apps/v1", "Deployment", name, stack.namespace)


def test_labels_of_every_layer_change_in_place(stack: Stack, api: DynamicClient) -> None:
    names = ("chat-kserve", "chat-kserve-prefill", "chat-kserve-router-scheduler")
    stack.write(layered("a"))
    stack.up()
    before = {name: deployment(api, stack, name) for name in names}
    roles = ("decode-deployment", "prefill-deployment", "epp-deployment")
    for value in ("b", ""):
        stack.write(layered(value, *LAYERS))
        updates = {("update", "Deployment", f"{stack.namespace}/chat-{role}") for role in roles}
        assert changes(stack.up()) == updates
    for name in names:
        now = deployment(api, stack, name)
        assert now["metadata"]["uid"] == before[name]["metadata"]["uid"]
        assert now["spec"]["selector"] == before[name]["spec"]["selector"]
    assert stack.up("--expect-no-changes").changes == ()


def test_a_service_is_stopped_and_started(stack: Stack, api: DynamicClient) -> None:
    stack.write(service(router={"scheduler": {}, "route": {}}))
    stack.up()
    there = objects(api, stack.namespace)
    assert ("HTTPRoute", "chat-kserve-route") in there
    assert status(stack)["phase"] == "Ready"
    stack.write(service(metadata={"annotations": {"serving.kserve.io/stop": "true"}}))
    stack.up()
    assert objects(api, stack.namespace) == set()
    assert status(stack)["phase"] == "Stopped"
    stack.write(service(router={"scheduler": {}, "route": {}}))
    stack.up()
    assert objects(api, stack.namespace) == there


def test_prefill_is_added_and_removed(stack: Stack, api: DynamicClient) -> None:
    """The selector contains the role of decode pods, so this needs allowReplace."""
    stack.write(service())
    stack.up()
    stack.write(service(prefill={"replicas": 1}))
    assert "undo the change, or accept it with allowReplace" in stack.up(fails=True).text
    stack.config({"settings": {"allowReplace": True}})
    stack.up()
    assert deployment(api, stack, "chat-kserve-prefill")["status"]["readyReplicas"] == 1
    stack.write(service())
    stack.up()
    assert deployment(api, stack, "chat-kserve-prefill") is None
    assert deployment(api, stack, "chat-kserve")["status"]["readyReplicas"] == 1
    stack.up("--expect-no-changes")


def test_the_operators_objects_are_taken_over(stack: Stack, api: DynamicClient) -> None:
    """Takes over a reference case's objects as KServe creates them; without user labels the selectors are equal."""
    case = conformance.case_of("s16-pd-single-router")
    for obj in yaml.safe_load_all(moved(case / "expected.yaml", stack)):
        resource = api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
        resource.create(body=without_placeholders(obj), namespace=obj["metadata"].get("namespace"))
    stack.write(moved(case / "input.yaml", stack))
    names = ("pdr-kserve", "pdr-kserve-prefill", "pdr-kserve-router-scheduler")
    before = {name: deployment(api, stack, name)["metadata"]["uid"] for name in names}
    assert "was not made by this stack" in stack.preview(fails=True).text
    stack.config({"adopt": True})
    stack.up()
    stack.config({"adopt": False})
    stack.up("--expect-no-changes")
    assert {name: deployment(api, stack, name)["metadata"]["uid"] for name in names} == before
    left = {("Secret", "pdr-kserve-self-signed-certs"), ("InferencePool", "pdr-inference-pool")}
    stack.destroy()
    assert objects(api, stack.namespace) <= left


def moved(file: Path, stack: Stack) -> str:
    """A file of a case, moved to the stack's namespace."""
    return re.sub(r"\binference(?=[\s/\"-]|$)(?!-pool)", stack.namespace, file.read_text(), flags=re.MULTILINE)


def without_placeholders(obj: dict[str, Any]) -> dict[str, Any]:
    """Adds the data of Secrets, which the reference leaves out and a server requires."""
    if obj["kind"] == "Secret":
        return {**obj, "data": {"tls.crt": "", "tls.key": ""}}
    return obj


@pytest.mark.usefixtures("groups")
def test_single_node_to_multi_node_and_back(stack: Stack, api: DynamicClient) -> None:
    stack.write(service())
    stack.up()
    stack.write(service(**DATA_PARALLEL))
    stack.up()
    assert deployment(api, stack, "chat-kserve") is None
    group = read(api, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-kserve-mn", stack.namespace)
    assert group["status"]["readyReplicas"] == 1
    assert (status(stack)["phase"], status(stack)["readyReplicas"]) == ("Ready", 1)
    pods = {pod["metadata"]["name"]: pod for pod in pods_of(api, stack)}
    assert set(pods) == {"chat-kserve-mn-0", "chat-kserve-mn-0-1"}
    assert all(ready(pod) for pod in pods.values())
    serving = {name for name, pod in pods.items() if pod["metadata"]["labels"].get("kserve.io/component") == "workload"}
    assert serving == {"chat-kserve-mn-0"}
    stack.up("--expect-no-changes")
    stack.write(service())
    stack.up()
    assert read(api, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "chat-kserve-mn", stack.namespace) is None
    assert deployment(api, stack, "chat-kserve")["status"]["readyReplicas"] == 1


@pytest.mark.usefixtures("groups")
def test_twenty_services_converge_at_once(stack: Stack, api: DynamicClient) -> None:
    kinds: list[dict[str, Any]] = [
        {},
        {"router": {"scheduler": {}, "route": {}}},
        {"prefill": {"replicas": 1}, "router": {"scheduler": {}}},
        DATA_PARALLEL,
        {**DATA_PARALLEL, "prefill": {"replicas": 1}},
    ]
    stack.write("".join(service(f"s{index}", **kinds[index % len(kinds)]) for index in range(20)))
    stack.up()
    services = stack.outputs()["services"]
    assert len(services) == 20
    assert {found["phase"] for found in services.values()} == {"Ready"}
    stack.up("--expect-no-changes")
    stack.destroy()
    eventually(lambda: objects(api, stack.namespace) == set(), "all objects gone")


@pytest.fixture
def groups(api: DynamicClient) -> None:
    """Skips a test if no controller creates pods for LeaderWorkerSets."""
    hooks = api.resources.get(
        api_version="admissionregistration.k8s.io/v1", kind="ValidatingWebhookConfiguration"
    ).get()
    if not any("lws" in item.metadata.name for item in hooks.items):
        pytest.skip("no LeaderWorkerSet controller")


def status(stack: Stack) -> dict[str, Any]:
    return stack.outputs()["services"][f"{stack.namespace}/chat"]


def pods_of(api: DynamicClient, stack: Stack) -> list[dict[str, Any]]:
    found = api.resources.get(api_version="v1", kind="Pod").get(namespace=stack.namespace)
    items = [item.to_dict() for item in found.items]
    return [item for item in items if not item["metadata"].get("deletionTimestamp")]


def ready(pod: dict[str, Any]) -> bool:
    return any(item["type"] == "Ready" and item["status"] == "True" for item in pod["status"]["conditions"])
