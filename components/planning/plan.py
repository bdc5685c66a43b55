"""Turns documents into a plan: reads every manifest, lets its family plan it, and collects all problems.

Does not use Pulumi: ``render``, ``validate`` and the Pulumi program all call :func:`make_plan`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ..families import Plan
from ..findings import MOST, Finding, InvalidManifests, Problem, bounded, errors
from ..kubernetes.beside import group_of
from ..kubernetes.existing import Existing
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.rendered import RenderedComponent, RenderedObject
from ..kubernetes.secret_manifest import SecretManifest
from ..kubernetes.source import Source, at, manifests_of
from ..kubernetes.values import value_at
from ..linking.collisions import collisions, node_ports, pulumi_names
from ..linking.disruption_budgets import blocked_drains
from ..linking.images import bad_images
from ..linking.missing_keys import missing_keys
from ..linking.objects import bad_names, engine_values, other_shapes, too_large
from ..linking.picker_programs import picker_problems, shared_pickers
from ..linking.pools import pools_without_pods, unknown_pools
from ..linking.quotas import refused_by_quota
from ..linking.reference_grants import reference_grants
from ..linking.routes import route_conflicts
from ..linking.scaling import without_requests
from ..linking.shared_claims import claims_of_one_node
from ..linking.unset_variables import unset_variables
from ..manifests.documents import Document, load
from ..manifests.engine_values import without_engine_values
from ..manifests.reading import check_of, read_manifest, with_namespace
from .rendering import render
from .settings import Settings, max_file_size
from .tenants import PLATFORM, Tenant, consent, matches, system_problems, tenant_problems, written_namespaces


@dataclass(frozen=True)
class StackPlan:
    """Everything a stack registers, and every finding about its manifests. ``single`` are objects without a service."""

    services: tuple[RenderedComponent, ...]
    single: tuple[RenderedObject, ...]
    secrets: tuple[SecretManifest, ...]
    existing: tuple[Existing, ...]
    findings: tuple[Finding, ...]
    documents: tuple[Document, ...] = ()
    """The planned documents as loaded, but with their namespaces, and without objects that are only read."""

    @cached_property
    def records(self) -> tuple[RenderedObject, ...]:
        """Every rendered object as one flat list. An object that several services bring is in it once."""
        records = [record for service in self.services for record in service.flat()]
        shared = {(record.key, record.lifetime == "chart"): record for record in records if record.lifetime != "own"}
        return (*(record for record in records if record.lifetime == "own"), *shared.values(), *self.single)

    @property
    def objects(self) -> tuple[Object, ...]:
        """The bodies of the objects that belong to no service."""
        return tuple(record.body for record in self.single)

    @property
    def shared(self) -> tuple[Object, ...]:
        """Objects that several services bring, each once."""
        return tuple(record.body for record in self.records if record.lifetime in ("shared", "retained"))

    @property
    def chart(self) -> tuple[Object, ...]:
        """Objects that an operator's chart would have installed, each once."""
        return tuple(record.body for record in self.records if record.lifetime == "chart")

    def all_objects(self) -> list[Object]:
        """Every object except the chart's, sorted by kind, namespace and name."""
        return in_order(record.body for record in self.records if record.lifetime != "chart")

    def certificates(self) -> list[Key]:
        """Secrets whose certificate is made at registration. Without it the API server refuses them."""
        return [record.key for record in self.records if record.certificate]

    def writable(self, *, chart: bool) -> list[Object]:
        """Every object that can be written as it is, with those of the ``chart`` if wanted.

        Secrets whose certificate is made later are left out: an API server would refuse them.
        """
        unfinished = set(self.certificates())
        objects = in_order([*self.all_objects(), *self.chart]) if chart else self.all_objects()
        return [obj for obj in objects if key(obj) not in unfinished]

    def namespaces(self) -> list[str]:
        """Every namespace of the stack's objects, Secrets and existing objects, sorted."""
        manifests = [*self.secrets, *self.existing]
        namespaces = {key(obj).namespace for obj in self.all_objects()} | {manifest.namespace for manifest in manifests}
        return sorted(namespaces - {""})

    def raise_for_errors(self) -> StackPlan:
        """The plan itself. Raises InvalidManifests with every finding if one is an error."""
        if errors(self.findings):
            raise InvalidManifests(self.findings)
        return self


def in_order(objects: Iterable[Object]) -> list[Object]:
    """The objects sorted by kind, namespace, name and API version."""
    return sorted(objects, key=lambda obj: (*key(obj)[1:], key(obj).api_version))


def plan_paths(paths: Iterable[str | Path], settings: Settings, *, namespace: str = "default") -> StackPlan:
    """Load files and folders and plan their contents."""
    documents, findings = load(paths, max_file_size(settings))
    return make_plan(documents, settings, namespace=namespace, findings=findings)


