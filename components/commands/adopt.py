"""``adopt``: take over what an operator made, without restarting its pods."""

import argparse
import collections
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..cluster.connection import Cluster
from ..cluster.ownership import PREFIX, manager
from ..cluster.returned import returned
from ..cluster.takeover import Row, Survey, prepare
from ..findings import Finding, InvalidManifests, escaped
from ..kubernetes.objects import Key, key
from ..kubernetes.spelling import listed
from ..planning.adopted import AdoptedFile, dump_adopted, load_adopted, with_adopted
from ..planning.plan import StackPlan
from ..stack_config import adopted_path, config_file, plan_manifests, program_folder, read_config
from .live import add_stack, aligned, cluster_of
from .sources import project_name

COLUMNS = ("OBJECT", "WHOSE", "DIFFERS IN", "PODS", "UPDATE")
_SHOWN = 3
KEPT = collections.defaultdict(lambda: "fields", {"ConfigMap": "data", "Secret": "certificate", "Service": "ports"})
"""Kind to what is kept of an object as long as kept pods need it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stack(parser)
    parser.add_argument("--yes", action="store_true", help="prepare the take-over of the objects that the table lists")
    parser.add_argument(
        "--organization",
        default="organization",
        metavar="NAME",
        help="the stack's organization in Pulumi Cloud (default: that of every other backend)",
    )
    parser.add_argument(
        "--import-file",
        type=Path,
        metavar="FILE",
        help="write what is in the cluster as a file for `pulumi import`: the next preview then shows what changes",
    )
    parser.add_argument(
        "--with-changes",
        action="store_true",
        help="make what the manifests say beyond the custom resources in the cluster: those workloads restart",
    )
    parser.add_argument(
        "--from", dest="origin", metavar="STACK", help="also take over from this stack (organization/project/stack)"
    )


def run(arguments: argparse.Namespace) -> int:
    values, namespace = config_file(arguments.stack, Path.cwd())
    config = read_config(values, f"Pulumi.{arguments.stack}.yaml")
    folder = program_folder(Path.cwd())
    plan = plan_manifests(config, arguments.stack, folder, namespace).raise_for_errors()
    path = adopted_path(config, arguments.stack, folder)
    before = load_adopted(path)
    applied = {key(obj): obj for obj in with_adopted(plan, before, str(path)).all_objects()}
    mark = manager(arguments.organization, project_name(Path.cwd()), arguments.stack)
    secrets = [Key("v1", "Secret", secret.namespace, secret.name) for secret in plan.secrets]
    with cluster_of(arguments.stack) as cluster:
        origin = f"{PREFIX}{arguments.origin}" if arguments.origin else None
        manifests = [document.data for document in plan.documents]
        builds_on = {key(service.source.document.data).reference: service.builds_on for service in plan.services}
        survey = Survey(cluster, mark, applied, origin, manifests, arguments.with_changes, builds_on)
        rows = survey.rows(plan.all_objects(), secrets)
        print(table(rows))
        adopted = {row.identity: row.live["metadata"] for row in rows if row.whose == "ours" and row.live}
        # A running operator sets its finalizer again, so the patch is of no use while the take-over is refused.
        finalizers = {} if refusals(rows) else survey.finalizers
        remarks = [*_remarks(rows), *unread_lines(survey.unread), *_finalizers(finalizers)]
        for line in [*remarks, *returned(adopted, cluster)]:
            print(line)
        if arguments.import_file and not refusals(rows):
            _write_import_file(plan, rows, arguments.import_file)
        return _prepare(rows, before, path, cluster, mark) if arguments.yes else _advise(rows, arguments.stack)


def _write_import_file(plan: StackPlan, rows: Iterable[Row], path: Path) -> None:
    # Pulumi is slow to load, and the table does not need it.
    from ..registration.import_file import import_file

    there = {row.identity for row in rows if row.live and row.whose != "needed"}
    content = import_file(plan, there)
    try:
        path.write_text(json.dumps(content, indent=2) + "\n")
    except OSError as error:
        raise InvalidManifests([Finding(str(path), "", "", f"can't be written: {error.strerror}")]) from None
    count = sum("id" in resource for resource in content["resources"])
    print(f"\n{path}: {count} objects for `pulumi import --file {path} --generate-code=false`")


def table(rows: Iterable[Row]) -> str:
    """The stack's objects compared with the cluster."""
    cells = [(str(row.identity), row.owner or row.whose, _fields(row), _pods(row), _update(row)) for row in rows]
    return aligned([COLUMNS, *cells])


