"""BenchmarkJobs and TrainingJobs beyond the reference cases: targets, output, backends, findings, status.

Not proved here: that genai-bench, torchrun or mpirun understand what they get, and that a cluster accepts the objects.
"""

from __future__ import annotations

from typing import Any

import pytest

from components.families.ome import storage_uri
from components.families.ome.job_status import observe_job

from .helpers import env, main, manifest, objects, planned, pod, problems, service, with_platform

BENCH = {"benchmarkjob": {"podConfig": {"image": "bench:1"}}}
SPEC: dict[str, Any] = {
    "task": "text-to-text",
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": {"endpoint": {"url": "http://x:8080", "apiFormat": "openai", "modelName": "m"}},
}
TRAINER = {"image": "train:1"}
MPI = {"training.ome.io/framework": "mpi"}


def benchmark(spec: Any = None, *others: Any, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    job = manifest("BenchmarkJob", {**SPEC, **(spec or {})}, name="perf", **metadata)
    return objects(with_platform(job, *others, settings={**BENCH, **(settings or {})}))


def training(spec: Any = None, *, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    given = {"trainer": TRAINER} if spec is None else spec
    return objects(
        planned(manifest("TrainingJob", given, name="tune", **metadata), settings={"trainingjob": settings or {}})
    )


# Benchmarks


def words(job: dict[str, Any]) -> list[str]:
    return main(job)["args"]


def test_a_service_of_another_family_is_measured() -> None:
    model = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "Model",
        "metadata": {"name": "m", "namespace": "llm"},
        "spec": {"source": "https://x.example/m.gguf"},
    }
    other = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "InferenceService",
        "metadata": {"name": "tiny", "namespace": "llm"},
        "spec": {"modelRef": "m", "endpoint": {"port": 9000}},
    }
    target = {"inferenceService": {"name": "tiny", "namespace": "llm"}}
    perf = manifest("BenchmarkJob", {**SPEC, "endpoint": target}, name="perf")
    plan = with_platform(perf, model, other, settings=BENCH)
    (job,) = [service for service in plan.services if service.kind == "BenchmarkJob"]
    address = words(job.objects["job"])[words(job.objects["job"]).index("--api-base") + 1]
    assert address == "http://tiny.llm.svc.cluster.local:9000"


def test_a_target_that_nobody_makes() -> None:
    target = {"inferenceService": {"name": "nobody", "namespace": "llm"}}
    plan = with_platform(manifest("BenchmarkJob", {**SPEC, "endpoint": target}), settings=BENCH)
    assert ("spec.endpoint.inferenceService", "error", "unknown-service") in problems(plan)


def test_a_target_without_an_address() -> None:
    other = {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "pd", "namespace": "llm"},
        "spec": {"model": {"name": "m", "image": "x:1"}, "engine": {}, "accelerator": {"type": "cpu"}, "decode": {}},
    }
    target = {"inferenceService": {"name": "pd", "namespace": "llm"}}
    plan = with_platform(manifest("BenchmarkJob", {**SPEC, "endpoint": target}), other, settings=BENCH)
    assert [f.message for f in plan.findings if f.code == "unknown-service"] == [
        "has no address of its own: give that of its gateway as spec.endpoint.endpoint.url"
    ]


def test_the_tokenizer_comes_with_the_model_of_the_service() -> None:
    made = benchmark({"endpoint": {"inferenceService": {"name": "chat", "namespace": "llm"}}}, service())
    job = made["Job perf"]
    args = words(job)
    assert args[args.index("--model-tokenizer") + 1] == "/mnt/models/llama"
    assert {"name": "llama", "hostPath": {"path": "/mnt/models/llama"}} in pod(job)["spec"]["volumes"]
    assert env(job)["MODEL_PATH"] == "/mnt/models/llama"


@pytest.mark.parametrize(
    ("uri", "parameters", "tail"),
    [
        ("pvc://out/a/b", {}, "--experiment-base-dir /a/b"),
        (
            "oci://n/ns/b/bucket/o/x/y",
            {"auth": "instance_principal", "region": "r"},
            "--upload-results --namespace ns --storage-bucket bucket --storage-prefix x/y "
            "--auth instance_principal --region r",
        ),
        (
            "s3://bucket",
            {"aws_region": "eu"},
            "--upload-results --storage-provider aws --storage-bucket bucket --storage-aws-region eu",
        ),
        (
            "az://account/container/path",
            {},
            "--upload-results --storage-provider azure --storage-bucket container --storage-prefix path "
            "--storage-azure-account-name account",
        ),
        (
            "gs://bucket/path",
            {"gcp_project_id": "p"},
            "--upload-results --storage-provider gcp --storage-bucket bucket --storage-prefix path "
            "--storage-gcp-project-id p",
        ),
        (
            "github://owner/repo@v1",
            {},
            "--upload-results --storage-provider github --github-owner owner --github-repo repo --github-tag v1",
        ),
    ],
)
def test_where_results_go(uri: str, parameters: dict[str, str], tail: str) -> None:
    made = benchmark({"outputLocation": {"storageUri": uri, "parameters": parameters}})
    assert " ".join(words(made["Job perf"])).endswith(f"--max-requests-per-run 100 {tail}")


