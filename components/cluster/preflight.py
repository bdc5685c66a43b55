"""Checks the cluster before anything is registered: what it lacks, what exists and whose it is, what would be replaced.

An object that can't be read is never treated as absent: creating it could take over, and a later deletion could
remove, someone else's object.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.quantities import amount
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.scalars import Opaque
from ..kubernetes.spelling import listed
from ..kubernetes.values import value_at
from .connection import Cluster
from .ownership import PREFIX, is_kept, owners
from .released import to_release
from .returned import returned

SOURCES = {
    "aigateway.envoyproxy.io": "Envoy AI Gateway (envoyproxy/ai-gateway)",
    "gateway.envoyproxy.io": "Envoy Gateway (envoyproxy/gateway)",
    "gateway.networking.k8s.io": "Gateway API (sigs.k8s.io/gateway-api, config/crd)",
    "inference.networking.k8s.io": "Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)",
    "inference.networking.x-k8s.io": "Gateway API Inference Extension (sigs.k8s.io/gateway-api-inference-extension)",
    "jobset.x-k8s.io": "JobSet (sigs.k8s.io/jobset)",
    "keda.sh": "KEDA (kedacore/keda)",
    "leaderworkerset.x-k8s.io": "LeaderWorkerSet (sigs.k8s.io/lws)",
    "monitoring.coreos.com": "Prometheus Operator (prometheus-operator/prometheus-operator)",
    "networking.istio.io": "Istio (istio.io/api)",
    "pyrra.dev": "Pyrra (pyrra-dev/pyrra)",
    "serving.knative.dev": "Knative Serving (knative.dev/serving)",
    "trainer.kubeflow.org": "Kubeflow Trainer (kubeflow/trainer)",
}
"""API group to the source of its CRDs."""


@dataclass(frozen=True)
class Wanted:
    """What is about to be registered.

    ``users`` pairs each object with what needs it. ``identities`` are further objects whose content is not known here
    (Secrets, namespaces). ``chart`` objects may exist already; ``retained`` ones may belong to other stacks as well.
    """

    users: tuple[tuple[str, Object], ...] = ()
    identities: tuple[Key, ...] = ()
    chart: tuple[Object, ...] = ()
    retained: frozenset[Key] = frozenset()

    @cached_property
    def objects(self) -> dict[Key, Object]:
        return {key(obj): obj for _, obj in self.users}


@dataclass(frozen=True)
class Rules:
    """What the user has allowed. ``manager`` is the stack's field manager.

    ``adopt`` has the objects that may be taken over, as messages write them (``Deployment inference/chat``), or is
    True for all.
    """

    manager: str
    stack: str
    adopt: bool | frozenset[str] = False
    allow_replace: bool = False

    def adopts(self, identity: Key) -> bool:
        return str(identity) in self.adopt if isinstance(self.adopt, frozenset) else self.adopt


@dataclass(frozen=True)
class Verdict:
    """``missing`` kinds stop only an update, as they may be installed by then; ``stopping`` lines also stop a preview.

    ``present`` are chart objects that someone else has installed, ``adopted`` the objects that would be taken over,
    ``generations`` the generation of each existing object.
    """

    missing: list[str] = field(default_factory=list)
    stopping: list[str] = field(default_factory=list)
    present: list[Key] = field(default_factory=list)
    adopted: list[Key] = field(default_factory=list)
    generations: Mapping[Key, Any] = field(default_factory=dict, compare=False)
    returned: list[str] = field(default_factory=list)
    """What an operator has written since the stack's last update."""
    excluded: tuple[Object, ...] = ()
    """Objects with someone else's field that excludes one of the stack's; that field is released before an update."""


def wanted(
    services: Iterable[RenderedComponent], objects: Iterable[Object] = (), identities: Iterable[Key] = ()
) -> Wanted:
    """What services and further objects register."""
    named = [(f"{one.kind} {one.namespace}/{one.name}", record) for one in services for record in one.flat()]
    chart = {record.key: record.body for _, record in named if record.lifetime == "chart"}
    users = [(user, record.body) for user, record in named if record.lifetime != "chart"]
    return Wanted(
        users=(*users, *((str(key(obj)), obj) for obj in objects)),
        identities=tuple(identities),
        chart=tuple(chart.values()),
        retained=frozenset(record.key for _, record in named if record.lifetime == "retained"),
    )