def make_plan(
    documents: Sequence[Document],
    settings: Settings,
    *,
    namespace: str = "default",
    findings: Iterable[Finding] = (),
    owner: Callable[[Document], Tenant] = lambda document: PLATFORM,
) -> StackPlan:
    """Plan all documents of a stack. ``namespace`` is for manifests without one; ``findings`` are those of loading;
    ``owner`` gives a document's tenant."""
    documents, for_engine = without_engine_values(documents, settings.pulumiAnnotations)

    def planned(variant: Sequence[Document]) -> tuple[StackPlan, list[int]]:
        return _planned(variant, settings, namespace, for_engine, owner)

    plan, unread = planned(documents)
    judged: Sequence[Finding] = plan.findings
    if unread:
        from .repair import with_repaired  # seldom needed: only if a manifest has type errors

        placed = [replace(document, data=with_namespace(document.data, namespace)) for document in documents]
        broken = {place: check_of(placed[place], settings) for place in unread}
        judged = with_repaired(judged, placed, broken, lambda variant: planned(variant)[0].findings)
    return replace(plan, findings=tuple(bounded(_without_echoes([*findings, *judged]))))


def _without_echoes(findings: Sequence[Finding]) -> list[Finding]:
    """The findings without others at the place of a literal secret, which they may quote."""
    secret = {(each.file, each.object, each.path) for each in findings if each.code == "literal-secret"}
    return [
        each for each in findings if each.code == "literal-secret" or (each.file, each.object, each.path) not in secret
    ]


def _planned(
    documents: Sequence[Document],
    settings: Settings,
    namespace: str,
    for_engine: Sequence[Finding],
    owner: Callable[[Document], Tenant],
) -> tuple[StackPlan, list[int]]:
    """The plan of documents, and the indexes of those that can't be read as their kind."""
    sources, unread, findings = _read(documents, settings, namespace, owner)
    findings += for_engine
    manifests = manifests_of(sources)
    plan = render(sources, settings)
    objects = [record for record in plan.records() if record.lifetime == "own"]
    grants = reference_grants(objects, consent(objects, settings))
    problems = [*plan.problems, *(each for service in plan.services for each in at(service.source, service.problems))]
    problems += [*_beyond_reach(sources, objects, settings), *grants.problems, *_linked(plan, objects, manifests)]
    problems += blocked_drains(objects, sources)
    problems += unset_variables(objects, problems)
    problems += picker_problems(objects, manifests, problems)
    problems += [] if errors(for_engine) else engine_values(objects, settings.pulumiAnnotations)
    names = frozenset(name for place in unread for name in _names(documents[place]))
    broken = Broken(names, with_errors(problems, {m.name for m in manifests}))
    findings += [source.finding(broken.as_reported(source, problem)) for source, problem in problems]
    result = StackPlan(
        services=tuple(sorted(plan.services, key=lambda s: (s.namespace, s.name, s.component))),
        single=(*plan.objects, *grants.objects),
        secrets=tuple(m for m in manifests if isinstance(m, SecretManifest) and m.references()),
        existing=tuple(m for m in manifests if type(m) is Existing),
        findings=tuple(findings),
        documents=tuple(_placed(source) for source in sources if _is_planned(source)),
    )
    return result, unread


def _names(document: Document) -> tuple[str, str]:
    """What a problem may call a missing object: its name, or ``a <kind>`` for one in the cluster or a namespace."""
    kind = str(document.data.get("kind") or "").removeprefix("Cluster")
    return str(value_at(document.data, "metadata", "name") or ""), f"a {kind}"


def _is_planned(source: Source) -> bool:
    return type(source.manifest) is not Existing


def _read(
    documents: Sequence[Document], settings: Settings, namespace: str, owner: Callable[[Document], Tenant]
) -> tuple[list[Source], list[int], list[Finding]]:
    """The manifests of the documents, the indexes of unreadable ones, and the problems of each document by itself."""
    sources: list[Source] = []
    unread: list[int] = []
    findings: list[Finding] = []
    wrong_ones = 0
    for place, document in enumerate(documents):
        if wrong_ones > MOST:
            message = f"was not checked, nor was anything after it; correct the first {MOST} errors"
            findings.append(
                Finding(document.file, document.object, "", message, code="more-problems", line=document.line)
            )
            break
        manifest, wrong = read_manifest(document, settings, namespace)
        findings += wrong
        wrong_ones += len(errors(wrong))
        if manifest is not None:
            sources.append(Source(manifest, document, owner(document)))
        else:
            unread.append(place)
    findings = findings if any(map(_is_planned, sources)) else [*map(_alone, findings)]
    findings += [*_only_read(sources), *_duplicates(sources, documents, namespace, owner)]
    return sources, unread, findings


def _alone(finding: Finding) -> Finding:
    """The finding about another tool's manifest. It may stand beside services; without any services it is an error."""
    return replace(finding, severity="error") if finding.code == "rendered-elsewhere" else finding


