"""Label and annotation propagation against the user's document, stated a second time here from its text alone.

The document says nothing of keys that selectors rely on (refused here: test_labels.py), so none is generated; of the
preset's own annotation on scheduler pods it is silent too, so that key is left out of the comparison.
"""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from .random_specs import KEYED
from .services import DATA_PARALLEL, manifest, objects

APPROVED = {
    "labels": ["kueue.x-k8s.io"],
    "annotations": ["k8s.v1.cni.cncf.io", "kueue.x-k8s.io", "prometheus.io"],
}
OURS = {
    "app.kubernetes.io/component",
    "app.kubernetes.io/name",
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/version",
    "kserve.io/component",
    "llm-d.ai/role",
}
Maps = dict[str, dict[str, str]]
MAPS = st.fixed_dictionaries({"labels": KEYED, "annotations": KEYED})


def top_level(metadata: Maps, field: str) -> dict[str, str]:
    """'Only approved prefixes propagate', to 'Deployment or LWS object and pod templates'."""
    kept = {}
    for key in metadata[field]:
        for prefix in APPROVED[field]:
            if key[: len(prefix)] == prefix:
                kept[key] = metadata[field][key]
    return kept


def decode_pod(metadata: Maps, spec: Maps, field: str) -> dict[str, str]:
    """'Spec-level fields are applied after top-level metadata', and 'all keys propagate'."""
    result = top_level(metadata, field)
    for key in spec[field]:
        result[key] = spec[field][key]
    return result


def prefill_pod(metadata: Maps, spec: Maps, prefill: Maps, field: str) -> dict[str, str]:
    """spec.* 'also serves as the base for prefill pods'; prefill's own is 'additive; overrides' it."""
    result = decode_pod(metadata, spec, field)
    for key in prefill[field]:
        result[key] = prefill[field][key]
    return result


def found(obj: dict[str, Any], field: str) -> dict[str, str]:
    return {key: value for key, value in obj["metadata"].get(field, {}).items() if key not in OURS}


def pod_templates(obj: dict[str, Any]) -> list[dict[str, Any]]:
    """'To both the leader and worker pod templates'."""
    if obj["kind"] == "LeaderWorkerSet":
        groups = obj["spec"]["leaderWorkerTemplate"]
        return [groups["leaderTemplate"], groups["workerTemplate"]]
    return [obj["spec"]["template"]]


@settings(max_examples=80, deadline=None)
@given(
    metadata=MAPS,
    decode=MAPS,
    prefill=MAPS | st.none(),
    scheduler=MAPS | st.none(),
    decode_group=st.booleans(),
    prefill_group=st.booleans(),
)
def test_everything_gets_what_the_document_says(
    metadata: Maps, decode: Maps, prefill: Maps | None, scheduler: Maps | None, decode_group: bool, prefill_group: bool
) -> None:
    spec: dict[str, Any] = {**decode, **(DATA_PARALLEL if decode_group else {})}
    if prefill is not None:
        spec["prefill"] = {**prefill, **(DATA_PARALLEL if prefill_group else {})}
    if scheduler is not None:
        spec["router"] = {"route": {}, "scheduler": {**scheduler, "tokenizer": {}}}
    made = objects(manifest(spec, **metadata))
    main = made.pop("decode-group" if decode_group else "decode-deployment")
    other = made.pop("prefill-group" if prefill_group else "prefill-deployment", None)
    picker = made.pop("epp/deployment", None)
    for field in ("labels", "annotations"):
        assert found(main, field) == top_level(metadata, field)
        for template in pod_templates(main):
            assert found(template, field) == decode_pod(metadata, decode, field)
        if other is not None and prefill is not None:
            assert found(other, field) == top_level(metadata, field)
            for template in pod_templates(other):
                assert found(template, field) == prefill_pod(metadata, decode, prefill, field)
        if picker is not None and scheduler is not None:
            assert found(picker, field) == {}
            assert found(picker["spec"]["template"], field) == scheduler[field]
        for obj in made.values():
            assert found(obj, field) == {}
    assert (other is None) == (prefill is None) and (picker is None) == (scheduler is None)
    for obj in (main, other, picker):
        if obj is not None and obj["kind"] == "Deployment":
            assert set(obj["spec"]["selector"]["matchLabels"]) <= OURS


def test_the_documents_example() -> None:
    spec = {
        "labels": {"platform.example.com/cost-center": "ai-infra", "platform.example.com/team": "ml-platform"},
        "annotations": {"platform.example.com/monitored": "true"},
        "prefill": {
            "replicas": 2,
            "labels": {"platform.example.com/role": "prefill"},
            "annotations": {"platform.example.com/slo": "latency-sensitive"},
            "template": {"containers": [{"name": "main", "image": "vllm/vllm-openai:latest"}]},
        },
        "router": {
            "scheduler": {
                "labels": {"platform.example.com/role": "scheduler"},
                "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090"},
            }
        },
    }
    made = objects(manifest(spec, api="v1alpha1"))
    decode = made["decode-deployment"]["spec"]["template"]
    prefill = made["prefill-deployment"]["spec"]["template"]
    scheduler = made["epp/deployment"]["spec"]["template"]
    assert found(decode, "labels") == spec["labels"]
    assert found(decode, "annotations") == spec["annotations"]
    assert found(prefill, "labels") == {**spec["labels"], "platform.example.com/role": "prefill"}
    assert found(prefill, "annotations") == {**spec["annotations"], "platform.example.com/slo": "latency-sensitive"}
    assert found(scheduler, "labels") == {"platform.example.com/role": "scheduler"}
    assert found(scheduler, "annotations") == {"prometheus.io/scrape": "true", "prometheus.io/port": "9090"}
    assert made["prefill-deployment"]["spec"]["replicas"] == 2
