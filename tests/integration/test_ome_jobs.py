"""OME's jobs on the real engine with simulated nodes: they run once to completion, and again on request.

Not proven here: that genai-bench and trainers work (simulated pods end by themselves), and what Kueue does.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack, changes
from tests.integration.waiting import eventually

JOB_SET = "jobset.x-k8s.io/v1alpha2"
PLATFORM = {"benchmarkjob": {"podConfig": {"image": "example/genai-bench:1"}}}
BENCHMARK: dict[str, Any] = {
    "endpoint": {"inferenceService": {"name": "web", "namespace": ""}},
    "task": "text-to-text",
    "trafficScenarios": ["D(100,100)"],
    "numConcurrency": [1, 8],
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
}
TRAINER: dict[str, Any] = {"image": "example/trainer:1", "command": ["torchrun", "train.py"], "numNodes": 2}


def job(kind: str, name: str, spec: dict[str, Any], **metadata: Any) -> str:
    document = {"apiVersion": "ome.io/v1beta1", "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}
    return f"---\n{yaml.safe_dump(document)}"


def benchmark(stack: Stack, name: str = "perf", target: str = "web", **spec: Any) -> str:
    """A BenchmarkJob with a separate claim for its results."""
    endpoint = {"inferenceService": {"name": target, "namespace": stack.namespace}}
    annotations = {"storage.ome.io/size": "1Gi"}
    return job("BenchmarkJob", name, {**BENCHMARK, "endpoint": endpoint, **spec}, annotations=annotations)


def training(name: str = "tune", *, labels: dict[str, str] | None = None, **trainer: Any) -> str:
    return job("TrainingJob", name, {"trainer": {**TRAINER, **trainer}}, labels=labels or {})


def configure(stack: Stack, **ome: Any) -> None:
    stack.config({"settings": {"ome": {**PLATFORM, **ome}}})


class Live:
    """A job in the cluster."""

    def __init__(self, api: DynamicClient, stack: Stack, name: str, kind: str = "Job") -> None:
        self.api, self.stack, self.name, self.kind = api, stack, name, kind
        self.api_version = JOB_SET if kind == "JobSet" else "batch/v1"

    def read(self) -> dict[str, Any]:
        return read(self.api, self.api_version, self.kind, self.name, self.stack.namespace)

    @property
    def uid(self) -> str:
        return self.read()["metadata"]["uid"]

    def holds(self, condition: str) -> bool:
        conditions = (self.read().get("status") or {}).get("conditions") or []
        return any(c["type"] == condition and c["status"] == "True" for c in conditions)

    def start(self) -> None:
        """Starts the job as a queue would."""
        self.api.resources.get(api_version=self.api_version, kind=self.kind).patch(
            name=self.name,
            namespace=self.stack.namespace,
            body={"spec": {"suspend": False}},
            content_type="application/merge-patch+json",
            field_manager="kueue-controller",
        )

    def ends(self) -> str:
        """Waits for the job's end; returns its uid."""
        condition = "Completed" if self.kind == "JobSet" else "Complete"
        eventually(lambda: self.holds(condition), f"the end of {self.kind} {self.name}")
        return self.uid


def phase(stack: Stack, name: str) -> str:
    return stack.outputs()["services"][f"{stack.namespace}/{name}"]["phase"]


def test_a_benchmark_runs_once_and_again_when_it_changes(stack: Stack, api: DynamicClient) -> None:
    configure(stack)
    stack.write(model() + service("web"), "web.yaml")
    stack.write(benchmark(stack), "perf.yaml")
    perf = Live(api, stack, "perf")

    stack.up()

    first = perf.ends()
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes", "--diff")
    assert changes(stack.up("--refresh")) == set()
    assert phase(stack, "perf") == "Complete"
    container = perf.read()["spec"]["template"]["spec"]["containers"][0]
    address = f"http://web.{stack.namespace}.svc.cluster.local:8080"
    assert container["args"][container["args"].index("--api-base") + 1] == address

    stack.write(model() + service("web", replicas=2) + service("more"), "web.yaml")
    configure(stack, version="v9.9.9")
    stack.up()
    assert perf.uid == first

    stack.write(benchmark(stack, numConcurrency=[1, 16]), "perf.yaml")
    done = stack.up()
    assert changes(done) == {
        (op, "Job", f"{stack.namespace}/perf-job") for op in ("replace", "delete-replaced", "create-replacement")
    }
    assert perf.ends() != first
    stack.up("--refresh", "--expect-no-changes")
    stack.destroy()
    assert perf.read() is None


def test_a_benchmark_waits_for_its_service(stack: Stack) -> None:
    configure(stack)
    stack.write(model() + service("web") + benchmark(stack, "a-job"))

    stack.up()

    needed = {urn.rpartition("::")[2] for urn in resource(stack, "a-job-job")["dependencies"]}
    assert {f"{stack.namespace}/web-deployment", f"{stack.namespace}/web-service"} <= needed


def resource(stack: Stack, name: str) -> dict[str, Any]:
    (found,) = [item for item in stack.state() if item["urn"].endswith(f"::{stack.namespace}/{name}")]
    return found


