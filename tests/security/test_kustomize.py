"""What a tenant's kustomization may build on: its own folders, shared ones, and addresses that the platform lists.

The real program builds them. Not proven here: what a listed address contains.
"""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.__main__ import main
from modelservices.planning.plan import StackPlan
from modelservices.planning.tenant_files import is_allowed
from modelservices.stack_config import plan_stack, read_config
from tools import toolchain

A = {"manifests": "stacks/a", "namespaces": ["team-a"]}
B = {"manifests": "stacks/b", "namespaces": ["team-b"]}
SHARED = {"manifests": "stacks/platform", "namespaces": ["kserve"], "shared": True}


@pytest.fixture(autouse=True)
def kustomize(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the toolchain's Kustomize on PATH, so that these rules are tested on every machine."""
    folder = toolchain.ensure("kustomize")["kustomize"].parent
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), os.environ["PATH"]]))


def service(name: str, namespace: str = "team-a") -> dict[str, Any]:
    spec = {"model": {"uri": "hf://a/b", "name": "m"}}
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": metadata,
        "spec": spec,
    }


def write(root: Path, name: str, content: Any) -> Path:
    file = root / "stacks" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return file


def planned(root: Path, kustomization: Any, folder: str = "a", **tenant: Any) -> StackPlan:
    """The plan of a stack whose only folder has this kustomization and a service ``own.yaml``."""
    write(root, f"{folder}/kustomization.yaml", kustomization)
    write(root, f"{folder}/own.yaml", service("own"))
    tenants = [SHARED, {**A, **tenant}, B]
    config = {"manifests": [f"stacks/{folder}"], "tenants": tenants}
    return plan_stack(read_config(config, "Pulumi.dev.yaml"), "dev", root, "default")


def refused(plan: StackPlan) -> list[tuple[str, str]]:
    return [(found.path, found.code) for found in plan.findings if found.severity == "error"]


def test_a_tenant_builds_on_its_own_and_on_shared_folders(tmp_path: Path) -> None:
    for folder in ("a/base", "platform/base"):
        name = folder.partition("/")[0]
        write(tmp_path, f"{folder}/kustomization.yaml", {"resources": ["x.yaml"]})
        write(tmp_path, f"{folder}/x.yaml", service(f"from-{name}"))
    labels = {"metadata": {"name": "any", "labels": {"patched": "yes"}}}
    write(
        tmp_path, "a/patch.yaml", {"apiVersion": "serving.kserve.io/v1alpha2", "kind": "LLMInferenceService", **labels}
    )
    patch = {"path": "patch.yaml", "target": {"kind": "LLMInferenceService", "name": "own"}}
    content = {"resources": ["own.yaml", "base", "../platform/base"], "patches": [patch]}
    plan = planned(tmp_path, content)
    assert refused(plan) == []
    assert [service.name for service in plan.services] == ["from-a", "from-platform", "own"]


REMOTE = [
    "https://github.com/evil/repo//deploy?ref=main",
    "https://evil.example.com/x.yaml",
    "http://evil.example.com/x.yaml",
    "git@github.com:evil/repo",
    "git::https://evil.example.com/repo",
    "ssh://git@evil.example.com/repo.git",
    "file:///etc",
    "github.com/evil/repo",
    "GitHub.com/evil/repo",
    "org-1@github.com/evil/repo",
    "evil.example.com:repo",
    "a/_git/b",
    "not-there",
]


@pytest.mark.parametrize("address", REMOTE)
@pytest.mark.parametrize("field", ["resources", "bases", "components", "generators", "transformers", "crds"])
def test_what_is_fetched_is_refused(tmp_path: Path, field: str, address: str) -> None:
    """Rejected before any build, even if a folder with exactly that name exists, as Kustomize would fetch it first."""
    if address.startswith("github.com"):
        write(tmp_path, f"a/{address}/kustomization.yaml", {"resources": []})
    assert refused(planned(tmp_path, {field: ["own.yaml", address]})) == [(f"{field}[1]", "tenant")]


def test_the_platform_may_list_what_is_fetched(tmp_path: Path) -> None:
    allowed = "https://127.0.0.1:1/our/repo?ref=v1"
    content = {"resources": [allowed, "https://127.0.0.1:1/other/repo?ref=v1"]}
    plan = planned(tmp_path, content, remoteBases=["https://127.0.0.1:1/our/*?ref=v?"])
    assert refused(plan) == [("resources[1]", "tenant")]


ELSEWHERE = ["../b", "../b/x.yaml", "../../outside", "../../outside/x.yaml", "/etc", "/etc/hostname", "..", "../.."]


