"""TrainingJobs: backends, findings, status.

Not proved here: that torchrun or mpirun understand what they get, and that a cluster accepts the objects.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.ome.job_status import observe_job

from .helpers import env, main, manifest, objects, planned, problems

BENCH = {"benchmarkjob": {"podConfig": {"image": "bench:1"}}}
SPEC: dict[str, Any] = {
    "task": "text-to-text",
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": {"endpoint": {"url": "http://x:8080", "apiFormat": "openai", "modelName": "org/m"}},
}
TRAINER = {"image": "train:1"}
MPI = {"training.ome.io/framework": "mpi"}


def training(spec: Any = None, *, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    given = {"trainer": TRAINER} if spec is None else spec
    return objects(
        planned(manifest("TrainingJob", given, name="tune", **metadata), settings={"trainingjob": settings or {}})
    )


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


@pytest.mark.parametrize(("processes", "found"), [("4", True), ("2", False), ("auto", False)])
def test_more_processes_than_gpus(processes: str, found: bool) -> None:
    trainer = {**TRAINER, "numProcPerNode": processes, "resourcesPerNode": {"limits": {"nvidia.com/gpu": "2"}}}
    plan = planned(manifest("TrainingJob", {"trainer": trainer}))
    expected = [("spec.trainer.numProcPerNode", "warning", "too-few-accelerators")]
    assert [problem for problem in problems(plan) if problem[2] == "too-few-accelerators"] == expected * found


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"trainer": {**TRAINER, "resourcesPerNode": {"limits": {"nvidia.com/gpu": "0.5"}}}},
            ('spec.trainer.resourcesPerNode.limits["nvidia.com/gpu"]', "error"),
        ),
        (
            {"trainer": {**TRAINER, "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}},
            ("spec.trainer.env[1].name", "warning"),
        ),
        ({"trainer": TRAINER, "labels": {"a b": "c"}}, ("spec.labels", "error")),
        (
            {"trainer": TRAINER, "modelConfig": {"outputModel": {"storageUri": "pvc://claim/../x"}}},
            ("spec.modelConfig.outputModel.storageUri", "error"),
        ),
        ({"trainer": TRAINER, "datasets": [{"storageUri": "ftp://x"}]}, ("spec.datasets[0].storageUri", "warning")),
    ],
)
def test_findings_are_where_the_manifest_has_the_field(spec: dict[str, Any], expected: tuple[str, str]) -> None:
    found = planned(manifest("TrainingJob", spec)).findings
    assert [(f.path, f.severity) for f in found if f.code != "missing-recommended"] == [expected]
