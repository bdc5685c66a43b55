"""A Grafana dashboard and Prometheus rules for those workloads of a stack that run a known engine.

Each engine names its metrics (``queries`` in ``components/engines``). Readiness comes from kube-state-metrics, GPU
utilization from DCGM's exporter. Metrics are selected by the labels ``namespace`` and ``pod``, which PodMonitors and
most scrape configs set.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..engines.engine import Engine
from ..engines.generic import GENERIC
from ..engines.known import GPU_UTILIZATION, engine_of, query
from ..kubernetes.gpu import MIG_PREFIX, NVIDIA
from ..kubernetes.objects import Object, key
from ..kubernetes.pod_templates import containers_of

_POD_NAMES = {"Deployment": "-[a-z0-9]+-[a-z0-9]+", "LeaderWorkerSet": "-[0-9]+(-[0-9]+)?"}
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
_WIDTH, _HEIGHT = 8, 7


@dataclass(frozen=True)
class Watched:
    """A workload whose engine has metrics. ``selector`` selects its pods in PromQL."""

    kind: str
    namespace: str
    name: str
    engine: Engine
    gpus: bool

    @property
    def selector(self) -> str:
        pods = re.escape(self.name).replace("\\", "\\\\") + _POD_NAMES.get(self.kind, "-.*")
        return f'{{namespace="{self.namespace}",pod=~"{pods}"}}'


@dataclass(frozen=True)
class Panel:
    """One panel: its title, Grafana's unit, and PromQL by legend."""

    title: str
    unit: str
    queries: Mapping[str, str]


def watched(objects: Iterable[Object]) -> list[Watched]:
    """The workloads with an engine that has metrics, each once."""
    workloads = []
    for obj in objects:
        containers = [container for container in containers_of(obj) if not container.init]
        engines = [
            engine_of(c.body.get("image"), [*(c.body.get("command") or []), *(c.body.get("args") or []), c.name])
            for c in containers
        ]
        engine = next((engine for engine in engines if engine.queries), GENERIC)
        if engine.queries:
            # DCGM's exporter, which reports GPU utilization, supports only NVIDIA GPUs.
            resources = [name for c in containers for name in (c.field("resources").get("limits") or {})]
            identity = key(obj)
            gpus = any(name == NVIDIA or name.startswith(MIG_PREFIX) for name in resources)
            workloads.append(Watched(identity.kind, identity.namespace, identity.name, engine, gpus))
    return workloads


def dashboard(title: str, workloads: Sequence[Watched]) -> dict[str, Any]:
    """The dashboard as Grafana imports it: a row for each workload."""
    panels: list[dict[str, Any]] = []
    line = 0
    for workload in workloads:
        row = f"{workload.namespace}/{workload.name} ({workload.kind})"
        panels.append({"type": "row", "title": row, "collapsed": False, "gridPos": _place(line, 0, 24, 1)})
        row_panels = list(_panels(workload))
        panels += [_panel(panel, line + 1 + index // 3 * _HEIGHT, index % 3) for index, panel in enumerate(row_panels)]
        line += 1 + (len(row_panels) + 2) // 3 * _HEIGHT
    return {
        "title": title,
        "uid": re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")[:40],
        "tags": ["modelservices"],
        "schemaVersion": 39,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
        "panels": [{"id": index, **panel} for index, panel in enumerate(panels, start=1)],
    }


def _panels(workload: Watched) -> Iterator[Panel]:
    selector, engine = workload.selector, workload.engine
    seen = {name: engine.query(name, selector) for name in engine.queries}
    ready = f'sum(kube_pod_status_ready{{condition="true",{selector[1:]})'
    yield Panel("Pods that are ready", "none", {"ready": ready, "all": f"count(kube_pod_info{selector})"})
    yield Panel("Requests", "none", {"running": seen["concurrency"], "waiting": seen["waiting"]})
    yield Panel("Tokens each second", "none", {name: seen[name] for name in ("generated", "prompt")})
    if "first token" in seen:
        yield Panel("Time to the first token, 95 of 100 requests", "s", {"first token": seen["first token"]})
    if "KV cache" in seen:
        yield Panel("KV cache in use", "percentunit", {"KV cache": seen["KV cache"]})
    if workload.gpus:
        yield Panel("GPU utilization", "percent", {"GPU": query(GPU_UTILIZATION, engine, selector)})


def _panel(panel: Panel, line: int, column: int) -> dict[str, Any]:
    return {
        "type": "timeseries",
        "title": panel.title,
        "datasource": _SOURCE,
        "gridPos": _place(line, column * _WIDTH, _WIDTH, _HEIGHT),
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + index), "expr": text, "legendFormat": legend, "datasource": _SOURCE}
            for index, (legend, text) in enumerate(panel.queries.items())
        ],
    }


def _place(line: int, column: int, width: int, height: int) -> dict[str, int]:
    return {"x": column, "y": line, "w": width, "h": height}


def rules(workloads: Sequence[Watched]) -> dict[str, Any]:
    """Alerts as a Prometheus rules file, with a group for each workload."""
    groups = [{"name": f"{w.namespace}/{w.name}", "rules": list(_alerts(w))} for w in workloads]
    return {"groups": groups}


def rules_object(name: str, namespace: str, workloads: Sequence[Watched]) -> Object:
    """The same rules for the Prometheus operator."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": name, "namespace": namespace},
        "spec": rules(workloads),
    }


def _alerts(workload: Watched) -> Iterator[dict[str, Any]]:
    selector, engine = workload.selector, workload.engine
    seen = {name: engine.query(name, selector) for name in engine.queries}
    not_ready = f'sum(kube_pod_status_ready{{condition="false",{selector[1:]}) > 0'
    yield _alert(workload, "PodsNotReady", not_ready, "15m", "pods have not been ready for 15 minutes")
    yield _alert(workload, "NoMetrics", f"absent({engine.metric}{selector})", "15m", "no pod's metrics are scraped")
    yield _alert(workload, "RequestsWait", f"{seen['waiting']} > 10", "5m", "more than 10 requests wait")
    stuck = f"{seen['concurrency']} > 0 and {seen['generated']} == 0"
    yield _alert(workload, "NoTokens", stuck, "5m", "requests are served, and no token is made")
    if "first token" in seen:
        slow = f"{seen['first token']} > 10"
        yield _alert(workload, "FirstTokenLate", slow, "10m", "5 of 100 requests wait over 10 s for their first token")
    if "KV cache" in seen:
        yield _alert(workload, "CacheFull", f"{seen['KV cache']} > 0.95", "10m", "the KV cache is over 95 % full")


def _alert(workload: Watched, name: str, expression: str, duration: str, summary: str) -> dict[str, Any]:
    service = f"{workload.namespace}/{workload.name}"
    return {
        "alert": f"ModelService{name}",
        "expr": expression,
        "for": duration,
        "labels": {"severity": "warning", "namespace": workload.namespace, "workload": workload.name},
        "annotations": {"summary": f"{service}: {summary}"},
    }