@pytest.mark.parametrize("where", ELSEWHERE)
@pytest.mark.parametrize("field", ["resources", "bases", "components", "configurations", "patchesStrategicMerge"])
def test_what_others_have_is_refused(tmp_path: Path, field: str, where: str) -> None:
    for folder in ("b", "../outside"):
        write(tmp_path, f"{folder}/kustomization.yaml", {"resources": ["x.yaml"]})
        write(tmp_path, f"{folder}/x.yaml", service("secret", "team-b"))
    plan = planned(tmp_path, {field: ["own.yaml", where]})
    assert refused(plan) == [(f"{field}[1]", "tenant")]
    assert plan.services == ()


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (
            {"configMapGenerator": [{"name": "c", "files": ["own.yaml", "k=/etc/passwd"]}]},
            "configMapGenerator[0].files[1]",
        ),
        ({"configMapGenerator": [{"name": "c", "envs": ["../b/x.yaml"]}]}, "configMapGenerator[0].envs[0]"),
        ({"secretGenerator": [{"name": "c", "env": "../../../etc/passwd"}]}, "secretGenerator[0].env"),
        ({"secretGenerator": [{"name": "c", "files": ["https://evil.example.com/k"]}]}, "secretGenerator[0].files[0]"),
        ({"patches": [{"path": "../b/x.yaml"}]}, "patches[0].path"),
        ({"patchesJson6902": [{"path": "https://evil.example.com/p"}]}, "patchesJson6902[0].path"),
        ({"replacements": [{"path": "/etc/passwd"}]}, "replacements[0].path"),
        ({"openapi": {"path": "../b/x.yaml"}}, "openapi.path"),
        ({"resources": ["link.yaml"]}, "resources[0]"),
        ({"resources": ["linked"]}, "resources[0]"),
    ],
)
def test_other_ways_to_other_files(tmp_path: Path, content: Any, path: str) -> None:
    """Generators, patches and symbolic links."""
    outside = write(tmp_path, "b/x.yaml", service("x", "team-b"))
    write(tmp_path, "b/kustomization.yaml", {"resources": ["x.yaml"]})
    (tmp_path / "stacks" / "a").mkdir()
    (tmp_path / "stacks" / "a" / "link.yaml").symlink_to(outside)
    (tmp_path / "stacks" / "a" / "linked").symlink_to(outside.parent)
    assert refused(planned(tmp_path, content)) == [(path, "tenant")]


@pytest.mark.parametrize(
    "content",
    [
        {
            "namespace": "team-a",
            "configMapGenerator": [{"name": "c", "literals": ["url=https://example.com:80/a?b=c"]}],
        },
        {"patches": [{"patch": "- {op: add, path: /metadata/labels, value: {a: b}}", "target": {"kind": "Service"}}]},
        {
            "patchesStrategicMerge": [
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: team-a}\ndata: {a: b}"
            ]
        },
        {"images": [{"name": "a", "newName": "ghcr.io/a/b", "newTag": "1"}]},
        {"commonAnnotations": {"docs": "https://example.com"}},
    ],
)
def test_texts_that_only_look_like_addresses(tmp_path: Path, content: Any) -> None:
    metadata = {"name": "c", "namespace": "team-a"}
    write(tmp_path, "a/c.yaml", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    resources = ["own.yaml", *(["c.yaml"] if "patchesStrategicMerge" in content else [])]
    assert refused(planned(tmp_path, {"resources": resources, **content})) == []


def test_a_base_of_the_tenant_s_own_that_leads_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, "b/kustomization.yaml", {"resources": []})
    write(tmp_path, "a/base/kustomization.yaml", {"resources": ["../../b", "https://evil.example.com/x.yaml"]})
    plan = planned(tmp_path, {"resources": ["base"]})
    assert [(Path(found.file).parent.name, found.path) for found in plan.findings] == [
        ("base", "resources[0]"),
        ("base", "resources[1]"),
    ]


def test_a_kustomization_that_is_a_link(tmp_path: Path) -> None:
    outside = write(tmp_path, "b/kustomization.yaml", {"resources": ["x.yaml"]})
    write(tmp_path, "b/x.yaml", service("x", "team-b"))
    (tmp_path / "stacks" / "a").mkdir()
    (tmp_path / "stacks" / "a" / "kustomization.yaml").symlink_to(outside)
    config = {"manifests": ["stacks/a"], "tenants": [A, B]}
    plan = plan_stack(read_config(config, "Pulumi.dev.yaml"), "dev", tmp_path, "default")
    assert refused(plan) == [("", "tenant"), ("resources[0]", "tenant")]


