"""A TrainingJob as a JobSet, an Indexed Job or a Kubeflow TrainJob."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...findings import Problem
from ...kubernetes.model import dump, dumps, read
from ...kubernetes.objects import Object, Rendered
from ...kubernetes.pod import PodSpec
from ...kubernetes.pod_checks import pod_problems
from ...kubernetes.propagation import Layer, propagate
from ...kubernetes.secrets import argument_secrets, env_secrets
from ...kubernetes.values import without_empty
from ...ome_keys import keys
from ...ome_keys.effective import effective_keys
from ...ome_keys.flags import overridden, path_of
from ...ome_keys.network_policy import security_problems
from ...ome_keys.persistent_volume_claim import claim, storage_problems
from ...ome_keys.pod_template import POD_KEYS, contradictions, monitoring
from .job_status import observe_job, runs_again
from .metadata import standard_labels
from .settings import OMESettings
from .training_pods import PORT, hostfile, pod_template
from .training_spec import TrainingJob, nodes

COMPONENT = "TrainingJobComponent"

_ROLES = {"JobSet": "job-set", "Job": "job", "TrainJob": "train-job"}
_MAX_NAME = 63
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Training:
    """A job with the documented keys that act, and the platform's settings."""

    manifest: TrainingJob
    effective: Mapping[str, Any]
    settings: OMESettings

    @classmethod
    def of(cls, manifest: TrainingJob, settings: OMESettings) -> Training:
        metadata = manifest.metadata
        return cls(manifest, effective_keys(metadata.labels, metadata.annotations, settings), settings)

    @property
    def framework(self) -> str:
        return str(self.manifest.metadata.labels.get(keys.TRAINING_FRAMEWORK, "pytorch"))

    @property
    def mpi(self) -> bool:
        return self.framework == "mpi"

    @property
    def claim_name(self) -> str:
        return f"{self.manifest.name}-storage"

    @property
    def queue(self) -> Any:
        """The queue of a scheduler that starts the job when there is room."""
        return self.effective.get(keys.INFRASTRUCTURE_CLUSTER)

    def labels(self, replica: str = "") -> dict[str, Any]:
        """Labels of an object or pod; ``replica`` is launcher or worker where it is one."""
        manifest = self.manifest
        own: dict[str, Any] = {
            keys.TRAINING_JOB_NAME: manifest.name,
            keys.TRAINING_FRAMEWORK: self.framework,
            **({keys.TRAINING_REPLICA_TYPE: replica} if replica else {}),
        }
        everything = frozenset(["object"])
        layers = [
            Layer("ome", standard_labels("trainer", manifest.name, self.settings.version), everything),
            Layer("metadata.labels", manifest.metadata.labels, everything),
            Layer("spec.labels", manifest.spec.labels, everything),
            Layer("ome", own, everything, owned=True),
        ]
        return propagate(layers, "object")

    def annotations(self) -> dict[str, Any]:
        given = {k: v for k, v in self.manifest.metadata.annotations.items() if k != _LAST_APPLIED}
        everything = frozenset(["object"])
        layers = [
            Layer("metadata.annotations", given, everything),
            Layer("metadata.annotations", monitoring(self.effective), everything),
            Layer("spec.annotations", self.manifest.spec.annotations, everything),
        ]
        return propagate(layers, "object")

    def pod(self, replica: str) -> dict[str, Any]:
        return pod_template(
            self.manifest, replica, self.labels(replica), self.annotations(), self.effective, self.settings
        )


def rendered(training: Training) -> Rendered:
    """All objects of a job, by role."""
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    role = _ROLES[backend]
    objects = {**_before(training), role: _BACKENDS[backend](training)}
    return Rendered(
        component=COMPONENT,
        kind=manifest.kind,
        namespace=manifest.namespace,
        name=manifest.name,
        objects=objects,
        observe=partial(observe_job, role, _sizes(training)),
        problems=tuple(problems(training)),
    )


