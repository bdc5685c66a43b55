"""Takes over what an operator made: compares each object of a stack with the cluster and prepares its take-over.

Comparing changes nothing. Preparing changes only metadata, after which the object belongs to the stack: it removes the
owner references to the operator's custom resource and gives the fields of the operator's managers to the stack's.
Fields that others have set stay theirs. Custom resources are never changed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..kubernetes.list_keys import duplicates
from ..kubernetes.objects import Key, Object, TypedObjectReference, key
from ..kubernetes.references import named_pools, references
from ..kubernetes.secrets import secret_problems
from ..kubernetes.values import value_at
from ..planning.adopted import (
    AdoptedWorkload,
    adopted_workload,
    keep_pods,
    out_of_use,
    template_fields,
    template_of,
)
from ..planning.kept import KeptObject, keep_fields
from .applied import is_applied
from .connection import Cluster, ClusterError, Refused
from .differences import PULUMIS_OWN, changed_paths, unmet_paths
from .edits import edits
from .followers import followers
from .managed_fields import Entry, handed_over, has, owner_setters, readable, states_fields
from .operators import MANAGERS, operator_of, running_controllers
from .ownership import PREFIX, is_kept, owners
from .pods import NO_PODS, Pods, pods_of
from .released import after_update

Whose = Literal["new", "ours", "operator", "other stack", "other", "needed"]
"""``needed``: not the stack's, but kept pods refer to it (a Secret that their operator made)."""

NEEDED_KINDS = {
    "ConfigMap": "v1",
    "PersistentVolumeClaim": "v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
    "Secret": "v1",
    "ServiceAccount": "v1",
}

_ATTEMPTS = 5


@dataclass(frozen=True)
class Row:
    """An object of the stack compared with the cluster.

    ``owner`` names whose it is; ``differs`` are the paths that the next update changes; ``restarts`` says whether the
    update restarts its pods; ``entry`` keeps the pods of a workload that is taken over; ``problems`` prevent the
    take-over.
    """

    identity: Key
    whose: Whose
    owner: str = ""
    live: Mapping[str, Any] | None = None
    differs: tuple[str, ...] = ()
    pods: Pods = NO_PODS
    restarts: bool = False
    entry: AdoptedWorkload | None = None
    problems: tuple[str, ...] = ()
    autoscaled: bool = False
    pods_after: Pods | None = None
    """The pods after the update, if it changes their number."""
    kept: KeptObject | None = None
    """Keeps live fields of an object that follows workloads which keep their pods."""
    edited: tuple[str, ...] = ()
    """Fields of the manifest that differ from the custom resource in the cluster: changes that are due."""

    @property
    def is_to_be_taken(self) -> bool:
        return self.whose in ("operator", "other", "other stack", "needed")

    @property
    def of_others(self) -> dict[str, list[str]]:
        """The fields that anyone but the operator has set and that stay theirs, by field manager."""
        if not self.live or not self.is_to_be_taken or self.whose == "needed":
            return {}
        makers = makers_of(self.live["metadata"])
        fields: dict[str, list[str]] = {}
        for entry in self.live["metadata"].get("managedFields", []):
            if states_fields(entry) and entry["manager"] not in makers:
                fields.setdefault(entry["manager"], []).extend(readable(entry.get("fieldsV1") or {}))
        return fields


