"""Containers without requests in a namespace with a ResourceQuota, of every family.

Not proved here: that an API server admits the pods.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from modelservices.kubernetes.model import read
from modelservices.kubernetes.pod_templates import Container, containers_of
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

from ..families.kserve.services import manifest as kserve
from ..families.llmkube.render import SOURCE
from ..families.llmkube.render import manifest as llmkube
from ..families.ome import helpers as ome
from ..families.otterscale.services import PREFILL
from ..families.otterscale.services import manifest as otterscale

LITTLE = {"requests": {"cpu": "100m", "memory": "128Mi"}}
RESOURCES = {"requests": {"cpu": "2", "memory": "4Gi"}}


def quota(namespace: str, *counted: str) -> dict[str, Any]:
    spec = {"hard": dict.fromkeys(counted or ("requests.cpu", "memory", "pods", "requests.nvidia.com/gpu"), "64")}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": namespace},
        "spec": spec,
    }


def planned(*manifests: dict[str, Any]) -> StackPlan:
    settings, problems = read(Settings, {})
    assert settings is not None, problems
    documents = [Document("x.yaml", index, 1, dict(data)) for index, data in enumerate(manifests, start=1)]
    return make_plan(documents, settings).raise_for_errors()


def containers(plan: StackPlan) -> Iterator[Container]:
    for obj in plan.all_objects():
        yield from containers_of(obj)


def warned(plan: StackPlan) -> list[str]:
    return [finding.object for finding in plan.findings if finding.code == "no-request"]


LLMKUBE = [
    llmkube("Model", "m", spec={"source": SOURCE, "prefetch": True}),
    llmkube("InferenceService", "s", spec={"modelRef": "m", "resources": {"cpu": "2", "memory": "4Gi"}}),
]
MAIN = {"name": "main", "resources": {"requests": RESOURCES["requests"], "limits": {"nvidia.com/gpu": "1"}}}
INIT = {"name": "prepare", "image": "registry.example.com/prepare:1"}
PROXY = {**INIT, "name": "proxy", "resources": {"requests": {"cpu": "1"}}}


@pytest.mark.parametrize(
    ("namespace", "manifests", "servers"),
    [
        ("ai", LLMKUBE, {"llama-server"}),
        ("models", [otterscale({**PREFILL, "decode": {"resources": RESOURCES}})], {"vllm"}),
        ("models", [kserve({"template": {"containers": [MAIN], "initContainers": [INIT]}})], {"main"}),
        (
            "llm",
            [ome.MODEL, ome.RUNTIME, ome.service({"engine": {"initContainers": [INIT], "containers": [PROXY]}})],
            {"ome-container"},
        ),
    ],
)
def test_helpers_state_what_the_quota_counts(
    namespace: str, manifests: list[dict[str, Any]], servers: set[str]
) -> None:
    before = {each.name for each in containers(planned(*manifests)) if not each.field("resources")}
    found = {each.name: each.field("resources") for each in containers(planned(quota(namespace), *manifests))}
    helpers = before - servers
    assert helpers
    assert {name: found[name] for name in helpers} == dict.fromkeys(helpers, LITTLE)
    elsewhere = {each.name for each in containers(planned(quota("other"), *manifests)) if not each.field("resources")}
    assert elsewhere == before


def test_what_is_stated_stays() -> None:
    plan = planned(quota("llm"), ome.MODEL, ome.RUNTIME, ome.service({"engine": {"containers": [PROXY]}}))
    (proxy,) = [each.field("resources") for each in containers(plan) if each.name == "proxy"]
    assert proxy == {"requests": {"cpu": "1", "memory": "128Mi"}}


def test_limits_are_not_below_requests() -> None:
    plan = planned(quota("ai", "limits.cpu", "limits.memory"), *LLMKUBE)
    (download, *_) = [each.field("resources") for each in containers(plan) if each.name == "model-downloader"]
    assert download == {"limits": {"cpu": "1", "memory": "1Gi"}}
    proxy = {**PROXY, "resources": {"requests": {"memory": "8Gi"}}}
    plan = planned(
        quota("llm", "limits.memory"), ome.MODEL, ome.RUNTIME, ome.service({"engine": {"containers": [proxy]}})
    )
    (resources,) = [each.field("resources") for each in containers(plan) if each.name == "proxy"]
    assert resources == {"requests": {"memory": "8Gi"}, "limits": {"memory": "8Gi"}}


def test_a_server_says_itself_what_it_needs() -> None:
    model, service = LLMKUBE[0], {**LLMKUBE[1], "spec": {"modelRef": "m"}}
    assert warned(planned(quota("ai"), *LLMKUBE)) == []
    assert warned(planned(quota("ai"), model, service)) == ["InferenceService ai/s"]
    limited = planned(quota("ai", "limits.memory"), *LLMKUBE)
    assert warned(limited) == ["InferenceService ai/s"]
    assert {each.path for each in limited.findings if each.code == "no-request"} == {"spec.resources"}


def test_a_limit_range_states_it_already() -> None:
    limits = [{"type": "Container", "defaultRequest": {"cpu": "1"}, "default": {"memory": "1Gi"}}]
    ranges = {**quota("ai"), "kind": "LimitRange", "spec": {"limits": limits}}
    plan = planned(quota("ai"), ranges, LLMKUBE[0], {**LLMKUBE[1], "spec": {"modelRef": "m"}})
    assert [each.name for each in containers(plan) if each.field("resources")] == []
    assert warned(plan) == []


def within(*scopes: str, **expression: Any) -> dict[str, Any]:
    spec = {**quota("ai")["spec"], **({"scopes": [*scopes]} if scopes else {})}
    return {**quota("ai"), "spec": spec | ({"scopeSelector": {"matchExpressions": [expression]}} if expression else {})}


@pytest.mark.parametrize(
    ("limited", "counts"),
    [
        (within("NotTerminating"), True),
        (within("Terminating"), False),
        (within("NotBestEffort"), True),
        (within("BestEffort"), False),
        (within("PriorityClass"), True),
        (within("CrossNamespacePodAffinity"), False),
        (within(scopeName="PriorityClass", operator="In", values=["llmkube-normal"]), True),
        (within(scopeName="PriorityClass", operator="In", values=["llmkube-high"]), False),
        (within(scopeName="PriorityClass", operator="NotIn", values=["llmkube-high"]), True),
        (within(scopeName="PriorityClass", operator="In", values=3), False),
        (within(scopeName="PriorityClass", operator="DoesNotExist"), False),
        (within("NotTerminating", scopeName="NotBestEffort", operator="Exists"), True),
    ],
)
def test_a_quota_counts_the_pods_within_its_scopes(limited: dict[str, Any], *, counts: bool) -> None:
    model, service = LLMKUBE[0], {**LLMKUBE[1], "spec": {"modelRef": "m", "resources": {"memory": "4Gi"}}}
    made = planned(limited, {**model, "spec": {"source": SOURCE}}, service)
    helped = {each.name for each in containers(made) if each.field("resources").get("requests", {}).get("cpu")}
    assert helped == ({"model-cache-prep", "model-downloader"} if counts else set())
    assert warned(made) == (["InferenceService ai/s"] if counts else [])