def test_deadline_and_cleaning_up() -> None:
    spec = {"trafficScenarios": ["D(1,2)", "U(1,2)"], "numConcurrency": [1, 2, 4]}
    config = {"benchmarkjob": {"podConfig": {"image": "b:1"}, "slackSeconds": 60, "ttlSecondsAfterFinished": 600}}
    body = benchmark(spec, settings=config)["Job perf"]["spec"]
    assert body["activeDeadlineSeconds"] == 10 * 60 * 6 + 60
    assert body["ttlSecondsAfterFinished"] == 600
    assert "activeDeadlineSeconds" not in benchmark()["Job perf"]["spec"]


def test_the_document_s_example_needs_an_output_only() -> None:
    example = {
        "labels": {"benchmark.ome.io/target-service": "chat", "benchmark.ome.io/task-type": "text-to-text"},
        "annotations": {"benchmark.ome.io/target-qps": "100", "benchmark.ome.io/duration": "10m"},
    }
    job = manifest("BenchmarkJob", {}, name="perf", **example)
    bare = [p for p in problems(with_platform(job, service(), settings=BENCH)) if p[1] == "error"]
    assert bare == [("spec.outputLocation", "error", "required")]
    settings = {"benchmarkjob": {"podConfig": {"image": "b:1"}, "outputStorageUri": "pvc://out/results"}}
    args = words(objects(with_platform(job, service(), settings=settings))["Job perf"])
    assert args[args.index("--max-time-per-run") + 1] == "10"
    assert args[args.index("--max-requests-per-run") + 1] == "60000"


def test_results_on_a_claim_of_its_own() -> None:
    spec = {field: value for field, value in SPEC.items() if field != "outputLocation"}
    job = manifest("BenchmarkJob", spec, name="perf", annotations={"storage.ome.io/size": "1Gi"})
    made = objects(planned(job, settings=BENCH))
    assert made["PersistentVolumeClaim perf-storage"]["spec"]["resources"]["requests"]["storage"] == "1Gi"
    claims = {volume["persistentVolumeClaim"]["claimName"] for volume in pod(made["Job perf"])["spec"]["volumes"]}
    assert claims == {"perf-storage"}


