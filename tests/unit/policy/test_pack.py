"""The pack's Pulumi side. That an engine starts it and stops at its findings is shown in tests/integration."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi_policy import ResourceValidationArgs, ResourceValidationPolicy, StackValidationPolicy
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE, unknown_checking_proxy

from modelservices.kubernetes.scalars import Opaque
from modelservices.policy.counting import COUNTED
from modelservices.policy.pack import kubernetes_objects, plain, policy
from modelservices.policy.rule import InvalidParameters, ObjectRule, StackRule
from modelservices.policy.rules import RULES
from modelservices.policy.rules.security_context import PRIVILEGED
from tests.unit.policy.helpers import container, obj, workload

POLICY = Path(__file__).parents[3] / "policy"


def test_properties_as_rules_read_them() -> None:
    props = {
        "a": 2.0,
        "b": 0.5,
        "c": [1.0, None, {"d": UNKNOWN_STRING_VALUE}],
        "e": UNKNOWN_OBJECT_VALUE,
        "f": None,
        "g": True,
    }
    read = plain(unknown_checking_proxy(props))
    assert (read["a"], read["b"], read["g"], sorted(read)) == (2, 0.5, True, ["a", "b", "c", "e", "g"])
    assert read["c"][:2] == [1, None] and isinstance(read["c"][2]["d"], Opaque) and isinstance(read["e"], Opaque)


@pytest.mark.parametrize(
    ("token", "props"),
    [
        ("modelservices:index:InferenceServiceComponent", workload()),
        ("kubernetes:helm.sh/v3:Release", {"chart": "x"}),
        ("kubernetes:core/v1:Secret", obj("Secret")),
        ("kubernetes:core/v1:SecretPatch", obj("Secret")),
        ("kubernetes:core/v1:SecretList", {**obj("SecretList"), "items": [obj("Secret")]}),
        ("kubernetes:apps/v1:Deployment", {"apiVersion": "apps/v1", "kind": "Deployment"}),
    ],
)
def test_what_is_no_object_or_a_secret_is_passed_over(token: str, props: dict[str, Any]) -> None:
    assert list(kubernetes_objects(token, unknown_checking_proxy(props))) == []


@pytest.mark.parametrize(
    ("token", "props", "count"),
    [
        ("kubernetes:apps/v1:Deployment", workload(), 1),
        ("kubernetes:apps/v1:DeploymentPatch", workload(), 1),
        ("kubernetes:apps/v1:DeploymentList", {**obj("DeploymentList"), "items": [workload(), workload()]}, 2),
        ("kubernetes:example.com/v1:Secret", obj("Secret", api_version="example.com/v1"), 1),
    ],
)
def test_what_is_looked_at(token: str, props: dict[str, Any], count: int) -> None:
    assert len(list(kubernetes_objects(token, unknown_checking_proxy(props)))) == count


def test_a_resource_is_judged_with_its_policys_config() -> None:
    made = policy(PRIVILEGED)
    assert isinstance(made, ResourceValidationPolicy)
    thing = workload(container(securityContext={"privileged": True}))
    assert len(reports(made, thing, {})) == 1
    assert reports(made, thing, {"exempt": ["Deployment n/web"]}) == []
    with pytest.raises(InvalidParameters, match=r"^privileged\.exemt: is not a known field; did you mean exempt\?$"):
        reports(made, thing, {"exemt": []})


def reports(made: ResourceValidationPolicy, thing: dict[str, Any], config: dict[str, Any]) -> list[str]:
    found: list[str] = []
    props = unknown_checking_proxy(thing)
    args = ResourceValidationArgs("kubernetes:apps/v1:Deployment", props, "urn", "web", None, None, config)  # pyright: ignore
    made.validate(args, lambda message, _urn=None: found.append(message))
    return found


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_every_rule_is_a_policy_with_described_parameters(rule: Any) -> None:
    made = policy(rule)
    assert (made.name, made.description) == (rule.name, rule.description)
    assert made.enforcement_level and made.enforcement_level.value == rule.level
    assert isinstance(made, ResourceValidationPolicy if isinstance(rule, ObjectRule) else StackValidationPolicy)
    assert made.config_schema and set(made.config_schema.properties) == set(rule.parameters.model_fields)
    assert all("description" in field for field in made.config_schema.properties.values())


@pytest.mark.parametrize(
    "command",
    [
        [str(POLICY / "run"), "127.0.0.1:1"],
        [sys.executable, "-u", str(POLICY), "127.0.0.1:1"],
        [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:1", "."],
    ],
    ids=["program", "folder", "older-engines"],
)
def test_it_starts_in_each_way_that_engines_start_it(command: list[str]) -> None:
    with subprocess.Popen(command, cwd=POLICY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = process.stdout.readline()
        process.kill()
    assert port.strip().isdecimal()


def test_only_the_pack_knows_pulumi() -> None:
    knowing = {path.name for path in POLICY.rglob("*.py") if "pulumi" in imported(path)}
    assert knowing == {"pack.py"}


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0].removesuffix("_policy") for name in names}


FIELDS = [
    *("spec", "template", "metadata", "labels", "annotations", "data", "containers", "initContainers", "image", "env"),
    *(
        "name",
        "value",
        "args",
        "resources",
        "limits",
        "requests",
        "replicas",
        "securityContext",
        "privileged",
        "volumes",
    ),
    *("leaderWorkerTemplate", "replicatedJobs", "trainer", "scaleTargetRef", "maxReplicas", "priorityClassName"),
    *("nvidia.com/gpu", "ome.io/version", "resourceClaims", "devices"),
    *("hostPath", "hostNetwork", "hostPort", "nodeName", "capabilities", "add", "serviceAccountName", "namespace"),
]
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.builds(Opaque, st.none())
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=25,
)
STRICT = {"gpu-budget": {"maximum": 0}, "namespaces": {"allowed": ["none"]}}
KINDS = st.sampled_from([*COUNTED, "ConfigMap", "HorizontalPodAutoscaler", "ResourceClaimTemplate", "ScaledObject"])


@settings(max_examples=300, deadline=None)
@given(
    kind=KINDS, version=st.sampled_from(["v1", "serving.knative.dev/v1"]), body=ANYTHING, meta=ANYTHING, data=ANYTHING
)
def test_no_object_makes_a_rule_fail(kind: str, version: str, body: Any, meta: Any, data: Any) -> None:
    metadata = meta if isinstance(meta, dict) else {}
    thing = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": body, "data": data}
    for rule in RULES:
        parameters = rule.read(STRICT.get(rule.name, {}))
        assert isinstance(rule, ObjectRule | StackRule)
        sentences = (
            rule.sentences(thing, parameters) if isinstance(rule, ObjectRule) else rule.sentences([thing], parameters)
        )
        assert all(isinstance(sentence, str) for sentence in sentences)