def test_the_platform_does_not_build_on_a_team_s_folder(tmp_path: Path) -> None:
    """The platform's kustomization has the platform's reach, so a team could write anywhere."""
    write(tmp_path, "a/base/kustomization.yaml", {"resources": ["x.yaml"]})
    write(tmp_path, "a/base/x.yaml", service("x", "kserve"))
    plan = planned(tmp_path, {"resources": ["own.yaml", "../a/base"]}, folder="platform")
    assert refused(plan) == [("resources[1]", "tenant")]
    (found,) = plan.findings
    assert found.message == (
        "../a/base is of the tenant of stacks/a, not of the tenant of stacks/platform; copy it into the folder"
    )


@pytest.mark.parametrize("text", ["resources: [", "a: &a [*a]", "- a", "\x00", "resources: " + "[" * 200 + "]" * 200])
def test_a_kustomization_that_can_t_be_read(tmp_path: Path, text: str) -> None:
    plan = planned(tmp_path, text)
    assert len(refused(plan)) == 1 and plan.services == ()


def test_bases_that_go_round(tmp_path: Path) -> None:
    write(tmp_path, "a/base/kustomization.yaml", {"resources": ["..", "https://evil.example.com/x.yaml"]})
    assert refused(planned(tmp_path, {"resources": ["base"]})) == [("resources[1]", "tenant")]


def test_without_tenants_a_kustomization_is_kustomize_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "b/kustomization.yaml", {"resources": ["x.yaml"]})
    write(tmp_path, "b/x.yaml", service("x", "team-b"))
    write(tmp_path, "a/kustomization.yaml", {"resources": ["../b"]})
    assert main(["validate", "--format", "json", str(tmp_path / "stacks" / "a")]) == 0
    assert [found for found in json.loads(capsys.readouterr().out) if found["severity"] == "error"] == []


def test_kustomize_itself_keeps_files_in_their_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last barrier without tenants: a generator does not read files outside the folder."""
    (tmp_path / "secret").write_text("hunter2")
    write(tmp_path, "a/kustomization.yaml", {"configMapGenerator": [{"name": "c", "files": ["../../secret"]}]})
    assert main(["validate", str(tmp_path / "stacks" / "a")]) == 1
    printed = capsys.readouterr()
    assert "can't be built by" in printed.out and "hunter2" not in printed.out + printed.err


SPELLED = [
    'Resources: [own.yaml, "{u}/x.yaml"]',
    "RESOURCES: [own.yaml, ../b]",
    'reſources: [own.yaml, "{u}/x.yaml"]',
    '!!binary cmVzb3VyY2Vz: [own.yaml, "{u}/x.yaml"]',
    'resources: [own.yaml]\nresources : [own.yaml, "{u}/x.yaml"]',
    'resources: [own.yaml, !!binary "aHR0cHM6Ly9ldmls"]',
    'resources: [own.yaml]\npatches: [{{Path: "{u}/p.yaml"}}]',
    'resources: [own.yaml]\npatches: [{{ſource: a, path: "{u}/p.yaml"}}]',
    "Components: [../b]",
    'configMapGenerator: [{{name: c, Files: ["k={u}/x.yaml"]}}]',
    'openAPI: {{path: "{u}/x.yaml"}}',
    'openapi: {{Path: "{u}/x.yaml"}}',
    'helmCharts: [{{name: a, repo: "{u}"}}]',
    'resources: [own.yaml, "{u}/x.yaml\\n"]',
    'resources: [own.yaml, "{u}?ref=main&x=\\n"]',
    'bases: ["apiVersion: {u}\\nkind: x"]',
    'generators: ["{u}\\n"]',
    'generators: ["apiVersion: v1\\nkind: HelmChartInflationGenerator\\nrepo: {u}"]',
    'transformers: ["apiVersion: builtin\\nkind: PatchTransformer\\nmetadata: {{name: a}}\\npath: {u}/p.yaml"]',
    'transformers: ["apiVersion: builtin\\nkind: PatchTransformer\\nmetadata: {{name: a}}\\nPath: {u}/p.yaml"]',
    "transformers: [\"{{apiVersion: builtin, kind: ReplacementTransformer,\\nreplacements: [{{path: '{u}/r'}}]}}\"]",
    "resources: [plugin.yaml]\ngenerators: [plugin.yaml]",
]


@pytest.mark.parametrize("text", SPELLED)
def test_what_kustomize_may_read_otherwise_is_refused(tmp_path: Path, text: str) -> None:
    """No request reaches the server behind the address."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    write(tmp_path, "b/kustomization.yaml", {"resources": ["x.yaml"]})
    write(tmp_path, "b/x.yaml", service("x"))
    config = {"apiVersion": "builtin", "kind": "ConfigMapGenerator", "metadata": {"name": "c"}, "files": [f"{url}/k"]}
    write(tmp_path, "a/plugin.yaml", config)
    plan = planned(tmp_path, text.format(u=url))
    server.shutdown()
    server.server_close()
    assert refused(plan)
    assert plan.services == ()
    assert asked == []


