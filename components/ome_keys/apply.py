"""OME's documented keys on what another family has rendered for one service."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object, Rendered
from ..kubernetes.pod_edits import with_env
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.status import Condition, ServiceStatus
from . import keys
from .findings import problems
from .labels import labelled, with_layers, with_metadata
from .objects import CLAIM, before, beside
from .persistent_volume_claim import claim_name
from .pod_template import VARIABLES, change_template
from .pods import Template, main, with_containers, with_main, with_volumes
from .scaling import scale_of, scaler
from .service import Keys, Workload, main_first, with_template, workloads
from .settings import KeySettings

VIRTUAL = "VirtualDeployment"


def apply_keys(manifest: Manifest, rendered: Rendered, settings: KeySettings) -> Rendered:
    """The rendered service as its documented keys change it; the same where it has none."""
    known = Keys.of(manifest, settings)
    if known is None:
        return rendered
    if known.effective.get(keys.DEPLOYMENT_MODE) == VIRTUAL:
        return replace(rendered, objects={}, parts={}, shared=(), chart=(), layers={}, observe=_virtual)
    changed = _changed(known, rendered) if known.effective and workloads(rendered) else rendered
    return replace(changed, problems=(*rendered.problems, *problems(known, rendered, changed)))


def _virtual(_live: Mapping[str, Any]) -> ServiceStatus:
    """A service of which nothing runs here is ready at once, as OME has it."""
    return ServiceStatus("Ready", conditions=(Condition("Ready", "True", VIRTUAL),))


def _changed(known: Keys, rendered: Rendered) -> Rendered:
    labels = known.placed("label")
    objects = {role: labelled(obj, labels) for role, obj in rendered.objects.items()}
    for one in workloads(replace(rendered, objects=objects)):
        objects[one.role] = _with_keys(known, one, rendered)
    scale = scale_of(known, rendered)
    made = scaler(scale, labels) if scale else None
    if scale and made:
        objects[scale.workload.role] = _without_replicas(objects[scale.workload.role])
    after = {**({made[0]: made[1]} if made else {}), **dict(beside(known, rendered, labels))}
    layers = {role: with_layers(known, each) if role in objects else each for role, each in rendered.layers.items()}
    return replace(
        rendered,
        objects={**dict(before(known, labels)), **objects, **after},
        parts={role: part.with_objects(lambda obj: labelled(obj, labels)) for role, part in rendered.parts.items()},
        layers=layers,
    )


def _with_keys(known: Keys, workload: Workload, rendered: Rendered) -> Object:
    """A workload and its pods with everything that the keys ask of them."""
    result = with_metadata(known, workload, rendered.layers.get(workload.role))
    for path, _ in pod_templates(workload.obj):
        result = with_template(result, path, partial(_pods, known))
    return result


def _pods(known: Keys, template: Template) -> dict[str, Any]:
    order = [container["name"] for container in template["spec"]["containers"]]
    changed = main_first(template)
    if keys.STORAGE_SIZE in known.effective:
        changed = with_volumes(
            changed, [{"name": CLAIM, "persistentVolumeClaim": {"claimName": claim_name(known.manifest.name)}}]
        )
    if keys.MODEL_STORAGE_URI in known.effective:
        # The family's own field says where the model is: the server gets the key as a variable, nothing is mounted.
        entry = {"name": VARIABLES[keys.MODEL_STORAGE_URI], "value": known.effective[keys.MODEL_STORAGE_URI]}
        changed = with_main(changed, with_env(main(changed), [entry]))
    effective = {key: value for key, value in known.effective.items() if key != keys.MODEL_STORAGE_URI}
    changed = change_template(changed, effective, known.settings)
    return with_containers(changed, sorted(changed["spec"]["containers"], key=lambda item: order.index(item["name"])))


def _without_replicas(obj: Object) -> Object:
    """Whatever scales a workload has its number of pods."""
    return {**obj, "spec": {field: value for field, value in obj["spec"].items() if field != "replicas"}}
