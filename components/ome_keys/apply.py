"""OME's documented keys on what another family has rendered for one service: what they change, and what they can't do
there, or its manifest contradicts."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from ..findings import Problem
from ..kubernetes.labels import QUEUE
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object
from ..kubernetes.pod_edits import with_env
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.propagation import Propagation
from ..kubernetes.rendered import RenderedComponent, RenderedObject, owned_records
from ..kubernetes.status import Condition, ServiceStatus
from . import keys
from .flags import overridden, path_of
from .labels import label_problems, labelled, scheduling, with_layers, with_metadata
from .names import leader_worker_set_limit
from .objects import beside, has_monitor, persistent_volume_claim, storage_problems
from .pod_template import (
    VARIABLES,
    Template,
    change_template,
    contradictions,
    main,
    security_problems,
    with_containers,
    with_main,
)
from .presence import KNATIVE, is_ome_key
from .scaling import scale_of, scale_problems, scaler
from .service import Keys, Workload, main_first, with_template, workloads
from .settings import KeySettings
from .vocabulary import vocabulary

VIRTUAL = "VirtualDeployment"


def apply_keys(manifest: Manifest, rendered: RenderedComponent, settings: KeySettings) -> RenderedComponent:
    """The rendered service with its documented keys applied; unchanged if it has none."""
    known = Keys.of(manifest, settings)
    if known is None:
        return rendered
    if known.effective.get(keys.DEPLOYMENT_MODE) == VIRTUAL:
        # A service of which nothing runs here is ready at once, as OME has it.
        ready = ServiceStatus("Ready", conditions=(Condition("Ready", "True", VIRTUAL),))
        return replace(rendered, records=(), parts={}, observe=lambda _live: ready)
    changed = _changed(known, rendered) if known.effective and workloads(rendered) else rendered
    return replace(changed, problems=(*rendered.problems, *problems(known, rendered, changed)))


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
        if record.role == scaled:  # whatever scales a workload has its number of pods
            body = {**body, "spec": {field: value for field, value in body["spec"].items() if field != "replicas"}}
        return replace(record, body=body, layers=with_layers(known, record.layers) if record.layers else None)

    added = [*([made] if made else []), *beside(known, rendered, labels)]
    claim = persistent_volume_claim(known.manifest.name, known.manifest.namespace, labels, known.effective)
    records = [*owned_records(claim), *map(change, shown.records), *owned_records(added)]
    # An object of the keys takes the place of the family's object of the same role.
    last_of_each_role = {(record.lifetime, record.role): record for record in records}
    return replace(shown, records=tuple(last_of_each_role.values())).of(rendered.source)


def _with_keys(known: Keys, workload: Workload, layers: Propagation | None) -> Object:
    result = with_metadata(known, workload, layers)
    for path, _ in pod_templates(workload.obj):
        result = with_template(result, path, partial(_pods, known))
    return result


def _pods(known: Keys, template: Template) -> dict[str, Any]:
    order = [container["name"] for container in template["spec"]["containers"]]
    changed = main_first(template)
    if keys.MODEL_STORAGE_URI in known.effective:
        # The spec says where the model is, so the server gets the key as a variable and nothing is mounted.
        entry = {"name": VARIABLES[keys.MODEL_STORAGE_URI], "value": known.effective[keys.MODEL_STORAGE_URI]}
        changed = with_main(changed, with_env(main(changed), [entry]))
    effective = {key: value for key, value in known.effective.items() if key != keys.MODEL_STORAGE_URI}
    changed = change_template(changed, effective, known.settings, known.manifest.name)
    return with_containers(changed, sorted(changed["spec"]["containers"], key=lambda item: order.index(item["name"])))


def problems(known: Keys, rendered: RenderedComponent, changed: RenderedComponent) -> Iterator[Problem]:
    """Each problem once, even if several workloads have it. ``changed`` is ``rendered`` with the keys applied."""
    yield from _of_ome_only(known)
    yield from _of_knative_only(known)
    made = workloads(changed)
    if not made:
        if known.effective:
            message = f"the model service runs no pods here, so {' and '.join(known.effective)} has no effect"
            yield Problem("metadata", message, "warning", "no-effect")
        return
    parts = [_mode_problems(known, made), _source_problems(known), _monitor_problems(known, rendered)]
    scale = scale_of(known, rendered)
    parts += [scale_problems(scale)] if scale else []
    parts += [storage_problems(known.effective, _most_pods(changed, made))]
    parts += [_of_workload(known, one) for one in made]
    yield from dict.fromkeys(chain.from_iterable(parts))


def _of_ome_only(known: Keys) -> Iterator[Problem]:
    """Keys that OME's controllers know but its documentation does not list."""
    metadata, known_keys = known.manifest.metadata, vocabulary()
    for place, values in (("labels", metadata.labels), ("annotations", metadata.annotations)):
        for key in values:
            if is_ome_key(key) and key not in known_keys.entries and known_keys.upstream_key(key):
                message = f"has no effect on this kind ({known.manifest.kind}), because only OME's services support it"
                yield Problem(f'metadata.{place}["{key}"]', f"{message}; remove it", "warning", "no-effect", key)


