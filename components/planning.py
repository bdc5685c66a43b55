"""From documents to a plan: read every manifest, let its family plan it, and collect all that is wrong.

No Pulumi here: ``render``, ``validate`` and the Pulumi program all go through :func:`make_plan`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .families import GROUPS, Plan, family
from .families.ome.checks import check_metadata
from .findings import Finding, InvalidManifests, Problem, errors
from .kubernetes.existing import EXISTING, Existing
from .kubernetes.model import Manifest, read
from .kubernetes.objects import Key, Object, Rendered, key
from .kubernetes.placeholders import placeholders
from .kubernetes.secret_manifest import SecretManifest
from .manifests import Document, load
from .settings import Settings

CLUSTER_SCOPED = frozenset(["ClusterBaseModel", "ClusterServingRuntime"])


@dataclass(frozen=True)
class StackPlan:
    """Everything a stack registers, and every finding about its manifests."""

    services: tuple[Rendered, ...]
    objects: tuple[Object, ...]
    secrets: tuple[SecretManifest, ...]
    existing: tuple[Existing, ...]
    findings: tuple[Finding, ...]

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
    for document in documents:
        manifest = _read(document, settings, namespace, found)
        if manifest is not None:
            manifests[id(manifest)] = document
            read_manifests.append(manifest)
    found += _duplicates(read_manifests, manifests)
    plan = _plan_families(read_manifests, settings)
    for manifest, problem in plan.problems:
        found.append(_finding(problem, manifest, manifests[id(manifest)]))
    for manifest, service in plan.services:
        found += [_finding(problem, manifest, manifests[id(manifest)]) for problem in service.problems]
    found += _collisions(plan, manifests)
    services = sorted((s for _, s in plan.services), key=lambda s: (s.namespace, s.name, s.component))
    return StackPlan(
        services=tuple(services),
        objects=tuple(obj for _, obj in plan.objects),
        secrets=tuple(m for m in read_manifests if isinstance(m, SecretManifest) and m.references()),
        existing=tuple(m for m in read_manifests if isinstance(m, Existing)),
        findings=tuple(dict.fromkeys(found)),
    )


def _finding(problem: Problem, manifest: Manifest, document: Document) -> Finding:
    return Finding.of(problem, document.file, _object(manifest))


def _object(manifest: Manifest) -> str:
    where = f"{manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.name
    return f"{manifest.kind} {where}"


def _read(document: Document, settings: Settings, namespace: str, found: list[Finding]) -> Manifest | None:
    data = _with_namespace(document.data, namespace)
    where = Document(document.file, document.index, document.line, data).object
    model, problem = _model_of(data, document, settings)
    if model is None:
        found.append(Finding.of(problem or Problem("kind", "is required"), document.file, where))
        return None
    group = str(data["apiVersion"]).partition("/")[0]
    folder = GROUPS.get(group)
    field = "inferenceExtension" if folder == "inference_extension" else folder
    ignore = bool(field and getattr(settings, field).ignoreUnknown)
    manifest, problems = read(model, data, ignore_unknown=ignore)
    if model is not Existing:
        problems += placeholders(data, templates=folder == "kserve")
    problems += check_metadata(data, settings.ome.profile, settings.ome.customKeys)
    found += [Finding.of(problem, document.file, where) for problem in problems]
    if manifest is not None:
        found += [Finding.of(problem, document.file, where) for problem in manifest.problems()]
    return manifest


def _with_namespace(data: dict[str, Any], namespace: str) -> dict[str, Any]:
    metadata = data.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("namespace") or data.get("kind") in CLUSTER_SCOPED:
        return data
    return {**data, "metadata": {**metadata, "namespace": namespace}}


def _model_of(
    data: dict[str, Any], document: Document, settings: Settings
) -> tuple[type[Manifest] | None, Problem | None]:
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str):
            return None, Problem(field, f"is required (line {document.line})", code="required")
    api_version, kind = data["apiVersion"], data["kind"]
    if (api_version, kind) == ("v1", "Secret"):
        return SecretManifest, None
    if (api_version, kind) in EXISTING or any(
        (p.apiVersion, p.kind) == (api_version, kind) for p in settings.passthrough
    ):
        return Existing, None
    folder = GROUPS.get(api_version.partition("/")[0])
    kinds = family(folder).KINDS if folder else {}
    if (api_version, kind) in kinds:
        return kinds[api_version, kind], None
    wrong = "apiVersion" if any(kind == known for _, known in kinds) else "kind"
    return None, Problem(wrong, _unknown_kind(api_version, kind, kinds, document), code="unknown-kind")


def _unknown_kind(api_version: str, kind: str, kinds: Any, document: Document) -> str:
    names = sorted({f"{known} ({version})" for version, known in kinds})
    near = difflib.get_close_matches(f"{kind} ({api_version})", names, n=1)
    if near:
        hint = f"did you mean {near[0]}?"
    elif names:
        hint = f"known here: {', '.join(names)}"
    else:
        hint = "a kind that a CRD defines can be listed under settings.passthrough"
    return f"{kind} ({api_version}) is not accepted (line {document.line}); {hint}"


def _duplicates(manifests: Sequence[Manifest], documents: dict[int, Document]) -> Iterator[Finding]:
    seen: dict[tuple[str, str, str, str], Document] = {}
    for manifest in manifests:
        group = manifest.apiVersion.partition("/")[0]
        identity = (group, manifest.kind, manifest.namespace, manifest.name)
        document = documents[id(manifest)]
        if identity in seen:
            first = seen[identity]
            message = f"is there twice: first in {first.file}, document {first.index}"
            yield Finding(document.file, _object(manifest), "metadata.name", message, code="duplicate-name")
        seen.setdefault(identity, document)


def _plan_families(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    plan = Plan()
    folders = {GROUPS.get(manifest.apiVersion.partition("/")[0]) for manifest in manifests}
    for folder in sorted(f for f in folders if f):
        part = family(folder).plan(manifests, settings)
        plan.services += part.services
        plan.objects += part.objects
        plan.problems += part.problems
    return plan


def _collisions(plan: Plan, documents: dict[int, Document]) -> Iterator[Finding]:
    """Two manifests that would make one and the same object."""
    owners: dict[Key, Manifest] = {}
    made = [(m, obj) for m, service in plan.services for obj in service.all_objects()] + list(plan.objects)
    for manifest, obj in made:
        other = owners.setdefault(key(obj), manifest)
        if other is not manifest:
            message = f"would make {key(obj)}, which {_object(other)} makes too: rename one of them"
            yield Finding(
                documents[id(manifest)].file, _object(manifest), "metadata.name", message, code="name-collision"
            )
