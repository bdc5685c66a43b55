"""What the operators' own controllers made of random specs: the same objects come from here.

``oracle/<family>.jsonl.gz`` has a recorded case a line: the manifests, the settings that stand for the operator's
flags, and the objects that were there afterwards. Compared is which objects there are, and which containers their pods
have. Each difference and each refusal is one of the table below, with the letter of the decision and its reason.

Not proven here: the fields of the objects (the reference cases beside this file), and other families than LLMKube.
"""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from modelservices.kubernetes.model import read
from modelservices.manifests.documents import Document
from modelservices.planning.plan import StackPlan, make_plan
from modelservices.planning.settings import Settings

FOLDER = Path(__file__).parent / "oracle"
Case = Mapping[str, Any]

DIFFERENCES = {
    "llmkube": (
        ("L5", r"PersistentVolumeClaim \S+: missing", "no cache claim for services that don't mount it"),
        ("L4", r"Job \S+-prefetch: (missing|surplus)", "what is downloaded ahead: files of a repository, no whole one"),
        ("L4", r"Deployment \S+: containers .*'model-downloader', '(sglang|vllm)'\] became \['\1'\]", "they load it"),
        (
            "L4",
            r"Deployment \S+: containers \[(.*), 'draft-model-downloader'(.*)\] became \[\1\2\]",
            "a draft that is a repository without files is no file to download, which is said",
        ),
    ),
}
REFUSED = {
    "llmkube": (
        ("L20", r"spec\.\w+Config\.\w+: must be a value that (vLLM|SGLang) ", "the image's release doesn't take it"),
        ("L8", r"spec\.autoscaling\.(metrics|minReplicas)\S*: ", "bounds the wrong way round, nothing to scale on"),
        ("L4", r"spec\.modelRef: .*needs to know which files", "llama.cpp can't load a repository without its files"),
        ("L4", r"spec\.(source|files\S*): ", "an address that the downloader can't read"),
        ("input", r"spec\.speculativeDecoding\.draftModel: ", "a draft that nobody downloads"),
        ("input", r"spec\.env\S*: \S+ holds a literal secret", "secrets don't stand in manifests"),
    ),
}


def cases(family: str) -> list[Case]:
    with gzip.open(FOLDER / f"{family}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def planned(case: Case) -> StackPlan:
    settings, problems = read(Settings, case.get("settings") or {})
    assert settings is not None, problems
    documents = [*case["input"], *(case.get("platform") or [])]
    return make_plan([Document("case.yaml", i, 1, data) for i, data in enumerate(documents, 1)], settings)


def contents(objects: list[Any]) -> dict[str, list[str]]:
    """The names of the containers of each object's pods, by kind and name of the object."""
    found = {}
    for obj in objects:
        pod = obj.get("spec", {}).get("template", {}).get("spec", {}) if obj["kind"] in ("Deployment", "Job") else {}
        items = [*pod.get("initContainers", []), *pod.get("containers", [])]
        found[f"{obj['kind']} {obj['metadata']['name']}"] = [item["name"] for item in items]
    return found


def differences(case: Case, plan: StackPlan) -> Iterator[str]:
    want, have = contents(case["children"]), contents(plan.all_objects())
    yield from (f"{name}: missing" for name in sorted(want.keys() - have.keys()))
    yield from (f"{name}: surplus" for name in sorted(have.keys() - want.keys()))
    for name in sorted(want.keys() & have.keys()):
        if want[name] != have[name]:
            yield f"{name}: containers {want[name]} became {have[name]}"


def left_over(found: list[str], rules: Any) -> list[str]:
    return [line for line in found if not any(re.match(pattern, line) for _, pattern, _ in rules)]


@pytest.mark.parametrize("family", DIFFERENCES)
def test_every_recorded_case(family: str) -> None:
    numbers: Counter[str] = Counter()
    wrong: list[str] = []
    for case in cases(family):
        plan = planned(case)
        errors = [f"{finding.path}: {finding.message}" for finding in plan.findings if finding.severity == "error"]
        if errors:
            numbers["refused"] += 1
            rest = left_over(errors, REFUSED[family]) if case["state"] in (None, "made") else []
        else:
            found = [*differences(case, plan)] if case["state"] in (None, "made") else []
            numbers["deliberate" if found else "equal"] += 1
            rest = left_over(found, DIFFERENCES[family])
        wrong += [f"{case['id']}: {line}" for line in rest]
    print(f"{family}: {dict(numbers)}")
    assert wrong == []
