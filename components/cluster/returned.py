"""Operators that are back after a take-over: they write to the stack's objects again, or reconcile custom resources
whose objects the stack has."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ..kubernetes.objects import Key
from ..kubernetes.spelling import listed
from .connection import Cluster, ClusterError
from .managed_fields import states_fields
from .operators import MANAGERS, OPERATORS, running_controllers
from .ownership import PREFIX

_SHOWN = 3
_REPAIR = ", then run `modelservices adopt --yes` and `pulumi up --refresh`"
"""The operator has made itself the owner again, and an update that does not refresh repairs nothing: to Pulumi's state
nothing has changed."""


def returned(live: Mapping[Key, Mapping[str, Any]], cluster: Cluster) -> list[str]:
    """A sentence for each operator's field manager that has written to the stack's objects since its last update.

    ``live`` is the objects' metadata.
    """
    written: dict[str, list[Key]] = {}
    for identity, metadata in live.items():
        for name in _writers(metadata):
            written.setdefault(name, []).append(identity)
    return [_sentence(name, identities, cluster) for name, identities in sorted(written.items())]


def _writers(metadata: Mapping[str, Any]) -> Iterator[str]:
    entries = metadata.get("managedFields") or []
    applied_at = [str(e.get("time")) for e in entries if e.get("manager", "").startswith(PREFIX) and e.get("time")]
    for entry in entries:
        if (
            states_fields(entry)
            and entry.get("manager") in MANAGERS
            and applied_at
            and str(entry.get("time")) > max(applied_at)
        ):
            yield entry["manager"]


def _sentence(name: str, identities: Iterable[Key], cluster: Cluster) -> str:
    groups = [group for group, operator in OPERATORS.items() if name in operator.managers]
    running = {group: controllers for group in groups if (controllers := list(_running(group, cluster)))}
    whose = " or ".join(OPERATORS[group].name for group in running or groups)
    through = f" ({', '.join(dict.fromkeys(chain(*running.values())))})" if running else ""
    return (
        f"{listed([str(identity) for identity in identities], _SHOWN)}: written by {name}{through} since the stack's "
        f"last update, so the operator ({whose}) is back and will undo what the stack changes; stop it, or delete its "
        f"custom resources with `kubectl delete --cascade=orphan`{_REPAIR}"
    )


def reconciled(manifests: Iterable[Mapping[str, Any]], cluster: Cluster) -> list[str]:
    """A sentence for each operator that runs while custom resources of the manifests exist. Raises ClusterError."""
    wanted: dict[str, list[Key]] = {}
    for manifest in manifests:
        metadata = manifest["metadata"]
        group = manifest["apiVersion"].partition("/")[0]
        if group in OPERATORS:
            resource = Key(manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"])
            wanted.setdefault(group, []).append(resource)
    sentences: list[str] = []
    for group, identities in wanted.items():
        there = cluster.metadata(identities).objects
        running = list(_running(group, cluster)) if there else []
        if running:
            sentences.append(
                f"{listed([str(identity) for identity in there], _SHOWN)}: still in the cluster, where "
                f"{', '.join(running)} reconciles them and puts its own objects back; stop it, or delete them with "
                f"`kubectl delete --cascade=orphan`{_REPAIR}"
            )
    return sentences


def _running(group: str, cluster: Cluster) -> Iterator[str]:
    try:
        yield from running_controllers(f"{group}/v1", cluster)
    except ClusterError:
        return
