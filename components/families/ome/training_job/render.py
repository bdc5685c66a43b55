"""A TrainingJob as a JobSet, an Indexed Job or a Kubeflow TrainJob."""

from collections.abc import Callable, Mapping
from functools import partial

from ....kubernetes.objects import Object
from ....kubernetes.rendered import RenderedComponent, owned_records
from ....ome_keys.persistent_volume_claim import claim, claim_name
from ..job_status import observe_job
from .config_map import hosts_config
from .context import Training, sizes_of
from .job import job
from .job_set import job_set
from .service import headless_service
from .spec import nodes
from .train_job import train_job
from .validation import problems

COMPONENT = "TrainingJobComponent"
_ROLES = {"JobSet": "job-set", "Job": "job", "TrainJob": "train-job"}


def rendered(training: Training) -> RenderedComponent:
    """All objects of a job, by role."""
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    role = _ROLES[backend]
    objects = {**_before(training), role: _BACKENDS[backend](training)}
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
    """What the pods need."""
    manifest, backend = training.manifest, training.settings.trainingjob.backend
    objects: dict[str, Object] = {}
    if backend == "Job" and nodes(manifest.spec) > 1:
        objects["service"] = headless_service(training)
    if training.mpi and backend == "JobSet":
        objects["hostfile"] = hosts_config(training)
    storage = claim(claim_name(manifest.name), manifest.namespace, training.labels(), training.effective)
    if storage and backend != "TrainJob":
        objects["storage"] = storage
    return objects


_BACKENDS: Mapping[str, Callable[[Training], Object]] = {"JobSet": job_set, "Job": job, "TrainJob": train_job}