def preflight(wanted: Wanted, cluster: Cluster, rules: Rules) -> Verdict:
    """Compare what is wanted with the cluster. Raises ClusterError when the whole cluster can't be read."""
    missing = missing_kinds(wanted.users, cluster)
    chart = {key(obj) for obj in wanted.chart}
    compared = cluster.objects(identity for identity in wanted.objects if identity.kind in COMPARED)
    others = (identity for identity in wanted.objects if identity.kind not in COMPARED)
    metadata = cluster.metadata([*others, *wanted.identities, *chart])
    objects = {**compared.objects, **metadata.objects}
    there = {identity: obj["metadata"] for identity, obj in sorted(objects.items())}
    to_apply = {identity: info for identity, info in there.items() if identity not in chart}
    foreign = {identity: info for identity, info in to_apply.items() if _is_foreign(identity, info, wanted, rules)}
    live = {
        identity: (wanted.objects[identity], live_object) for identity, live_object in sorted(compared.objects.items())
    }
    refused = {**metadata.refused, **compared.refused}
    return Verdict(
        missing=missing,
        stopping=[
            *(
                f"{identity} can't be read, so it may belong to someone else: {refused[identity]}"
                for identity in refused
            ),
            *(taken(identity, owners(info)) for identity, info in foreign.items() if not rules.adopts(identity)),
            *(line for identity, info in to_apply.items() for line in _controlled(identity, info, rules.stack)),
            *replaced(live.values(), allowed=rules.allow_replace),
        ],
        present=[identity for identity in there if identity in chart and not is_kept(there[identity])],
        adopted=[identity for identity in foreign if rules.adopts(identity)],
        generations={identity: info.get("generation") for identity, info in there.items()},
        returned=returned(to_apply, cluster),
        excluded=tuple(obj for obj, live_object in live.values() if to_release(obj, live_object, rules.manager)),
    )


def missing_kinds(users: Iterable[tuple[str, Object]], cluster: Cluster) -> list[str]:
    """A sentence for each needed kind that the cluster does not know, with what needs it."""
    needed: dict[tuple[str, str], dict[str, None]] = {}
    for user, obj in users:
        needed.setdefault((obj["apiVersion"], obj["kind"]), {})[user] = None
    return [
        _sentence(api_version, kind, list(named))
        for (api_version, kind), named in sorted(needed.items())
        if kind not in cluster.resources(api_version)
    ]


def _is_foreign(identity: Key, metadata: Mapping[str, Any], wanted: Wanted, rules: Rules) -> bool:
    """Whether this stack did not make an object. An object that stacks share may have been made by another stack."""
    made_by = owners(metadata)
    return rules.manager not in made_by and not (made_by and identity in wanted.retained)


def taken(identity: Key, others: Sequence[str]) -> str:
    """The sentence about an existing object that is not this stack's; ``others`` are the stacks that made it."""
    whose = f"belongs to stack {others[0].removeprefix(PREFIX)}" if others else "was not made by this stack"
    return (
        f"{identity} exists already and {whose}; rename one of the two, or list it under modelservices:adopt for one "
        "update, after which the stack owns it and deletes it when the stack goes"
    )


def _controlled(identity: Key, metadata: Mapping[str, Any], stack: str) -> Iterator[str]:
    """A sentence for each owner (an operator's custom resource) with which an object would be deleted."""
    for owner in metadata.get("ownerReferences", []):
        yield (
            f"{identity} is owned by {owner.get('kind')} {owner.get('name')} and would be deleted with it; run "
            f"`modelservices adopt --stack {stack}`, which says how to take it over"
        )


