"""The reach of a team's manifests: its own namespaces and services, what the platform lists, and no system namespaces.

Not proven here: that CI lets only the platform change the stack's config; network traffic between pods.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.__main__ import main
from modelservices.findings import InvalidManifests
from modelservices.stack_config import read_config
from tests.security.teams import (
    ATTACKS,
    A,
    B,
    image,
    kserve,
    obj,
    planned,
    refused,
    secret,
)


def test_each_team_in_its_namespaces(tmp_path: Path) -> None:
    files = {"a/x.yaml": [kserve("x", "team-a")], "b/y.yaml": [kserve("y", "team-b"), kserve("z", "team-b-test")]}
    plan = planned(tmp_path, files, [A, B]).raise_for_errors()
    assert [(service.namespace, service.name) for service in plan.services] == [
        ("team-a", "x"),
        ("team-b", "y"),
        ("team-b-test", "z"),
    ]


def test_a_service_in_a_namespace_of_others(tmp_path: Path) -> None:
    plan = planned(tmp_path, {"a/x.yaml": [kserve("x", "team-b")]}, [A, B])
    (found,) = [found for found in plan.findings if found.severity == "error"]
    assert (found.file, found.object) == (f"{tmp_path}/stacks/dev/a/x.yaml", "LLMInferenceService team-b/x")
    assert (found.path, found.message) == (
        "metadata.namespace",
        "namespace team-b is not allowed for the tenant of stacks/dev/a (namespaces: team-a); the platform can "
        "change modelservices:tenants in the stack's config",
    )


@pytest.mark.parametrize("namespace", ["team-ab", "team-a-", "xteam-a", "team", "TEAM-A", "default"])
def test_a_namespace_is_not_guessed(tmp_path: Path, namespace: str) -> None:
    plan = planned(tmp_path, {"a/x.yaml": [obj("Thing", "x", namespace)]}, [{**A, "kinds": ["*"]}])
    assert ("metadata.namespace", "tenant") in [(path, code) for _, path, code in refused(plan)]


EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "rendered").glob("*/input.yaml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_examples_reach_their_own_namespaces(tmp_path: Path, example: Path) -> None:
    """With the namespaces of its manifests a tenant has all that it needs; without namespaces, each manifest is
    rejected."""
    objects = list(yaml.safe_load_all(example.read_text()))
    namespaces = sorted({obj["metadata"].get("namespace", "default") for obj in objects})
    files = {"a/x.yaml": objects}
    assert refused(planned(tmp_path, files, [{**A, "namespaces": namespaces}])) == []
    nowhere = refused(planned(tmp_path, files, [{**A, "namespaces": []}]))
    assert [code for _, _, code in nowhere] == ["tenant"] * len(objects)


@pytest.mark.parametrize("kind", ["List", "LLMInferenceServiceList", "SecretList"])
@pytest.mark.parametrize("file", ["a/x.yaml", "a/x.yml", "a/x.json", "a/deep/er/x.yaml"])
def test_a_list_is_its_items(tmp_path: Path, file: str, kind: str) -> None:
    """A list's items are checked like separate documents, whatever the list's kind and the file's name."""
    items = [kserve("x", "team-b"), secret("team-b", k="key"), obj("Thing", "t", "team-a"), CLUSTER_MODEL]
    found = refused(planned(tmp_path, {file: [{"apiVersion": "v1", "kind": kind, "items": items}]}, [A]))
    assert sorted(found) == [
        ("ClusterBaseModel m", "kind", "tenant"),
        ("LLMInferenceService team-b/x", "metadata.namespace", "tenant"),
        ("Secret team-b/s", "metadata.namespace", "tenant"),
        ("Secret team-b/s", "stringData.k", "tenant"),
        ("Thing team-a/t", "kind", "tenant"),
    ]


def test_a_list_in_a_list_reaches_no_further(tmp_path: Path) -> None:
    inner = {"apiVersion": "v1", "kind": "List", "metadata": {"name": "l"}, "items": [secret("team-a", k="key")]}
    plan = planned(tmp_path, {"a/x.yaml": [{"apiVersion": "v1", "kind": "List", "items": [inner]}]}, [A])
    assert refused(plan) == [("Secret team-a/s", "stringData.k", "tenant")]


