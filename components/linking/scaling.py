"""Autoscalers that measure CPU or memory in percent of the pods' requests, for pods that don't request it.

An HPA then reads no metric and changes nothing; one container without a request is enough. KEDA creates an HPA.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..findings import Problem
from ..kubernetes.pod_templates import containers, pods
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mapping, mappings, value_at
from .places import place_of, place_of_field

_RESOURCES = ("cpu", "memory")
_MOST = ("maxReplicas", "max-replicas", "maxReplicaCount")
"""Names that manifests have for the bound that turns scaling on."""


class _Measured(NamedTuple):
    """A resource that is measured; of one container only if ``container`` is not empty."""

    resource: str
    container: str


def without_requests(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each resource that an autoscaler measures and that a container of its pods does not request."""
    records = list(objects)
    scalers = [record for record in records if record.key.kind in _MEASURED]
    workloads = {tuple(record.key[1:]): record.body for record in records} if scalers else {}
    for record in scalers:
        target = mapping(value_at(record.body, "spec", "scaleTargetRef"))
        workload = workloads.get(
            (target.get("kind") or "Deployment", record.key.namespace, str(target.get("name"))), {}
        )
        for measured in _MEASURED[record.key.kind](record.body["spec"]):
            if names := [*_lacking(workload, measured)]:
                message = (
                    f"the autoscaler measures {measured.resource} against the pods' request, but the container "
                    f"{names[0]} requests none, so nothing is scaled; add a {measured.resource} request"
                )
                yield record.source, Problem(_place(record, measured.resource), message, "warning", "no-request")


def _place(record: RenderedObject, resource: str) -> str:
    path = place_of(record, resource)
    return place_of_field(record, _MOST) if path == record.field else path


def _of_hpa(spec: Mapping[str, Any]) -> Iterator[_Measured]:
    for metric in mappings(spec.get("metrics")):
        source = mapping(metric.get("resource") or metric.get("containerResource"))
        if source.get("name") in _RESOURCES and value_at(source, "target", "type") == "Utilization":
            yield _Measured(str(source["name"]), str(source.get("container") or ""))


def _of_scaled_object(spec: Mapping[str, Any]) -> Iterator[_Measured]:
    for trigger in mappings(spec.get("triggers")):
        parameters = mapping(trigger.get("metadata"))
        kind = trigger.get("metricType") or parameters.get("type") or "Utilization"
        if trigger.get("type") in _RESOURCES and kind == "Utilization":
            yield _Measured(str(trigger["type"]), str(parameters.get("containerName") or ""))


_MEASURED = {"HorizontalPodAutoscaler": _of_hpa, "ScaledObject": _of_scaled_object}


def _lacking(workload: Mapping[str, Any], measured: _Measured) -> Iterator[str]:
    """The containers that don't request what is measured. A limit is also a request."""
    for pod in pods(workload):
        for container in () if _requests(pod.spec, measured.resource) else containers(pod):
            is_measured = not container.ends and measured.container in ("", container.name)
            if is_measured and not _requests(container.body, measured.resource):
                yield container.name


def _requests(holder: Mapping[str, Any], resource: str) -> bool:
    resources = mapping(holder.get("resources"))
    return any(resource in mapping(resources.get(part)) for part in ("requests", "limits"))
