"""Numbers of pods: what the keys ask for, what the manifest says, and what comes of both.

Not proved here: that an autoscaler finds the metrics.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.engine import Engine
from modelservices.engines.generic import GENERIC
from modelservices.engines.known import query
from modelservices.engines.llama_cpp import LLAMA_CPP
from modelservices.engines.tgi import TGI
from modelservices.ome_keys.complete import complete_document
from modelservices.ome_keys.settings import KeySettings

from .helpers import KSERVE, LLMKUBE, MAIN, OTTERSCALE, SERVICES, findings_of, planned, rendered, with_keys

MIN, MAX = "ome.io/min-replicas", "ome.io/max-replicas"
KEDA = "autoscaling.ome.io/enable-keda"
METRIC, TARGET = "autoscaling.ome.io/metric", "autoscaling.ome.io/target"
UTILIZATION = "ome.io/target-utilization"

Told = list[tuple[str, str, str]]


def path(key: str) -> str:
    return f'metadata.annotations["{key}"]'


def with_count(service: str, count: int) -> dict[str, Any]:
    """A service that says itself how many pods it wants."""
    manifest = SERVICES[service]
    if service == "otterscale":
        return with_keys(manifest, {}, decode={**manifest["spec"]["decode"], "replicas": count})
    return with_keys(manifest, {}, replicas=count)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("count", "keys", "replicas", "findings"),
    [
        (None, {}, 1, []),
        (None, {MIN: "3"}, 3, []),
        (None, {MIN: "0"}, 0, []),
        (None, {MAX: "1"}, 1, []),
        (None, {MIN: "2", MAX: "2"}, 2, []),
        (3, {MIN: "3"}, 3, []),
        (3, {MIN: "2"}, 3, [(path(MIN), "warning", "overridden")]),
        (3, {MIN: "2", MAX: "5"}, 3, [(path(MIN), "warning", "overridden")]),
        (3, {MAX: "2"}, 3, [(path(MAX), "warning", "overridden")]),
        (None, {UTILIZATION: "70"}, 1, [(path(UTILIZATION), "warning", "no-effect")]),
        (None, {KEDA: "true", METRIC: "rps", MAX: "1"}, 1, [(path(k), "warning", "no-effect") for k in (KEDA, METRIC)]),
        (None, {KEDA: "false"}, 1, []),
    ],
)
def test_fixed_numbers(service: str, count: int | None, keys: dict[str, str], replicas: int, findings: Told) -> None:
    manifest = with_keys(SERVICES[service] if count is None else with_count(service, count), keys)
    plan = planned(manifest)
    (made,) = plan.raise_for_errors().services
    assert made.objects[MAIN[service]]["spec"].get("replicas", 1) == replicas
    assert not {obj["kind"] for obj in made.all_objects()} & {"HorizontalPodAutoscaler", "ScaledObject"}
    assert findings_of(plan, "overridden", "no-effect") == findings


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("count", "keys", "bounds"),
    [
        (None, {MAX: "5"}, (1, 5)),
        (None, {MIN: "2", MAX: "5"}, (2, 5)),
        (2, {MIN: "2", MAX: "5"}, (2, 5)),
        (2, {MAX: "5"}, (2, 5)),
    ],
)
def test_an_hpa_between_the_bounds(
    service: str, count: int | None, keys: dict[str, str], bounds: tuple[int, int]
) -> None:
    manifest = with_keys(SERVICES[service] if count is None else with_count(service, count), keys)
    plan = planned(manifest)
    (made,) = plan.raise_for_errors().services
    workload, scaler = made.objects[MAIN[service]], made.objects["autoscaler"]
    spec = scaler["spec"]
    assert "replicas" not in workload["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == bounds
    target = {part: workload[part] for part in ("apiVersion", "kind")} | {"name": workload["metadata"]["name"]}
    assert spec["scaleTargetRef"] == target
    assert scaler["metadata"]["name"] == workload["metadata"]["name"]
    assert findings_of(plan, "overridden", "no-effect", "no-request") == []


def test_an_hpa_measures_the_server_alone_beside_a_proxy_without_requests() -> None:
    (metric,) = rendered(with_keys(OTTERSCALE, {MAX: "5"})).objects["autoscaler"]["spec"]["metrics"]
    assert metric == {
        "type": "ContainerResource",
        "containerResource": {
            "name": "cpu",
            "container": "vllm",
            "target": {"type": "Utilization", "averageUtilization": 80},
        },
    }


def test_prefill_keeps_its_number() -> None:
    made = rendered(with_keys(OTTERSCALE, {MIN: "2", MAX: "5"}))
    assert made.objects["prefill-deployment"]["spec"]["replicas"] == 1


@pytest.mark.parametrize("service", SERVICES)
def test_keda_may_sleep(service: str) -> None:
    made = rendered(with_keys(SERVICES[service], {MIN: "0", MAX: "4", KEDA: "true"}))
    spec = made.objects["scaled-object"]["spec"]
    name = made.objects[MAIN[service]]["metadata"]["name"]
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (0, 4)
    assert spec["triggers"] == [
        {
            "type": "prometheus",
            "metadata": {
                "serverAddress": "http://prometheus-operated.monitoring.svc.cluster.local:9090",
                "query": f'sum(vllm:num_requests_running{{namespace="llm",pod=~"{name}-.*"}})',
                "threshold": "10",
            },
        }
    ]


def test_own_prometheus_and_query() -> None:
    more = {
        "autoscaling.keda.sh/prometheus.serverAddress": "http://metrics:9090",
        "autoscaling.keda.sh/prometheus.query": "up",
    }
    made = rendered(with_keys(OTTERSCALE, {MAX: "4", KEDA: "true", TARGET: "0.5", **more}))
    assert made.objects["scaled-object"]["spec"]["triggers"][0]["metadata"] == {
        "serverAddress": "http://metrics:9090",
        "query": "up",
        "threshold": "0.5",
    }


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize(
    ("keys", "finding"),
    [
        ({MIN: "0", MAX: "4"}, (path(MIN), "warning", "scaled-to-zero")),
        ({MAX: "4", METRIC: "concurrency"}, (path(METRIC), "warning", "unknown-metric")),
        ({MAX: "4", METRIC: "memory"}, (path(METRIC), "warning", "no-request")),
        ({MAX: "4", METRIC: "latency", KEDA: "true"}, (path(METRIC), "warning", "unknown-metric")),
    ],
)
def test_requests_that_can_t_be_met(service: str, keys: dict[str, str], finding: tuple[str, str, str]) -> None:
    assert finding in findings_of(planned(with_keys(SERVICES[service], keys)))


def test_an_engine_without_a_metric() -> None:
    plan = planned(with_keys(LLMKUBE, {MAX: "4", METRIC: "rps", KEDA: "true"}, runtime="generic", image="x:1"))
    assert (path(METRIC), "warning", "unknown-metric") in findings_of(plan)
    assert "scaled-object" not in plan.services[0].objects
    assert plan.services[0].objects["deployment"]["spec"]["replicas"] == 1


LLMKUBE_SCALING = {"autoscaling": {"minReplicas": 2, "maxReplicas": 5}}
TRIGGER = {"type": "cpu", "metadata": {"value": "80"}}
KSERVE_SCALING = {"scaling": {"minReplicas": 2, "maxReplicas": 5, "keda": {"triggers": [TRIGGER]}}}


@pytest.mark.parametrize(("manifest", "scaling"), [(LLMKUBE, LLMKUBE_SCALING), (KSERVE, KSERVE_SCALING)])
def test_the_spec_s_own_scaling_counts(manifest: dict[str, Any], scaling: dict[str, Any]) -> None:
    plain = rendered(with_keys(manifest, {}, **scaling))
    plan = planned(with_keys(manifest, {MIN: "2", MAX: "9", UTILIZATION: "70", KEDA: "true"}, **scaling))
    scaler = next(role for role, obj in plain.objects.items() if "scaleTargetRef" in obj.get("spec", {}))
    assert plan.services[0].objects[scaler]["spec"] == plain.objects[scaler]["spec"]
    assert findings_of(plan, "overridden") == [(path(key), "warning", "overridden") for key in (MAX, UTILIZATION, KEDA)]
    agreeing = planned(with_keys(manifest, {MIN: "2", MAX: "5"}, **scaling))
    assert findings_of(agreeing, "overridden") == []


def test_llmkube_s_bounds_hold_for_the_keys_too() -> None:
    plan = planned(with_keys(LLMKUBE, {MAX: "500"}))
    assert [(f.path, f.severity) for f in plan.findings if f.severity == "error"] == [
        ("spec.autoscaling.maxReplicas", "error")
    ]


def test_pods_that_share_a_claim_are_counted_with_the_autoscaler_s_bound() -> None:
    plan = planned(with_keys(OTTERSCALE, {MAX: "4", "storage.ome.io/size": "1Gi"}))
    (finding,) = [f for f in plan.findings if f.code == "shared-claim"]
    assert finding.message.startswith("5 replicas")


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"kind": "InferenceService"},
        {**LLMKUBE, "metadata": None},
        {**LLMKUBE, "metadata": {"name": "x", "annotations": "x", "labels": [1]}},
        {**LLMKUBE, "metadata": {"name": "x", "annotations": {MIN: 3, 7: 8, MAX: {"a": 1}}}},
        {**LLMKUBE, "metadata": {"name": "x", "annotations": {MIN: "many"}}},
        {**with_keys(LLMKUBE, {MIN: "3"}), "spec": None},
        {**with_keys(OTTERSCALE, {MIN: "3"}), "spec": {"decode": "x"}},
        with_keys(LLMKUBE, {MIN: "3"}, replicas="many"),
        with_keys(LLMKUBE, {MIN: "3"}, replicas=[1]),
    ],
)
def test_a_document_of_any_shape_is_left_to_its_family(document: dict[str, Any]) -> None:
    assert complete_document(document, KeySettings()) == document


@pytest.mark.parametrize(
    ("metric", "engine", "expected"),
    [
        ("concurrency", LLAMA_CPP, 'sum(llamacpp:requests_processing{namespace="n",pod=~"w-.*"})'),
        ("concurrency", TGI, 'sum(tgi_batch_current_size{namespace="n",pod=~"w-.*"})'),
        ("rps", LLAMA_CPP, ""),
        ("gpu-utilization", GENERIC, 'avg(DCGM_FI_DEV_GPU_UTIL{namespace="n",pod=~"w-.*"})'),
        ("concurrency", GENERIC, ""),
    ],
)
def test_queries(metric: str, engine: Engine, expected: str) -> None:
    assert query(metric, engine, '{namespace="n",pod=~"w-.*"}') == expected
