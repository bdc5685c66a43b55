"""Autoscaling of the main workload of a service of another family, from the keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..engines.known import GPU_UTILIZATION, query
from ..engines.server import command_words
from ..findings import Problem
from ..kubernetes.model import dump
from ..kubernetes.objects import Object
from ..kubernetes.pod_templates import containers_of
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.values import value_at
from . import keys, names
from .flags import engine_of, overridden, path_of
from .replicas import Fields, ScalingRequest, fields_of
from .service import MAIN, Keys, Workload, workloads

_SCALERS = frozenset(["HorizontalPodAutoscaler", "ScaledObject"])
_HOW = (keys.TARGET_UTILIZATION, keys.AUTOSCALING_ENABLE_KEDA, keys.AUTOSCALING_METRIC, keys.AUTOSCALING_TARGET)
"""Keys that say how to scale; others give the bounds."""


@dataclass(frozen=True)
class Scale:
    """The main workload, its fields in the manifest, and the keys' request."""

    keys: Keys
    workload: Workload
    fields: Fields
    request: ScalingRequest
    scaler: Object | None
    """Autoscaler that the family itself makes."""

    @property
    def count(self) -> int | None:
        """Number of pods by the manifest, otherwise by the rendered workload."""
        stated = value_at(dump(self.keys.manifest), *self.fields.replicas)
        return stated if stated is not None else self.workload.obj["spec"].get("replicas")

    @property
    def low(self) -> int:
        return self.request.from_count(self.count)

    @property
    def is_asked_for(self) -> bool:
        """Whether the keys give an upper bound that leaves room to scale, and the manifest does not contradict it."""
        agrees = self.count in (None, self.low)
        least = self.low if self.request.with_keda else max(1, self.low)
        return self.scaler is None and agrees and self.request.high is not None and self.request.high > least

    @property
    def metric(self) -> str:
        return self.request.metric or "concurrency"

    @property
    def query(self) -> Any:
        """PromQL; empty for an unknown metric."""
        stated = self.keys.manifest.metadata.annotations.get(QUERY)
        if stated:
            return stated
        selector = f'{{namespace="{self.keys.manifest.namespace}",pod=~"{self.workload.name}-.*"}}'
        return query(self.metric, engine_of(self.workload.main), selector)


def scale_of(known: Keys, rendered: RenderedComponent) -> Scale | None:
    """None if no key is about scaling, or the service has no workload to scale."""
    fields = fields_of(known.manifest.apiVersion, known.manifest.kind)
    main = next((one for one in workloads(rendered) if one.role in MAIN), None)
    if (
        fields is None
        or main is None
        or known.effective.keys().isdisjoint((*_HOW, keys.MIN_REPLICAS, keys.MAX_REPLICAS))
    ):
        return None
    scaler = next((obj for obj in rendered.objects.values() if _scales(obj, main)), None)
    return Scale(known, main, fields, ScalingRequest.of(known.effective), scaler)


def _scales(obj: Object, workload: Workload) -> bool:
    return obj["kind"] in _SCALERS and obj["spec"]["scaleTargetRef"]["name"] == workload.name


def scaler(scale: Scale, labels: Mapping[str, Any]) -> tuple[str, Object] | None:
    """Role and object of the autoscaler; None if the keys request none."""
    if not scale.is_asked_for:
        return None
    obj, request = scale.workload.obj, scale.request
    low, high = scale.low, request.high or scale.low
    target = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": scale.workload.name}
    metadata = {"name": scale.workload.name, "namespace": scale.keys.manifest.namespace, "labels": dict(labels)}
    if not request.with_keda:
        return "autoscaler", horizontal(metadata, target, low, high, _utilization(scale))
    if not scale.query:
        return None
    trigger = {
        "serverAddress": scale.keys.manifest.metadata.annotations.get(SERVER, DEFAULT_SERVER),
        "query": scale.query,
        "threshold": "10" if request.target is None else request.target,
    }
    metadata["name"] = names.scaled_object(scale.workload.name)
    made = keda_object(metadata, target, low, high, {"type": "prometheus", "metadata": trigger})
    return "scaled-object", made


def _utilization(scale: Scale) -> dict[str, Any]:
    """The HPA's metric: only the server's if another container lacks the request, because an HPA can't measure such
    pods."""
    resource, main = scale.request.resource, scale.workload.main["name"]
    beside = [each for each in containers_of(scale.workload.obj) if not each.ends and each.name != main]
    lacks = any(resource not in each.field("resources").get("requests", {}) for each in beside)
    return utilization(resource, scale.request.utilization, main if lacks else "")