def _of_knative_only(known: Keys) -> Iterator[Problem]:
    """Only OME's family makes Knative Services, but another tool may read these keys, so this is just a note."""
    for key in sorted(KNATIVE):
        if key in known.manifest.metadata.annotations:
            message = f"has no effect on this kind ({known.manifest.kind}), because Knative does not scale it"
            yield Problem(path_of(key), f"{message}; remove it", "info", "no-effect", key)


def _of_workload(known: Keys, workload: Workload) -> Iterator[Problem]:
    template = main_first(workload.template)
    yield from label_problems(known, workload)
    yield from contradictions(template, known.effective, known.settings)
    yield from security_problems(template, known.effective, path_of(keys.SECURITY_POD_SECURITY_POLICY))
    longest = len(workload.name) + len(str(max(workload.obj["spec"].get("replicas", 1) - 1, 0))) - 1
    limit = leader_worker_set_limit(queued=True)
    if workload.obj["kind"] == "LeaderWorkerSet" and QUEUE in scheduling(known) and longest > limit:
        message = (
            f"is {longest - limit} characters too long for groups in a Kueue queue, whose name would be "
            f"{workload.name}; shorten it"
        )
        yield Problem("metadata.name", message, code="name-too-long")


def _mode_problems(known: Keys, made: tuple[Workload, ...]) -> Iterator[Problem]:
    """The family chooses the workload: a deployment mode can only agree with it or have no effect."""
    mode = known.effective.get(keys.DEPLOYMENT_MODE)
    kinds = {one.obj["kind"] for one in made}
    fits = {
        "RawDeployment": kinds == {"Deployment"},
        "MultiNode": "LeaderWorkerSet" in kinds,
        "PDDisaggregated": len(made) > 1,
    }
    if mode and not fits.get(mode, False):
        what = " and ".join(sorted(kinds))
        message = (
            f"{mode} has no effect on this kind ({known.manifest.kind}), because its spec makes it a {what}; remove it"
        )
        yield Problem(path_of(keys.DEPLOYMENT_MODE), message, "warning", "no-effect", keys.DEPLOYMENT_MODE)


def _source_problems(known: Keys) -> Iterator[Problem]:
    model: Any = getattr(getattr(known.manifest, "spec", None), "model", None)
    uri = known.effective.get(keys.MODEL_STORAGE_URI)
    if uri is not None and getattr(model, "uri", None) != uri:
        why = "the spec says where the model is, so the server gets this key only as a variable"
        yield overridden(keys.MODEL_STORAGE_URI, why)


def _monitor_problems(known: Keys, rendered: RenderedComponent) -> Iterator[Problem]:
    if known.settings.podMonitors and has_monitor(rendered):
        for key in (keys.MONITORING_PORT, keys.MONITORING_PATH):
            if key in known.effective:
                why = "a PodMonitor already scrapes the pods, set by the manifest or the platform's settings"
                yield overridden(key, why)


def _most_pods(rendered: RenderedComponent, made: tuple[Workload, ...]) -> int:
    bounds = [obj["spec"] for obj in rendered.objects.values() if "scaleTargetRef" in obj.get("spec", {})]
    highest = [spec.get("maxReplicas", spec.get("maxReplicaCount", 1)) for spec in bounds]
    return sum(one.obj["spec"].get("replicas", 0 if highest else 1) for one in made) + max(highest, default=0)