def _only_read(sources: Iterable[Source]) -> Iterator[Finding]:
    """One finding for each kind with objects that are only read, not created."""
    kinds: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        if not _is_planned(source):
            kinds.setdefault((group_of(source.manifest.apiVersion), source.manifest.kind), []).append(source)
    for (_, kind), (first, *others) in kinds.items():
        more = f", and so are {len(others)} more of the kind {kind}" if others else ""
        message = f"is an object that already exists in the cluster, so it is only read{more}"
        yield first.finding(Problem("", message, "info", "existing"))


def _beyond_reach(
    sources: Sequence[Source], objects: Iterable[RenderedObject], settings: Settings
) -> Iterator[tuple[Source, Problem]]:
    """Problems of manifests that write where their tenant, or anyone, may not."""
    written = written_namespaces(sources, objects)
    for source in sources:
        namespaces = written.get(source, set())
        yield from at(source, system_problems(source.manifest, namespaces, settings.systemNamespaces))
        yield from at(source, tenant_problems(source.manifest, source.tenant, namespaces))


def _placed(source: Source) -> Document:
    data = source.document.data
    metadata = {**data["metadata"], "namespace": source.manifest.namespace}
    return replace(source.document, data={**data, "metadata": metadata})


def _duplicates(
    sources: Iterable[Source], documents: Sequence[Document], namespace: str, owner: Callable[[Document], Tenant]
) -> Iterator[Finding]:
    """Errors for documents with the name of an earlier one, even if one of them can't be read as its kind.

    An object that is only read may be repeated, as each team's folder has the Namespace that they share.
    """
    existing = {_place(source.document) for source in sources if not _is_planned(source)}
    seen: dict[tuple[str | int, ...], Document] = {}
    for document in documents:
        data = with_namespace(document.data, namespace)
        metadata = data.get("metadata")
        if not isinstance(metadata, dict) or not metadata.get("name"):
            continue
        named = [str(value) for value in (data.get("kind"), metadata.get("namespace"), metadata["name"])]
        group = str(data.get("apiVersion", "")).partition("/")[0]
        tenant = owner(document)
        # Objects outside a tenant's namespaces are only seen by its services, so two tenants may have the same one.
        view = "" if tenant.shared or matches(named[1], tenant.namespaces) else tenant.title
        first = seen.setdefault((view, group, *named), document)
        only_read = _place(first) in existing and _place(document) in existing
        if first is not document and not (only_read and first.data == document.data):
            message = f"is defined twice, first in {first.file}, document {first.index}"
            severity = "warning" if only_read else "error"
            problem = Problem("metadata.name", message, severity, "duplicate-name")
            yield Finding.of(problem, document.file, replace(document, data=data).object, document.line)


def _place(document: Document) -> tuple[str, int, str]:
    return document.file, document.index, document.object


def _linked(
    plan: Plan, objects: Sequence[RenderedObject], manifests: Sequence[Manifest]
) -> Iterator[tuple[Source, Problem]]:
    """The second phase: problems between the rendered objects of all families."""
    yield from bad_names(objects)
    yield from bad_images(objects)
    yield from other_shapes(objects)
    yield from without_requests(objects)
    yield from unknown_pools(plan, objects)
    yield from pools_without_pods(objects)
    yield from shared_pickers(objects)
    yield from claims_of_one_node(plan, objects, manifests)
    yield from refused_by_quota(objects, manifests)
    yield from missing_keys(objects, manifests)
    yield from route_conflicts(objects)
    yield from collisions(objects)
    yield from pulumi_names(plan.services)
    yield from node_ports(objects)
    yield from too_large(objects)


class Broken(NamedTuple):
    """``unread``: names of objects that can't be read as their kind, and those kinds. ``manifests``: by name, those
    with errors that don't come from another one."""

    unread: Set[str]
    manifests: Mapping[str, Set[Source]]

    def as_reported(self, source: Source, problem: Problem) -> Problem:
        """The problem unchanged, or a note instead if the object that it misses has errors."""
        name = problem.missing
        if not name:
            return problem
        if name not in self.unread and not self.manifests.get(name, frozenset()) - {source}:
            return problem
        message = f"{name} has errors, so this is not checked yet; correct those first"
        return replace(problem, message=message, severity="info", code="broken-reference")


def with_errors(problems: Iterable[tuple[Source, Problem]], names: Collection[str]) -> Mapping[str, Set[Source]]:
    """The manifests with errors, by name.

    ``names`` are those of all manifests: a missing reference to one of them may come from an error there.
    """
    wrong: defaultdict[str, set[Source]] = defaultdict(set)
    for source, problem in problems:
        if problem.severity == "error" and problem.missing not in names:
            wrong[source.manifest.name].add(source)
    return wrong
