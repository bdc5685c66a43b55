"""What is done with objects beside the services in a folder: read, apply or refuse them.

The first of these that names a kind decides: ``settings.beside``, ``settings.passthrough``, the list of known kinds
(which are read). Kinds of unknown groups are read as well: an operator of the platform serves them.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from ..families.registry import family_of
from ..findings import Problem
from ..kubernetes.beside import group_of, qualified, scope
from ..planning.settings import Action, Settings

_RENDERED_ELSEWHERE = {
    "argoproj.io": {
        "Application": "Argo CD renders it; list the folder that it points to under modelservices:manifests",
        "ApplicationSet": "Argo CD renders it; list the folders that it points to under modelservices:manifests",
    },
    "kustomize.toolkit.fluxcd.io": {
        "Kustomization": "Flux renders it; list the folder of its spec.path under modelservices:manifests",
    },
    "helm.toolkit.fluxcd.io": {
        "HelmRelease": "Flux renders it; use the output of `helm template` for its chart as a manifest",
    },
    "kustomize.config.k8s.io": {
        "Component": "Kustomize renders it; list the folder of an overlay that uses it under modelservices:manifests",
        "Kustomization": "Kustomize renders it; list its folder, not the file, under modelservices:manifests",
    },
}
_CHART_VALUES = frozenset(["modelArtifacts", "decode", "prefill", "routing", "accelerator", "multinode"])
"""Top-level keys of a values file of the chart llm-d-modelservice, which no manifest has."""
_POOL_VALUES = frozenset(["inferenceExtension", "inferencePool"])
"""The same for the Inference Extension's chart inferencepool."""
_MARKS = frozenset(["apiVersion", "kind", "metadata", "spec"])
"""Keys of which even an incomplete manifest has at least one."""


def action(api_version: str, kind: str, settings: Settings) -> Action | None:
    """What to do with objects of a kind; None if nothing is known of it."""
    full = qualified(group_of(api_version), kind)
    for name in (full, kind):
        if name in settings.beside:
            return settings.beside[name]
    if family_of(api_version) is None:
        for pattern, said in settings.beside.items():
            if "*" in pattern and fnmatchcase(full, pattern):
                return said
    if any((passed.apiVersion, passed.kind) == (api_version, kind) for passed in settings.passthrough):
        return "apply"
    return "read" if scope(api_version, kind) else None


def rendered_elsewhere(api_version: str, kind: str) -> Problem | None:
    """The warning for a manifest that another tool renders: it may be in the folder, but its output is not."""
    instead = _RENDERED_ELSEWHERE.get(group_of(api_version), {}).get(kind)
    if instead is None:
        return None
    name = qualified(group_of(api_version), kind)
    message = f"is left out, {instead}; settings.beside: {{{name}: read}} says nothing of it"
    return Problem("kind", message, "warning", "rendered-elsewhere")


def are_chart_values(data: Mapping[str, Any]) -> bool:
    """Whether a document has the values of the Helm chart llm-d-modelservice instead of a manifest."""
    keys = _CHART_VALUES.intersection(data)
    return "apiVersion" not in data and "kind" not in data and (len(keys) >= 2 or "modelArtifacts" in keys)


def no_manifest(data: Mapping[str, Any]) -> Problem | None:
    """The error for a document that is not a manifest: a Helm chart's values, or another tool's file."""
    if are_chart_values(data):
        message = (
            "the file has values of a Helm chart (llm-d-modelservice), not a manifest; `modelservices convert FILE` "
            "writes a ModelService that serves the same model"
        )
        return Problem("", message, code="chart-values")
    if not _MARKS.isdisjoint(data):
        return None
    if not _POOL_VALUES.isdisjoint(data):
        message = (
            "the file has values of a Helm chart (inferencepool), not a manifest; use the output of `helm template`, "
            "or write the InferencePool"
        )
        return Problem("", message, code="chart-values")
    message = (
        "is not a manifest, because it has neither apiVersion nor kind; for values of a Helm chart, use the output "
        "of `helm template`"
    )
    return Problem("", message, code="no-manifest")
