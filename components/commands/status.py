"""``status``: how the services of a stack do, from the live cluster."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..cluster.connection import Cluster, ClusterError
from ..cluster.service_status import read_status
from ..findings import Finding, InvalidManifests, inert
from ..kubernetes.objects import Rendered
from ..kubernetes.status import FINE, ServiceStatus
from ..stack_config import cluster_config
from .sources import DEFAULT_STACK, plan_named_stack
from .tables import aligned

COLUMNS = ("SERVICE", "KIND", "PHASE", "READY", "ENDPOINT", "REASON")
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
    found = [(service, read_status(service, cluster)) for service in services]
    rows = [_row(service, status) for service, status in found]
    return rows, all(status.phase in FINE for _, status in found)


def _row(service: Rendered, status: ServiceStatus) -> tuple[str, ...]:
    ready = f"{status.ready}/{status.desired}"
    name = f"{service.namespace}/{service.name}"
    cells = (name, service.kind, status.phase, ready, status.endpoint or "-", status.explanation or "-")
    return tuple(inert(cell) for cell in cells)
