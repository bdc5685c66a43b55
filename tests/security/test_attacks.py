"""The remaining attacks, and a check that each attack has a test.

Not proven here: that an API server behaves like the table below (tests/integration/test_tenants.py).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from modelservices.__main__ import main
from modelservices.cluster.connection import Cluster, Lookup
from modelservices.cluster.preflight import Rules, preflight, wanted
from modelservices.kubernetes.objects import Key, Object, key
from modelservices.kubernetes.pod_templates import containers_of
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

HERE = Path(__file__).parent
ATTACKS = HERE / "attacks"


def test_every_attack_is_tried() -> None:
    tests = "".join(file.read_text() for file in HERE.glob("test_*.py"))
    names = [file.stem for file in ATTACKS.glob("*.yaml")]
    assert len(names) >= 31
    assert [name for name in names if not re.search(rf"\b{name}\b", tests)] == []


def planned(*documents: Any, folder: Path) -> StackPlan:
    (folder / "x.yaml").write_text(yaml.safe_dump_all(documents))
    return plan_paths([folder / "x.yaml"], Settings())


def test_shell_lora(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(ATTACKS / "shell-lora.yaml")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.partition(".yaml:")[2] == (
        "5: LLMInferenceService a/s: spec.model.lora.adapters[0].name: must have only letters, digits and '.', '_', "
        "'-', ':', "
        "'/', because commands and paths contain it, got \"x'; touch /tmp/pwn-lora; '\""
    )


def folders(plan: StackPlan) -> dict[str, set[str]]:
    """The cache folders that each Deployment's containers refer to."""
    found = {}
    for obj in plan.raise_for_errors().all_objects():
        if obj["kind"] == "Deployment":
            found[obj["metadata"]["name"]] = set(re.findall(r"/models/[0-9a-f]{16}", yaml.safe_dump(obj)))
    return found


def test_cache_poison() -> None:
    """A Model's status can't select another's folder, and the other Model's file is verified even if it already
    exists."""
    plan = plan_paths([ATTACKS / "cache-poison.yaml"], Settings())
    found = folders(plan)
    assert [len(each) for each in found.values()] == [1, 1]
    assert found["evil"].isdisjoint(found["victim"])
    (victim,) = (
        obj for obj in plan.all_objects() if obj["metadata"]["name"] == "victim" and obj["kind"] == "Deployment"
    )
    (download,) = (c for c in victim["spec"]["template"]["spec"]["initContainers"] if "a" * 64 in yaml.safe_dump(c))
    assert f"SHA256={'a' * 64}" in yaml.safe_dump(download, width=10_000)


POISONED = [
    {"cacheKey": "8b83c0ce6fc25839"},
    {"path": "/models/8b83c0ce6fc25839/victim.gguf"},
    {"cacheKey": "../8b83c0ce6fc25839"},
    {"phase": "Ready", "cacheKey": "8b83c0ce6fc25839", "path": "/models/8b83c0ce6fc25839/../8b83c0ce6fc25839/m.gguf"},
]


@pytest.mark.parametrize("status", POISONED, ids=str)
@pytest.mark.parametrize("source", ["https://evil.example.com/victim.gguf", "https://models.corp/./llama.gguf"])
def test_other_ways_into_the_folder_of_a_model(tmp_path: Path, source: str, status: dict[str, str]) -> None:
    evil, victim, *services = yaml.safe_load_all((ATTACKS / "cache-poison.yaml").read_text())
    evil = {**evil, "spec": {"source": source}, "status": status}
    found = folders(planned(evil, victim, *services, folder=tmp_path))
    assert found["evil"].isdisjoint(found["victim"])


class Answers:
    """A cluster in which all objects exist and belong to someone else, except unreadable ones."""

    def __init__(self, forbidden: frozenset[str]) -> None:
        self.forbidden = forbidden

    def resources(self, api_version: str) -> dict[str, str]:
        return {kind: kind.lower() for kind in ("Deployment", "Service", "InferencePool", "PersistentVolumeClaim")}

    def objects(self, identities: Iterable[Key]) -> Lookup:
        asked = list(identities)
        hidden = {one: f"this user lacks the right to get {one.kind}" for one in asked if self._hides(one)}
        return Lookup({one: _foreign(one) for one in asked if not self._hides(one)}, hidden)

    metadata = objects

    def _hides(self, identity: Key) -> bool:
        return identity.namespace in self.forbidden


def _foreign(identity: Key) -> Object:
    metadata = {"name": identity.name, "namespace": identity.namespace, "managedFields": [{"manager": "kubectl"}]}
    return {"apiVersion": identity.api_version, "kind": identity.kind, "metadata": metadata}