def _before(training: Training) -> dict[str, Object]:
    """What the pods need."""
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    objects: dict[str, Object] = {}
    if backend == "Job" and nodes(manifest.spec) > 1:
        objects["service"] = _headless_service(training)
    if training.mpi and backend == "JobSet":
        objects["hostfile"] = _hostfile(training)
    storage = claim(training.claim_name, manifest.namespace, training.labels(), training.effective)
    if storage and backend != "TrainJob":
        objects["storage"] = storage
    return objects


def _sizes(training: Training) -> dict[str, int]:
    """Pods of each replica type."""
    launcher = {"launcher": 1} if training.mpi else {}
    return {**launcher, "worker": nodes(training.manifest.spec)}


def _object(training: Training, api_version: str, kind: str, spec: Mapping[str, Any]) -> Object:
    manifest, labels = training.manifest, training.labels()
    if training.queue:
        labels[training.settings.trainingjob.queueLabel] = training.queue
    metadata: dict[str, Any] = {"name": manifest.name, "namespace": manifest.namespace, "labels": labels}
    if training.annotations():
        metadata["annotations"] = training.annotations()
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": dict(spec)}


def _start(training: Training) -> dict[str, Any]:
    """Suspended where a queue starts the job, or where the manifest says so."""
    if training.queue:
        return {"suspend": True}
    suspend = training.manifest.spec.suspend
    return {} if suspend is None else {"suspend": suspend}


def _end(training: Training) -> dict[str, Any]:
    seconds = training.settings.trainingjob.ttlSecondsAfterFinished
    return {} if seconds is None else {"ttlSecondsAfterFinished": seconds}


def _job_set(training: Training) -> Object:
    spec: dict[str, Any] = {
        "replicatedJobs": [_replicated(training, replica, count) for replica, count in _sizes(training).items()],
        "network": {"enableDNSHostnames": True},
        "failurePolicy": {"maxRestarts": training.settings.trainingjob.maxRestarts},
        **_start(training),
        **_end(training),
    }
    if training.mpi:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    return _object(training, "jobset.x-k8s.io/v1alpha2", "JobSet", spec)


def _replicated(training: Training, replica: str, count: int) -> dict[str, Any]:
    """One Indexed Job whose pods are the replicas; the JobSet starts all of them again when one fails."""
    job = {
        "parallelism": count,
        "completions": count,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "template": training.pod(replica),
    }
    metadata = {"labels": training.labels(replica)}
    return {"name": replica, "replicas": 1, "template": {"metadata": metadata, "spec": job}}


def _job(training: Training) -> Object:
    """An Indexed Job whose pods find each other by a headless Service; a plain Job for a single node."""
    count = nodes(training.manifest.spec)
    template = training.pod("worker")
    spec: dict[str, Any] = {"backoffLimit": training.settings.trainingjob.maxRestarts}
    if count > 1:
        template["spec"]["subdomain"] = training.manifest.name
        spec |= {"parallelism": count, "completions": count, "completionMode": "Indexed"}
    return _object(training, "batch/v1", "Job", {**spec, **_start(training), **_end(training), "template": template})


def _headless_service(training: Training) -> Object:
    spec = {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"batch.kubernetes.io/job-name": training.manifest.name},
        "ports": [{"name": "rendezvous", "port": PORT, "protocol": "TCP", "targetPort": PORT}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": training.manifest.name,
            "namespace": training.manifest.namespace,
            "labels": training.labels(),
        },
        "spec": spec,
    }


def _hostfile(training: Training) -> Object:
    """The workers as MPI reads them."""
    manifest = training.manifest
    metadata = {
        "name": f"{manifest.name}-hostfile",
        "namespace": manifest.namespace,
        "labels": training.labels(),
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"hostfile": hostfile(manifest)}}