@pytest.mark.parametrize(
    ("spec", "path", "severity"),
    [
        ({"trafficScenarios": ["E(64)"]}, "spec.trafficScenarios", "error"),
        ({"trafficScenarios": ["xxU(1,2)yy"]}, "spec.trafficScenarios", "warning"),
        ({"trafficScenarios": ["N(480,240)/(300,150)", "U(1,2)/(3,4)", "D(1,1)"]}, "", ""),
        ({"task": "image-to-text", "trafficScenarios": ["I(512,512,2)"]}, "", ""),
        ({"task": "text-to-embeddings", "trafficScenarios": ["E(64,64)"]}, "", ""),
        ({"trafficScenarios": ["D(1,2)", "D(1,2)"]}, "spec.trafficScenarios[1]", "error"),
        ({"additionalRequestParams": {"temperature": "warm"}}, "spec.additionalRequestParams.temperature", "error"),
        ({"outputLocation": {"storageUri": "hf://org/model"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {"storageUri": "pvc://claim"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {"storageUri": "ftp://x"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {}}, "spec.outputLocation.storageUri", "error"),
        (
            {"outputLocation": {"storageUri": "s3://b", "parameters": {"aws_secret_access_key": "x"}}},
            "spec.outputLocation.parameters.aws_secret_access_key",
            "error",
        ),
        ({"dataset": {"storageUri": "hf://x/y"}}, "spec.dataset", "warning"),
        ({"endpoint": {"endpoint": {"url": "x:8080", "apiFormat": "openai"}}}, "spec.endpoint.endpoint.url", "error"),
        ({"podOverride": {"env": [{"name": "API_KEY", "value": "abc"}]}}, "spec.podOverride.env[0].value", "error"),
    ],
)
def test_benchmark_findings(spec: dict[str, Any], path: str, severity: str) -> None:
    found = problems(planned(manifest("BenchmarkJob", {**SPEC, **spec}), settings=BENCH))
    assert [(where, how) for where, how, _ in found] == ([(path, severity)] if path else [])


def test_an_image_is_needed() -> None:
    assert ("spec.podOverride.image", "error", "required") in problems(planned(manifest("BenchmarkJob", SPEC)))


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("pvc://ns:claim/a/b", {"namespace": "ns", "claim": "claim", "path": "a/b"}),
        ("s3://bucket@eu-1/key", {"bucket": "bucket", "region": "eu-1", "prefix": "key"}),
        ("az://acc.blob.core.windows.net/c/p", {"account": "acc", "container": "c", "prefix": "p"}),
        ("hf://org/model@main", {"model": "org/model", "revision": "main"}),
        ("vendor://v/type/a/b", {"vendor": "v", "type": "type", "path": "a/b"}),
        ("local:///data", {"path": "/data"}),
    ],
)
def test_storage_uris(uri: str, parts: dict[str, str]) -> None:
    assert storage_uri.parse(uri).parts == parts


@pytest.mark.parametrize(
    "uri",
    [
        "oci://bucket/x",
        "oci://n//b/bucket/o/x",
        "pvc:///x",
        "s3:///x",
        "az://acc",
        "gs://",
        "github://o",
        "vendor://a/b",
        "x",
    ],
)
def test_bad_storage_uris(uri: str) -> None:
    with pytest.raises(storage_uri.BadUri, match="must"):
        storage_uri.parse(uri)


# Training


def test_pytorch_on_several_nodes() -> None:
    job_set = training({"trainer": {**TRAINER, "numNodes": 4, "numProcPerNode": "gpu"}})["JobSet tune"]
    (workers,) = job_set["spec"]["replicatedJobs"]
    body = workers["template"]["spec"]
    assert (workers["name"], workers["replicas"]) == ("worker", 1)
    assert (body["parallelism"], body["completions"], body["completionMode"]) == (4, 4, "Indexed")
    assert job_set["spec"]["failurePolicy"] == {"maxRestarts": 3}
    found = env(job_set)
    assert found["PET_NNODES"] == found["NNODES"] == "4"
    assert found["MASTER_ADDR"] == "tune-worker-0-0.tune"
    assert found["PET_NPROC_PER_NODE"] == "gpu"
    assert "successPolicy" not in job_set["spec"]


def test_mpi() -> None:
    trainer = {**TRAINER, "command": ["mpirun"], "numNodes": 2, "numProcPerNode": 8}
    made = training({"trainer": trainer}, settings={"sshSecret": "keys"}, labels={"training.ome.io/framework": "mpi"})
    launcher, worker = made["JobSet tune"]["spec"]["replicatedJobs"]
    assert (launcher["template"]["spec"]["parallelism"], worker["template"]["spec"]["parallelism"]) == (1, 2)
    containers = [job["template"]["spec"]["template"]["spec"]["containers"][0] for job in (launcher, worker)]
    assert [container["command"] for container in containers] == [["mpirun"], ["/usr/sbin/sshd", "-De"]]
    assert made["ConfigMap tune-hostfile"]["data"]["hostfile"] == (
        "tune-worker-0-0.tune slots=8\ntune-worker-0-1.tune slots=8\n"
    )
    labels = [job["template"]["spec"]["template"]["metadata"]["labels"] for job in (launcher, worker)]
    assert [label["training.ome.io/replica-type"] for label in labels] == ["launcher", "worker"]


def test_an_indexed_job_with_its_service() -> None:
    made = training({"trainer": {**TRAINER, "numNodes": 2}}, settings={"backend": "Job", "maxRestarts": 1})
    body = made["Job tune"]["spec"]
    assert (body["completions"], body["completionMode"], body["backoffLimit"]) == (2, "Indexed", 1)
    assert body["template"]["spec"]["subdomain"] == "tune"
    assert made["Service tune"]["spec"]["clusterIP"] == "None"
    assert env(made["Job tune"])["MASTER_ADDR"] == "tune-0.tune"


def test_a_plain_job_for_one_node() -> None:
    made = training(settings={"backend": "Job"})
    assert "completionMode" not in made["Job tune"]["spec"]
    assert list(made) == ["Job tune"]
    assert env(made["Job tune"])["MASTER_ADDR"] == "localhost"


def test_kubeflow() -> None:
    spec = {"trainer": {**TRAINER, "numNodes": 2, "numProcPerNode": 4}, "runtimeRef": {"name": "torch"}}
    body = training(spec, settings={"backend": "TrainJob"})["TrainJob tune"]["spec"]
    assert body["runtimeRef"] == {"apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime", "name": "torch"}
    assert (body["trainer"]["numNodes"], body["trainer"]["numProcPerNode"]) == (2, 4)


def test_data_in_and_out() -> None:
    spec = {
        "trainer": TRAINER,
        "modelConfig": {"inputModel": "base", "outputModel": {"storageUri": "pvc://models/out"}},
        "datasets": {"storageUri": "pvc://data/train"},
        "compartmentID": "ocid1.compartment.oc1..x",
    }
    job_set = training(spec)["JobSet tune"]
    assert {mount["mountPath"]: mount["subPath"] for mount in main(job_set)["volumeMounts"]} == {
        "/mnt/output": "out",
        "/mnt/datasets/0": "train",
    }
    found = env(job_set)
    assert (found["INPUT_MODEL"], found["DATASET_URIS"]) == ("base", "pvc://data/train")
    assert found["OCI_COMPARTMENT_ID"] == "ocid1.compartment.oc1..x"


def test_storage_and_security() -> None:
    annotations = {
        "storage.ome.io/size": "10Gi",
        "storage.ome.io/access-mode": "ReadWriteMany",
        "security.ome.io/secret-ref": "creds",
    }
    made = training({"trainer": {**TRAINER, "numNodes": 2}}, annotations=annotations)
    assert env(made["JobSet tune"])["CHECKPOINT_DIR"] == "/mnt/storage/checkpoints"
    assert main(made["JobSet tune"])["envFrom"] == [{"secretRef": {"name": "creds"}}]
    assert made["PersistentVolumeClaim tune-storage"]["spec"]["accessModes"] == ["ReadWriteMany"]


@pytest.mark.parametrize(
    ("spec", "labels", "settings", "path"),
    [
        ({}, {}, {}, "spec.trainer.image"),
        (
            {"trainer": TRAINER},
            {"training.ome.io/framework": "mpi"},
            {"backend": "Job"},
            'metadata.labels["training.ome.io/framework"]',
        ),
        ({"trainer": TRAINER}, {}, {"backend": "TrainJob"}, "spec.runtimeRef"),
        (
            {"trainer": {**TRAINER, "numProcPerNode": "gpu"}},
            MPI,
            {"sshSecret": "k"},
            "spec.trainer.numProcPerNode",
        ),
        ({"trainer": {**TRAINER, "numProcPerNode": "many"}}, {}, {}, "spec.trainer.numProcPerNode"),
        ({"trainer": {**TRAINER, "numNodes": 0}}, {}, {}, "spec.trainer.numNodes"),
    ],
)
def test_training_findings(spec: Any, labels: Any, settings: Any, path: str) -> None:
    plan = planned(manifest("TrainingJob", spec, labels=labels), settings={"trainingjob": settings})
    assert path in [where for where, how, _ in problems(plan) if how == "error"]


def test_pods_need_room_for_their_names() -> None:
    job = manifest("TrainingJob", {"trainer": {**TRAINER, "numNodes": 100}}, name="n" * 55)
    assert ("metadata.name", "error", "invalid") in problems(planned(job))


# Status


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ({}, "Pending"),
        ({"active": 1, "ready": 1}, "Running"),
        ({"conditions": [{"type": "Complete", "status": "True", "reason": "CompletionsReached"}]}, "Complete"),
        ({"conditions": [{"type": "Completed", "status": "True"}]}, "Complete"),
        ({"conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded"}]}, "Failed"),
        ({"conditions": [{"type": "Suspended", "status": "True"}]}, "Suspended"),
        ({"active": 1, "conditions": [{"type": "Suspended", "status": "False"}]}, "Running"),
    ],
)
def test_observed_phase(status: dict[str, Any], phase: str) -> None:
    assert observe_job("job", {}, {"job": status}).phase == phase


def test_pods_of_a_job_set_are_counted_by_group() -> None:
    groups = [{"name": "launcher", "active": 1, "ready": 1}, {"name": "worker", "active": 1, "ready": 0}]
    live = {"job-set": {"replicatedJobsStatus": groups, "restarts": 2}}
    status = observe_job("job-set", {"launcher": 1, "worker": 8}, live)
    assert (status.phase, status.ready, status.desired) == ("Running", 1, 9)
    assert status.details == {"replicatedJobsStatus": groups, "restarts": 2}


@pytest.mark.parametrize(
    ("job", "settings"),
    [
        (manifest("BenchmarkJob", SPEC), {"benchmarkjob": {**BENCH["benchmarkjob"], "ttlSecondsAfterFinished": 60}}),
        (manifest("TrainingJob", {"trainer": TRAINER}), {"trainingjob": {"ttlSecondsAfterFinished": 60}}),
    ],
)
def test_a_job_that_goes_by_itself_may_run_again(job: dict[str, Any], settings: dict[str, Any]) -> None:
    found = problems(planned(job, settings=settings))
    assert [(path.split(".")[-1], severity, code) for path, severity, code in found] == [
        ("ttlSecondsAfterFinished", "warning", "runs-again")
    ]
