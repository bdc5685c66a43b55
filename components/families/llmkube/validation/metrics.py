"""Checks that a service's metrics can be scraped and can scale it."""

import re
from collections.abc import Iterator

from ....engines.generic import GENERIC
from ....engines.known import engine_of_metric
from ....engines.releases import Release
from ....findings import Problem
from ....kubernetes.propagation import propagate
from ....kubernetes.quantities import amount
from ....kubernetes.spelling import nearest
from ..context import Context
from ..deployment import image
from ..labels import POD, annotation_layers

_SERIES = re.compile(r"_(bucket|count|sum|total)$")


def metric_problems(service: Context) -> Iterator[Problem]:
    yield from _scaling_problems(service)
    yield from _name_problems(service)
    yield from _key_problems(service)
    yield from _silence_problems(service)


def _scaling_problems(service: Context) -> Iterator[Problem]:
    """Warns about targets that a pod's own limit keeps out of reach."""
    scaling, engine = service.spec.autoscaling, service.server.engine
    limit = service.server.slots if scaling else None
    if scaling is None or limit is None:
        return
    for index, metric in enumerate(scaling.metrics):
        value, is_of_engine = metric.targetAverageValue, metric.name == engine.metric
        if metric.type == "Pods" and is_of_engine and isinstance(value, str) and amount(value) >= limit:
            message = (
                f"is {value}, but a pod has {limit} slots ({engine.slots[0]}) and {metric.name} never passes that, so "
                "nothing scales; lower the target, or raise the number of slots"
            )
            yield Problem(f"spec.autoscaling.metrics[{index}].targetAverageValue", message, "warning", "no-reach")


def _name_problems(service: Context) -> Iterator[Problem]:
    """Warns about metrics for scaling that are named after an engine but that the pods don't export."""
    engine = service.server.engine
    release = engine.release_of(image(service))
    if engine is GENERIC:
        return
    for index, metric in enumerate(service.spec.autoscaling.metrics if service.spec.autoscaling else []):
        name, path = metric.name, f"spec.autoscaling.metrics[{index}].name"
        whose = engine_of_metric(name) if metric.type == "Pods" else None
        if whose and whose.title != engine.title:
            message = (
                f"is {name}, a metric of {whose.title}, but the pods run {engine.title}, so nothing scales; use a "
                f"metric of {engine.title}"
            )
            yield Problem(path, message, "warning", "unknown-metric")
        elif whose and release and not _exports(release, name):
            near = nearest(name, release.metrics)
            hint = f": did you mean {near}?" if near else f"; its load is {engine.metric}"
            message = f"is {name}, which {engine.title} {release.number} does not export, so nothing scales{hint}"
            yield Problem(path, message, "warning", "unknown-metric")


def _exports(release: Release, metric: str) -> bool:
    return not release.metrics or not release.metrics.isdisjoint([metric, _SERIES.sub("", metric), f"{metric}_total"])


def _key_problems(service: Context) -> Iterator[Problem]:
    """Warns if the metrics require an API key, which Prometheus does not have."""
    engine, spec = service.server.engine, service.spec
    names = {name for name, value in service.server.flags.items() if value != ""}
    names |= {variable.name for variable in spec.env if variable.value or variable.valueFrom}
    key = next((name for name in engine.key_closes_metrics if name in names), "")
    if not key:
        return
    metrics = [metric.name for metric in spec.autoscaling.metrics] if spec.autoscaling else []
    scales = spec.autoscaling is not None and (not metrics or any(name not in ("cpu", "memory") for name in metrics))
    asked = propagate(annotation_layers(service), POD).get("prometheus.io/scrape") == "true"
    if scales or asked or service.settings.podMonitor.enabled:
        message = (
            f"{key} makes {engine.title} require its key at /metrics too, so Prometheus gets 401 and "
            f"{'the autoscaler has no metric' if scales else 'nothing is scraped'}; add a PodMonitor with the key "
            "(authorization), or check the key at a proxy in front"
        )
        path = "spec.autoscaling" if scales else "spec.env" if key.isupper() else service.arguments_field
        yield Problem(path, message, "warning", "metrics-need-a-key")


def _silence_problems(service: Context) -> Iterator[Problem]:
    """Warns if something reads metrics that the server does not export, or exports only over HTTPS."""
    running, spec, monitor = service.server, service.spec, service.settings.podMonitor.enabled
    engine, metrics = running.engine, spec.autoscaling.metrics if spec.autoscaling else []
    if not monitor and spec.autoscaling is None:
        return
    if running.has(engine.silent_flag):
        message = (
            f"{engine.silent_flag} turns the metrics of {engine.title} off, so there is nothing to scale by or "
            "scrape; remove it"
        )
        yield Problem(service.arguments_field, message, "warning", "no-metrics")
    elif any(engine_of_metric(metric.name) for metric in metrics) and not running.exports_metrics:
        message = f"{engine.metrics_flag} is missing, so {engine.title} exports no metrics to scale by; add it"
        yield Problem(service.arguments_field, message, "warning", "no-metrics")
    elif engine.scheme(running.flags, [variable.name for variable in spec.env]) == "HTTPS":
        message = (
            "the server speaks TLS because of these flags, but the PodMonitor scrapes HTTP, so nothing is scraped "
            "and nothing scales; write the PodMonitor yourself"
        )
        yield Problem(service.arguments_field, message, "warning", "not-scraped")
