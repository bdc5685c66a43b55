"""The pods of a training job: the trainer's container, how replicas find each other, and variables from the keys."""

import json
from collections.abc import Iterator
from typing import Any

from ....kubernetes.model import dump, dumps
from ....kubernetes.pod_edits import with_env
from ....kubernetes.resources import with_whole_pairs
from ....kubernetes.values import without_empty
from ....ome_keys import keys, names
from ....ome_keys.pod_template import PATH, change_template, with_volume
from ..fields import place_on_claim
from .context import Training
from .spec import nodes

CONTAINER = "trainer"
PORT = 29500
"""Port on which the first replica waits for the others."""
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_HOSTFILE = "/etc/mpi"
_SSH = "/root/.ssh"
_SSHD = ["/usr/sbin/sshd", "-De"]
_KEYS = {
    keys.TRAINING_DISTRIBUTED_BACKEND: "DISTRIBUTED_BACKEND",
    keys.TRAINING_CHECKPOINT_STRATEGY: "CHECKPOINT_STRATEGY",
    keys.TRAINING_RESUME_FROM: "RESUME_FROM",
    keys.MODEL_NAME: "MODEL_NAME",
    keys.MODEL_TYPE: "MODEL_TYPE",
}


def pod_template(training: Training, replica: str) -> dict[str, Any]:
    container = with_env(_container(training, worker=replica == "worker"), _environment(training))
    metadata = without_empty({"labels": training.labels(replica), "annotations": training.annotations()})
    spec: dict[str, Any] = {"restartPolicy": "Never", "containers": [container]}
    template: dict[str, Any] = {"metadata": metadata, "spec": spec}
    if keys.STORAGE_SIZE in training.effective:
        claim = {"claimName": names.claim(training.manifest.name)}
        spec["volumes"] = [{"name": "storage", "persistentVolumeClaim": claim}]
    for volume, mount in _mounts(training, launcher=replica == "launcher"):
        template = with_volume(template, volume, mount)
    return change_template(template, training.effective, training.settings)


def _container(training: Training, *, worker: bool) -> dict[str, Any]:
    trainer, mpi = training.manifest.spec.trainer, training.mpi
    container: dict[str, Any] = {"name": CONTAINER, "image": trainer.image or training.settings.trainingjob.image}
    if mpi and worker:
        container["command"] = _SSHD
    else:
        words_of = {"command": trainer.command, "args": trainer.args}
        container |= {field: words for field, words in words_of.items() if words is not None}
    if trainer.env:
        container["env"] = dumps(trainer.env)
    if trainer.resourcesPerNode and (worker or not mpi):
        container["resources"] = with_whole_pairs(dump(trainer.resourcesPerNode))
    if not mpi:
        container["ports"] = [{"name": "rendezvous", "containerPort": PORT, "protocol": "TCP"}]
    return container


def _environment(training: Training) -> list[dict[str, Any]]:
    spec, effective = training.manifest.spec, training.effective
    values: dict[str, Any] = {name: effective[key] for key, name in _KEYS.items() if key in effective}
    if spec.compartmentID:
        values["OCI_COMPARTMENT_ID"] = spec.compartmentID
    if spec.modelConfig.inputModel:
        values["INPUT_MODEL"] = spec.modelConfig.inputModel
    output = spec.modelConfig.outputModel
    if output and output.storageUri:
        values["OUTPUT_MODEL_URI"] = output.storageUri
    uris = [data.storageUri for data in spec.datasets if data.storageUri]
    if uris:
        values["DATASET_URIS"] = ",".join(uris)
    if spec.hyperParameterTuningConfig:
        values["HYPERPARAMETERS"] = json.dumps(dump(spec.hyperParameterTuningConfig), sort_keys=True)
    if keys.STORAGE_SIZE in effective:
        values["CHECKPOINT_DIR"] = f"{PATH}/checkpoints"
    variables = [{"name": name, "value": value} for name, value in values.items()]
    return [*variables, *(_mpi() if training.mpi else _torch(training))]


def _torch(training: Training) -> Iterator[dict[str, Any]]:
    """Variables for torchrun (PET_…), and the same for programs that don't use it."""
    count = nodes(training.manifest.spec)
    processes = training.manifest.spec.trainer.numProcPerNode or "auto"
    first = _master(training)
    yield {"name": "PET_NPROC_PER_NODE", "value": processes}
    for name, value in (("NNODES", str(count)), ("MASTER_ADDR", first), ("MASTER_PORT", str(PORT))):
        yield {"name": f"PET_{name}", "value": value}
        yield {"name": name, "value": value}
    if count > 1:
        source = {"fieldRef": {"apiVersion": "v1", "fieldPath": _INDEX}}
        yield {"name": "PET_NODE_RANK", "valueFrom": source}
        yield {"name": "NODE_RANK", "valueFrom": source}


def _master(training: Training) -> str:
    name = training.manifest.name
    if nodes(training.manifest.spec) == 1:
        return "localhost"
    return f"{name}-worker-0-0.{name}" if training.settings.trainingjob.backend == "JobSet" else f"{name}-0.{name}"


def _mpi() -> Iterator[dict[str, Any]]:
    yield {"name": "OMPI_MCA_orte_default_hostfile", "value": f"{_HOSTFILE}/hostfile"}
    yield {"name": "OMPI_MCA_plm_rsh_args", "value": "-o StrictHostKeyChecking=no -o ConnectionAttempts=10"}


def _mounts(training: Training, *, launcher: bool) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    manifest, ssh_keys = training.manifest, training.settings.trainingjob.sshSecret
    if training.mpi and launcher:
        volume = {"name": "hostfile", "configMap": {"name": f"{manifest.name}-hostfile"}}
        yield volume, {"name": "hostfile", "mountPath": _HOSTFILE}
    if training.mpi and ssh_keys:
        secret = {"secretName": ssh_keys, "defaultMode": 0o600}
        yield {"name": "ssh", "secret": secret}, {"name": "ssh", "mountPath": _SSH, "readOnly": True}
    output = manifest.spec.modelConfig.outputModel
    if output:
        yield from _claim("output", output.storageUri, "/mnt/output")
    for index, data in enumerate(manifest.spec.datasets):
        yield from _claim(f"dataset-{index}", data.storageUri, f"/mnt/datasets/{index}")


def _claim(name: str, uri: str | None, path: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Volume and mount of a ``pvc://`` URI; other URIs are left to the trainer."""
    place = place_on_claim(uri)
    if place:
        volume = {"name": name, "persistentVolumeClaim": {"claimName": place["claim"]}}
        yield volume, {"name": name, "mountPath": path, "subPath": place["path"]}
