"""For recorded random specs, we render the same objects that the operators' own controllers created.

``oracle/<family>.jsonl.xz`` has a recorded case in each line: the manifests, the settings that correspond to the
operator's flags, and the resulting objects. Each difference and each rejection matches a rule of departures.yaml, which
names its decision and the reason; ``pytest -s`` prints how many cases are equal, different by rule, and rejected, and
how many recorded objects are equal.

Not proven here: the content of scripts except the flags in KServe's (tests/unit runs them), and the order of named
items other than init containers.
"""

import json
import lzma
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import Finding, errors
from modelservices.kubernetes.model import read
from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.conformance import recorded
from tests.conformance.reference import Rules, rules

FOLDER = Path(__file__).parent / "oracle"
FAMILIES = ("kserve", "llmkube", "ome", "otterscale")
Case = Mapping[str, Any]


def rendered(family: str) -> Iterator[tuple[Case, list[Finding], list[Any]]]:
    """Each case with its errors and its objects. OME's cases of one cluster are planned together, each in its own
    namespace, because the cluster has hundreds of runtimes."""
    with lzma.open(FOLDER / f"{family}.jsonl.xz", "rt") as file:
        lines = [json.loads(line) for line in file]
    clusters = {line["platform"]: line["documents"] for line in lines if "documents" in line}
    cases = [line for line in lines if "documents" not in line]
    for _, group in groupby(cases, lambda case: case["platform"] if family == "ome" else case["id"]):
        together = [*group]
        yield from _planned(together, clusters.get(together[0].get("platform"), []))


def _planned(cases: list[Case], platform: list[Any]) -> Iterator[tuple[Case, list[Finding], list[Any]]]:
    settings, problems = read(Settings, cases[0]["settings"])
    assert settings is not None, problems
    sources = {"platform": platform, **{case["id"]: case["input"] for case in cases}}
    documents = [Document(file, i, 1, data) for file, items in sources.items() for i, data in enumerate(items, 1)]
    plan = make_plan(documents, settings)
    for case in cases:
        namespace = next(namespace for doc in case["input"] if (namespace := doc["metadata"].get("namespace")))
        objects = [
            obj for obj in plan.all_objects() if len(cases) == 1 or obj["metadata"].get("namespace") == namespace
        ]
        yield case, [finding for finding in errors(plan.findings) if finding.file == case["id"]], objects


@pytest.mark.parametrize("family", FAMILIES)
def test_every_recorded_case(family: str) -> None:
    numbers: Counter[str] = Counter()
    listed = {kind: Rules(rules(family, kind)) for kind in ("differences", "refused")}
    wrong: list[str] = []
    for case, findings, objects in rendered(family):
        if case["state"] not in (None, "made"):
            numbers["failed upstream"] += 1
            continue
        kind, lines = "refused", [f"{finding.path}: {finding.message}" for finding in findings]
        if not lines:
            kind, lines = "differences", [*recorded.differences(case["children"], objects)]
        wrong += [f"{case['id']}: {line}" for line in listed[kind].left_over(lines, case["input"])]
        numbers[kind if lines else "equal"] += 1
        if kind == "differences":
            recorded_names = {f"{obj['kind']} {obj['metadata']['name']}" for obj in case["children"]}
            different = {" ".join(line.replace(":", " ").split()[:2]) for line in lines}
            numbers["objects"] += len(recorded_names)
            numbers["equal objects"] += len(recorded_names - different)
    print(f"{family}: {dict(numbers)}")
    assert wrong == []
    assert [rule for each in listed.values() for rule in each.unused()] == []


def test_a_comparison_shows_what_differs_and_takes_off_what_the_api_server_adds() -> None:
    container = {
        "name": "main",
        "image": "x:1",
        "imagePullPolicy": "IfNotPresent",
        "args": ["--a", "1", "--b=2", "--tp", "1", "--tp-size=2"],
    }
    theirs = {"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {"spec": {"dnsPolicy": "Default"}}}}
    theirs["spec"] |= {"replicas": 1, "revisionHistoryLimit": 10}
    theirs["spec"]["template"]["spec"]["containers"] = [{**container, "resources": {"limits": {"memory": "1Gi"}}}]
    ours = json.loads(json.dumps(theirs))
    del ours["spec"]["replicas"], ours["spec"]["revisionHistoryLimit"]
    (main,) = ours["spec"]["template"]["spec"]["containers"]
    del main["imagePullPolicy"]
    main["resources"] = {"limits": {"memory": "1024Mi"}}
    main["args"] = ["--a=1", "--b", "2", "--tp=1", "--tp-size", "2"]
    assert [*recorded.differences([theirs], [ours])] == []
    main["args"] = ["--b", "3", "--tp-size", "2", "--c"]
    main["resources"] = {}
    ours["spec"]["template"]["spec"]["dnsPolicy"] = "ClusterFirst"
    pod = "Deployment d: spec.template.spec"
    assert [*recorded.differences([theirs, {"kind": "Service", "metadata": {"name": "s"}}], [ours])] == [
        "Service s: missing",
        f"{pod}.containers.main.args: missing --a 1",
        f"{pod}.containers.main.args: --b 2 became --b 3",
        f"{pod}.containers.main.args: missing --tp 1 beside --tp-size 2",
        f"{pod}.containers.main.args: surplus --c",
        f'{pod}.containers.main.resources: missing {{"limits": {{"memory": "1073741824"}}}}',
        f"{pod}.dnsPolicy: missing Default",
    ]


def test_a_rule_explains_only_what_the_manifests_ask_for() -> None:
    env = {"match": r"\S+\.value: \S* became (?P<given>\S+)", "reason": "The user's value."}
    kind = {"match": "Service a: missing", "input": '"kind": "Service"', "reason": "The user's Service."}
    listed = Rules([env, kind])
    manifests = [{"kind": "Pod", "env": [{"name": "A", "value": 7}]}]
    lines = ["A.value: 1 became 7", "A.value: 1 became 8", "Service a: missing"]
    assert listed.left_over(lines, manifests) == lines[1:]
    assert listed.unused() == ["Service a: missing"]
    assert listed.left_over(lines, [{"kind": "Service"}]) == lines[:2]
    assert listed.unused() == []
    assert listed.left_over(lines[:2], [{"args": ["--port=7"]}]) == lines[1:2]


def test_a_changed_configuration_of_the_picker_is_one_line() -> None:
    texts = [f"kind: EndpointPickerConfig\nplugins: [{{type: {name}}}]" for name in ("a", "b")]
    theirs, ours = (
        {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "main", "args": [text]}]}}
        for text in texts
    )
    old = '{"kind": "EndpointPickerConfig", "plugins": {"a": {"type": "a"}}}'
    new = old.replace('"a"', '"b"')
    assert [*recorded.differences([theirs], [ours])] == [f"Pod p: spec.containers.main.args: {old} became {new}"]
