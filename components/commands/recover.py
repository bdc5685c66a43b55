"""``recover``: after an update was killed, names what the stack made and has lost track of, and deletes it."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cluster.connection import Cluster
from ..cluster.orphans import DATA, Orphan, orphans
from ..cluster.ownership import manager, owner_object
from ..kubernetes.objects import Key, key
from ..kubernetes.values import mapping, value_at
from ..planning.plan import StackPlan
from .engine import ask_engine
from .live import add_stack, cluster_of
from .sources import plan_named_stack, project_name

_MARK = "pulumi.com/patchFieldManager"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stack(parser)
    parser.add_argument(
        "--organization", default="organization", help="the stack's organization, where its state is empty"
    )
    parser.add_argument("--yes", action="store_true", help="delete what was named")


def run(arguments: argparse.Namespace) -> int:
    plan = plan_named_stack(arguments.stack).raise_for_errors()
    # A stack that was never updated has no resources.
    exported = ask_engine("stack", "export", stack=arguments.stack)
    resources: list[Mapping[str, Any]] = value_at(exported, "deployment", "resources") or []
    mark = _mark(resources) or manager(arguments.organization, project_name(Path.cwd()), arguments.stack)
    with cluster_of(arguments.stack) as cluster:
        orphaned = orphans(cluster, mark, [*_registered(resources), *_planned(plan, mark)])
        return _settle(orphaned, cluster, delete=arguments.yes)


def _settle(orphaned: Sequence[Orphan], cluster: Cluster, *, delete: bool) -> int:
    for orphan in orphaned:
        if orphan.identity.kind in DATA:
            print(f"{orphan.identity}: kept, as it holds data; delete it by hand if nobody needs it")
        elif delete:
            cluster.delete(orphan.identity, orphan.uid)
            print(f"{orphan.identity}: deleted")
        else:
            print(f"{orphan.identity}: made by this stack, and neither in its state nor in its manifests")
    left = [orphan for orphan in orphaned if orphan.identity.kind not in DATA]
    if left and not delete:
        print("nothing was deleted: run this again with --yes", file=sys.stderr)
        return 1
    print("now run `pulumi up --refresh`: it takes in again what the manifests have", file=sys.stderr)
    return 0


def _mark(resources: Sequence[Mapping[str, Any]]) -> str:
    """The field manager of the state's objects; empty if the state has none."""
    marks = (value_at(resource, "inputs", "metadata", "annotations", _MARK) for resource in resources)
    return next((mark for mark in marks if isinstance(mark, str)), "")


def _registered(resources: Sequence[Mapping[str, Any]]) -> Iterator[Key]:
    for inputs in (mapping(resource.get("inputs")) for resource in resources):
        metadata = mapping(inputs.get("metadata"))
        if "kind" in inputs and "name" in metadata:
            yield Key(str(inputs["apiVersion"]), str(inputs["kind"]), metadata.get("namespace", ""), metadata["name"])


def _planned(plan: StackPlan, mark: str) -> Iterator[Key]:
    yield from (key(obj) for obj in plan.all_objects())
    yield from (key(owner_object(obj, mark)) for obj in plan.chart)
    yield from (Key("v1", "Secret", secret.namespace, secret.name) for secret in plan.secrets)
    yield from (Key("v1", "Namespace", "", name) for name in plan.namespaces())
