"""Checks of a training job: what its backend can't do, and what the API server would reject."""

from collections.abc import Iterator
from dataclasses import replace

from ....findings import Problem
from ....kubernetes.model import dump, read
from ....kubernetes.pod import PodSpec
from ....kubernetes.pod_checks import pod_problems
from ....kubernetes.resources import accelerators
from ....ome_keys import keys
from ....ome_keys.flags import overridden, path_of
from ....ome_keys.objects import storage_problems
from ....ome_keys.pod_template import POD_KEYS, contradictions, security_problems
from ..job_status import runs_again
from .context import Training
from .pod_template import pod_template
from .spec import nodes

_MAX_NAME = 63


def problems(training: Training) -> Iterator[Problem]:
    """Problems that the manifest alone does not show."""
    manifest, config = training.manifest, training.settings.trainingjob
    spec = manifest.spec
    if not spec.trainer.image and not config.image and config.backend != "TrainJob":
        yield Problem("spec.trainer.image", "is required", code="required")
        return
    if config.backend == "TrainJob" and spec.runtimeRef is None:
        message = "is required for a TrainJob (settings.ome.trainingjob.backend)"
        yield Problem("spec.runtimeRef", message, code="required")
    if training.mpi:
        yield from _mpi_problems(training)
    yield from _process_problems(training)
    longest = f"{manifest.name}-{'launcher' if training.mpi else 'worker'}-0-{nodes(spec) - 1}"
    if config.backend == "JobSet" and len(longest) > _MAX_NAME:
        excess = len(longest) - _MAX_NAME
        message = f"is {excess} characters too long, because a pod would be named {longest}; shorten it"
        yield Problem("metadata.name", message)
    if training.effective.get(keys.TRAINING_JOB_NAME, manifest.name) != manifest.name:
        yield overridden(keys.TRAINING_JOB_NAME, f"the job is called {manifest.name}")
    if config.backend == "TrainJob":
        yield from _runtime_s_pods(training)
    yield from storage_problems(training.effective, nodes(spec))
    yield from runs_again(training.end, "settings.ome.trainingjob")
    pod = pod_template(training, "worker")
    model, unreadable = read(PodSpec, pod["spec"])
    for problem in [*unreadable, *(pod_problems(model, "spec.trainer") if model else ())]:
        path = problem.path.replace("spec.trainer.containers[0].", "spec.trainer.", 1)
        message = problem.message.replace("spec.trainer.containers[0].", "spec.trainer.")
        yield replace(problem, path=path.replace(".trainer.resources.", ".trainer.resourcesPerNode."), message=message)
    yield from security_problems(pod, training.effective, "spec.trainer")
    yield from contradictions(pod, training.effective, training.settings)


def _process_problems(training: Training) -> Iterator[Problem]:
    """Warns if a pod has more processes than GPUs, because each process takes one."""
    trainer = training.manifest.spec.trainer
    processes = trainer.numProcPerNode or ""
    gpus = accelerators(dump(trainer.resourcesPerNode)) if trainer.resourcesPerNode else None
    if gpus and processes.isdecimal() and int(processes) > gpus:
        message = f"is {processes}, but a pod gets {gpus} GPUs and each process takes one, so the training fails"
        message += "; make them equal"
        yield Problem("spec.trainer.numProcPerNode", message, "warning", "too-few-accelerators")


def _runtime_s_pods(training: Training) -> Iterator[Problem]:
    """Warns about keys for pods: a TrainJob's runtime makes the pods, and only the trainer's variables reach them."""
    for key in (*POD_KEYS, keys.MONITORING_SCRAPE, keys.MONITORING_PORT, keys.MONITORING_PATH):
        if key in training.effective:
            why = "Kubeflow's runtime makes the pods of a TrainJob (settings.ome.trainingjob.backend)"
            yield Problem(path_of(key), f"has no effect, because {why}", "warning", "no-effect")


def _mpi_problems(training: Training) -> Iterator[Problem]:
    config, processes = training.settings.trainingjob, training.manifest.spec.trainer.numProcPerNode
    if config.backend == "Job":
        message = "is mpi, which needs a launcher beside its workers; set settings.ome.trainingjob.backend to JobSet"
        yield Problem(f'metadata.labels["{keys.TRAINING_FRAMEWORK}"]', message, key=None, code="needs-job-set")
    if processes in ("auto", "cpu", "gpu"):
        yield Problem("spec.trainer.numProcPerNode", f"must be a whole number for mpi, got {processes}")
    if config.backend == "JobSet" and not config.sshSecret:
        message = "needs SSH keys to reach its workers; name their Secret under settings.ome.trainingjob.sshSecret"
        yield Problem("spec.trainer", message, "warning", "no-ssh-keys")