def _train_job(training: Training) -> Object:
    """Kubeflow's own kind: its runtime makes the pods."""
    spec, trainer = training.manifest.spec, training.manifest.spec.trainer
    fields: dict[str, Any] = {
        "image": trainer.image,
        "command": trainer.command,
        "args": trainer.args,
        "env": training.pod("worker")["spec"]["containers"][0].get("env") or dumps(trainer.env),
        "numNodes": trainer.numNodes,
        "numProcPerNode": _number(trainer.numProcPerNode),
        "resourcesPerNode": dump(trainer.resourcesPerNode) if trainer.resourcesPerNode else None,
    }
    reference = spec.runtimeRef
    body = {
        "runtimeRef": {
            "apiGroup": "trainer.kubeflow.org",
            "kind": (reference.kind if reference else None) or "ClusterTrainingRuntime",
            "name": reference.name if reference else "",
        },
        "trainer": without_empty(fields),
        "labels": training.labels(),
        "annotations": training.annotations(),
        **_start(training),
    }
    return _object(training, "trainer.kubeflow.org/v1alpha1", "TrainJob", without_empty(body))


def _number(text: str | None) -> int | str | None:
    return int(text) if text and text.isdecimal() else text


_BACKENDS: Mapping[str, Callable[[Training], Object]] = {"JobSet": _job_set, "Job": _job, "TrainJob": _train_job}


def problems(training: Training) -> Iterator[Problem]:
    """What a backend can't do, and what the API server would refuse."""
    manifest, config = training.manifest, training.settings.trainingjob
    spec = manifest.spec
    if not spec.trainer.image and not config.image and config.backend != "TrainJob":
        yield Problem("spec.trainer.image", "is required", code="required")
        return
    if config.backend == "TrainJob" and spec.runtimeRef is None:
        yield Problem(
            "spec.runtimeRef", "is required for a TrainJob (settings.ome.trainingjob.backend)", code="required"
        )
    if training.mpi:
        yield from _mpi_problems(training)
    longest = f"{manifest.name}-{'launcher' if training.mpi else 'worker'}-0-{nodes(spec) - 1}"
    if config.backend == "JobSet" and len(longest) > _MAX_NAME:
        message = f"is too long by {len(longest) - _MAX_NAME}: pods would be called {longest}"
        yield Problem("metadata.name", message)
    if training.effective.get(keys.TRAINING_JOB_NAME, manifest.name) != manifest.name:
        yield overridden(keys.TRAINING_JOB_NAME, f"the job is called {manifest.name}")
    if config.backend == "TrainJob":
        yield from _runtime_s_pods(training)
    yield from storage_problems(training.effective, nodes(spec))
    yield from runs_again(_end(training), "settings.ome.trainingjob")
    yield from env_secrets(spec.trainer.env, "spec.trainer.env")
    yield from argument_secrets(spec.trainer.args or [], "spec.trainer.args")
    pod = training.pod("worker")
    model, found = read(PodSpec, pod["spec"])
    yield from found
    yield from pod_problems(model, "spec.trainer") if model else ()
    yield from security_problems(pod, training.effective, "spec.trainer")
    yield from contradictions(pod, training.effective, training.settings)


def _runtime_s_pods(training: Training) -> Iterator[Problem]:
    """Keys that act on pods: those of a TrainJob are made by its runtime, only the trainer's variables are told."""
    for key in (*POD_KEYS, keys.MONITORING_SCRAPE, keys.MONITORING_PORT, keys.MONITORING_PATH):
        if key in training.effective:
            message = "does nothing: Kubeflow's runtime makes the pods of a TrainJob (settings.ome.trainingjob.backend)"
            yield Problem(path_of(key), message, "warning", "no-effect")


def _mpi_problems(training: Training) -> Iterator[Problem]:
    config, processes = training.settings.trainingjob, training.manifest.spec.trainer.numProcPerNode
    if config.backend == "Job":
        message = "is mpi, which needs a launcher beside its workers: set settings.ome.trainingjob.backend to JobSet"
        yield Problem(f'metadata.labels["{keys.TRAINING_FRAMEWORK}"]', message, key=None, code="needs-job-set")
    if processes in ("auto", "cpu", "gpu"):
        yield Problem("spec.trainer.numProcPerNode", f"must be a whole number for mpi, got {processes}")
    if config.backend == "JobSet" and not config.sshSecret:
        message = "reaches its workers by ssh: name a Secret with keys under settings.ome.trainingjob.sshSecret"
        yield Problem("spec.trainer", message, "warning", "no-ssh-keys")