def test_files_that_no_tenant_has(tmp_path: Path) -> None:
    plan = planned(tmp_path, {"c/x.yaml": [kserve("x", "team-a")]}, [A, B])
    (found,) = plan.findings
    assert (found.file, found.object, found.code) == (f"{tmp_path}/stacks/dev/c/x.yaml", "", "no-tenant")
    assert plan.all_objects() == []
    assert refused(planned(tmp_path, {}, [])) == [("", "", "no-tenant")]


def test_a_link_belongs_to_whoever_has_the_file(tmp_path: Path) -> None:
    """A link in team b's folder to a file outside all tenants' folders."""
    (tmp_path / "outside.yaml").write_text("hunter2: {{")  # never opened, so no finding can show its content
    folder = tmp_path / "stacks" / "dev" / "b"
    folder.mkdir(parents=True)
    (folder / "o.yaml").symlink_to(tmp_path / "outside.yaml")
    assert refused(planned(tmp_path, {}, [A, B])) == [("", "", "no-tenant")]


def test_the_first_tenant_that_has_a_file(tmp_path: Path) -> None:
    whole = {"manifests": ["stacks/dev"], "namespaces": ["*"]}
    files = {"a/x.yaml": [kserve("x", "team-b")], "c/y.yaml": [kserve("y", "team-b")]}
    assert [name for name, _, _ in refused(planned(tmp_path, files, [A, whole]))] == ["LLMInferenceService team-b/x"]
    assert refused(planned(tmp_path, files, [whole, A])) == []


@pytest.mark.parametrize("pattern", ["stacks/*/a", "stacks/dev/a/x.yaml", "**/a", "stacks/dev/a/", "stacks/dev/[a]"])
def test_paths_and_patterns(tmp_path: Path, pattern: str) -> None:
    plan = planned(tmp_path, {"a/x.yaml": [kserve("x", "team-a")]}, [{**A, "manifests": pattern}])
    assert refused(plan) == []


def test_the_stack_s_own_config_is_the_platform_s(tmp_path: Path) -> None:
    plan = planned(tmp_path, {"a/x.yaml": [kserve("x", "team-a")]}, [A], services=[obj("Thing", "t", "infra")])
    assert refused(plan) == []
    assert [obj["kind"] for obj in plan.objects] == ["Thing"]


CLUSTER_MODEL = obj(
    "ClusterBaseModel",
    "m",
    None,
    {"modelFormat": {"name": "safetensors"}, "storage": {"storageUri": "hf://a/b"}},
    "ome.io/v1beta1",
)
CONFIG = obj("LLMInferenceServiceConfig", "mine", "kserve", {}, "serving.kserve.io/v1alpha2")


