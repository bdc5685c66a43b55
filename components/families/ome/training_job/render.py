"""A TrainingJob as a JobSet, an Indexed Job or a Kubeflow TrainJob."""

from functools import partial
from typing import Any

from ....kubernetes.gpu import NVIDIA
from ....kubernetes.metadata import metadata
from ....kubernetes.model import dump, dumps
from ....kubernetes.objects import Object
from ....kubernetes.rendered import RenderedComponent, owned_records
from ....kubernetes.values import without_empty
from ....ome_keys.objects import persistent_volume_claim
from ..job_status import observe_job
from .context import Training, sizes_of
from .pod_template import PORT, pod_template
from .spec import nodes
from .validation import problems

COMPONENT = "TrainingJobComponent"


def rendered(training: Training) -> RenderedComponent:
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    role, make = {"JobSet": ("job-set", job_set), "Job": ("job", job), "TrainJob": ("train-job", train_job)}[backend]
    objects = {**_before(training), role: make(training)}
    return RenderedComponent(
        component=COMPONENT,
        kind=manifest.kind,
        namespace=manifest.namespace,
        name=manifest.name,
        records=owned_records(objects),
        observe=partial(observe_job, role, sizes_of(training)),
        problems=tuple(problems(training)),
    )


def _before(training: Training) -> dict[str, Object]:
    """Objects that the pods need."""
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    objects: dict[str, Object] = {}
    if backend == "Job" and nodes(manifest.spec) > 1:
        objects["service"] = service(training)
    if training.mpi and backend == "JobSet":
        objects["hostfile"] = config_map(training)
    if backend != "TrainJob":
        objects |= persistent_volume_claim(manifest.name, manifest.namespace, training.labels(), training.effective)
    return objects


def job(training: Training) -> Object:
    """An Indexed Job whose pods find each other by a headless Service; a plain Job for a single node."""
    count = nodes(training.manifest.spec)
    template = pod_template(training, "worker")
    spec: dict[str, Any] = {"backoffLimit": training.settings.trainingjob.maxRestarts}
    if count > 1:
        template["spec"]["subdomain"] = training.manifest.name
        spec |= {"parallelism": count, "completions": count, "completionMode": "Indexed"}
    return training.workload("batch/v1", "Job", {**spec, **training.start, **training.end, "template": template})


def job_set(training: Training) -> Object:
    spec: dict[str, Any] = {
        "replicatedJobs": [_replicated(training, replica, count) for replica, count in sizes_of(training).items()],
        "network": {"enableDNSHostnames": True},
        "failurePolicy": {"maxRestarts": training.settings.trainingjob.maxRestarts},
        **training.start,
        **training.end,
    }
    if training.mpi:
        spec["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    return training.workload("jobset.x-k8s.io/v1alpha2", "JobSet", spec)


def _replicated(training: Training, replica: str, count: int) -> dict[str, Any]:
    """An Indexed Job for one replica type. If a pod fails, the JobSet restarts all of them."""
    job = {
        "parallelism": count,
        "completions": count,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "template": pod_template(training, replica),
    }
    metadata = {"labels": training.labels(replica)}
    return {"name": replica, "replicas": 1, "template": {"metadata": metadata, "spec": job}}


def train_job(training: Training) -> Object:
    trainer, reference = training.manifest.spec.trainer, training.manifest.spec.runtimeRef
    processes = trainer.numProcPerNode
    fields: dict[str, Any] = {
        "image": trainer.image,
        "command": trainer.command,
        "args": trainer.args,
        "env": pod_template(training, "worker")["spec"]["containers"][0].get("env") or dumps(trainer.env),
        "numNodes": trainer.numNodes,
        "numProcPerNode": int(processes) if processes and processes.isdecimal() else processes,
        "resourcesPerNode": dump(trainer.resourcesPerNode) if trainer.resourcesPerNode else None,
    }
    body = {
        "runtimeRef": {
            "apiGroup": "trainer.kubeflow.org",
            "kind": (reference.kind if reference else None) or "ClusterTrainingRuntime",
            "name": reference.name if reference else "",
        },
        "trainer": without_empty(fields),
        "labels": training.labels(),
        "annotations": training.annotations(),
        **training.start,
    }
    return training.workload("trainer.kubeflow.org/v1alpha1", "TrainJob", without_empty(body))


def service(training: Training) -> Object:
    """The headless Service by which the pods of an Indexed Job find each other."""
    spec = {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"batch.kubernetes.io/job-name": training.manifest.name},
        "ports": [{"name": "rendezvous", "port": PORT, "protocol": "TCP", "targetPort": PORT}],
    }
    described = metadata(training.manifest.name, training.manifest.namespace, training.labels())
    return {"apiVersion": "v1", "kind": "Service", "metadata": described, "spec": spec}


def config_map(training: Training) -> Object:
    """The workers of an MPI job as MPI reads them: each one's host name and its processes."""
    name, namespace, trainer = training.manifest.name, training.manifest.namespace, training.manifest.spec.trainer
    slots, resources = trainer.numProcPerNode, trainer.resourcesPerNode
    if not (slots and slots.isdecimal()):
        gpus = resources.limits.get(NVIDIA, resources.requests.get(NVIDIA)) if resources else None
        slots = gpus if isinstance(gpus, str) and gpus.isdecimal() else "1"
    workers = range(nodes(training.manifest.spec))
    hosts = "".join(f"{name}-worker-0-{index}.{name} slots={slots}\n" for index in workers)
    described = metadata(f"{name}-hostfile", namespace, training.labels())
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": described, "data": {"hostfile": hosts}}