@dataclass
class Survey:
    """Compares the objects of a stack with the cluster.

    ``applied`` are the objects that the stack registers, in which workloads taken over earlier keep their pods.
    ``manifests`` are the stack's, to be compared with the custom resources from which the operator made its objects.
    ``with_changes``: the differences are applied with the take-over, which restarts these workloads. ``builds_on`` are
    the manifests that the objects of a custom resource are made from besides its own.
    """

    cluster: Cluster
    manager: str
    applied: Mapping[Key, Object]
    from_manager: str | None = None
    manifests: Sequence[Mapping[str, Any]] = ()
    with_changes: bool = False
    builds_on: Mapping[TypedObjectReference, Collection[Key]] = field(default_factory=dict)
    finalizers: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """The finalizers of custom resources that own workloads."""
    unread: dict[Key, str] = field(default_factory=dict)
    """Why custom resources can't be read, and so not compared with the manifests."""
    _edits: dict[TypedObjectReference, tuple[str, ...]] = field(default_factory=dict)
    _controllers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def rows(self, objects: Iterable[Object], identities: Iterable[Key] = ()) -> list[Row]:
        """A row for each object, and for those of which only the identity is known (Secrets). Raises ClusterError."""
        rendered = {key(obj): obj for obj in objects}
        lookup = self.cluster.objects([*rendered, *identities])
        rows = [
            self._row(identity, rendered.get(identity), lookup.objects.get(identity))
            for identity in dict.fromkeys([*rendered, *identities])
            if identity not in lookup.refused
        ]
        unreadable = [Row(identity, "other", problems=(reason,)) for identity, reason in lookup.refused.items()]
        rows = _with_followers(rows, rendered)
        rows += [*unreadable, *self._needed(rows, {*rendered, *identities})]
        return sorted(rows, key=lambda row: (row.identity[2:], row.identity.kind))

    def _needed(self, rows: Sequence[Row], known: Collection[Key]) -> Iterator[Row]:
        """The objects that kept pods refer to and that would be deleted with a custom resource."""
        entries = [row.entry for row in rows if row.entry]
        identities = dict.fromkeys(
            identity for entry in entries for identity in needed_by(entry) if identity not in known
        )
        lookup = self.cluster.metadata(identities)
        for identity, obj in lookup.objects.items():
            if obj["metadata"].get("ownerReferences"):
                problems = tuple(self._still_reconciled(obj["metadata"]))
                yield Row(identity, "needed", whose_is(obj["metadata"], self.manager)[1], obj, problems=problems)

    def _row(self, identity: Key, obj: Object | None, live: Mapping[str, Any] | None) -> Row:
        if live is None:
            return Row(identity, "new", pods=pods_of(obj) if obj else NO_PODS)
        whose, owner = whose_is(live["metadata"], self.manager)
        if whose == "ours":
            return self._ours(identity, obj, live)
        problems = [*self._still_reconciled(live["metadata"])]
        if whose == "other stack" and self.from_manager not in owners(live["metadata"]):
            problems.append(f"belongs to stack {owner}; remove it there first, then pass `--from {owner}`")
        entry = adopted_workload(obj, live) if obj and template_fields(obj) else None
        if entry:
            # The template is written to a file, so a literal secret in it is refused.
            problems += [f"{problem.path}: {problem.message}" for problem in secret_problems(template_of(live), "spec")]
        edited = self._edited(live["metadata"]) if entry else ()
        restarts = self.with_changes and bool(edited)
        if entry and restarts:
            entry = out_of_use(entry)
        elif entry and edited:
            entry = entry.model_copy(update={"due": list(edited)})
        kept = keep_pods(obj, entry) if obj and entry else obj
        return Row(
            identity,
            whose,
            owner,
            live,
            differs=tuple(unmet_paths(kept, live)) if kept else (),
            pods=pods_of(live),
            restarts=restarts,
            edited=edited,
            entry=entry,
            problems=tuple(problems),
            autoscaled=bool(obj) and "replicas" not in (obj.get("spec") or {}),
            pods_after=_pods_after(kept, live),
        )

    def _edited(self, metadata: Mapping[str, Any]) -> tuple[str, ...]:
        """The fields in which manifests differ from the custom resource that owns an object, or from what that resource
        builds on (a base config, a model)."""
        for owner in metadata.get("ownerReferences", []):
            identity = Key(owner["apiVersion"], owner["kind"], metadata.get("namespace", ""), owner["name"])
            if identity.reference not in self._edits:
                self._edits[identity.reference] = self._edits_of(identity)
            if self._edits[identity.reference]:
                return self._edits[identity.reference]
        return ()

    def _edits_of(self, identity: Key) -> tuple[str, ...]:
        stated = next((manifest for manifest in self.manifests if key(manifest).reference == identity.reference), None)
        there = self._custom(key(stated) if stated else identity, identity.api_version)
        if there is None:
            return ()
        if there["metadata"].get("finalizers"):
            self.finalizers[identity] = tuple(there["metadata"]["finalizers"])
        if stated is None:
            return ()
        paths = list(edits(stated, there))
        used = {other.reference for other in self.builds_on.get(identity.reference, ())}
        for manifest in self.manifests:
            other = key(manifest)
            live = self._custom(other, identity.api_version) if other.reference in used else None
            paths += [f"{other.kind} {other.name}: {path}" for path in (edits(manifest, live) if live else ())]
        return tuple(paths)

    def _custom(self, asked: Key, operators: str) -> Mapping[str, Any] | None:
        """A custom resource in the API version of its manifest, as the API server converts it, otherwise in the
        operator's: it may no longer serve the manifest's, and a webhook that converts stops with the operator."""
        refused: list[str] = []
        for one in dict.fromkeys([asked, asked._replace(api_version=operators)]):
            lookup = self.cluster.objects([one])
            if one in lookup.objects:
                return lookup.objects[one]
            refused += lookup.refused.values()
        if refused:
            self.unread[asked] = refused[0]
        return None

    def _ours(self, identity: Key, obj: Object | None, live: Mapping[str, Any]) -> Row:
        """What an update changes in an object of the stack, as the API server computes it."""
        if obj is None:
            return Row(identity, "ours", live=live)
        obj = self.applied.get(identity, obj)
        if is_applied(obj, live, self.manager):
            return Row(identity, "ours", live=live, pods=pods_of(live))
        try:
            after = after_update(obj, live, self.cluster, self.manager)
        except Refused as refusal:
            return Row(identity, "ours", live=live, pods=pods_of(live), problems=(refusal.reason,))
        restarts = bool(template_fields(obj)) and template_of(after) != template_of(live)
        differs = tuple(path for path in changed_paths(live, after) if not path.startswith(PULUMIS_OWN))
        return Row(identity, "ours", "", live, differs, pods_of(live), restarts)

    def _still_reconciled(self, metadata: Mapping[str, Any]) -> Iterator[str]:
        for owner in metadata.get("ownerReferences", []):
            for controller in self._running(owner["apiVersion"]):
                yield (
                    f"{owner['kind']} {owner['name']} is still reconciled by {controller}, which would put it back: "
                    "scale that to zero first, or delete the resource with `kubectl delete --cascade=orphan`"
                )

    def _running(self, api_version: str) -> tuple[str, ...]:
        if api_version not in self._controllers:
            try:
                controllers = tuple(running_controllers(api_version, self.cluster))
            except ClusterError as error:
                controllers = (f"a controller that can't be ruled out ({error})",)
            self._controllers[api_version] = controllers
        return self._controllers[api_version]


