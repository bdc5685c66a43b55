"""No documented key is silently ignored on a kind of OME: it changes objects, is copied to them, or a finding names it.

Not proved here: that the change is the right one (test_every_key). Services of other families: tests/unit/ome_keys.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.ome.metadata import LABELS
from modelservices.findings import Finding
from modelservices.ome_keys.validation import STANDARD
from modelservices.ome_keys.vocabulary import vocabulary
from modelservices.planning.plan import StackPlan

from .helpers import MODEL, RUNNER, RUNTIME, manifest, planned, service

SETTINGS: dict[str, Any] = {
    "podMonitors": True,
    "profiles": {"h100-profile": {"nodeSelector": {"gpu": "h100"}}},
    "benchmarkjob": {"podConfig": {"image": "bench:1"}},
}
GROUP = {"leader": {"runner": RUNNER}, "worker": {"size": 1, "runner": RUNNER}}
ADDRESS = {"endpoint": {"url": "http://x", "apiFormat": "openai"}}
BENCHMARK = {
    "task": "image-to-text",
    "maxTimePerIteration": 1,
    "maxRequestsPerIteration": 1,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": ADDRESS,
}
TRAINING = {"trainer": {"image": "train:1", "numNodes": 2, "numProcPerNode": 1}, "runtimeRef": {"name": "torch"}}

KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Deployment": (service({"model": {"name": "llama"}, "engine": {"minReplicas": 2, "maxReplicas": 4}}), {}),
    "KnativeService": (service({"model": {"name": "llama"}, "engine": {"minReplicas": 0}}), {}),
    "LeaderWorkerSet": (service({"model": {"name": "llama"}, "engine": {**GROUP, "minReplicas": 2}}), {}),
    "prefill": (service({"model": {"name": "llama"}, "engine": {"minReplicas": 2}, "decoder": {}, "router": {}}), {}),
    "BenchmarkJob": (manifest("BenchmarkJob", BENCHMARK), {}),
    "JobSet": (manifest("TrainingJob", TRAINING), {}),
    "Job": (manifest("TrainingJob", TRAINING), {"trainingjob": {"backend": "Job"}}),
    "TrainJob": (manifest("TrainingJob", TRAINING), {"trainingjob": {"backend": "TrainJob"}}),
}
"""What a manifest becomes: the manifest, and further settings."""

DEFAULTS = {
    "ome.io/deploymentMode": "MultiNodeRayVLLM",
    "ome.io/min-replicas": "3",
    "ome.io/target-utilization": "55",
    "training.ome.io/framework": "mpi",
}
"""Values where the documentation's example is what holds anyway."""
ON_FACTS = frozenset([*STANDARD, *LABELS, "ome.io/last-applied-configuration", "ome.io/resource-version"])
"""Keys that tell of a model or runtime itself (checked), or reach services as labels."""


def with_key(document: dict[str, Any], key: str) -> dict[str, Any]:
    entry = vocabulary().entries[key]
    metadata, field = document["metadata"], f"{entry.place}s"
    value = DEFAULTS.get(key, entry.examples[0])
    return {**document, "metadata": {**metadata, field: {**metadata.get(field, {}), key: value}}}


def shows(key: str, plan: StackPlan, plain: StackPlan) -> bool:
    """Whether objects change beyond copies, a label is copied, or a finding is about the key."""
    changed = [_without(key, s.objects) for s in plan.services] != [_without(key, s.objects) for s in plain.services]
    is_label = vocabulary().entries[key].place == "label"
    copied = any(key in str(service.objects) for service in plan.services)
    return changed or (is_label and copied) or any(_names(f, key) for f in plan.findings if f not in plain.findings)


def _names(finding: Finding, key: str) -> bool:
    return finding.code != "missing-recommended" and key in f"{finding.key} {finding.path} {finding.message}"


def _without(key: str, value: Any) -> Any:
    """Objects without copies of a key, and without the empty annotations that are left then."""
    if isinstance(value, dict):
        kept = {name: _without(key, item) for name, item in value.items() if name != key}
        return {name: item for name, item in kept.items() if (name, item) != ("annotations", {})}
    return [_without(key, item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", KINDS)
def test_on_services_and_jobs(kind: str) -> None:
    document, more = KINDS[kind]
    plain = planned(MODEL, RUNTIME, document, settings={**SETTINGS, **more})
    plain.raise_for_errors()
    silent = [
        key
        for key in vocabulary().entries
        if not shows(key, planned(MODEL, RUNTIME, with_key(document, key), settings={**SETTINGS, **more}), plain)
    ]
    kept = ["ome.io/last-applied-configuration", "ome.io/resource-version"]
    own = [*kept, "autoscaling.knative.dev/metric", "autoscaling.knative.dev/target"]
    assert silent == (own if kind == "KnativeService" else kept), "they are annotations of the objects as they stand"


@pytest.mark.parametrize("key", [key for key in vocabulary().entries if key not in ON_FACTS])
def test_on_models_and_runtimes(key: str) -> None:
    plain = planned(MODEL, RUNTIME, service(), settings=SETTINGS)
    of_model = planned(with_key(MODEL, key), RUNTIME, service(), settings=SETTINGS)
    of_runtime = planned(MODEL, with_key(RUNTIME, key), service(), settings=SETTINGS)
    assert [shows(key, each, plain) for each in (of_model, of_runtime)] == [True, True]


def test_a_service_s_own_keys_count_before_those_of_its_model() -> None:
    key = "model.ome.io/context-length"
    model = with_key(MODEL, key)
    own = {**service(), "metadata": {**service()["metadata"], "annotations": {key: "1024"}}}
    for document, expected in ((service(), "2048"), (own, "1024")):
        plan = planned(model, RUNTIME, document).raise_for_errors()
        pod = plan.services[0].objects["engine-deployment"]["spec"]["template"]
        args = pod["spec"]["containers"][0]["args"]
        assert args[args.index("--max-model-len") + 1] == expected


def test_labels_of_a_model_reach_the_services_that_use_it() -> None:
    plan = planned(with_key(MODEL, "model.ome.io/vendor"), RUNTIME, service()).raise_for_errors()
    assert {obj["metadata"]["labels"].get("model.ome.io/vendor") for obj in plan.services[0].objects.values()} >= {
        "meta"
    }


@pytest.mark.parametrize(
    ("document", "key"),
    [
        (manifest("BenchmarkJob", BENCHMARK), "benchmark.ome.io/job-name"),
        (manifest("BenchmarkJob", BENCHMARK), "benchmark.ome.io/duration"),
        (manifest("TrainingJob", TRAINING), "training.ome.io/job-name"),
    ],
)
def test_a_field_of_a_job_counts_before_a_key(document: dict[str, Any], key: str) -> None:
    plan = planned(with_key(document, key), settings=SETTINGS)
    assert [f.code for f in plan.findings if key in f.path] == ["overridden"]
