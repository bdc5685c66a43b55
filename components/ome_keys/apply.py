"""OME's documented keys on what another family has rendered for one service."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_edits import with_env
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.propagation import Propagation
from ..kubernetes.rendered import RenderedComponent, RenderedObject, owned_records
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


def apply_keys(manifest: Manifest, rendered: RenderedComponent, settings: KeySettings) -> RenderedComponent:
    """The rendered service as its documented keys change it; the same where it has none."""
    known = Keys.of(manifest, settings)
    if known is None:
        return rendered
    if known.effective.get(keys.DEPLOYMENT_MODE) == VIRTUAL:
        return replace(rendered, records=(), parts={}, observe=_virtual)
    changed = _changed(known, rendered) if known.effective and workloads(rendered) else rendered
    return replace(changed, problems=(*rendered.problems, *problems(known, rendered, changed)))


def _virtual(_live: Mapping[str, Any]) -> ServiceStatus:
    """A service of which nothing runs here is ready at once, as OME has it."""
    return ServiceStatus("Ready", conditions=(Condition("Ready", "True", VIRTUAL),))


def _changed(known: Keys, rendered: RenderedComponent) -> RenderedComponent:
    labels = known.placed("label")
    shown = rendered.with_objects(lambda obj: labelled(obj, labels))
    serving = {one.role: one for one in workloads(shown)}
    scale = scale_of(known, rendered)
    made = scaler(scale, labels) if scale else None
    scaled = scale.workload.role if scale and made else None

    def change(record: RenderedObject) -> RenderedObject:
        if record.lifetime != "own":
            return record
        body = _with_keys(known, serving[record.role], record.layers) if record.role in serving else record.body
        body = _without_replicas(body) if record.role == scaled else body
        return replace(record, body=body, layers=with_layers(known, record.layers) if record.layers else None)

    added = [*([made] if made else []), *beside(known, rendered, labels)]
    records = [*owned_records(before(known, labels)), *map(change, shown.records), *owned_records(added)]
    return replace(shown, records=tuple(_last_of_each_role(records))).of(rendered.source)


def _last_of_each_role(records: Iterable[RenderedObject]) -> Iterable[RenderedObject]:
    """An object of the keys takes the place of the family's object of the same role."""
    return {(record.lifetime, record.role): record for record in records}.values()


def _with_keys(known: Keys, workload: Workload, layers: Propagation | None) -> Object:
    """A workload and its pods with everything that the keys ask of them."""
    result = with_metadata(known, workload, layers)
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
        # A field of the family says where the model is: the server gets the key as a variable, nothing is mounted.
        entry = {"name": VARIABLES[keys.MODEL_STORAGE_URI], "value": known.effective[keys.MODEL_STORAGE_URI]}
        changed = with_main(changed, with_env(main(changed), [entry]))
    effective = {key: value for key, value in known.effective.items() if key != keys.MODEL_STORAGE_URI}
    changed = change_template(changed, effective, known.settings)
    return with_containers(changed, sorted(changed["spec"]["containers"], key=lambda item: order.index(item["name"])))


def _without_replicas(obj: Object) -> Object:
    """Whatever scales a workload has its number of pods."""
    return {**obj, "spec": {field: value for field, value in obj["spec"].items() if field != "replicas"}}