@pytest.mark.parametrize(
    ("manifest", "path"),
    [
        (CLUSTER_MODEL, "kind"),
        ({**CLUSTER_MODEL, "metadata": {"name": "m", "namespace": "team-a"}}, "kind"),
        (obj("Thing", "t", "team-a"), "kind"),
        (CONFIG, "metadata.namespace"),
        (obj("Gateway", "g", "istio-system", api="gateway.networking.k8s.io/v1"), "metadata.namespace"),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else value,
)
def test_kinds_that_reach_further(tmp_path: Path, manifest: dict[str, Any], path: str) -> None:
    name = "/".join(manifest["metadata"][key] for key in ("namespace", "name") if key in manifest["metadata"])
    files = {"a/x.yaml": [manifest]}
    assert refused(planned(tmp_path, files, [A])) == [(f"{manifest['kind']} {name}", path, "tenant")]
    assert refused(planned(tmp_path, files, [{**A, "kinds": [manifest["kind"]]}])) == []


def test_a_listed_kind_makes_nothing_in_other_namespaces(tmp_path: Path) -> None:
    files = {"a/x.yaml": [obj("Thing", "t", "team-b"), kserve("x", "team-b"), secret("team-b", k="key")]}
    plan = planned(tmp_path, files, [{**A, "kinds": ["*"], "secrets": ["*"]}])
    assert refused(plan) == [
        ("LLMInferenceService team-b/x", "metadata.namespace", "tenant"),
        ("Thing team-b/t", "metadata.namespace", "tenant"),
        ("Secret team-b/s", "metadata.namespace", "tenant"),
    ]


NAMESPACE = obj("Namespace", "team-a", None, api="v1")


def test_what_is_only_read_of_the_cluster_reaches_nowhere(tmp_path: Path) -> None:
    """A team's folder may contain its Namespace."""
    assert refused(planned(tmp_path, {"a/x.yaml": [NAMESPACE, kserve("x", "team-a")]}, [A])) == []


def test_a_namespace_that_is_applied_is_one_of_the_tenant_s(tmp_path: Path) -> None:
    apply = {"beside": {"Namespace": "apply"}}
    files = {"a/x.yaml": [NAMESPACE]}
    assert refused(planned(tmp_path, files, [A], apply)) == [("Namespace team-a", "kind", "tenant")]
    allowed = [{**A, "kinds": ["Namespace"]}]
    assert refused(planned(tmp_path, files, allowed, apply)) == []
    system = planned(tmp_path, {"a/x.yaml": [obj("Namespace", "kube-system", None, api="v1")]}, allowed, apply)
    assert [code for _, _, code in refused(system)] == ["system-namespace", "tenant"]
    others = planned(tmp_path, {"a/x.yaml": [obj("Namespace", "team-b", None, api="v1")]}, allowed, apply)
    assert refused(others) == [("Namespace team-b", "metadata.namespace", "tenant")]


def test_a_role_that_is_applied_needs_its_kind(tmp_path: Path) -> None:
    role = obj("Role", "r", "team-a", api="rbac.authorization.k8s.io/v1")
    settings = {"beside": {"Role": "apply"}}
    assert refused(planned(tmp_path, {"a/x.yaml": [role]}, [A], settings)) == [("Role team-a/r", "kind", "tenant")]
    assert refused(planned(tmp_path, {}, [{**A, "kinds": ["Role"]}], settings)) == []


def test_secret_keys_belong_to_tenants(tmp_path: Path) -> None:
    files = {"a/x.yaml": [secret("team-a", one="aToken", two="bToken")]}
    assert refused(planned(tmp_path, files, [{**A, "secrets": ["a*"]}])) == [
        ("Secret team-a/s", "stringData.two", "tenant")
    ]
    assert refused(planned(tmp_path, files, [{**A, "secrets": ["aToken", "bToken"]}])) == []
    assert len(refused(planned(tmp_path, files, [A]))) == 2


def preset(image: str, name: str = "kserve-config-llm-template") -> dict[str, Any]:
    spec = {"template": {"containers": [{"name": "main", "image": image}]}}
    return obj("LLMInferenceServiceConfig", name, "kserve", spec, "serving.kserve.io/v1alpha2")


def test_preset_hijack(tmp_path: Path) -> None:
    """The attack's two documents, each in its team's folder: the preset applies only to its own team's services."""
    evil, victim = yaml.safe_load_all((ATTACKS / "preset-hijack.yaml").read_text())
    files = {"evil/x.yaml": [evil, kserve("own", "evil")], "payments/y.yaml": [victim]}
    payments = {"manifests": "stacks/dev/payments", "namespaces": ["payments"]}
    tenant = {"manifests": "stacks/dev/evil", "namespaces": ["evil"]}
    assert refused(planned(tmp_path, files, [tenant, payments])) == [
        ("LLMInferenceServiceConfig kserve/kserve-config-llm-template", "metadata.namespace", "tenant")
    ]
    allowed = {**tenant, "kinds": ["LLMInferenceServiceConfig"]}
    plan = planned(tmp_path, files, [allowed, payments]).raise_for_errors()
    alone = planned(tmp_path / "alone", {"payments/y.yaml": [victim]}, [payments]).raise_for_errors()
    assert image(plan, "payments") == image(alone, "payments") != ["quay.io/evil/miner:1"]
    assert image(plan, "evil") == ["quay.io/evil/miner:1"]


def test_what_the_platform_shares_acts_on_everyone(tmp_path: Path) -> None:
    files = {"platform/p.yaml": [preset("mirror.example.com/vllm:1")], "a/x.yaml": [kserve("x", "team-a")]}
    platform = {"manifests": "stacks/dev/platform", "namespaces": ["kserve"]}
    unshared = planned(tmp_path, files, [platform, A]).raise_for_errors()
    shared = planned(tmp_path, files, [{**platform, "shared": True}, A]).raise_for_errors()
    assert image(shared, "team-a") == ["mirror.example.com/vllm:1"]
    assert image(unshared, "team-a") != ["mirror.example.com/vllm:1"]


def test_two_teams_may_have_a_preset_of_one_name(tmp_path: Path) -> None:
    """Each applies to its own team's services and replaces the platform's; a duplicate name within a team is an
    error."""
    files = {
        "platform/p.yaml": [preset("mirror.example.com/vllm:1"), kserve("p", "infra")],
        "a/x.yaml": [kserve("x", "team-a"), preset("a:1")],
        "b/y.yaml": [preset("b:1"), kserve("y", "team-b")],
    }
    kinds = ["LLMInferenceServiceConfig"]
    platform = {"manifests": "stacks/dev/platform", "namespaces": ["kserve", "infra"], "shared": True}
    tenants = [platform, {**A, "kinds": kinds}, {**B, "kinds": kinds}]
    plan = planned(tmp_path, files, tenants).raise_for_errors()
    assert [image(plan, namespace) for namespace in ("infra", "team-a", "team-b")] == [
        ["mirror.example.com/vllm:1"],
        ["a:1"],
        ["b:1"],
    ]
    twice = planned(tmp_path, {"a/twice.yaml": [preset("c:1")]}, tenants)
    assert [code for _, _, code in refused(twice)] == ["duplicate-name"]


def test_teams_of_one_namespace_can_t_have_two_secrets_of_one_name(tmp_path: Path) -> None:
    files = {"a/x.yaml": [secret("team-b", k="a")], "b/y.yaml": [secret("team-b", k="b")]}
    tenants = [{**A, "namespaces": ["team-*"], "secrets": ["*"]}, {**B, "secrets": ["*"]}]
    assert [code for _, _, code in refused(planned(tmp_path, files, tenants))] == ["duplicate-name"]


def test_a_runtime_that_offers_itself_acts_on_its_own_tenant(tmp_path: Path) -> None:
    """A ClusterServingRuntime with autoSelect and the highest priority is not selected for other teams' services."""

    def runtime(name: str, image: str, priority: int) -> dict[str, Any]:
        offer = {"name": "safetensors", "autoSelect": True, "priority": priority}
        offer["modelFormat"] = {"name": "safetensors", "version": "1"}
        engine = {"runner": {"name": "ome-container", "image": image}}
        spec = {"supportedModelFormats": [offer], "engineConfig": engine}
        return obj("ClusterServingRuntime", name, None, spec, "ome.io/v1beta1")

    formats = {"modelFormat": {"name": "safetensors", "version": "1"}, "storage": {"storageUri": "hf://a/b"}}
    model = obj("ClusterBaseModel", "m", None, formats, "ome.io/v1beta1")
    service = obj("InferenceService", "s", "team-a", {"model": {"name": "m"}, "engine": {}}, "ome.io/v1beta1")
    files = {
        "platform/p.yaml": [model, runtime("good", "good:1", 1)],
        "b/evil.yaml": [runtime("evil", "evil:1", 9)],
        "a/x.yaml": [service],
    }
    kinds = ["ClusterServingRuntime", "ClusterBaseModel"]
    platform = {"manifests": "stacks/dev/platform", "namespaces": ["ome"], "kinds": kinds, "shared": True}
    plan = planned(tmp_path, files, [platform, A, {**B, "kinds": kinds}]).raise_for_errors()
    assert image(plan, "team-a") == ["good:1"]
    one_team = planned(tmp_path, {}, None).raise_for_errors()
    assert image(one_team, "team-a") == ["evil:1"]


@pytest.mark.parametrize(
    ("tenants", "path"),
    [
        ([{"manifests": "a"}], "tenants[0].namespaces"),
        ([{"manifests": "a", "namespaces": ["a"], "kind": []}], "tenants[0].kind"),
        ([{"manifests": "", "namespaces": []}], "tenants[0].manifests[0]"),
        ("a", "tenants"),
    ],
)
def test_a_config_that_can_t_be_read(tenants: Any, path: str) -> None:
    with pytest.raises(InvalidManifests) as error:
        read_config({"tenants": tenants}, "Pulumi.dev.yaml")
    assert [found.path for found in error.value.findings] == [path]


def test_the_command_line_of_a_stack_has_its_tenants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    planned(tmp_path, {"a/x.yaml": [kserve("x", "team-b")]}, [A])
    config = {"config": {"modelservices:tenants": [A]}}
    (tmp_path / "Pulumi.dev.yaml").write_text(json.dumps(config))
    assert main(["validate", "--stack", "dev"]) == 1
    assert "namespace team-b is not allowed for the tenant of stacks/dev/a" in capsys.readouterr().out
