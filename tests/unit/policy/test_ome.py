"""The rules on OME's keys, on registered objects. What each key's value may be is tested with the checks themselves."""

from typing import Any

from modelservices.policy.rules.ome import OME_KEYS, OME_KEYS_ADVICE
from tests.unit.policy.helpers import container, obj, said, template


def workload(labels: dict[str, Any], annotations: dict[str, Any], pod: dict[str, Any] | None = None) -> dict[str, Any]:
    made = {**template(container()), "metadata": pod or {"labels": {"app": "web"}}}
    thing = obj("Deployment", "web", "apps/v1", template=made)
    return {**thing, "metadata": {**thing["metadata"], "labels": labels, "annotations": annotations}}


def test_a_value_that_does_not_fit() -> None:
    thing = workload({}, {"monitoring.ome.io/port": "http"})
    assert said(OME_KEYS, thing) == [
        'Deployment n/web: metadata.annotations["monitoring.ome.io/port"]: must be a whole number from 1 up to 65535, '
        "got 'http'"
    ]
    assert said(OME_KEYS_ADVICE, thing) == []


def test_a_label_in_the_wrong_place_on_the_pods() -> None:
    pod = {"annotations": {"serving.ome.io/component": "engine"}}
    assert said(OME_KEYS, workload({}, {}, pod)) == [
        'Deployment n/web: spec.template.metadata.annotations["serving.ome.io/component"]: is an annotation, but '
        "serving.ome.io/component is a label; move it to metadata.labels"
    ]


def test_what_is_wrong_on_an_object_and_its_pods_is_said_once() -> None:
    wrong = {"monitoring.ome.io/port": "http"}
    (sentence,) = said(OME_KEYS, workload({}, wrong, {"annotations": wrong}))
    assert sentence.startswith('Deployment n/web: metadata.annotations["monitoring.ome.io/port"]: ')


def test_advice() -> None:
    thing = workload({"ome.io/part-of": "web", "serving.ome.io/modle": "x"}, {})
    sentences = said(OME_KEYS_ADVICE, thing)
    assert [s.split(": ", 1)[1] for s in sentences if "modle" in s] == [
        'metadata.labels["serving.ome.io/modle"]: is not a known key; did you mean serving.ome.io/model?'
    ]
    missing = [s for s in sentences if "is recommended" in s]
    assert len(missing) == 3 and said(OME_KEYS, thing) == []


def test_a_key_that_was_copied_from_a_manifest_is_not_misplaced() -> None:
    copied = {"ome.io/min-replicas": "1", "autoscaling.ome.io/enable-keda": "true"}
    assert said(OME_KEYS_ADVICE, workload({}, copied), {"profile": "upstream"}) == []


def test_a_teams_own_keys() -> None:
    thing = workload({}, {"team.ome.io/owner": "search"})
    assert len(said(OME_KEYS_ADVICE, thing)) == 1
    assert said(OME_KEYS_ADVICE, thing, {"customKeys": ["team.ome.io/owner"]}) == []
