"""The ConfigMap with the workers of an MPI job."""

from ....kubernetes.gpu import NVIDIA
from ....kubernetes.metadata import metadata
from ....kubernetes.objects import Object
from .context import Training
from .spec import TrainingJob, nodes


def hosts_config(training: Training) -> Object:
    """The workers as MPI reads them."""
    manifest = training.manifest
    described = metadata(f"{manifest.name}-hostfile", manifest.namespace, training.labels())
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": described, "data": {"hostfile": hostfile(manifest)}}


def hostfile(manifest: TrainingJob) -> str:
    """Each worker's host name and its processes."""
    name, count = manifest.name, nodes(manifest.spec)
    slots = _slots(manifest)
    return "".join(f"{name}-worker-0-{index}.{name} slots={slots}\n" for index in range(count))


def _slots(manifest: TrainingJob) -> str:
    processes = manifest.spec.trainer.numProcPerNode
    if processes and processes.isdecimal():
        return processes
    resources = manifest.spec.trainer.resourcesPerNode
    gpus = resources.limits.get(NVIDIA, resources.requests.get(NVIDIA)) if resources else None
    return gpus if isinstance(gpus, str) and gpus.isdecimal() else "1"