def _fields(row: Row) -> str:
    if row.whose in ("new", "needed"):
        return "-"
    return listed(row.differs, _SHOWN) if row.differs else "nothing"


def _pods(row: Row) -> str:
    after = f", {row.pods_after.count} afterwards" if row.pods_after else ""
    if not row.pods.count:
        return f"none{after}" if after else "-"
    end = "s" if row.pods.count == 1 else ""
    if row.whose == "new":
        return f"{row.pods} start{end}"
    return f"{row.pods} {'restart' if row.restarts else 'stay'}{end}{after}"


def _update(row: Row) -> str:
    if row.problems:
        return "refused"
    if row.whose == "new":
        return "create"
    if row.whose == "ours":
        return "change" if row.differs else "unchanged"
    if row.whose == "needed":
        return "stays for kept pods, without its owner"
    if row.restarts:
        return "take over, with the manifest's change"
    if row.kept:
        return f"take over, live {KEPT[row.identity.kind]} kept"
    return "take over, live pod template kept" if row.entry else "take over"


def _remarks(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.edited:
            yield _due_change(row)
        if row.of_others:
            kept = "; ".join(f"{', '.join(fields)} ({manager})" for manager, fields in row.of_others.items())
            yield f"{row.identity}: these fields stay with those who set them: {kept}"


def unread_lines(unread: Mapping[Key, str]) -> Iterator[str]:
    for identity, reason in unread.items():
        yield escaped(
            f"{identity}: can't be read ({reason}), so what the manifests change in it is neither named here nor made "
            "by --with-changes: it reaches the pods only with the service's next change"
        )


def _finalizers(finalizers: Mapping[Key, Sequence[str]]) -> Iterator[str]:
    """Custom resources whose finalizers only their operator removes. Some also delete objects that are the stack's by
    then (cluster roles)."""
    for identity, names in finalizers.items():
        group = identity.api_version.partition("/")[0]
        patch = f"kubectl patch {identity.kind.lower()}.{group} -n {identity.namespace} {identity.name} --type merge"
        yield (
            f"{identity}: only its operator removes the finalizer {', '.join(names)}, and may then delete objects that "
            "belong to the stack by that time (cluster roles); before you delete the resource, while the operator is "
            "stopped, run "
            f"""`{patch} -p '{{"metadata":{{"finalizers":null}}}}'`"""
        )


def _due_change(row: Row) -> str:
    ending = "" if row.restarts else ", which its pods keep: --with-changes makes the manifest's, and restarts them"
    return escaped(f"{row.identity}: {row.owner} in the cluster has another {', '.join(row.edited[:_SHOWN])}{ending}")


def refusals(rows: Iterable[Row]) -> list[str]:
    """A line for each problem, which names the objects that have it."""
    objects: dict[str, list[str]] = {}
    for row in rows:
        for problem in row.problems:
            objects.setdefault(problem, []).append(str(row.identity))
    return [escaped(f"{listed(identities, _SHOWN)}: {problem}") for problem, identities in objects.items()]


def _advise(rows: Sequence[Row], stack: str) -> int:
    problems = refusals(rows)
    for line in problems:
        print(line, file=sys.stderr)
    count = sum(row.is_to_be_taken for row in rows)
    if count and not problems:
        print(f"\n{count} objects to take over: `modelservices adopt --stack {stack} --yes`, then `pulumi up`")
    return 1 if problems else 0


def _prepare(rows: Sequence[Row], before: AdoptedFile, path: Path, cluster: Cluster, mark: str) -> int:
    """Write the file first, so that an interrupted run can be repeated."""
    problems = refusals(rows)
    if problems:
        print("\n".join(["nothing was changed:", *(f"  {line}" for line in problems)]), file=sys.stderr)
        return 1
    taken = [row for row in rows if row.is_to_be_taken]
    workloads = {entry.identity: entry for entry in [*before.workloads, *(row.entry for row in taken if row.entry)]}
    objects = {entry.identity: entry for entry in [*before.objects, *(row.kept for row in taken if row.kept)]}
    text = dump_adopted(workloads.values(), objects.values())
    if text != dump_adopted(before.workloads, before.objects):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"\n{path}: {len(workloads)} workloads keep their live pod templates; commit it with the manifests")
    for row in taken:
        prepare(row, cluster, mark)
    print(f"{len(taken)} objects are this stack's now; `pulumi up` goes on with them")
    return 0