ADDRESSES = [
    ("https://github.com/our-org/x?ref=v1", True),
    ("https://github.com/our-org/x//deploy/prod?ref=v1", True),
    ("https://github.com/our-org/../evil/x?ref=v1", False),
    ("https://github.com/our-org/./../evil/x?ref=v1", False),
    ("https://github.com/our-org/x/%2e%2e/../evil?ref=v1", False),
    ("https://github.com/our-org/%2e%2e/evil?ref=v1", False),
    ("https://github.com/our-org\\..\\evil?ref=v1", False),
    ("https://user@github.com/our-org/x?ref=v1", False),
    ("https://github.com@evil.example.com/our-org/x?ref=v1", False),
    ("https://github.com/our-org/x?ref=v1\n", False),
    ("https://github.com/our-org/x\t?ref=v1", False),
    ("https://github.com/our-org/x#?ref=v1", False),
    ("https://github.com/our-org/ｘ/．．/evil?ref=v1", False),
    ("https://evil.example.com/git.our.example.com/x?ref=v1", False),
    ("https://git.our.example.com/x?ref=v1", True),
    ("git@github.com:our-org/x", True),
    ("git@github.com:our-org/../evil/x", False),
    ("git@github.com:../evil/x", False),
]


@pytest.mark.parametrize(("address", "fits"), ADDRESSES)
def test_an_address_is_compared_as_it_is_fetched(address: str, fits: bool) -> None:
    bases = ["https://github.com/our-org/*?ref=*", "https://*.our.example.com/*", "git@github.com:our-org/*"]
    assert is_allowed(address, bases) == fits


def test_the_program_knows_nothing_of_the_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kustomize before 5.0 filled names without a value in an env file from its environment."""
    monkeypatch.setenv("PULUMI_ACCESS_TOKEN", "pul-SECRET")
    program = tmp_path / "bin/kustomize"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    planned(tmp_path, {"resources": ["own.yaml"]})
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert seen <= {"PATH", "HOME", "GIT_TERMINAL_PROMPT", "PWD", "SHLVL", "_"}
    assert str(Path.home()) not in (tmp_path / "seen").read_text()


def test_a_link_within_the_own_folder_is_named_as_what_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path, "a/real.yaml", service("real"))
    (tmp_path / "stacks/a/link.yaml").symlink_to("real.yaml")
    assert refused(planned(tmp_path, {"resources": ["link.yaml"]})) == [("resources[0]", "tenant")]


def test_a_long_way_of_bases_has_an_end(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, f"a/{number}/kustomization.yaml", {"resources": [f"../{number + 1}"]})
    write(tmp_path, "a/30/kustomization.yaml", {"resources": []})
    (found,) = planned(tmp_path, {"resources": ["0"]}).findings
    assert "more than 20 folders" in found.message


def test_output_has_an_end(tmp_path: Path) -> None:
    write(tmp_path, "a/long.txt", "x" * 1_000_000)
    generators = [{"name": f"c{number}", "namespace": "team-a", "files": ["long.txt"]} for number in range(5)]
    plan = planned(tmp_path, {"configMapGenerator": generators})
    (found,) = plan.findings
    assert found.code == "too-large", found


def test_plugins_of_kustomize_s_own(tmp_path: Path) -> None:
    prefix = {"apiVersion": "builtin", "kind": "PrefixTransformer", "metadata": {"name": "p"}, "prefix": "own-"}
    prefix["fieldSpecs"] = [{"path": "metadata/name"}]
    write(tmp_path, "a/prefix.yaml", prefix)
    patch = {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}
    inline: dict[str, Any] = {"apiVersion": "builtin", "kind": "PatchTransformer", "metadata": {"name": "q"}}
    inline["patch"] = json.dumps([patch])
    inline["target"] = {"kind": "LLMInferenceService"}
    content = {"resources": ["own.yaml"], "transformers": ["prefix.yaml", yaml.safe_dump(inline)]}
    plan = planned(tmp_path, content)
    assert refused(plan) == [], plan.findings
    assert [service.name for service in plan.services] == ["own-own"]
