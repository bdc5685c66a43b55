"""Any valid service or job renders, the same each time, with legal names; garbage gives findings.

Not proved here: that the objects do what was asked for; the other tests of this folder look at that.
"""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from modelservices.ome_keys.vocabulary import vocabulary

from ....rendered_flags import unknown_flags
from .helpers import MODEL, RUNNER, RUNTIME, manifest, planned

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?")

ENTRIES = vocabulary().entries


def _examples(chosen: dict[str, int]) -> dict[str, str]:
    return {key: ENTRIES[key].examples[index % len(ENTRIES[key].examples)] for key, index in chosen.items()}


KEYS = st.dictionaries(st.sampled_from(sorted(ENTRIES)), st.integers(0, 2), max_size=12).map(_examples)
COMPONENT = st.fixed_dictionaries(
    {},
    optional={
        "minReplicas": st.integers(0, 3),
        "maxReplicas": st.integers(1, 9),
        "scaleMetric": st.sampled_from(["cpu", "memory", "concurrency", "rps"]),
        "labels": st.dictionaries(st.sampled_from(["tier", "app"]), st.sampled_from(["a", "b"])),
        "annotations": st.dictionaries(
            st.sampled_from(["ome.io/service-type", "note"]), st.sampled_from(["NodePort", "x"])
        ),
    },
)
ENGINE = st.builds(
    lambda base, extra: {**base, **extra},
    COMPONENT,
    st.sampled_from([{}, {"worker": {"size": 2}}, {"leader": {"runner": RUNNER}, "worker": {"size": 1}}]),
)
SERVICE = st.fixed_dictionaries(
    {"model": st.just({"name": "llama"}), "engine": ENGINE},
    optional={"decoder": ENGINE, "router": COMPONENT, "runtime": st.just({"name": "vllm"})},
)
NAMES = st.from_regex(r"[a-z]([-a-z0-9]{0,60}[a-z0-9])?", fullmatch=True)
UPSTREAM = st.dictionaries(
    st.sampled_from(
        ["ome.io/autoscalerClass", "kueue-enabled", "ome.io/dedicated-ai-cluster", "rdma.ome.io/auto-inject"]
    ),
    st.sampled_from(["keda", "external", "true"]),
)


def _document(kind: str, name: str, spec: Any, keys: dict[str, str], upstream: dict[str, str]) -> dict[str, Any]:
    labels = {key: value for key, value in keys.items() if ENTRIES[key].place == "label"}
    annotations = {key: value for key, value in keys.items() if ENTRIES[key].place == "annotation"}
    return manifest(kind, spec, name=name, labels=labels, annotations={**annotations, **upstream})


def _check(plan: Any) -> None:
    for service in plan.services:
        for obj in service.all_objects():
            _check_object(obj)


def _check_object(obj: dict[str, Any]) -> None:
    metadata = obj["metadata"]
    if obj["kind"] in ("Service", "LeaderWorkerSet"):
        assert DNS_LABEL.fullmatch(metadata["name"]), metadata["name"]
    for template in _templates(obj):
        labels = template["metadata"]["labels"]
        assert all(LABEL_VALUE.fullmatch(value) for value in labels.values())
        names = [container["name"] for container in template["spec"]["containers"]]
        assert len(set(names)) == len(names)
        volumes = [volume["name"] for volume in template["spec"].get("volumes", [])]
        assert len(set(volumes)) == len(volumes)
        for container in template["spec"]["containers"]:
            variables = [entry["name"] for entry in container.get("env", [])]
            assert len(set(variables)) == len(variables)
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= set(volumes)
    if obj["kind"] == "Deployment":
        assert obj["spec"]["selector"]["matchLabels"].items() <= obj["spec"]["template"]["metadata"]["labels"].items()
    assert None not in _leaves(obj)


def _templates(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        if isinstance(value.get("spec"), dict) and "containers" in value["spec"]:
            return [value]
        return [template for item in value.values() for template in _templates(item)]
    return [template for item in value for template in _templates(item)] if isinstance(value, list) else []


def _leaves(value: Any) -> list[Any]:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if items is None else [leaf for item in items for leaf in _leaves(item)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example("a", {"model": {"name": "llama"}, "engine": {}}, {"ome.io/deploymentMode": "MultiNodeRayVLLM"}, {}, "document")
@given(NAMES, SERVICE, KEYS, UPSTREAM, st.sampled_from(["document", "upstream"]))
def test_services(name: str, spec: Any, keys: Any, upstream: Any, profile: str) -> None:
    document = _document("InferenceService", name, spec, keys, upstream)
    plan = planned(MODEL, RUNTIME, document, settings={"profile": profile})
    _check(plan)
    written = json.dumps([MODEL, RUNTIME, document])
    assert {flag for service in plan.services for flag in unknown_flags(service.all_objects(), written)} == set()
    assert planned(document, RUNTIME, MODEL, settings={"profile": profile}).all_objects() == plan.all_objects()


TRAINING = st.fixed_dictionaries(
    {"trainer": st.fixed_dictionaries({"image": st.just("t:1")}, optional={"numNodes": st.integers(1, 4)})},
    optional={"suspend": st.booleans(), "datasets": st.just([{"storageUri": "pvc://c/p"}])},
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES, TRAINING, KEYS, st.sampled_from(["JobSet", "Job", "TrainJob"]))
def test_training_jobs(name: str, spec: Any, keys: Any, backend: str) -> None:
    document = _document("TrainingJob", name, spec, keys, {})
    platform = {"trainingjob": {"backend": backend}}
    plan = planned(document, settings=platform)
    _check(plan)
    assert planned(document, settings=platform).all_objects() == plan.all_objects()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["engine", "decoder", "runner", "image", "name", "env", "trainer", "endpoint", "task", "model"]
            )
            | st.text(max_size=6),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON, JSON, st.sampled_from(["InferenceService", "BenchmarkJob", "TrainingJob", "BaseModel", "ServingRuntime"]))
def test_garbage_gives_findings_and_no_traceback(spec: Any, annotations: Any, kind: str) -> None:
    document = {
        "apiVersion": "ome.io/v1",
        "kind": kind,
        "metadata": {"name": "x", "annotations": annotations, "labels": annotations},
        "spec": spec,
    }
    planned(MODEL, RUNTIME, document)
