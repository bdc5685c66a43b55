"""The rules on OME's keys beyond the reference cases, on objects of other families, and on odd input.

Not proved here: the reference verdicts (tests/conformance/test_ome.py), and that keys act.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelservices.kubernetes.scalars import Opaque, Plain
from modelservices.ome_keys.validation import Profile, check_change, check_metadata
from modelservices.ome_keys.vocabulary import vocabulary


def obj(
    labels: Any = None, annotations: Any = None, *, kind: str = "InferenceService", api: str = "ome.io/v1beta1"
) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"labels": labels or {}, "annotations": annotations or {}}}


def found(manifest: dict[str, Any], profile: Profile = "document", custom: Any = ()) -> list[tuple[Any, ...]]:
    problems = check_metadata(manifest, profile, custom)
    return [(p.key, p.severity, p.code) for p in problems if p.code != "missing-recommended"]


def test_there_are_60_keys_and_14_identify() -> None:
    entries = vocabulary().entries.values()
    assert len(entries) == 60
    assert [entry.place for entry in entries].count("label") == 25
    assert [entry.identity for entry in entries].count("always") == 14
    assert [entry.key for entry in entries if entry.identity == "warn"] == ["ome.io/deploymentMode"]


@pytest.mark.parametrize("entry", vocabulary().entries.values(), ids=lambda entry: entry.key)
def test_each_key_is_fine_where_it_belongs_and_wrong_in_the_other_place(entry: Any) -> None:
    kind = sorted(entry.on)[0] if entry.on else "InferenceService"
    good, other = ({entry.key: entry.examples[0]}, {})
    places = (good, other) if entry.place == "label" else (other, good)
    assert found(obj(*places, kind=kind)) == []
    assert found(obj(*reversed(places), kind=kind)) == [(entry.key, "error", "wrong-place")]
    upstream = [] if entry.upstream == "used" else ["deprecated"] if entry.upstream else ["no-effect"]
    assert [code for _, _, code in found(obj(*places, kind=kind), "upstream")] == upstream


@pytest.mark.parametrize("profile", ["document", "upstream"])
def test_a_key_of_ome_in_the_other_place_is_reported_in_both_profiles(profile: Profile) -> None:
    """Keys that the documentation does not list, such as the one by which a runtime inherits."""
    keyed = {"ome.io/inherit-from": "parent"}
    assert found(obj(annotations=keyed, kind="ServingRuntime"), profile) == []
    assert found(obj(keyed, kind="ServingRuntime"), profile) == [("ome.io/inherit-from", "error", "wrong-place")]
    (problem,) = check_metadata(obj(keyed, kind="ServingRuntime"), profile)
    expected = "is a label, but ome.io/inherit-from is an annotation; move it to metadata.annotations"
    assert (problem.path, problem.message) == ('metadata.labels["ome.io/inherit-from"]', expected)


@pytest.mark.parametrize("entry", vocabulary().entries.values(), ids=lambda entry: entry.key)
def test_each_key_that_identifies_may_not_change(entry: Any) -> None:
    kind = sorted(entry.identity_on or entry.on or ["Service"])[0]
    field = "labels" if entry.place == "label" else "annotations"
    before, after = ({"kind": kind, "metadata": {field: {entry.key: value}}} for value in ("a", "b"))
    severities = {"always": ["error"], "warn": ["warning"], "never": []}[entry.identity]
    assert [p.severity for p in check_change(before, after)] == severities
    assert [p.severity for p in check_change(before, {"kind": kind})] == severities
    assert list(check_change({"kind": kind}, after)) == []


@pytest.mark.parametrize(
    ("kind", "api"),
    [
        ("InferenceService", "inference.llmkube.dev/v1alpha1"),
        ("ModelService", "model.otterscale.io/v1alpha1"),
        ("LLMInferenceService", "serving.kserve.io/v1alpha1"),
    ],
)
def test_services_of_other_families(kind: str, api: str) -> None:
    annotations = {
        "ome.io/min-replicas": "-1",
        "training.ome.io/resume-from": "x",
        "autoscaling.knative.dev/target": "x",
    }
    assert found(obj({"serving.ome.io/model": "m"}, annotations, kind=kind, api=api)) == [
        ("ome.io/min-replicas", "error", "bad-value"),
        ("training.ome.io/resume-from", "warning", "wrong-kind"),
    ]
    plain = check_metadata(obj({"app": "x"}, kind=kind, api=api), "document")
    assert list(plain) == []


def test_recommended_only_where_ome_is_spoken() -> None:
    missing = [p.key for p in check_metadata(obj(), "document")]
    assert missing == ["serving.ome.io/model"]
    partly = obj({"ome.io/managed-by": "me"}, kind="Deployment", api="apps/v1")
    assert [p.key for p in check_metadata(partly, "document")] == [
        "ome.io/component",
        "ome.io/part-of",
        "ome.io/version",
    ]


def test_custom_keys_are_known() -> None:
    manifest = obj(annotations={"billing.ome.io/team": "nlp"})
    assert found(manifest) == [("billing.ome.io/team", "warning", "unknown-key")]
    assert found(manifest, custom={"billing.ome.io/team": "Who pays."}) == []


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("ome.io/deploymentmode", "did you mean ome.io/deploymentMode?"),
        ("x.ome.io/whatever", "settings.ome.customKeys"),
    ],
)
def test_what_to_do_about_an_unknown_key(key: str, says: str) -> None:
    (problem,) = [p for p in check_metadata(obj(annotations={key: "x"}), "document") if p.key == key]
    assert says in problem.message


@pytest.mark.parametrize("key", ["notome.io/x", "ome.io.example.com/x", "ome.io", "models.ome/x"])
def test_other_domains_are_not_judged(key: str) -> None:
    assert found(obj(annotations={key: "x"})) == []


@pytest.mark.parametrize("key", ["models.ome.io/clusterbasemodel.llama", "models.ome.io/team-a.basemodel.llama"])
def test_keys_with_a_name_inside_are_known(key: str) -> None:
    assert found(obj({key: "Ready"}, kind="Node", api="v1")) == []


@pytest.mark.parametrize("value", [Plain("8080"), Plain("true"), 8080, {}])
def test_values_that_are_no_strings(value: Any) -> None:
    assert found(obj(annotations={"monitoring.ome.io/port": value})) == [
        ("monitoring.ome.io/port", "error", "bad-value")
    ]


@pytest.mark.parametrize(
    ("key", "is_handed_on"),
    [
        ("security.ome.io/secret-ref", True),
        ("oci.ome.io/region", True),
        ("storage.ome.io/size", True),
        ("monitoring.ome.io/port", False),
        ("autoscaling.ome.io/enable-keda", False),
        ("security.ome.io/network-policy", False),
        ("oci.ome.io/availability-domain", False),
    ],
)
def test_an_output_may_not_decide_what_is_rendered(key: str, *, is_handed_on: bool) -> None:
    expected = [] if is_handed_on else [(key, "error", "output")]
    assert found(obj(annotations={key: Opaque("later")})) == expected


def test_upstream_takes_its_own_unenforced_keys_lightly() -> None:
    annotations = {"ome.io/deploymentMode": "RayCluster", "ome.io/service-type": "Fancy"}
    assert found(obj(annotations=annotations), "upstream") == [
        ("ome.io/deploymentMode", "warning", "bad-value"),
        ("ome.io/service-type", "warning", "bad-value"),
    ]
    assert found(obj(annotations=annotations)) == [("ome.io/deploymentMode", "error", "bad-value")]


def test_metrics_are_enforced_only_with_class_hpa() -> None:
    metrics = {"ome.io/metrics": "rps"}
    assert found(obj(annotations=metrics), "upstream") == [("ome.io/metrics", "warning", "bad-value")]
    with_class = {**metrics, "ome.io/autoscalerClass": "hpa"}
    assert found(obj(annotations=with_class), "upstream") == [("ome.io/metrics", "error", "bad-value")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON, JSON, st.sampled_from(["document", "upstream"]))
def test_never_a_traceback(labels: Any, annotations: Any, spec: Any, profile: Profile) -> None:
    keyed = dict.fromkeys(list(vocabulary().entries)[:30], labels)
    for metadata in (labels, {"labels": labels, "annotations": annotations}, {"labels": keyed, "annotations": keyed}):
        manifest = {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService", "metadata": metadata, "spec": spec}
        list(check_metadata(manifest, profile))
        list(check_change(manifest, manifest))