def _pods_after(applied: Object | None, live: Mapping[str, Any]) -> Pods | None:
    """The pods of the object as it is applied, None if their number stays or an autoscaler sets it."""
    if applied is None or not isinstance(value_at(applied, "spec", "replicas"), int):
        return None
    after = pods_of(applied)
    return None if after.count == pods_of(live).count else after


def _with_followers(rows: Sequence[Row], rendered: Mapping[Key, Object]) -> list[Row]:
    """The rows, in which objects that would lose their pods follow the workloads that keep theirs."""
    entries = [row.entry for row in rows if row.entry]
    live = {row.identity: row.live for row in rows if row.live and row.is_to_be_taken}
    kept = {follower.identity: follower for follower in followers(entries, rendered, live)}
    return [_following(row, kept[row.identity], rendered) if row.identity in kept else row for row in rows]


def _following(row: Row, kept: KeptObject, rendered: Mapping[Key, Object]) -> Row:
    assert row.live is not None
    differs = tuple(unmet_paths(keep_fields(rendered[row.identity], kept), row.live))
    return replace(row, kept=kept, differs=differs)


def needed_by(entry: AdoptedWorkload) -> Iterator[Key]:
    """What the pods of a workload refer to, and the pools that their sidecars and pickers watch."""
    workload = {"metadata": {"namespace": entry.namespace, "name": entry.name}, "spec": entry.spec, "kind": entry.kind}
    for reference in sorted(references(workload)):
        if reference.kind in NEEDED_KINDS:
            yield Key(NEEDED_KINDS[reference.kind], *reference)
    yield from named_pools(workload)


