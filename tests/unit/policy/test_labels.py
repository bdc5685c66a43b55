"""The rule on labels that workloads must have. Not proven: that their values make sense."""

from modelservices.policy.rules.labels import REQUIRED_LABELS
from tests.unit.policy.helpers import obj, said, workload

STANDARD = {
    "ome.io/managed-by": "modelservices",
    "ome.io/component": "engine",
    "ome.io/part-of": "web",
    "ome.io/version": "v0.8.0",
}


def labelled(thing: dict, labels: dict[str, str]) -> dict:
    return {**thing, "metadata": {**thing["metadata"], "labels": labels}}


def test_the_standard_labels_of_ome_by_default() -> None:
    assert said(REQUIRED_LABELS, workload()) == [
        "Deployment n/web: metadata.labels: lacks the labels ome.io/managed-by, ome.io/component, ome.io/part-of, "
        "ome.io/version: set them in the manifest, or settings.ome.standardLabels to true"
    ]
    assert said(REQUIRED_LABELS, labelled(workload(), STANDARD)) == []


def test_an_empty_label_is_none() -> None:
    (sentence,) = said(REQUIRED_LABELS, labelled(workload(), {**STANDARD, "ome.io/part-of": ""}))
    assert "lacks the label ome.io/part-of: " in sentence


def test_which_labels_and_kinds_are_parameters() -> None:
    wanted = {"labels": ["team|owner", "cost-center"], "kinds": ["Service"]}
    assert said(REQUIRED_LABELS, workload(), wanted) == []
    assert said(REQUIRED_LABELS, labelled(obj("Service"), {"cost-center": "7"}), wanted) == [
        "Service n/web: metadata.labels: lacks the label team or owner: set them in the manifest"
    ]
    assert said(REQUIRED_LABELS, labelled(obj("Service"), {"cost-center": "7", "owner": "a"}), wanted) == []


def test_only_what_runs_pods_by_default() -> None:
    assert said(REQUIRED_LABELS, obj("Service", ports=[{"port": 80}])) == []
    assert said(REQUIRED_LABELS, obj("ConfigMap")) == []
