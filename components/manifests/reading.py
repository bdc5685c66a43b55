"""Reads a document into a manifest: chooses its model, and finds its problems apart from other manifests."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..families.registry import CLUSTER_KINDS, family_of
from ..findings import Finding, Problem, first_problems
from ..kubernetes.beside import group_of, scope
from ..kubernetes.existing import Existing, Passed
from ..kubernetes.faults import Fault, faults
from ..kubernetes.metadata import name_problems
from ..kubernetes.model import Manifest, read
from ..kubernetes.scalars import describe
from ..kubernetes.secret_manifest import REFERENCE, SecretManifest, misplaced_references
from ..kubernetes.secrets import exemptions, object_secrets
from ..kubernetes.values import all_text, mapping
from ..ome_keys.presence import may_have_keys
from ..planning.settings import Settings
from .beside import action, no_manifest, rendered_elsewhere
from .documents import Document
from .kinds import KnownKind, advice, meant_kind
from .placeholders import placeholders

_BESIDE: dict[str | None, type[Manifest]] = {"read": Existing, "apply": Passed}


def read_manifest(document: Document, settings: Settings, namespace: str) -> tuple[Manifest | None, list[Finding]]:
    """The manifest of a document, or None, and its findings. ``namespace`` is for a manifest that names none."""
    data = with_namespace(document.data, namespace)
    where = Document(document.file, document.index, document.line, data).object
    model = _model_of(data, settings)
    if isinstance(model, Problem):
        return None, [Finding.of(model, document.file, where, document.line)]
    completed = _completed(data, settings)
    manifest, problems = read(model, completed, ignore_unknown=_ignores_unknown(data["apiVersion"], settings))
    if model is Existing:
        problems += _elsewhere(data, settings)
        problems += [replace(problem, severity="warning") for problem in literal_secrets(data)]
    else:
        family = family_of(data["apiVersion"])
        problems += placeholders(data, templates=family is not None and family.has_templates)
        problems += literal_secrets(data)
    problems += _key_problems(data, settings)
    problems += _model_problems(manifest) if manifest is not None else []
    return manifest, [Finding.of(problem, document.file, where, document.line) for problem in problems]


def check_of(document: Document, settings: Settings) -> Callable[[Any], list[Fault]]:
    """A function that lists what in given data does not fit a document's model; nothing if no family has its kind."""
    model = _model_of(document.data, settings)
    if isinstance(model, Problem) or family_of(document.data["apiVersion"]) is None:
        return lambda data: []
    return lambda data: faults(model, _completed(data, settings))


def _completed(data: Mapping[str, Any], settings: Settings) -> Mapping[str, Any]:
    """A document with the fields that OME's documented keys fill in."""
    if not may_have_keys(data):
        return data
    # Imported when first needed: many manifests have no label or annotation.
    from ..ome_keys.complete import complete_document

    return complete_document(data, settings.ome)


def _key_problems(data: Mapping[str, Any], settings: Settings) -> list[Problem]:
    if not may_have_keys(data):
        return []
    from ..ome_keys.validation import check_metadata

    return first_problems(check_metadata(data, settings.ome.profile, settings.ome.customKeys))


def literal_secrets(data: Mapping[str, Any]) -> list[Problem]:
    """Secrets in the text of a document, except those that its annotation names, and misplaced references to config
    secrets. The values of a Secret are checked by its model."""
    checked = {field: value for field, value in data.items() if field not in _NOT_THE_AUTHORS}
    if data.get("kind") == "Secret":
        checked = {field: value for field, value in checked.items() if field not in ("data", "stringData")}
    annotations = mapping(mapping(data.get("metadata")).get("annotations"))
    references = misplaced_references(checked) if REFERENCE in all_text(checked) else ()
    return [*object_secrets(checked, exempt=exemptions(annotations)), *references]


_NOT_THE_AUTHORS = frozenset(["status"])


