"""Each of the 60 documented keys shows what it does: on a rendered object, or as a finding.

Not proved here: what an engine makes of a flag or a variable, and how keys act on services of other families.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from modelservices.ome_keys.vocabulary import vocabulary

from .helpers import env, main, manifest, objects, planned, pod, service, with_platform

Objects = dict[str, dict[str, Any]]
Shown = Callable[[str, str], None]

RUN = {"trainer": {"image": "train:1", "numNodes": 2}}
BENCHMARK = {
    "task": "text-to-text",
    "maxTimePerIteration": 1,
    "maxRequestsPerIteration": 1,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": {"endpoint": {"url": "http://x", "apiFormat": "openai"}},
}
PROFILES = {"profiles": {"h100-profile": {"nodeSelector": {"gpu": "h100"}}}}


def _place(key: str, value: str) -> dict[str, Any]:
    field = "labels" if vocabulary().entries[key].place == "label" else "annotations"
    return {field: {key: value}}


def _served(key: str, value: str, spec: Any = None, *, settings: Any = None) -> Objects:
    return objects(with_platform(service(spec, **_place(key, value)), settings=settings))


def _copied(key: str, value: str) -> None:
    made = _served(key, value)
    for name in ("Deployment chat-engine", "HorizontalPodAutoscaler chat-engine", "Service chat-engine"):
        metadata = made[name]["metadata"]
        assert {**metadata["labels"], **metadata["annotations"]}[key] == value
    template = pod(made["Deployment chat-engine"])["metadata"]
    assert {**template["labels"], **template["annotations"]}[key] == value
    selectors = [obj["spec"].get("selector", {}) for obj in made.values() if "spec" in obj]
    assert all(key not in str(selector) for selector in selectors)


def _field(key: str, value: str, spec: dict[str, Any], look: Callable[[Objects], Any], expected: Any) -> None:
    assert look(_served(key, value, spec)) == expected


def _engine_env(key: str, value: str, name: str, expected: str | None = None) -> None:
    assert env(_served(key, value)["Deployment chat-engine"])[name] == (expected or value)


def _flag(key: str, value: str, flag: str, expected: str) -> None:
    args = main(_served(key, value)["Deployment chat-engine"])["args"]
    assert args[args.index(flag) + 1] == expected
    assert args.count(flag) == 1


def _annotation(key: str, value: str, name: str) -> None:
    template = pod(_served(key, value)["Deployment chat-engine"])
    assert template["metadata"]["annotations"][name] == value


def _trainer_env(key: str, value: str, name: str) -> None:
    made = objects(planned(manifest("TrainingJob", RUN, name="tune", **_place(key, value))))
    assert env(made["JobSet tune"])[name] == value


def _standard(key: str, value: str) -> None:
    """Copied from the manifest; made where the settings ask for it; every job has it."""
    _copied(key, value)
    made = objects(with_platform(service(), settings={"standardLabels": True}))
    assert key in pod(made["Deployment chat-engine"])["metadata"]["labels"]
    for kind, spec, name in (("TrainingJob", RUN, "JobSet"), ("BenchmarkJob", BENCHMARK, "Job")):
        settings = {"benchmarkjob": {"podConfig": {"image": "bench:1"}}}
        job = objects(planned(manifest(kind, spec), settings=settings))[f"{name} chat"]
        assert key in job["metadata"]["labels"]
        assert key in pod(job)["metadata"]["labels"]


def _with_standard_labels(key: str, value: str) -> None:
    _copied(key, value)
    made = objects(with_platform(service(), settings={"standardLabels": True}))
    expected = {"inferenceservice": "chat", "component": "engine"}[key.rpartition("/")[2]]
    assert made["Service chat-engine"]["metadata"]["labels"][key] == expected


def _fills_in_model(key: str, _value: str) -> None:
    made = _served(key, "llama", {"engine": {}})
    assert made["Deployment chat-engine"]["metadata"]["labels"]["base-model-name"] == "llama"


def _fills_in_runtime(key: str, _value: str) -> None:
    made = _served(key, "vllm", {"engine": {}})
    assert made["Deployment chat-engine"]["metadata"]["labels"]["serving-runtime"] == "vllm"


def _training_label(key: str, expected: str) -> None:
    made = objects(planned(manifest("TrainingJob", RUN, name="tune")))
    for labels in (made["JobSet tune"]["metadata"]["labels"], pod(made["JobSet tune"])["metadata"]["labels"]):
        assert labels.get(key, expected if key.endswith("replica-type") else None) == expected
    assert pod(made["JobSet tune"])["metadata"]["labels"][key] == expected


def _replica_index(key: str, _value: str) -> None:
    made = objects(planned(manifest("TrainingJob", RUN, name="tune")))
    assert key not in pod(made["JobSet tune"])["metadata"]["labels"]
    plan = planned(manifest("TrainingJob", RUN, labels={key: "first"}))
    assert [(f.severity, f.code) for f in plan.findings if f.key == key] == [("error", "bad-value")]


def _framework(key: str, _value: str) -> None:
    spec = {"trainer": {"image": "train:1", "numNodes": 2, "numProcPerNode": 8}}
    made = objects(planned(manifest("TrainingJob", spec, labels={key: "mpi"})))
    assert [job["name"] for job in made["JobSet chat"]["spec"]["replicatedJobs"]] == ["launcher", "worker"]
    assert made["JobSet chat"]["spec"]["successPolicy"]["targetReplicatedJobs"] == ["launcher"]


def _benchmark(key: str, value: str, spec: dict[str, Any] | None = None, *more: dict[str, Any]) -> dict[str, Any]:
    settings = {"benchmarkjob": {"podConfig": {"image": "bench:1"}, "outputStorageUri": "pvc://out/results"}}
    job = manifest("BenchmarkJob", BENCHMARK if spec is None else spec, name="perf", **_place(key, value))
    return objects(with_platform(job, *more, settings=settings))["Job perf"]


def _argument(job: dict[str, Any], flag: str) -> str:
    words = main(job)["args"]
    return words[words.index(flag) + 1]


def _without(*fields: str) -> dict[str, Any]:
    return {field: value for field, value in BENCHMARK.items() if field not in fields}


def _benchmark_job_name(key: str, _value: str) -> None:
    job = objects(
        planned(manifest("BenchmarkJob", BENCHMARK), settings={"benchmarkjob": {"podConfig": {"image": "b:1"}}})
    )["Job chat"]
    assert pod(job)["metadata"]["labels"][key] == "chat"


def _target_service(key: str, _value: str) -> None:
    job = _benchmark(key, "chat", _without("endpoint"), service())
    assert _argument(job, "--api-base") == "http://chat-engine.llm.svc.cluster.local:8080"


def _task(key: str, _value: str) -> None:
    assert _argument(_benchmark(key, "text-to-text", _without("task")), "--task") == "text-to-text"


def _duration(key: str, _value: str) -> None:
    job = _benchmark(key, "90s", _without("maxTimePerIteration"))
    assert _argument(job, "--max-time-per-run") == "2"


def _target_qps(key: str, value: str) -> None:
    assert env(_benchmark(key, value))["TARGET_QPS"] == value


def _cluster(key: str, value: str) -> None:
    labels = _served(key, value)["Deployment chat-engine"]["metadata"]["labels"]
    assert labels["volcano.sh/queue-name"] == value
    queued = service(labels={key: value}, annotations={"kueue-enabled": "true"})
    labels = pod(objects(with_platform(queued))["Deployment chat-engine"])["metadata"]["labels"]
    assert labels["kueue.x-k8s.io/queue-name"] == value
    job = objects(planned(manifest("TrainingJob", RUN, labels={key: value})))["JobSet chat"]
    assert (job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], job["spec"]["suspend"]) == (value, True)


def _hardware(key: str, value: str) -> None:
    template = pod(_served(key, value, settings=PROFILES)["Deployment chat-engine"])
    assert template["spec"]["nodeSelector"]["gpu"] == "h100"


def _json(key: str, value: str) -> None:
    _copied(key, value)
    plan = with_platform(service(annotations={key: "{"}))
    assert [(f.severity, f.code) for f in plan.findings if f.key == key] == [("error", "bad-value")]


def _mode(key: str, _value: str) -> None:
    assert "KnativeService chat-engine" in _served(key, "Serverless")
    assert "RayCluster chat-engine-0" in _served(key, "MultiNodeRayVLLM")
    assert _served(key, "VirtualDeployment") == {}
    asleep = {"model": {"name": "llama"}, "engine": {"minReplicas": 0}}
    assert "Deployment chat-engine" in _served(key, "RawDeployment", asleep)


def _keda(key: str, _value: str) -> None:
    made = _served(key, "true")
    assert "ScaledObject scaledobject-chat-engine" in made
    assert "HorizontalPodAutoscaler chat-engine" not in made


def _with_keda(key: str, value: str, field: str, expected: str) -> None:
    annotations = {"autoscaling.ome.io/enable-keda": "true", key: value}
    made = objects(with_platform(service(annotations=annotations)))
    trigger = made["ScaledObject scaledobject-chat-engine"]["spec"]["triggers"][0]["metadata"]
    assert trigger[field] == expected


def _knative(key: str, value: str) -> None:
    asleep = {"model": {"name": "llama"}, "engine": {"minReplicas": 0}}
    made = _served(key, value, asleep)
    assert pod(made["KnativeService chat-engine"])["metadata"]["annotations"][key] == value


def _storage_uri(key: str, _value: str) -> None:
    _engine_env(key, "oci://bucket/models/llama", "MODEL_STORAGE_URI")
    complete = {"engine": {"runner": {"name": "c", "image": "x"}}}
    made = objects(planned(service(complete, annotations={key: "pvc://weights/llama"})))
    assert env(made["Deployment chat-engine"])["MODEL_PATH"] == "/mnt/model/llama"
    claims = [v.get("persistentVolumeClaim") for v in pod(made["Deployment chat-engine"])["spec"]["volumes"]]
    assert {"claimName": "weights"} in claims


def _restricted(key: str, _value: str) -> None:
    spec = pod(_served(key, "restricted")["Deployment chat-engine"])["spec"]
    assert spec["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    context = spec["containers"][0]["securityContext"]
    assert context == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def _network_policy(key: str, value: str) -> None:
    made = _served(key, value)
    own = {"podSelector": {"matchLabels": {"ome.io/inferenceservice": "chat"}}}
    assert made["NetworkPolicy chat-allow-inference-only"]["spec"]["ingress"] == [
        {"ports": [{"port": 8080, "protocol": "TCP"}]},
        {"from": [own]},
    ]
    labels = pod(_served(key, "our-policy")["Deployment chat-engine"])["metadata"]["labels"]
    assert labels["network-policy"] == "our-policy"


def _secret(key: str, value: str) -> None:
    assert {"secretRef": {"name": value}} in main(_served(key, value)["Deployment chat-engine"])["envFrom"]


def _claim(key: str, value: str) -> None:
    annotations = {"storage.ome.io/size": "1Gi", key: value}
    made = objects(with_platform(service(annotations=annotations)))
    spec = made["PersistentVolumeClaim chat-storage"]["spec"]
    fields = {"class": "storageClassName", "size": "resources", "access-mode": "accessModes"}
    expected = {"class": value, "size": {"requests": {"storage": value}}, "access-mode": [value]}
    assert spec[fields[key.rpartition("/")[2]]] == expected[key.rpartition("/")[2]]
    assert {"name": "storage", "mountPath": "/mnt/storage"} in main(made["Deployment chat-engine"])["volumeMounts"]


def _scrape(key: str, value: str) -> None:
    _annotation(key, value, "prometheus.io/scrape")
    made = _served(key, "true", settings={"podMonitors": True})
    assert made["PodMonitor chat"]["spec"]["podMetricsEndpoints"] == [{"targetPort": 8080, "path": "/metrics"}]


def _availability_domain(key: str, value: str) -> None:
    _engine_env(key, value, "OCI_AVAILABILITY_DOMAIN")
    template = pod(_served(key, value)["Deployment chat-engine"])
    assert template["spec"]["nodeSelector"]["topology.kubernetes.io/zone"] == value


def _bounds(kind: str) -> Callable[[Objects], Any]:
    return lambda made: made["HorizontalPodAutoscaler chat-engine"]["spec"][kind]


NO_BOUNDS = {"model": {"name": "llama"}, "engine": {}}
UTILIZATION: Callable[[Objects], Any] = lambda made: _bounds("metrics")(made)[0]["resource"]["target"][  # noqa: E731
    "averageUtilization"
]


def _job_uid(key: str, value: str) -> None:
    """A UID is never made up, and kept where a manifest has it."""
    made = objects(planned(manifest("TrainingJob", RUN, name="tune")))
    assert key not in pod(made["JobSet tune"])["metadata"]["labels"]
    made = objects(planned(manifest("TrainingJob", RUN, name="tune", labels={key: value})))
    assert pod(made["JobSet tune"])["metadata"]["labels"][key] == value


SHOWN: dict[str, Shown] = {
    "ome.io/managed-by": _standard,
    "ome.io/component": _standard,
    "ome.io/part-of": _standard,
    "ome.io/version": _standard,
    "serving.ome.io/inferenceservice": _with_standard_labels,
    "serving.ome.io/component": _with_standard_labels,
    "serving.ome.io/revision": _copied,
    "serving.ome.io/model": _fills_in_model,
    "serving.ome.io/runtime": _fills_in_runtime,
    "training.ome.io/job-name": lambda key, value: _training_label(key, "tune"),
    "training.ome.io/job-uid": _job_uid,
    "training.ome.io/replica-type": lambda key, value: _training_label(key, "worker"),
    "training.ome.io/replica-index": _replica_index,
    "training.ome.io/framework": _framework,
    "benchmark.ome.io/job-name": _benchmark_job_name,
    "benchmark.ome.io/target-service": _target_service,
    "benchmark.ome.io/task-type": _task,
    "infrastructure.ome.io/cluster": _cluster,
    "infrastructure.ome.io/profile": _hardware,
    "infrastructure.ome.io/capacity-reservation": _copied,
    "model.ome.io/name": _fills_in_model,
    "model.ome.io/type": lambda key, value: _trainer_env(key, value, "MODEL_TYPE"),
    "model.ome.io/vendor": _copied,
    "model.ome.io/format": _copied,
    "model.ome.io/size": _copied,
    "ome.io/last-applied-configuration": _json,
    "ome.io/resource-version": _copied,
    "ome.io/deploymentMode": _mode,
    "ome.io/min-replicas": lambda key, value: _field(key, "2", NO_BOUNDS, _bounds("minReplicas"), 2),
    "ome.io/max-replicas": lambda key, value: _field(key, "7", NO_BOUNDS, _bounds("maxReplicas"), 7),
    "ome.io/target-utilization": lambda key, value: _field(key, "55", NO_BOUNDS, UTILIZATION, 55),
    "autoscaling.ome.io/enable-keda": _keda,
    "autoscaling.ome.io/metric": lambda key, value: _with_keda(
        key, "concurrency", "query", 'sum(vllm:num_requests_running{ome_io_inferenceservice="chat"})'
    ),
    "autoscaling.ome.io/target": lambda key, value: _with_keda(key, "25", "threshold", "25"),
    "autoscaling.knative.dev/metric": _knative,
    "autoscaling.knative.dev/target": _knative,
    "model.ome.io/storage-uri": _storage_uri,
    "model.ome.io/quantization": lambda key, value: _flag(key, "fp8", "--quantization", "fp8"),
    "model.ome.io/max-tokens": lambda key, value: _flag(
        key, "4096", "--override-generation-config", '{"max_new_tokens": 4096}'
    ),
    "model.ome.io/context-length": lambda key, value: _flag(key, value, "--max-model-len", value),
    "training.ome.io/distributed-backend": lambda key, value: _trainer_env(key, value, "DISTRIBUTED_BACKEND"),
    "training.ome.io/checkpoint-strategy": lambda key, value: _trainer_env(key, value, "CHECKPOINT_STRATEGY"),
    "training.ome.io/resume-from": lambda key, value: _trainer_env(key, value, "RESUME_FROM"),
    "performance.ome.io/gpu-memory-fraction": lambda key, value: _flag(key, value, "--gpu-memory-utilization", value),
    "performance.ome.io/batch-size": lambda key, value: _flag(key, value, "--max-num-seqs", value),
    "performance.ome.io/max-batch-delay": lambda key, value: _engine_env(key, value, "MAX_BATCH_DELAY"),
    "security.ome.io/pod-security-policy": _restricted,
    "security.ome.io/network-policy": _network_policy,
    "security.ome.io/secret-ref": _secret,
    "storage.ome.io/class": _claim,
    "storage.ome.io/size": _claim,
    "storage.ome.io/access-mode": _claim,
    "monitoring.ome.io/scrape": _scrape,
    "monitoring.ome.io/port": lambda key, value: _annotation(key, value, "prometheus.io/port"),
    "monitoring.ome.io/path": lambda key, value: _annotation(key, value, "prometheus.io/path"),
    "oci.ome.io/compartment-id": lambda key, value: _engine_env(key, value, "OCI_COMPARTMENT_ID"),
    "oci.ome.io/region": lambda key, value: _engine_env(key, value, "OCI_REGION"),
    "oci.ome.io/availability-domain": _availability_domain,
    "benchmark.ome.io/target-qps": _target_qps,
    "benchmark.ome.io/duration": _duration,
}


def test_no_key_is_forgotten() -> None:
    assert list(SHOWN) == list(vocabulary().entries)
    assert len(SHOWN) == 60


@pytest.mark.parametrize("key", SHOWN)
def test_key(key: str) -> None:
    SHOWN[key](key, vocabulary().entries[key].examples[0])
    assert vocabulary().entries[key].here


@pytest.mark.parametrize("key", SHOWN)
def test_nothing_but_copies_in_the_upstream_profile(key: str) -> None:
    """There only what OME's controllers read acts: the objects are those without the key, but for its copies."""
    entry = vocabulary().entries[key]
    if entry.upstream == "used" or not entry.belongs_on("InferenceService"):
        return
    with_key = objects(with_platform(service(**_place(key, entry.examples[0])), settings={"profile": "upstream"}))
    without = objects(with_platform(service(), settings={"profile": "upstream"}))
    assert _stripped(with_key, key) == without


def _stripped(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _stripped(item, key) for name, item in value.items() if name != key}
    return [_stripped(item, key) for item in value] if isinstance(value, list) else value
