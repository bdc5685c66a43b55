"""Looking at the cluster before anything is registered: what a stack needs and the cluster lacks, in one line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..kubernetes.objects import Key, Object, key
from ..planning.plan import StackPlan
from .connection import Cluster
from .immutable import IMMUTABLE, changed_fields, shrunk_storage
from .ownership import PREFIX, is_kept, owners

SOURCES = {
    "gateway.networking.k8s.io": "Gateway API (sigs.k8s.io/gateway-api, config/crd)",
    "inference.networking.k8s.io": "Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)",
    "inference.networking.x-k8s.io": "Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)",
    "jobset.x-k8s.io": "JobSet (sigs.k8s.io/jobset)",
    "keda.sh": "KEDA (kedacore/keda)",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet (sigs.k8s.io/lws)",
    "monitoring.coreos.com": "Prometheus Operator (prometheus-operator/prometheus-operator)",
    "networking.istio.io": "Istio (istio.io/api)",
    "serving.knative.dev": "Knative Serving (knative.dev/serving)",
    "trainer.kubeflow.org": "Kubeflow Trainer (kubeflow/trainer)",
}
"""API group to where its CRDs come from."""


def missing_kinds(plan: StackPlan, cluster: Cluster) -> list[str]:
    """One sentence for each kind that the stack needs and the cluster does not know, with who needs it."""
    needed: dict[tuple[str, str], list[str]] = {}
    for user, obj in _users(plan):
        users = needed.setdefault((obj["apiVersion"], obj["kind"]), [])
        if user not in users:
            users.append(user)
    return [
        _sentence(api_version, kind, users)
        for (api_version, kind), users in sorted(needed.items())
        if kind not in cluster.resources(api_version)
    ]


def taken(identities: Iterable[Key], manager: str, cluster: Cluster) -> list[str]:
    """One sentence for each object that is in the cluster, but was not made by the stack with this field manager."""
    there = cluster.metadata(identities)
    return [
        _taken(identity, owners(metadata))
        for identity, metadata in sorted(there.items())
        if manager not in owners(metadata)
    ]


def _taken(identity: Key, others: list[str]) -> str:
    whose = f"belongs to stack {others[0].removeprefix(PREFIX)}" if others else "was not made by this stack"
    return (
        f"{identity} exists already and {whose}: rename one of the two, or set modelservices:adopt to true for one "
        "update, after which it is this stack's and is deleted with it"
    )


def replaced(plan: StackPlan, cluster: Cluster, *, allowed: bool) -> list[str]:
    """One sentence for each change that would replace an object, unless ``allowed``, and for each that can never be."""
    rendered = {key(obj): obj for obj in plan.all_objects() if obj["kind"] in IMMUTABLE}
    lines: list[str] = []
    for identity, live in sorted(cluster.objects(rendered).items()):
        obj = rendered[identity]
        lines += [_shrunk(identity, *sizes) for sizes in shrunk_storage(obj, live)]
        lines += [] if allowed else [_replaced(identity, field) for field in changed_fields(obj, live)]
    return lines


def _shrunk(identity: Key, live: str, wanted: str) -> str:
    return f"{identity}: spec.resources.requests.storage can't shrink from {live} to {wanted}: keep {live} or more"


def _replaced(identity: Key, field: str) -> str:
    return (
        f"{identity}: {field} can't change in place, so the {identity.kind} would be deleted and made again, an "
        "outage: undo the change, or accept it with allowReplace in modelservices:settings"
    )


def without_present_chart(plan: StackPlan, cluster: Cluster) -> tuple[StackPlan, list[Key]]:
    """The plan without the chart's objects that someone else (the chart) has installed already, and which those are."""
    live = cluster.metadata(key(obj) for obj in plan.chart)
    present = {identity for identity, metadata in live.items() if not is_kept(metadata)}
    services = tuple(
        replace(service, chart=tuple(obj for obj in service.chart if key(obj) not in present))
        for service in plan.services
    )
    return replace(plan, services=services), sorted(present)


def _users(plan: StackPlan) -> Iterator[tuple[str, Object]]:
    for service in plan.services:
        user = f"{service.kind} {service.namespace}/{service.name}"
        yield from ((user, obj) for obj in (*service.all_objects(), *service.shared))
    yield from ((f"{key(obj)}", obj) for obj in plan.objects)


def _sentence(api_version: str, kind: str, users: Iterable[str]) -> str:
    source = SOURCES.get(api_version.partition("/")[0])
    install = f"; install the CRDs of {source}" if source else "; install its CRD"
    return f"the cluster does not know {kind} ({api_version}), needed by {_some(list(users))}{install}"


def _some(users: list[str]) -> str:
    return ", ".join(users[:3]) + (f" and {len(users) - 3} more" if len(users) > 3 else "")
