"""From documents to a plan: read every manifest, let its family plan it, and collect all that is wrong.

No Pulumi here: ``render``, ``validate`` and the Pulumi program all go through :func:`make_plan`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..families import Plan
from ..families.registry import FAMILIES, family_of
from ..findings import Finding, InvalidManifests, Problem, errors
from ..kubernetes.existing import Existing, Passed
from ..kubernetes.model import Invalid, Manifest
from ..kubernetes.objects import Object, Rendered, key
from ..kubernetes.secret_manifest import SecretManifest
from ..linking.collisions import collisions
from ..linking.names import bad_names
from ..linking.pools import unknown_pools
from ..linking.reference_grants import reference_grants
from ..linking.routes import route_conflicts
from ..linking.targets import complete
from ..manifests.documents import Document, load
from ..manifests.reading import object_name, read_manifest, with_namespace
from ..ome_keys.effective import has_keys
from .settings import Settings


@dataclass(frozen=True)
class StackPlan:
    """Everything a stack registers, and every finding about its manifests."""

    services: tuple[Rendered, ...]
    objects: tuple[Object, ...]
    secrets: tuple[SecretManifest, ...]
    existing: tuple[Existing, ...]
    findings: tuple[Finding, ...]
    documents: tuple[Document, ...] = ()
    """What was planned, as it was loaded but with its namespace; without objects that only exist."""

    @property
    def shared(self) -> tuple[Object, ...]:
        """Objects that several services bring, each once."""
        return tuple({key(obj): obj for service in self.services for obj in service.shared}.values())

    @property
    def chart(self) -> tuple[Object, ...]:
        """Objects that an operator's chart would have installed, each once."""
        return tuple({key(obj): obj for service in self.services for obj in service.chart}.values())

    def all_objects(self) -> list[Object]:
        """Every object but the chart's, sorted by kind, namespace and name."""
        own = [obj for service in self.services for obj in service.all_objects()]
        return in_order([*own, *self.shared, *self.objects])

    def namespaces(self) -> list[str]:
        """Every namespace that the stack's objects, Secrets and existing objects stand in, sorted."""
        manifests = [*self.secrets, *self.existing]
        found = {key(obj).namespace for obj in self.all_objects()} | {manifest.namespace for manifest in manifests}
        return sorted(found - {""})

    def raise_for_errors(self) -> StackPlan:
        """The plan itself, or InvalidManifests with every finding when one is an error."""
        if errors(self.findings):
            raise InvalidManifests(self.findings)
        return self


def in_order(objects: Iterable[Object]) -> list[Object]:
    """Sorted by kind, namespace and name."""
    return sorted(objects, key=lambda obj: (key(obj).kind, key(obj).namespace, key(obj).name))


def plan_paths(paths: Iterable[str | Path], settings: Settings, *, namespace: str = "default") -> StackPlan:
    """Load files and folders and plan what they hold."""
    documents, findings = load(paths)
    return make_plan(documents, settings, namespace=namespace, findings=findings)


def make_plan(
    documents: Sequence[Document],
    settings: Settings,
    *,
    namespace: str = "default",
    findings: Iterable[Finding] = (),
) -> StackPlan:
    """Plan all documents of a stack. ``namespace`` is for manifests without one; ``findings`` are those of loading."""
    found = list(findings)
    manifests: dict[int, Document] = {}
    read_manifests: list[Manifest] = []
    invalid: list[Manifest] = []
    for document in documents:
        manifest, wrong = read_manifest(document, settings, namespace)
        found += wrong
        if manifest is not None:
            manifests[id(manifest)] = document
            read_manifests.append(manifest)
        elif there := Invalid.of(with_namespace(document.data, namespace)):
            invalid.append(there)
    found += _duplicates(documents, namespace)
    plan = _rendered([*read_manifests, *invalid], settings)
    for manifest, problem in plan.problems:
        found.append(_finding(problem, manifest, manifests[id(manifest)]))
    for manifest, service in plan.services:
        found += [_finding(problem, manifest, manifests[id(manifest)]) for problem in service.problems]
    found += [_finding(problem, manifest, manifests[id(manifest)]) for manifest, problem in _linked(plan)]
    services = sorted((s for _, s in plan.services), key=lambda s: (s.namespace, s.name, s.component))
    return StackPlan(
        services=tuple(services),
        objects=(*(obj for _, obj in plan.objects), *reference_grants(obj for _, obj in plan.made())),
        secrets=tuple(m for m in read_manifests if isinstance(m, SecretManifest) and m.references()),
        existing=tuple(m for m in read_manifests if type(m) is Existing),
        findings=tuple(dict.fromkeys(found)),
        documents=tuple(_placed(manifests[id(m)], m) for m in read_manifests if type(m) is not Existing),
    )


def _placed(document: Document, manifest: Manifest) -> Document:
    """The document with the namespace that its object has."""
    metadata = {**document.data["metadata"], "namespace": manifest.namespace}
    return replace(document, data={**document.data, "metadata": metadata})


def _finding(problem: Problem, manifest: Manifest, document: Document) -> Finding:
    return Finding.of(problem, document.file, object_name(manifest))


def _duplicates(documents: Sequence[Document], namespace: str) -> Iterator[Finding]:
    """Two documents of one name; also where one of them can't be read as what it says it is."""
    seen: dict[tuple[str, ...], Document] = {}
    for document in (replace(document, data=with_namespace(document.data, namespace)) for document in documents):
        metadata = document.data.get("metadata")
        if not isinstance(metadata, dict):
            continue
        group = str(document.data.get("apiVersion", "")).partition("/")[0]
        identity = (group, *(str(value) for value in (document.data.get("kind"), metadata.get("namespace"))))
        first = seen.setdefault((*identity, str(metadata.get("name"))), document)
        if first is not document and metadata.get("name"):
            message = f"is there twice: first in {first.file}, document {first.index}"
            yield Finding(document.file, document.object, "metadata.name", message, code="duplicate-name")


def _rendered(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    """The first phase: each family renders its own manifests, then what needs another family's service."""
    families = {id(manifest): family_of(manifest.apiVersion) for manifest in manifests}
    plan = Plan()
    for family in FAMILIES:
        if any(found is family for found in families.values()):
            own = [manifest for manifest in manifests if families[id(manifest)] in (family, None)]
            plan.add(_with_all_keys(family.entry().render(own, getattr(settings, family.settings)), settings))
    plan.objects += [(m, m.as_object()) for m in manifests if isinstance(m, Passed)]
    for completed in complete(plan):
        plan.add(_with_all_keys(completed, settings))
    return plan


def _linked(plan: Plan) -> Iterator[tuple[Manifest, Problem]]:
    """The second phase: what is wrong between the rendered objects, whatever their families."""
    yield from bad_names(plan)
    yield from unknown_pools(plan)
    yield from route_conflicts(plan)
    yield from collisions(plan)


def _with_all_keys(part: Plan, settings: Settings) -> Plan:
    services = [(manifest, _with_keys(manifest, service, settings)) for manifest, service in part.services]
    return replace(part, services=services)


def _with_keys(manifest: Manifest, service: Rendered, settings: Settings) -> Rendered:
    """The service as OME's documented keys change it, whatever its family."""
    if not has_keys(manifest.metadata):
        return service
    # Imported when first needed: most stacks have no such keys.
    from ..ome_keys.apply import apply_keys

    return apply_keys(manifest, service, settings.ome)