def replaced(pairs: Iterable[tuple[Object, Mapping[str, Any]]], *, allowed: bool) -> Iterator[str]:
    """A sentence for each change that would replace a live object, unless ``allowed``, or that is impossible."""
    for obj, live in pairs:
        for there, smaller in shrunk_storage(obj, live):
            keep = f"can't shrink from {there} to {smaller}; keep {there} or more"
            yield f"{key(obj)}: spec.resources.requests.storage {keep}"
        yield from () if allowed else (_replaced(key(obj), path) for path in changed_fields(obj, live))


def _replaced(identity: Key, path: str) -> str:
    return (
        f"{identity}: {path} can't change in place, so the {identity.kind} would be deleted and made again"
        f"{CONSEQUENCES.get(identity.kind, '')}: undo the change, or accept it with allowReplace in "
        "modelservices:settings"
    )


def _sentence(api_version: str, kind: str, users: Sequence[str]) -> str:
    source = SOURCES.get(api_version.partition("/")[0])
    install = f"; install the CRDs of {source}" if source else "; install its CRD"
    return f"the cluster does not know {kind} ({api_version}), needed by {listed(users, 3)}{install}"


IMMUTABLE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "ClusterRoleBinding": (("roleRef",),),
    "Deployment": (("spec", "selector"),),
    "LeaderWorkerSet": (("spec", "leaderWorkerTemplate", "subGroupPolicy", "subGroupSize"),),
    "PersistentVolumeClaim": (
        ("spec", "accessModes"),
        ("spec", "selector"),
        ("spec", "storageClassName"),
        ("spec", "volumeMode"),
        ("spec", "volumeName"),
    ),
    "RoleBinding": (("roleRef",),),
    "Secret": (("type",),),
    "Service": (("spec", "clusterIP"),),
    "StatefulSet": (
        ("spec", "podManagementPolicy"),
        ("spec", "selector"),
        ("spec", "serviceName"),
        ("spec", "volumeClaimTemplates"),
    ),
}
"""Kind to the fields that an API server refuses to change. Jobs are left out: a job that changes runs again."""

COMPARED = frozenset([*IMMUTABLE, "ConfigMap"])
"""Kinds whose objects may have immutable fields."""

CONSEQUENCES: Mapping[str, str] = {
    "Deployment": ", an outage",
    "LeaderWorkerSet": ", an outage",
    "PersistentVolumeClaim": ", and what is in it lost",
    "StatefulSet": ", an outage",
}
"""Consequences of deleting and recreating an object, by kind."""

_STORAGE = ("spec", "resources", "requests", "storage")


def changed_fields(obj: Object, live: Mapping[str, Any]) -> list[str]:
    """The immutable fields in which a rendered object differs from the live one. Fields not rendered are ignored."""
    pairs = ((path, value_at(obj, *path), value_at(live, *path)) for path in IMMUTABLE.get(obj["kind"], ()))
    changed = [".".join(path) for path, wanted, there in pairs if wanted is not None and _differ(wanted, there)]
    return [*changed, *_immutable_data(obj, live)]


def _differ(wanted: Any, there: Any) -> bool:
    """A value that is known only after deployment can't be compared."""
    if isinstance(wanted, Mapping):
        theirs = there if isinstance(there, Mapping) else {}
        return wanted.keys() != theirs.keys() or any(_differ(value, theirs[name]) for name, value in wanted.items())
    return not isinstance(wanted, Opaque) and wanted != there


def _immutable_data(obj: Object, live: Mapping[str, Any]) -> Iterator[str]:
    """The changes to a ConfigMap or Secret that is marked immutable."""
    if live.get("immutable") is True:
        yield from () if obj.get("immutable") is True else ("immutable",)
        changed = {name for name in ("data", "binaryData") if name in obj and obj[name] != live.get(name)}
        yield from sorted(changed)


def shrunk_storage(obj: Object, live: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The live size and the wanted size of a claim that would shrink."""
    if obj["kind"] != "PersistentVolumeClaim":
        return
    wanted, there = value_at(obj, *_STORAGE), value_at(live, *_STORAGE)
    if isinstance(wanted, str) and isinstance(there, str) and amount(wanted) < amount(there):
        yield there, wanted