def _elsewhere(data: Mapping[str, Any], settings: Settings) -> list[Problem]:
    """The problem of an object that another tool renders, unless the settings say what to do with it."""
    if action(data["apiVersion"], data["kind"], settings):
        return []
    problem = rendered_elsewhere(data["apiVersion"], data["kind"])
    return [problem] if problem else []


def _is_of_the_platform(api_version: str, meant: KnownKind | None) -> bool:
    """Whether a CRD of the platform defines a kind: it has no family, and is not a misspelled kind of a family or of
    Kubernetes."""
    group = group_of(api_version)
    misspelled = meant is not None and (family_of(meant.version) is not None or group.endswith(".k8s.io"))
    return "." in group and family_of(api_version) is None and not misspelled


def _is_encrypted(secret: Mapping[str, Any]) -> bool:
    """Whether SOPS has encrypted all values of a Secret. Whoever applies it decrypts them."""
    values = [value for field in ("data", "stringData") for value in mapping(secret.get(field)).values()]
    return isinstance(secret.get("sops"), Mapping) and all(str(value).startswith("ENC[") for value in values)


def _model_problems(manifest: Manifest) -> list[Problem]:
    """The problems that the manifest's model finds, and those of its name for which the model has no closer rule."""
    problems = list(manifest.problems())
    known = {problem.path for problem in problems}
    names = name_problems(manifest.metadata, manifest.apiVersion)
    return [*problems, *(problem for problem in names if problem.path not in known)]


def described(manifest: Manifest) -> str:
    """A manifest's name in findings: ``Kind namespace/name``."""
    where = f"{manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.name
    return f"{manifest.kind} {where}"


def _ignores_unknown(api_version: str, settings: Settings) -> bool:
    family = family_of(api_version)
    return family is not None and getattr(settings, family.settings).ignoreUnknown


def with_namespace(data: dict[str, Any], namespace: str) -> dict[str, Any]:
    """A document's data, with a namespace if its object needs one, without one if it is cluster-scoped."""
    metadata, api_version, kind = data.get("metadata"), str(data.get("apiVersion")), str(data.get("kind"))
    if not isinstance(metadata, dict):
        return data
    if scope(api_version, kind) == "cluster":
        return {**data, "metadata": {name: value for name, value in metadata.items() if name != "namespace"}}
    if metadata.get("namespace") or kind in CLUSTER_KINDS or _may_be_cluster_scoped(data, api_version, kind):
        return data
    return {**data, "metadata": {**metadata, "namespace": namespace}}


def _may_be_cluster_scoped(data: dict[str, Any], api_version: str, kind: str) -> bool:
    """Whether a kind's scope is unknown. Then the manifest says whether it has a namespace."""
    known = family_of(api_version) or scope(api_version, kind) or api_version == "v1"
    return "apiVersion" in data and not known


def _model_of(data: dict[str, Any], settings: Settings) -> type[Manifest] | Problem:
    other = no_manifest(data)
    if other:
        return other
    for field in ("apiVersion", "kind"):
        if not isinstance(data.get(field), str):
            value = data.get(field)
            message = "is required" if value is None else f"must be a text, got {describe(value)}"
            return Problem(field, message, code="required" if value is None else "bad-value")
    api_version, kind = data["apiVersion"], data["kind"]
    if (api_version, kind) == ("v1", "Secret"):
        return Existing if _is_encrypted(data) else SecretManifest
    chosen = action(api_version, kind, settings)
    if chosen in _BESIDE:
        return _BESIDE[chosen]
    if chosen == "refuse":
        return Problem("kind", f"{kind} ({api_version}) is refused by settings.beside", code="refused-kind")
    family = family_of(api_version)
    kinds = family.entry().KINDS if family else {}
    if (api_version, kind) in kinds:
        return kinds[api_version, kind]
    meant = meant_kind(api_version, kind)
    if _is_of_the_platform(api_version, meant):
        return Existing
    hint = f"did you mean {meant}?" if meant else advice(api_version, kind)
    field = "apiVersion" if meant and meant.kind == kind else "kind"
    return Problem(field, f"{kind} ({api_version}) is not accepted; {hint}", code="unknown-kind")
