"""Effects of one team's manifests on shared settings, routes and machines.

Not proven here: what gateways do with routes that a warning names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.findings import Finding
from modelservices.kubernetes.json_text import from_json
from modelservices.kubernetes.model import Manifest, ObjectMeta
from modelservices.linking.collisions import _children, pulumi_names
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings
from modelservices.registration.later import is_known_later
from modelservices.registration.registered import Registered
from modelservices.secret_forms import HIDDEN, without_secrets
from tests.unit.records import component, source

from .teams import kserve, planned

TENANTS = [
    {"manifests": "stacks/dev/a.yaml", "namespaces": ["team-a"]},
    {"manifests": "stacks/dev/b.yaml", "namespaces": ["team-b"]},
    {"manifests": "stacks/dev/p.yaml", "namespaces": ["*"], "kinds": ["*"], "shared": True},
]
INGRESS = """{"ingressGateway": "mesh", "localGateway": "mesh", "disableIstioVirtualHost": false,
"disableIngressCreation": false, "ingressDomain": "x", "domainTemplate": "b.team-b.svc.cluster.local",
"localGatewayService": "evil.team-a.svc.cluster.local"}"""


def ome(namespace: str, **annotations: str) -> dict[str, Any]:
    return {
        "apiVersion": "ome.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "s", "namespace": namespace, "annotations": annotations},
        "spec": {"engine": {"runner": {"name": "ome-container", "image": "quay.io/x/y:1"}}},
    }


def config_map(namespace: str) -> dict[str, Any]:
    metadata = {"name": "inferenceservice-config", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ingress": INGRESS}}


@pytest.mark.parametrize(
    ("file", "namespace", "read"), [("a", "team-a", False), ("p", "team-a", True), ("p", "ome", True)]
)
def test_settings_of_ome_are_the_platform_s(tmp_path: Path, file: str, namespace: str, read: bool) -> None:
    service = ome("team-a", **{"ome.io/deploymentMode": "Serverless"})
    files = {"a.yaml": [service]}
    files[f"{file}.yaml"] = [*files.get(f"{file}.yaml", []), config_map(namespace)]
    plan = planned(tmp_path, files, TENANTS)
    assert ("evil.team-a" in repr(plan.all_objects())) == read
    assert (("tenant", "warning") in {(found.code, found.severity) for found in plan.findings}) != read


def llmkube(namespace: str) -> list[dict[str, Any]]:
    api = "inference.llmkube.dev/v1alpha1"
    gateway = {"enabled": True, "modelName": "gpt", "gatewayRef": {"name": "g", "namespace": "gw"}}
    spec = {"modelRef": "m", "resources": {"cpu": "1", "memory": "1Gi"}, "endpoint": {"gateway": gateway}}
    model = {"source": "https://h/m.gguf"}
    return [
        {"apiVersion": api, "kind": "Model", "metadata": {"name": "m", "namespace": namespace}, "spec": model},
        {
            "apiVersion": api,
            "kind": "InferenceService",
            "metadata": {"name": "s", "namespace": namespace},
            "spec": spec,
        },
    ]


SHOWN = {
    "ome.io/ingress-disable-creation": "false",
    "ome.io/ingress-disable-istio-virtualhost": "false",
    "ome.io/ingress-domain-template": "b.example.com",
}
SAME = {
    "AIGatewayRoute": llmkube,
    "Ingress": lambda namespace: [ome(namespace, **SHOWN)],
    "VirtualService": lambda namespace: [ome(namespace, **SHOWN, **{"ome.io/deploymentMode": "Serverless"})],
}


@pytest.mark.parametrize("kind", SAME)
def test_routes_of_any_kind_for_the_same_requests(tmp_path: Path, kind: str) -> None:
    plan = planned(tmp_path, {"a.yaml": SAME[kind]("team-a"), "b.yaml": SAME[kind]("team-b")}, TENANTS)
    assert sum(obj["kind"] == kind for obj in plan.all_objects()) == 2
    (found,) = [finding for finding in plan.findings if finding.code == "route-conflict"]
    assert found.severity == "warning" and "team-" in found.message


def codes(obj: dict[str, Any], *more: dict[str, Any]) -> tuple[StackPlan, set[str]]:
    documents = [Document("x.yaml", index, 1, each) for index, each in enumerate((obj, *more), 1)]
    plan = make_plan(documents, Settings())
    return plan, {finding.code for finding in plan.findings if finding.severity == "error"}


def test_templates_have_a_budget() -> None:
    env = [{"name": "NOTE", "value": "{{.Spec.Model.Name}}" * 10_000}]
    spec = {"model": {"uri": "hf://a/b", "name": "a" * 60_000}}
    plan, found = codes(kserve("own", "n", {**spec, "template": {"containers": [{"name": "main", "env": env}]}}))
    assert "template" in found
    assert len(repr(plan)) < 5_000_000


def test_variables_in_arguments_have_a_budget() -> None:
    runner = {"name": "ome-container", "image": "vllm/vllm-openai:v0.11.0", "command": ["vllm", "serve"]}
    runner |= {"env": [{"name": "A", "value": "a" * 60_000}], "args": ["--model", "/x/" + "$(A)" * 10_000]}
    model = {"modelFormat": {"name": "safetensors"}, "storage": {"storageUri": "hf://a/b"}}
    base = {"apiVersion": "ome.io/v1beta1", "kind": "ClusterBaseModel", "metadata": {"name": "m"}, "spec": model}
    service = {**ome("n"), "spec": {"model": {"name": "m"}, "engine": {"runner": runner}}}
    plan, _ = codes(service, base)
    assert sum(len(finding.message) for finding in plan.findings) < 100_000


def test_an_object_that_no_api_server_stores_is_an_error() -> None:
    env = [{"name": f"A{index}", "value": "a" * 100_000} for index in range(20)]
    _, found = codes(kserve("own", "n", {"template": {"containers": [{"name": "main", "env": env}]}}))
    assert found == {"too-large"}


def test_a_finding_has_an_end() -> None:
    assert len(Finding("x", "", "", "a" * 1_000_000).message) < 10_000


@pytest.mark.parametrize("levels", [101, 350, 5_000, 100_000])
def test_json_within_a_text_has_the_limit_of_all_input(levels: int) -> None:
    with pytest.raises(ValueError, match="levels deep"):
        from_json("[" * levels + "]" * levels)
    assert from_json("[" * 100 + "]" * 100)


@pytest.mark.parametrize("levels", [350, 20_000])
def test_parameters_of_a_benchmark_that_are_nested_too_deeply(levels: int) -> None:
    spec = {
        "endpoint": {"inferenceService": {"name": "s", "namespace": "n"}},
        "task": "text-to-text",
        "trafficScenarios": ["N(480,240)/(300,150)"],
        "numConcurrency": [1],
        "maxTimePerIteration": 1,
        "maxRequestsPerIteration": 1,
        "additionalRequestParams": {"a": "[" * levels + "]" * levels},
        "outputLocation": {"storageUri": "pvc://a/b"},
    }
    job = {"apiVersion": "ome.io/v1beta1", "kind": "BenchmarkJob", "metadata": {"name": "b", "namespace": "n"}}
    codes({**job, "spec": spec}, ome("n"))


TOKENS = [
    "pul-" + "0123456789abcdef" * 2 + "01234567",
    "dapi" + "0123456789abcdef" * 2,
    "glrt-" + "a1" * 12,
    "tskey-auth-" + "a1" * 12,
    "https://a8f7d6c5b4a3f2e1d0c9@example.com/x",
    "https://a8f7.d6c5b4a3f2e1d0c9:@example.com/x",
]


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_of_large_services_are_secrets(token: str) -> None:
    env = [{"name": "NOTE", "value": f"see {token}"}]
    _, found = codes(kserve("own", "n", {"template": {"containers": [{"name": "main", "env": env}]}}))
    assert "literal-secret" in found
    assert HIDDEN in without_secrets(token)


def test_a_namespace_that_looks_like_an_example_is_one_like_any_other() -> None:
    assert not is_known_later("known-later-x", Registered())


SPEC = {"model": {"uri": "hf://a/b", "name": "m"}, "router": {"scheduler": {}, "route": {}, "gateway": {}}}
NAMES = st.lists(st.sampled_from(["x", "decode", "prefill", "epp", "tokenizer", "service"]), min_size=1, max_size=3)


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(names=st.lists(NAMES.map("-".join), min_size=2, max_size=4, unique=True))
def test_pulumi_s_names_never_meet(names: list[str]) -> None:
    """A plan without errors can be registered: each name of a type is unique under its component."""
    services = [kserve(name, "n", {**SPEC, "prefill": {}} if index % 2 else SPEC) for index, name in enumerate(names)]
    plan, found = codes(services[0], *services[1:])
    if found:
        assert found == {"name-collision"}
        return
    made = [each for service in plan.services for each in _children(service, service.name, service.component)]
    assert len(made) == len(set(made))


def test_two_services_whose_objects_have_one_pulumi_name() -> None:
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "n"}}
    metadata = [ObjectMeta(name=name, namespace="n") for name in ("x", "x-y")]
    owners = [source(Manifest(apiVersion="a/v1", kind="S", metadata=each)) for each in metadata]
    one, other = component(owners[0], {"y-service": obj}), component(owners[1], {"service": obj})
    (found,) = pulumi_names([one, other])
    assert found[1].code == "name-collision" and "n/x-y-service" in found[1].message
    assert list(pulumi_names([one])) == []
