"""The forms in which findings are printed. Not proved: what GitHub and code scanning make of them."""

import json

from modelservices.findings import Finding
from modelservices.manifests.reports import FIELDS, report

ERROR = Finding("stacks/dev/a,b.yaml", "InferenceService x/chat", "spec.replicas", "must be\n3: 100%", line=7)
HINT = Finding("", "Secret x/y", "", "is not set", "info", "missing-secret")


def test_text_has_the_line_behind_the_file():
    assert report([ERROR]).startswith("stacks/dev/a,b.yaml:7: InferenceService x/chat: spec.replicas: must be")
    assert report([HINT]) == "info: Secret x/y: is not set\n"


def test_json_has_every_field_and_is_a_list_even_without_findings():
    assert tuple(json.loads(report([HINT], "json"))[0]) == FIELDS
    assert json.loads(report([ERROR], "json"))[0]["line"] == 7
    assert json.loads(report([], "json")) == []


def test_github_annotations_are_escaped():
    assert report([ERROR, HINT], "github").splitlines() == [
        "::error file=stacks/dev/a%2Cb.yaml,line=7,title=modelservices invalid"
        "::InferenceService x/chat: spec.replicas: must be\\n3: 100%25",
        "::notice title=modelservices missing-secret::Secret x/y: is not set",
    ]


def test_sarif_names_rules_levels_and_places():
    run = json.loads(report([ERROR, HINT], "sarif"))["runs"][0]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["invalid", "missing-secret"]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("invalid", "error"),
        ("missing-secret", "note"),
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "stacks/dev/a,b.yaml"}, "region": {"startLine": 7}}
    assert "locations" not in run["results"][1]
