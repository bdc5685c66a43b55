"""Workloads that were taken over and keep their pods: data beside the manifests, applied to rendered objects.

This program renders other scripts, orders and defaults than an operator, and another pod template restarts every pod.
So ``adopt`` records the live template of each workload that it takes over, with a hash of the template that the
manifests rendered then. As long as they render the same template, the live one is registered. When they render another
one, a restart is due anyway and the rendered one is registered. A selector can never change, so the live one stays.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..findings import Finding, InvalidManifests, Problem
from ..kubernetes.engine_values import engine_problems
from ..kubernetes.list_keys import without_duplicates
from ..kubernetes.model import Spec, read
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.rendered import RenderedComponent, RenderedObject
from ..kubernetes.scalars import FreeForm, Name, Text
from ..kubernetes.spelling import listed
from ..kubernetes.status import ServiceStatus
from ..kubernetes.yaml_text import document
from ..manifests.documents import parse
from ..manifests.files import text_of
from .kept import KeptObject, is_in_use, keep_fields, moved_ports, stale
from .plan import StackPlan

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("template",),
    "Job": ("template",),
    "LeaderWorkerSet": ("leaderWorkerTemplate",),
    "RayCluster": ("headGroupSpec", "workerGroupSpecs"),
    "serving.knative.dev/Service": ("template",),
}
"""The spec fields that restart a workload's pods, by kind (with its group if the kind's name is ambiguous)."""

CHANGED = "changed before the take-over"
"""In place of a hash: the manifests differ from what the live template was made of."""

_SHOWN = 3

HEADER = """\
# Written by `modelservices adopt`: workloads that keep the pod template they ran with when they were taken over.
# An entry's template is used as long as the manifests render the same as then (the hash in `rendered`); after the next
# change of the service it is out of use. The selector can never change: it is needed as long as the workload is there.
"""


class AdoptedWorkload(Spec):
    apiVersion: Name
    """API version of the workload."""
    kind: Name
    """Its kind."""
    namespace: Text = ""
    """Its namespace."""
    name: Name
    """Its name."""
    rendered: Name
    """Hash of the pod template that the manifests rendered when it was taken over."""
    selector: FreeForm = None
    """Its selector, if its kind has one that can't change."""
    spec: dict[Text, FreeForm]
    """The fields of its live spec that hold the pod template."""
    due: list[Text] = []
    """Fields in which the manifests differ from what the live template was made of."""

    @property
    def identity(self) -> Key:
        return Key(self.apiVersion, self.kind, self.namespace, self.name)


class AdoptedFile(Spec):
    workloads: list[AdoptedWorkload] = []
    """The workloads that keep their pods."""
    objects: list[KeptObject] = []
    """Objects that follow them: those that name their ports and labels, and mounted configurations and certificates."""


def adopted_file(stack: str) -> str:
    """Default path of a stack's adopted workloads, beside the folder of its manifests."""
    return f"stacks/{stack}.adopted.yaml"


def load_adopted(path: Path) -> AdoptedFile:
    """The entries of a file; none without a file. Raises InvalidManifests with every problem."""
    text = text_of(path)
    if isinstance(text, Finding):
        if text.code == "not-found":
            return AdoptedFile()
        raise InvalidManifests([text])
    documents, findings = parse(text, str(path))
    if findings:
        raise InvalidManifests(findings)
    data = documents[0].data if documents else {}
    model, problems = read(AdoptedFile, data)
    problems += engine_problems(data)
    if model is None or problems:
        raise InvalidManifests(Finding.of(problem, str(path), "adopted workloads") for problem in problems)
    return model


def dump_adopted(workloads: Iterable[AdoptedWorkload], objects: Iterable[KeptObject] = ()) -> str:
    """The text of the file."""
    following = {"objects": _entries(objects)} if objects else {}
    return HEADER + document({"workloads": _entries(workloads), **following})


def _entries(models: Iterable[AdoptedWorkload | KeptObject]) -> list[dict[str, Any]]:
    in_order = sorted(models, key=lambda model: model.identity)
    return [{k: v for k, v in model.model_dump().items() if v not in ("", None, {}, [])} for model in in_order]


def template_fields(obj: Mapping[str, Any]) -> tuple[str, ...]:
    """The spec fields that restart an object's pods; empty unless it is a workload."""
    group = obj["apiVersion"].rpartition("/")[0]
    return TEMPLATES.get(f"{group}/{obj['kind']}") or TEMPLATES.get(obj["kind"], ())