@pytest.mark.parametrize("kind", ["JobSet", "Job"])
def test_training_runs_once_and_again_when_it_changes(stack: Stack, api: DynamicClient, kind: str) -> None:
    backend = {"backend": kind}
    configure(stack, trainingjob=backend)
    stack.write(training())
    tune = Live(api, stack, "tune", kind)

    stack.up()

    first = tune.ends()
    stack.preview("--refresh", "--expect-no-changes", "--diff")
    assert changes(stack.up("--refresh")) == set()
    assert phase(stack, "tune") == "Complete"

    stack.write(model() + service("web"), "web.yaml")
    configure(stack, version="v9.9.9", trainingjob=backend)
    stack.up()
    assert tune.uid == first

    stack.write(training(args=["--epochs", "3"]))
    done = stack.up()
    replaced = {(op, name) for op, of, name in changes(done) if of == kind}
    role = "job-set" if kind == "JobSet" else "job"
    operations = ("replace", "delete-replaced", "create-replacement")
    assert replaced == {(op, f"{stack.namespace}/tune-{role}") for op in operations}
    assert tune.ends() != first
    stack.up("--refresh", "--expect-no-changes")


@pytest.mark.parametrize("kind", ["JobSet", "Job"])
def test_a_queue_starts_a_job(stack: Stack, api: DynamicClient, kind: str) -> None:
    configure(stack, trainingjob={"backend": kind})
    stack.write(training(labels={"infrastructure.ome.io/cluster": "gpus"}))
    tune = Live(api, stack, "tune", kind)

    stack.up()

    eventually(lambda: tune.holds("Suspended"), "a job that waits")
    stack.up("--refresh", "--expect-no-changes")
    assert phase(stack, "tune") == "Suspended"
    before = tune.uid
    tune.start()
    assert tune.ends() == before
    stack.preview("--refresh", "--expect-no-changes", "--diff")
    stack.up("--refresh", "--expect-no-changes")
    assert (tune.uid, phase(stack, "tune")) == (before, "Complete")


def test_mpi(stack: Stack, api: DynamicClient) -> None:
    configure(stack)
    stack.write(training(labels={"training.ome.io/framework": "mpi"}, numProcPerNode="2"))

    stack.up()

    Live(api, stack, "tune", "JobSet").ends()
    stack.up("--refresh", "--expect-no-changes")


TRAIN_JOB = "trainer.kubeflow.org/v1alpha1"


@pytest.fixture
def train_jobs(api: DynamicClient) -> Iterator[None]:
    """Kubeflow's kind during a test, with a schema that accepts everything."""
    definitions = api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    spec = {
        "group": "trainer.kubeflow.org",
        "scope": "Namespaced",
        "names": {"kind": "TrainJob", "plural": "trainjobs", "singular": "trainjob"},
        "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": schema}],
    }
    name = "trainjobs.trainer.kubeflow.org"
    definitions.create(body={"metadata": {"name": name}, "spec": spec})
    eventually(lambda: is_established(definitions.get(name=name)), f"{name} to be served")
    yield
    definitions.delete(name=name)
    eventually(lambda: name not in [item.metadata.name for item in definitions.get().items], f"{name} to be gone")


def is_established(definition: Any) -> bool:
    conditions = (definition.to_dict().get("status") or {}).get("conditions") or []
    return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)


def test_a_train_job_that_changes_runs_once_more_and_is_said_beforehand(
    stack: Stack, api: DynamicClient, train_jobs: None
) -> None:
    def tune(image: str, **metadata: Any) -> str:
        trainer = {**TRAINER, "image": image, "resourcesPerNode": {"limits": {"nvidia.com/gpu": "4"}}}
        return job("TrainingJob", "tune", {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer}, **metadata)

    def uid() -> str:
        return read(api, TRAIN_JOB, "TrainJob", "tune", stack.namespace)["metadata"]["uid"]

    configure(stack, trainingjob={"backend": "TrainJob"})
    stack.write(tune("example/trainer:1"))
    assert f"TrainJob {stack.namespace}/tune: new, 2 pods with 8 GPUs" in stack.up().text
    first = uid()
    stack.up("--expect-no-changes")

    stack.write(tune("example/trainer:2"))
    again = (
        f"TrainJob {stack.namespace}/tune: deleted and made again, 2 pods with 8 GPUs: a job can't change, so it runs "
    )
    assert f"{again}once more; image example/trainer:1 → example/trainer:2" in stack.preview().text
    stack.up()
    assert uid() != first
    stack.up("--expect-no-changes")


def test_kubeflow_needs_its_crd(stack: Stack) -> None:
    configure(stack, trainingjob={"backend": "TrainJob"})
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": TRAINER}
    stack.write(job("TrainingJob", "tune", spec))

    refused = stack.up(fails=True)

    line = "the cluster does not know TrainJob (trainer.kubeflow.org/v1alpha1)"
    assert line in refused.text and "kubeflow/trainer" in refused.text
    assert stack.registered() == []
