"""Manifests that reach for the node: in each family a mandatory rule of the policy pack stops them.

Not proven here: that the engine stops at such a rule (tests/integration/test_policy.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings
from modelservices.policy.config import LEVEL
from modelservices.policy.rule import ObjectRule, StackRule
from modelservices.policy.rules import RULES

ATTACKS = Path(__file__).parent / "attacks"
SHIPPED = Path(__file__).parents[2] / "policy" / "config.json"
ROOT = {
    "hostPID": True,
    "nodeName": "cp",
    "serviceAccountName": "admin",
    "volumes": [{"name": "h", "hostPath": {"path": "/"}}],
}
"""A pod that controls its node."""
ADMIN = {
    "securityContext": {
        "allowPrivilegeEscalation": True,
        "privileged": True,
        "capabilities": {"add": ["SYS_ADMIN"]},
        "seccompProfile": {"type": "Unconfined"},
    }
}
"""A container that controls its node."""
OF_POD = {"host-path", "host-namespaces", "node-name", "service-accounts"}
OF_CONTAINER = {"privileged", "capabilities", "confinement"}


def mandatory(plan: StackPlan) -> Iterator[tuple[str, str]]:
    """Rule and sentence of each finding that stops an update with the shipped config."""
    given = json.loads(SHIPPED.read_text())
    objects = [*plan.all_objects(), *plan.chart]
    for rule in RULES:
        config = given[rule.name] if isinstance(given[rule.name], dict) else {LEVEL: given[rule.name]}
        if config.pop(LEVEL) == "mandatory":
            parameters = rule.read(config)
            if isinstance(rule, ObjectRule):
                yield from ((rule.name, sentence) for obj in objects for sentence in rule.sentences(obj, parameters))
            else:
                assert isinstance(rule, StackRule)
                yield from ((rule.name, sentence) for sentence in rule.sentences(objects, parameters))


def settings(**values: Any) -> Settings:
    return Settings.model_validate(values)


def test_priv_bench() -> None:
    plan = plan_paths([ATTACKS / "priv-bench.yaml"], settings()).raise_for_errors()
    (found,) = mandatory(plan)
    assert found == (
        "host-path",
        "Job a/b: spec.template.spec.volumes[1].hostPath: mounts / of the node; use a claim, a ConfigMap or an "
        "emptyDir, or let the platform list it under host-path.paths",
    )


def test_priv_ome() -> None:
    """Its namespace is rejected at once; if the platform allows it, the pack rejects the rest."""
    refused = plan_paths([ATTACKS / "priv-ome.yaml"], settings())
    assert [found.code for found in refused.findings if found.severity == "error"] == ["system-namespace"]
    plan = plan_paths([ATTACKS / "priv-ome.yaml"], settings(systemNamespaces=["kube-system"])).raise_for_errors()
    pod = "spec.template.spec"
    assert sorted((rule, sentence.split(": ")[1]) for rule, sentence in mandatory(plan)) == [
        ("capabilities", f"{pod}.containers[0].securityContext.capabilities.add"),
        ("confinement", f"{pod}.containers[0].securityContext.procMount"),
        ("confinement", f"{pod}.containers[0].securityContext.seccompProfile.type"),
        ("host-namespaces", f"{pod}.hostNetwork"),
        ("host-namespaces", f"{pod}.hostPID"),
        ("host-path", f"{pod}.volumes[0].hostPath"),
        ("node-name", f"{pod}.nodeName"),
        ("service-accounts", f"{pod}.serviceAccountName"),
    ]


def manifest(kind: str, api: str, spec: Any, **more: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "s", "namespace": "a"}, "spec": spec, **more}


def kserve(**spec: Any) -> list[dict[str, Any]]:
    model = {"uri": "hf://a/b", "name": "m"}
    return [manifest("LLMInferenceService", "serving.kserve.io/v1alpha2", {"model": model, **spec})]


def ome(**spec: Any) -> list[dict[str, Any]]:
    return [manifest("InferenceService", "ome.io/v1beta1", spec)]


def llmkube(spec: dict[str, Any], source: str = "https://h.example.com/m.gguf") -> list[dict[str, Any]]:
    api = "inference.llmkube.dev/v1alpha1"
    model = {**manifest("Model", api, {"source": source}), "metadata": {"name": "m", "namespace": "a"}}
    return [model, manifest("InferenceService", api, {"modelRef": "m", **spec})]


def server(**more: Any) -> dict[str, Any]:
    return {"name": "main", "image": "quay.io/x/vllm:v0.10.0", **more}


def runner(**more: Any) -> dict[str, Any]:
    return {"name": "ome-container", "image": "quay.io/x/y:1", **more}


def config(kind: str, template: Any) -> dict[str, Any]:
    api = "serving.kserve.io/v1alpha2"
    return {**manifest(kind, api, {"template": template}), "metadata": {"name": "c", "namespace": "a"}}


def volume(source: dict[str, Any]) -> dict[str, Any]:
    return {**manifest("PersistentVolume", "v1", source), "metadata": {"name": "v"}}


SCHEDULER = {"route": {}, "gateway": {}}
GPU = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
BENCHMARK = yaml.safe_load((ATTACKS / "priv-bench.yaml").read_text())["spec"]
TRAINER = {"image": "a:1", "command": ["a"]}
VARIANTS: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    "kserve": (kserve(template={**ROOT, "containers": [server(**ADMIN)]}), OF_POD | OF_CONTAINER),
    "kserve sidecar": (kserve(template={"containers": [server(), {**server(**ADMIN), "name": "x"}]}), OF_CONTAINER),
    "kserve init": (
        kserve(template={"containers": [server()], "initContainers": [{**server(**ADMIN), "name": "x"}]}),
        OF_CONTAINER,
    ),
    "kserve prefill": (
        kserve(prefill={"template": {**ROOT, "containers": [server(**ADMIN)]}}, router=SCHEDULER | {"scheduler": {}}),
        OF_POD | OF_CONTAINER,
    ),
    "kserve scheduler": (
        kserve(router=SCHEDULER | {"scheduler": {"template": {**ROOT, "containers": [{"name": "main", **ADMIN}]}}}),
        OF_POD | OF_CONTAINER,
    ),
    "kserve port": (
        kserve(template={"containers": [server(ports=[{"containerPort": 8000, "hostPort": 8000}])]}),
        {"host-port"},
    ),
    "ome engine": (ome(engine={**ROOT, "runner": runner(**ADMIN)}), OF_POD | OF_CONTAINER),
    "ome router": (
        ome(engine={"runner": runner()}, router={**ROOT, "runner": {**runner(**ADMIN), "name": "router"}}),
        OF_POD | OF_CONTAINER,
    ),
    "ome decoder": (
        ome(engine={"runner": runner()}, decoder={**ROOT, "runner": runner(**ADMIN)}),
        OF_POD | OF_CONTAINER,
    ),
    "ome predictor": (
        ome(predictor={**ROOT, "containers": [runner(**ADMIN)]}),
        OF_POD | OF_CONTAINER,
    ),
    "ome init": (
        ome(engine={"runner": runner(), "initContainers": [{"name": "i", "image": "a:1", **ADMIN}]}),
        OF_CONTAINER,
    ),
    "ome leader and worker": (
        ome(
            engine={
                "leader": {**ROOT, "runner": runner(**ADMIN)},
                "worker": {**ROOT, "size": 1, "runner": runner(**ADMIN)},
            }
        ),
        OF_POD | OF_CONTAINER,
    ),
    "ome runtime": (
        [
            manifest("ServingRuntime", "ome.io/v1beta1", {"engineConfig": {**ROOT, "runner": runner(**ADMIN)}}),
            *ome(engine={}, runtime={"name": "s"}),
        ],
        OF_POD | OF_CONTAINER,
    ),
    "kserve config": (
        [
            config("LLMInferenceServiceConfig", {**ROOT, "containers": [server(**ADMIN)]}),
            *kserve(baseRefs=[{"name": "c"}]),
        ],
        OF_POD | OF_CONTAINER,
    ),
    "kserve worker": (
        kserve(
            parallelism={"data": 2, "dataLocal": 1, "tensor": 1},
            template={"containers": [server()]},
            worker={**ROOT, "containers": [server(**ADMIN)]},
        ),
        OF_POD | OF_CONTAINER,
    ),
    "trainer of the runtime": (
        [manifest("TrainingJob", "ome.io/v1beta1", {"trainer": {**TRAINER, "numNodes": 2}})],
        set(),
    ),
    "passed through": (
        [manifest("Thing", "example.com/v1", {"template": {"spec": {**ROOT, "containers": [server(**ADMIN)]}}})],
        OF_POD | OF_CONTAINER,
    ),
    "passed through as a list": (
        [{"apiVersion": "v1", "kind": "List", "items": [manifest("Thing", "example.com/v1", {"a": [ROOT, ADMIN]})]}],
        OF_POD | OF_CONTAINER,
    ),
    "a Secret of another group": (
        [manifest("Secret", "example.com/v1", {"template": {"spec": ROOT}})],
        OF_POD,
    ),
    "a volume": ([volume({"hostPath": {"path": "/"}})], {"host-path"}),
    "a local volume": ([volume({"local": {"path": "/"}})], {"host-path"}),
    "llmkube model on the node": (llmkube({}, "file:///etc/m.gguf"), {"host-path"}),
    "llmkube": (llmkube(ADMIN), OF_CONTAINER),
    "llmkube pod": (llmkube({"podSecurityContext": {"seccompProfile": {"type": "Unconfined"}}}), {"confinement"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_way_to_the_node(variant: str, tmp_path: Path) -> None:
    documents, rules = VARIANTS[variant]
    file = tmp_path / "x.yaml"
    file.write_text(yaml.safe_dump_all(documents))
    passed = [("example.com/v1", "Thing"), ("example.com/v1", "Secret"), ("v1", "PersistentVolume")]
    passthrough = [{"apiVersion": api, "kind": kind} for api, kind in passed]
    plan = plan_paths([file], settings(passthrough=passthrough, llmkube={"allowedHostPathRoots": ["/etc"]}))
    assert [str(found) for found in plan.findings if found.severity == "error"] == []
    assert {rule for rule, _ in mandatory(plan)} == rules


CONTROLS = yaml.safe_load((ATTACKS / "pod-security.yaml").read_text())
BASELINE = [(name, control["rule"], spec) for name, control in CONTROLS.items() for spec in control["refused"]]


@pytest.mark.parametrize(("name", "rule", "spec"), BASELINE)
def test_every_control_of_pod_security_s_baseline(name: str, rule: str, spec: dict[str, Any]) -> None:
    pod = {"containers": [{"name": "main"}], **spec}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}}
    obj = {**workload, "spec": {"template": {"spec": pod}}}
    (found,) = [each for each in RULES if each.name == rule]
    assert isinstance(found, ObjectRule)
    given = json.loads(SHIPPED.read_text())[rule]
    assert (given if isinstance(given, str) else given[LEVEL]) == "mandatory"
    assert len(list(found.sentences(obj, found.read({})))) == 1


SAFE = [
    {"securityContext": {"sysctls": [{"name": "net.ipv4.tcp_syncookies", "value": "1"}]}},
    {"securityContext": {"seLinuxOptions": {"type": "container_t", "level": "s0:c1,c2"}}},
    {"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}, "appArmorProfile": {"type": "Localhost"}}},
    {"containers": [{"name": "main", "livenessProbe": {"httpGet": {"port": 80, "httpHeaders": []}}}]},
    {"containers": [{"name": "main", "securityContext": {"procMount": "Default"}}]},
]


@pytest.mark.parametrize("spec", SAFE)
def test_what_the_baseline_allows(spec: dict[str, Any]) -> None:
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}}
    obj = {**workload, "spec": {"template": {"spec": {"containers": [{"name": "main"}], **spec}}}}
    rules = [rule for rule in RULES if rule.name in {control["rule"] for control in CONTROLS.values()}]
    assert [list(rule.sentences(obj, rule.read({}))) for rule in rules if isinstance(rule, ObjectRule)] == [[]] * 7


def test_what_a_rule_quotes_is_one_line_of_text() -> None:
    bad = "/var/x\n::error file=README.md::pwned\n```\n/merge\n\x1b[31m##[group]x"
    container = {"name": "main", "image": bad, "securityContext": {"capabilities": {"add": [bad]}}}
    pod = {"containers": [container], "nodeName": bad, "serviceAccount": bad}
    pod |= {"volumes": [{"name": "a", "hostPath": {"path": bad}}]}
    pod |= {"securityContext": {"seLinuxOptions": {"type": bad}, "sysctls": [{"name": bad}]}}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": bad, "namespace": "n"}}
    obj = {**workload, "spec": {"template": {"spec": pod}}}
    found = [each for rule in RULES if isinstance(rule, ObjectRule) for each in rule.sentences(obj, rule.read({}))]
    found += [each for rule in RULES if isinstance(rule, StackRule) for each in rule.sentences([obj], rule.read({}))]
    assert len(found) > 6
    assert all(each.isprintable() and "##[" not in each for each in found)


def test_the_budget_counts_what_the_platform_says() -> None:
    pod = {"containers": [{"name": "main", "resources": {"limits": {"example.com/card": "4"}}}]}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}}
    obj = {**workload, "spec": {"replicas": 2, "template": {"spec": pod}}}
    (rule,) = [each for each in RULES if each.name == "gpu-budget"]
    assert isinstance(rule, StackRule)
    assert list(rule.sentences([obj], rule.read({"maximum": 1}))) == []
    assert len(list(rule.sentences([obj], rule.read({"maximum": 7, "resources": ["example.com/*"]})))) == 1


def test_devices_from_elsewhere_are_devices() -> None:
    variable = {"name": "NVIDIA_VISIBLE_DEVICES", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}
    workload = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "n"}}
    obj = {**workload, "spec": {"template": {"spec": {"containers": [{"name": "main", "env": [variable]}]}}}}
    (rule,) = [each for each in RULES if each.name == "gpu-limits"]
    assert isinstance(rule, ObjectRule)
    assert len(list(rule.sentences(obj, rule.read({})))) == 1
