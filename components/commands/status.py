"""``status``: the state of a stack's services in the live cluster."""

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from ..cluster.connection import Cluster
from ..cluster.ownership import owners
from ..cluster.returned import reconciled, returned
from ..cluster.service_status import read_status
from ..kubernetes.objects import key
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.status import FINE, ServiceStatus
from ..planning.plan import StackPlan
from .live import add_stack, aligned, cluster_of
from .sources import plan_named_stack

COLUMNS = ("SERVICE", "KIND", "PHASE", "READY", "ENDPOINT", "REASON")
_INTERVAL_SECONDS = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stack(parser)
    parser.add_argument("--watch", action="store_true", help="print the table again whenever it changes")


def run(arguments: argparse.Namespace) -> int:
    plan = plan_named_stack(arguments.stack).raise_for_errors()
    services = plan.services
    fine = False
    with cluster_of(arguments.stack) as cluster, suppress(KeyboardInterrupt):
        rows, fine = _table(services, cluster)
        print(aligned([COLUMNS, *rows]), flush=True)
        for line in _operators(plan, cluster):
            print(line, file=sys.stderr)
        while arguments.watch:
            time.sleep(_INTERVAL_SECONDS)
            before, (rows, fine) = rows, _table(services, cluster)
            if rows != before:
                print(f"\n{aligned([COLUMNS, *rows])}", flush=True)
    return 0 if fine else 1


def _operators(plan: StackPlan, cluster: Cluster) -> list[str]:
    live = cluster.metadata(key(obj) for obj in plan.all_objects()).objects
    owned = {identity: there["metadata"] for identity, there in live.items() if owners(there["metadata"])}
    if not owned:
        return []
    return [*returned(owned, cluster), *reconciled([document.data for document in plan.documents], cluster)]


def _table(services: Sequence[RenderedComponent], cluster: Cluster) -> tuple[list[tuple[str, ...]], bool]:
    statuses = [(service, read_status(service, cluster)) for service in services]
    rows = [_row(service, status) for service, status in statuses]
    return rows, all(status.phase in FINE for _, status in statuses)


def _row(service: RenderedComponent, status: ServiceStatus) -> tuple[str, ...]:
    ready = f"{status.ready}/{status.desired}"
    name = f"{service.namespace}/{service.name}"
    return (name, service.kind, status.phase, ready, status.endpoint or "-", status.explanation or "-")