def test_preflight_off() -> None:
    """An object in an unreadable namespace doesn't disable the check: it stops the program, like others' objects."""
    plan = plan_paths([ATTACKS / "preflight-off.yaml"], Settings()).raise_for_errors()
    planned = wanted(plan.services, plan.objects)
    stopping = preflight(planned, cast(Cluster, Answers(frozenset(["payments"]))), Rules("m", "dev")).stopping
    (hidden,) = (line for line in stopping if "can't be read" in line)
    assert hidden.startswith("InferencePool payments/x can't be read, so it may belong to someone else")
    foreign = {line.partition(" exists already")[0] for line in stopping if "exists already" in line}
    assert foreign == {str(key(obj)) for obj in plan.all_objects() if obj["kind"] != "InferencePool"} | {
        str(key(obj)) for obj in plan.shared
    }


SHELL_TEXTS = [
    "x'; : > pwned; '",
    'x"; : > pwned; "',
    "x$(: > pwned)",
    "x`: > pwned`",
    "x\n: > pwned\n",
    "x; : > pwned #",
]
"""Each creates a file if a shell executes it, using only shell builtins."""
KSERVE = "serving.kserve.io/v1alpha2", "LLMInferenceService"
LLMKUBE = "inference.llmkube.dev/v1alpha1", "Model"
OTTERSCALE = "model.otterscale.io/v1alpha1", "ModelService"
FIELDS = [
    (KSERVE, {"model": {"uri": "hf://a/b", "name": "TEXT"}}),
    (KSERVE, {"model": {"uri": "hf://a/TEXT", "name": "m"}}),
    (KSERVE, {"model": {"uri": "hf://a/b", "lora": {"adapters": [{"name": "TEXT", "uri": "hf://a/c"}]}}}),
    (KSERVE, {"model": {"uri": "hf://a/b", "lora": {"adapters": [{"name": "l", "uri": "hf://a/TEXT"}]}}}),
    (KSERVE, {"model": {"uri": "oci://a/TEXT"}}),
    (KSERVE, {"model": {"uri": "pvc://claim/TEXT"}}),
    (LLMKUBE, {"source": "https://h/TEXT.gguf"}),
    (LLMKUBE, {"source": "hf://org/name@v1", "files": ["a.gguf"], "mmproj": "TEXT"}),
    (LLMKUBE, {"source": "s3://bucket/TEXT"}),
    (LLMKUBE, {"source": "org/name", "files": ["TEXT"]}),
    (LLMKUBE, {"source": "https://h/m.gguf", "sha256": "TEXT"}),
    (OTTERSCALE, {"model": {"name": "TEXT", "image": "r/m:1"}}),
    (OTTERSCALE, {"model": {"name": "m", "image": "r/TEXT:1"}}),
    (OTTERSCALE, {"model": {"name": "m", "image": "r/m:1", "mountPath": "/TEXT"}}),
]


def filled(value: Any, text: str) -> Any:
    if isinstance(value, dict):
        return {field: filled(item, text) for field, item in value.items()}
    if isinstance(value, list):
        return [filled(item, text) for item in value]
    return value.replace("TEXT", text) if isinstance(value, str) else value


def with_model(kind: tuple[str, str], spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifests of a service whose model has this spec."""
    api, name = kind
    metadata = {"name": "m", "namespace": "n"}
    if kind == OTTERSCALE:
        spec = {"engine": {}, "accelerator": {"type": "nvidia"}, "decode": {}, **spec}
    service = {"apiVersion": api, "kind": name, "metadata": metadata, "spec": spec}
    user = {"apiVersion": api, "kind": "InferenceService", "metadata": metadata, "spec": {"modelRef": "m"}}
    return [service, *([user] if kind == LLMKUBE else [])]


def shells(plan: StackPlan) -> list[tuple[list[str], dict[str, str]]]:
    """Words and literal variables of each container that starts a shell."""
    found = [container for obj in plan.all_objects() for container in containers_of(obj)]
    lines = [([*(c.body.get("command") or []), *(c.body.get("args") or [])], c.body.get("env") or []) for c in found]
    return [
        (words, {variable["name"]: variable["value"] for variable in env if "value" in variable})
        for words, env in lines
        if words and words[0].rpartition("/")[2] in ("sh", "bash")
    ]


@pytest.mark.parametrize(("kind", "spec"), FIELDS, ids=str)
def test_no_field_is_shell_text(tmp_path: Path, kind: tuple[str, str], spec: dict[str, Any]) -> None:
    """Each text is rejected, or only data for the scripts, which run without programs on PATH."""
    harmless = planned(*with_model(kind, filled(spec, "a" * 64)), folder=tmp_path).raise_for_errors()
    assert shells(harmless)
    for text in SHELL_TEXTS:
        plan = planned(*with_model(kind, filled(spec, text)), folder=tmp_path)
        if any(found.severity == "error" for found in plan.findings):
            continue
        for words, variables in shells(plan):
            environment = {"PATH": str(tmp_path / "none"), **variables}
            command = [f"/bin/{words[0].rpartition('/')[2]}", *words[1:]]
            subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=20, check=False)
            assert [file.name for file in tmp_path.iterdir()] == ["x.yaml"]
