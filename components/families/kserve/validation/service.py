"""Checks of a service: of its effective spec, and of the finished pods."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines.server_groups import group_problems
from ....findings import Problem
from ....kubernetes.model import dump, read
from ....kubernetes.pod import MERGE_KEYS, PodSpec
from ....kubernetes.pod_checks import pod_problems
from ....kubernetes.rendered import RenderedComponent
from ....kubernetes.scalars import describe
from ....kubernetes.values import mappings, repeated, value_at
from .. import names, resource_claim_template, scheduler, tokenizer, workload
from ..context import Service, Workload
from ..labels import propagation_problems
from ..places import Indices, path_in_manifest
from ..pods import MAIN, container
from ..scheduler_arguments import POD, TARGET
from .download import place_problems
from .model import kv_problems, main_problems, model_problems, workload_problems
from .router import router_problems, scheduler_problems
from .serving import scheme_problems, server_problems, serving_problems, tokenizer_problems

_GROUPS = "leaderWorkerTemplate"


def problems(service: Service) -> Iterator[Problem]:
    yield from local_problems(service)
    for path, pod in [item for each in service.workloads for item in each.pods]:
        yield from main_problems(pod, path)
    yield from serving_problems(service)
    yield from router_problems(service)
    yield from scheduler_problems(service)
    yield from propagation_problems(service, _targets(service))


def local_problems(service: Service) -> Iterator[Problem]:
    """Problems that can be found without the presets."""
    yield from model_problems(service)
    for each in service.workloads:
        yield from workload_problems(each, service)
        yield from kv_problems(each)
    yield from resource_claim_template.problems(service)


def _targets(service: Service) -> frozenset[str]:
    """The objects and pods of the service that labels and annotations can reach."""
    places = [workload.targets(each) for each in service.workloads]
    if service.has_scheduler:
        places.append((TARGET, {"spec.template": POD}))
    return frozenset(target for obj, templates in places for target in (obj, *templates.values()))


def list_problems(value: Any, path: str = "spec") -> Iterator[Problem]:
    """List items that a merge would combine, and items that are null.

    For a repeated variable, the API server uses the last value.
    """
    if isinstance(value, list):
        for index, item in enumerate(value):
            if item is None:
                yield Problem(f"{path}[{index}]", "is null; remove it, or give it a value", code="bad-value")
            yield from list_problems(item, f"{path}[{index}]")
    elif isinstance(value, Mapping):
        for field, item in value.items():
            if field in MERGE_KEYS and isinstance(item, list):
                yield from _repeated_items(item, f"{path}.{field}", MERGE_KEYS[field])
            yield from list_problems(item, f"{path}.{field}")


def _repeated_items(items: list[Any], path: str, identity: str) -> Iterator[Problem]:
    names = [item.get(identity) if isinstance(item, Mapping) else None for item in items]
    for index, _, first in repeated(str(name) if isinstance(name, str | int) else None for name in names):
        message = f"{describe(names[index])} is listed twice, first at {path}[{first}]; keep one"
        severity = "warning" if path.endswith(".env") else "error"
        yield Problem(f"{path}[{index}].{identity}", message, severity, "duplicate")


def rendered_problems(service: Service, rendered: RenderedComponent) -> Iterator[Problem]:
    """Problems that only the finished objects show: in their pods, and names that are too long."""
    stated = dump(service.sources[-1].spec)
    known: Indices = {}
    for path, pod in _pods(service, rendered):
        template = value_at(stated, *path.split(".")[1:])
        model, unreadable = read(PodSpec, pod)
        wrong = unreadable if model is None else [*pod_problems(model, ""), *scheme_problems(pod, tls=service.tls)]
        if ".router." not in path:
            wrong += [*server_problems(pod, service.model_name), *place_problems(pod)]
        elif ".tokenizer." in path:
            wrong += tokenizer_problems(pod)
        for problem in wrong:
            inner = path_in_manifest(problem.path.lstrip("."), pod, template, known)
            yield replace(problem, path=f"{path}.{inner}")
    for each in service.workloads:
        if each.multi_node:
            yield from _group_problems(each, rendered)
            name = rendered.objects[workload.workload_role(each)]["metadata"]["name"]
            groups = each.spec.scaling.maxReplicas if each.spec.scaling else each.spec.replicas
            queued = workload.is_queued(service, each)
            yield from names.group_name_problem(name, groups or 1, queued=queued)


def _group_problems(each: Workload, rendered: RenderedComponent) -> Iterator[Problem]:
    groups = rendered.objects[workload.workload_role(each)]["spec"][_GROUPS]
    leader, worker = (container(groups.get(name, {}).get("spec", {})) for name in ("leaderTemplate", "workerTemplate"))
    for problem in group_problems(leader, worker, each.size) if leader and worker else ():
        yield replace(problem, path=f"{each.path}.worker.containers[{MAIN}].{problem.path}")


def _pods(service: Service, rendered: RenderedComponent) -> Iterator[tuple[str, Any]]:
    """Path in the manifest and spec of each pod."""
    for each in service.workloads:
        spec = rendered.objects[workload.workload_role(each)]["spec"]
        if each.multi_node:
            groups = spec[_GROUPS]
            fields = {"template": "leaderTemplate", "worker": "workerTemplate"}
            pods = {field: groups[name] for field, name in fields.items() if name in groups}
        else:
            pods = {"template": spec["template"]}
        for field, template in pods.items():
            yield f"{each.path}.{field}", template["spec"]
    path = "spec.router.scheduler"
    if service.has_scheduler:
        picker = rendered.parts[scheduler.PART].objects[scheduler.ROLE]
        yield f"{path}.template", picker["spec"]["template"]["spec"]
    if tokenizer.wanted(service):
        yield f"{path}.tokenizer.template", rendered.objects[tokenizer.ROLE]["spec"]["template"]["spec"]


_POOL = "router.scheduler.pool.spec"
_OLDER = {f"{_POOL}.extensionRef": "endpointPickerRef", f"{_POOL}.targetPortNumber": "targetPorts"}
"""Fields that only v1alpha1 has, with their v1alpha2 names."""
_NEWER = (
    "kvCacheOffloading",
    "prefill.kvCacheOffloading",
    "model.confidential",
    f"{_POOL}.appProtocol",
    f"{_POOL}.endpointPickerRef",
    f"{_POOL}.targetPorts",
)
"""Fields of v1alpha2."""


def version_problems(api_version: str, spec: Mapping[str, Any]) -> Iterator[Problem]:
    """``spec`` is a service's or config's spec as it was written."""
    older = api_version.endswith("/v1alpha1")
    yield from _criticality_problems(spec, older=older)
    here, there = ("v1alpha1", "v1alpha2") if older else ("v1alpha2", "v1alpha1")
    for path, advice in (dict.fromkeys(_NEWER, "v1alpha2") if older else _OLDER).items():
        if value_at(spec, *path.split(".")) is not None:
            message = f"is a field of {there}, which KServe drops from a {here} object; write {advice}"
            yield Problem(f"spec.{path}", message, "warning", "other-version")


def _criticality_problems(spec: Mapping[str, Any], *, older: bool) -> Iterator[Problem]:
    adapters = mappings(value_at(spec, "model", "lora", "adapters"))
    fields = [("spec.model.criticality", value_at(spec, "model", "criticality"))]
    fields += [(f"spec.model.lora.adapters[{i}].criticality", a.get("criticality")) for i, a in enumerate(adapters)]
    for path, value in fields:
        if value is None:
            continue
        if older:
            message = "has no effect, because the InferenceModel that it belonged to no longer exists"
            yield Problem(path, message, "warning", "no-effect")
        else:
            message = "is not a known field of this version, only of v1alpha1; remove it"
            yield Problem(path, message, code="unknown-field")
