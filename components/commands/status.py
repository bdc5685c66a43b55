"""``status``: how the services of a stack do, from the live cluster."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cluster.connection import Cluster, ClusterError
from ..findings import Finding, InvalidManifests, inert
from ..kubernetes.objects import Object, Rendered, key
from ..kubernetes.status import ServiceStatus
from ..stack_config import cluster_config
from .sources import DEFAULT_STACK, plan_named_stack
from .tables import aligned

COLUMNS = ("SERVICE", "KIND", "PHASE", "READY", "ENDPOINT", "REASON")
FINE = frozenset(["Ready", "Stopped", "Complete"])
"""Phases that are as asked for: a service that serves, one that was told to stop, a finished job."""
WORKLOADS = frozenset(["Deployment", "Job", "JobSet", "LeaderWorkerSet", "RayCluster", "Service", "TrainJob"])
_INTERVAL_SECONDS = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stack", default=DEFAULT_STACK, metavar="NAME", help="the stack (default: %(default)s)")
    parser.add_argument("--watch", action="store_true", help="print the table again whenever it changes")


def run(arguments: argparse.Namespace) -> int:
    services = plan_named_stack(arguments.stack).raise_for_errors().services
    try:
        cluster = Cluster.connect(*cluster_config(arguments.stack, Path.cwd()))
        rows, fine = _table(services, cluster)
        print(aligned([COLUMNS, *rows]))
        while arguments.watch:
            time.sleep(_INTERVAL_SECONDS)
            before, (rows, fine) = rows, _table(services, cluster)
            if rows != before:
                print(f"\n{aligned([COLUMNS, *rows])}", flush=True)
    except ClusterError as error:
        raise InvalidManifests([Finding("", "", "", f"can't read the cluster: {error}", code="unreachable")]) from None
    except KeyboardInterrupt:
        sys.stdout.flush()
    return 0 if fine else 1


def _table(services: Sequence[Rendered], cluster: Cluster) -> tuple[list[tuple[str, ...]], bool]:
    found = [(service, observed(service, cluster)) for service in services]
    rows = [_row(service, status) for service, status in found]
    return rows, all(status.phase in FINE for _, status in found)


def observed(service: Rendered, cluster: Cluster) -> ServiceStatus:
    """The status of a service as its live workloads give it."""
    if service.observe is None:
        return ServiceStatus(phase="Unknown")
    live: dict[str, Mapping[str, Any]] = {}
    messages: list[str] = []
    for role, obj in _workloads(service):
        found = cluster.read(key(obj))
        if found is not None:
            live[role] = found.get("status", {})
            messages += _unscheduled(found, cluster)
    return service.observe({**live, "pods": {"schedulingMessages": messages}} if messages else live)


def _unscheduled(workload: Mapping[str, Any], cluster: Cluster) -> list[str]:
    """What the scheduler says of a Deployment's pods, while it lacks some."""
    spec, status = workload.get("spec", {}), workload.get("status", {})
    labels = spec.get("selector", {}).get("matchLabels")
    if workload["kind"] != "Deployment" or not labels or status.get("readyReplicas", 0) >= spec.get("replicas", 1):
        return []
    return cluster.scheduling_messages(workload["metadata"]["namespace"], labels)


def _workloads(service: Rendered, prefix: str = "") -> Iterator[tuple[str, Object]]:
    for role, obj in service.objects.items():
        if obj["kind"] in WORKLOADS:
            yield f"{prefix}{role}", obj
    for role, part in service.parts.items():
        yield from _workloads(part, f"{prefix}{role}/")


def _row(service: Rendered, status: ServiceStatus) -> tuple[str, ...]:
    ready = f"{status.ready}/{status.desired}"
    name = f"{service.namespace}/{service.name}"
    cells = (name, service.kind, status.phase, ready, status.endpoint or "-", status.reason or "-")
    return tuple(inert(cell) for cell in cells)