def template_of(obj: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a workload's spec that restarts its pods."""
    return {name: obj["spec"][name] for name in template_fields(obj) if name in obj["spec"]}


def template_hash(obj: Object) -> str:
    """A hash of a workload's pod template."""
    text = json.dumps(template_of(obj), sort_keys=True, default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def adopted_workload(rendered: Object, live: Mapping[str, Any]) -> AdoptedWorkload:
    """The entry with which a live workload keeps its pods."""
    identity = key(rendered)
    return AdoptedWorkload(
        apiVersion=identity.api_version,
        kind=identity.kind,
        namespace=identity.namespace,
        name=identity.name,
        rendered=template_hash(rendered),
        selector=live["spec"].get("selector") if "selector" in rendered["spec"] else None,
        spec=without_duplicates(_without_timestamps(template_of(live))),
    )


def out_of_use(workload: AdoptedWorkload) -> AdoptedWorkload:
    """The entry of a workload whose service has changed already: only its selector is kept."""
    return workload.model_copy(update={"rendered": CHANGED})


def _without_timestamps(value: Any) -> Any:
    """Remove empty ``creationTimestamp`` fields, which the API server writes into templates."""
    if isinstance(value, Mapping):
        return {k: _without_timestamps(v) for k, v in value.items() if (k, v) != ("creationTimestamp", None)}
    return [_without_timestamps(item) for item in value] if isinstance(value, list) else value


def keep_pods(obj: Object, workload: AdoptedWorkload) -> Object:
    """A rendered workload with the live selector, and with the live template while the manifests render the same."""
    spec = {**obj["spec"], **({"selector": workload.selector} if workload.selector else {})}
    if template_hash(obj) == workload.rendered:
        return {**obj, "spec": {**spec, **workload.spec}}
    labels = (workload.selector or {}).get("matchLabels")
    return {**obj, "spec": {**spec, "template": _labelled(spec["template"], labels)} if labels else spec}


def _labelled(template: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    metadata = template.get("metadata") or {}
    return {**template, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), **labels}}}


def with_adopted(plan: StackPlan, adopted: AdoptedFile, file: str) -> StackPlan:
    """The plan in which adopted workloads keep their pods, and their followers their fields, with a finding for each
    entry that is out of use."""
    if not adopted.workloads:
        return plan
    entries = {workload.identity: workload for workload in adopted.workloads}
    rendered = {key(obj): obj for obj in plan.all_objects()}
    keeping = {str(w.identity) for w in adopted.workloads if _is_kept(w, rendered)}
    kept = {entry.identity: entry for entry in adopted.objects if is_in_use(entry, rendered, keeping)}
    problems = [(w.identity, problem) for w in adopted.workloads for problem in _stale(w, rendered)]
    problems += [(entry.identity, stale(entry)) for entry in adopted.objects if entry.identity not in kept]

    def change(obj: Object) -> Object:
        return _kept(obj, entries, kept)

    return replace(
        plan,
        services=tuple(_service(service, change, kept) for service in plan.services),
        single=tuple(record.with_body(change(record.body)) for record in plan.single),
        findings=(*plan.findings, *(Finding.of(problem, file, str(identity)) for identity, problem in problems)),
    )


def _is_kept(workload: AdoptedWorkload, rendered: Mapping[Key, Object]) -> bool:
    obj = rendered.get(workload.identity)
    return obj is not None and template_hash(obj) == workload.rendered


def _kept(obj: Object, entries: Mapping[Key, AdoptedWorkload], kept: Mapping[Key, KeptObject]) -> Object:
    identity = key(obj)
    if identity in entries:
        return keep_pods(obj, entries[identity])
    return keep_fields(obj, kept[identity]) if identity in kept else obj


def _service(
    service: RenderedComponent, change: Callable[[Object], Object], kept: Mapping[Key, KeptObject]
) -> RenderedComponent:
    """A service with its kept objects: its endpoint has the live port of its Service, and its certificate stays."""
    changed = service.with_objects(change).changed(lambda record: _with_live_certificate(record, kept))
    ports = list(moved_ports(service.all_objects(), changed.all_objects()))
    observe = service.observe
    if not ports or observe is None:
        return changed
    return replace(changed, observe=lambda live: _moved(observe(live), ports))


def _with_live_certificate(record: RenderedObject, kept: Mapping[Key, KeptObject]) -> RenderedObject:
    if record.certificate is None or record.key not in kept:
        return record
    return replace(record, certificate=record.certificate._replace(is_live=True))


def _moved(status: ServiceStatus, ports: Iterable[tuple[str, int, int]]) -> ServiceStatus:
    for name, before, after in ports:
        if f"//{name}." in status.endpoint:
            return replace(status, endpoint=re.sub(rf":{before}(?=/|$)", f":{after}", status.endpoint))
    return status


def _stale(workload: AdoptedWorkload, rendered: Mapping[Key, Object]) -> Iterator[Problem]:
    obj = rendered.get(workload.identity)
    if obj is None:
        message = "is no longer rendered; remove the entry"
        yield Problem("", message, severity="warning", code="stale-adoption")
    elif template_hash(obj) != workload.rendered:
        needed = workload.selector and workload.selector != obj["spec"].get("selector")
        rest = "; its selector is needed as long as the workload is there" if needed else ": remove the entry"
        message = f"the model service has changed since it was taken over, so the manifest's template is used{rest}"
        yield Problem("rendered", message, severity="info" if needed else "warning", code="stale-adoption")
    elif workload.due:
        message = (
            f"the manifests have another {listed(workload.due, _SHOWN)}, but the pods keep what they were taken over "
            "with until the model service changes; remove the entry to restart them with it now"
        )
        yield Problem("due", message, severity="warning", code="adopted-change-is-due")