def whose_is(metadata: Mapping[str, Any], manager: str) -> tuple[Whose, str]:
    """Whose a live object is: the kind of owner, and its name."""
    stacks, makers = owners(metadata), makers_of(metadata)
    managers = [entry["manager"] for entry in metadata.get("managedFields", []) if states_fields(entry)]
    through = f" ({', '.join(dict.fromkeys(name for name in managers if name in makers))})" if makers else ""
    references = metadata.get("ownerReferences", [])
    if references and not is_kept(metadata):
        return "operator", f"{references[0]['kind']} {references[0]['name']}{through}"
    if manager in stacks:
        return "ours", ""
    if stacks:
        return "other stack", stacks[0].removeprefix(PREFIX)
    return "other", through.strip(" ()")


_SELECTOR = ("f:spec", "f:selector")
"""A field that only the maker of a workload or a Service sets."""


def makers_of(metadata: Mapping[str, Any]) -> frozenset[str]:
    """The field managers whose fields become the stack's: other stacks' and those of the operator that owns the object,
    or of any operator if it has no owner. If none has fields, those that made the object."""
    entries = [entry for entry in metadata.get("managedFields", []) if states_fields(entry)]
    managers: frozenset[str] = frozenset(owners(metadata))
    for owner in metadata.get("ownerReferences", []):
        managers |= operator_of(owner["apiVersion"]).managers | owner_setters(entries, owner.get("uid", ""))
    if not metadata.get("ownerReferences"):
        managers |= MANAGERS
    there = managers & {entry["manager"] for entry in entries}
    return there or frozenset(e["manager"] for e in entries if has(e.get("fieldsV1") or {}, _SELECTOR))


def prepare(row: Row, cluster: Cluster, manager: str) -> None:
    """Make a live object the stack's: remove its owner references and hand its fields to the stack's manager.

    An object that kept pods merely need gets no owner. Raises ClusterError, for example if someone has changed the
    object since it was read.
    """
    assert row.live is not None
    live = row.live
    for attempt in range(_ATTEMPTS):
        changed = {"resourceVersion": live["metadata"]["resourceVersion"], "ownerReferences": None}
        if row.whose != "needed":
            changed["managedFields"] = _handed_over(row, live, manager)
        try:
            cluster.patch(row.identity, {"metadata": changed}, "application/merge-patch+json")
            return
        except Refused as refusal:
            # A new status does not matter; a new spec does.
            live = cluster.read(row.identity) or {}
            if refusal.status != 409 or attempt == _ATTEMPTS - 1 or not live or _stated(row.live) != _stated(live):
                raise


def _handed_over(row: Row, live: Mapping[str, Any], manager: str) -> list[Mapping[str, Any]]:
    replicas = [("f:spec", "f:replicas")] if row.autoscaled else []
    without = [*replicas, *duplicates(live)] if row.entry else replicas
    entries, makers = live["metadata"].get("managedFields", []), makers_of(live["metadata"])

    def is_taken(entry: Entry) -> bool:
        return states_fields(entry) and (entry["manager"] in makers or entry["manager"] == manager)

    return handed_over(entries, manager, row.identity.api_version, is_taken=is_taken, without=without)


def _stated(obj: Mapping[str, Any]) -> dict[str, Any]:
    """What the object's owner states, without Kubernetes' own annotations, which change with the status."""
    stated = {name: value for name, value in obj.items() if name not in ("status", "metadata")}
    return {**stated, "uid": obj["metadata"]["uid"], "labels": obj["metadata"].get("labels")}