def scale_problems(scale: Scale) -> Iterator[Problem]:
    """Keys that the manifest contradicts, and requests that can't be met."""
    if scale.scaler is not None:
        yield from _against_scaler(scale, scale.scaler)
        return
    request, path = scale.request, ".".join(scale.fields.replicas)
    low, high = scale.low, scale.request.high
    if scale.count not in (None, low):
        yield overridden(keys.MIN_REPLICAS, f"{path} is {scale.count}, and nothing else scales the model service")
    elif high is not None and high < low:
        yield overridden(keys.MAX_REPLICAS, f"{path} is {scale.count}")
    elif not scale.is_asked_for:
        more = f"raise {keys.MAX_REPLICAS}" if high is not None else f"add {keys.MAX_REPLICAS}"
        for key in _HOW:
            if key in scale.keys.effective and scale.keys.effective[key] != "false":
                message = f"has no effect, because the number of pods is always {low}, {more}"
                yield Problem(path_of(key), message, "warning", "no-effect", key)
    elif request.with_keda and not scale.query:
        message = (
            f"{scale.metric} is not a known metric of this engine, so nothing scales the model service; choose "
            "another metric"
        )
        yield Problem(path_of(keys.AUTOSCALING_METRIC), message, "warning", "unknown-metric")
    elif not request.with_keda:
        yield from _resource_problems(scale)
    else:
        yield from _metrics_problems(scale)


def _metrics_problems(scale: Scale) -> Iterator[Problem]:
    """Warns if the engine exports metrics only with a flag that is missing."""
    main = scale.workload.main
    engine = engine_of(main)
    flag = "" if QUERY in scale.keys.manifest.metadata.annotations else engine.metrics_flag
    if flag and scale.metric != GPU_UTILIZATION and flag not in engine.dialect.names(command_words(main)):
        message = f"has no metric to scale on, because {main['name']} runs {engine.title} without {flag}; add {flag}"
        yield Problem(path_of(keys.AUTOSCALING_ENABLE_KEDA), message, "warning", "no-metrics")


def _resource_problems(scale: Scale) -> Iterator[Problem]:
    request = scale.request
    if request.metric not in ("", request.resource):
        message = (
            f"an HPA scales on cpu or memory, not on {request.metric}, so cpu is used; to scale on {request.metric}, "
            f"add {keys.AUTOSCALING_ENABLE_KEDA}"
        )
        yield Problem(path_of(keys.AUTOSCALING_METRIC), message, "warning", "unknown-metric")
    if scale.low == 0:
        message = "is 0, but an HPA keeps at least one pod, so 1 is used"
        yield Problem(path_of(keys.MIN_REPLICAS), message, "warning", "scaled-to-zero")


def _against_scaler(scale: Scale, made: Object) -> Iterator[Problem]:
    """Compares the keys with the family's autoscaler, which comes from the manifest or from the keys themselves."""
    spec, path = made["spec"], ".".join(scale.fields.scaling)
    bounds = (
        (keys.MIN_REPLICAS, scale.request.low, spec.get("minReplicas", spec.get("minReplicaCount"))),
        (keys.MAX_REPLICAS, scale.request.high, spec.get("maxReplicas", spec.get("maxReplicaCount"))),
    )
    for key, wanted, stated in bounds:
        if wanted is not None and stated not in (wanted, max(wanted, 1)):
            yield overridden(key, f"{path} says {stated}")
    made_by_keys = spec.get("metrics") == [_utilization(scale)]
    if made_by_keys and not scale.request.with_keda:
        yield from _resource_problems(scale)
        return
    for key in _HOW:
        if key in scale.keys.effective and scale.keys.effective[key] != "false":
            yield overridden(key, f"{path} says how the model service is scaled")


SERVER = "autoscaling.keda.sh/prometheus.serverAddress"
QUERY = "autoscaling.keda.sh/prometheus.query"
DEFAULT_SERVER = "http://prometheus-operated.monitoring.svc.cluster.local:9090"


def utilization(resource: str, percent: int, container: str = "") -> dict[str, Any]:
    """An HPA metric: utilization of a resource, in percent of the requests of the pods or of one container."""
    target = {"type": "Utilization", "averageUtilization": percent}
    if container:
        measured = {"name": resource, "container": container, "target": target}
        return {"type": "ContainerResource", "containerResource": measured}
    return {"type": "Resource", "resource": {"name": resource, "target": target}}


def horizontal(
    metadata: Mapping[str, Any], target: Mapping[str, Any], low: int, high: int, metric: Mapping[str, Any]
) -> Object:
    """An HPA with at least one replica. ``target`` is a scaleTargetRef."""
    least = max(1, low)
    spec = {
        "scaleTargetRef": dict(target),
        "minReplicas": least,
        "maxReplicas": max(high, least),
        "metrics": [dict(metric)],
        "behavior": {},
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": dict(metadata),
        "spec": spec,
    }


def keda_object(
    metadata: Mapping[str, Any], target: Mapping[str, Any], low: int, high: int, trigger: Mapping[str, Any]
) -> Object:
    """A KEDA ScaledObject. ``target`` is a scaleTargetRef."""
    spec = {
        "scaleTargetRef": dict(target),
        "minReplicaCount": low,
        "maxReplicaCount": max(high, low),
        "triggers": [dict(trigger)],
    }
    return {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": dict(metadata), "spec": spec}
