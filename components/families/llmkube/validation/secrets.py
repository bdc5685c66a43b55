"""Notes on Secrets that are not among the manifests: pods start only if the cluster has them."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

from ....findings import Problem
from ....kubernetes.existing import Existing
from ....kubernetes.model import Manifest
from ....kubernetes.secret_manifest import SecretManifest
from ....kubernetes.values import mapping
from ..kinds import InferenceService, Model
from ..runtimes import RUNTIMES

_MAKERS = frozenset(["ExternalSecret", "SealedSecret"])
"""Kinds from which controllers make a Secret, with their name or that of ``spec.target``."""


def secrets_of(manifests: Sequence[Manifest]) -> frozenset[tuple[str, str]]:
    """Namespace and name of every Secret that the manifests contain or have made."""
    names = {(m.namespace, m.name) for m in manifests if isinstance(m, SecretManifest)}
    for manifest in manifests:
        if isinstance(manifest, Existing) and (manifest.kind == "Secret" or manifest.kind in _MAKERS):
            target = mapping(mapping(manifest.body("spec")).get("target")).get("name")
            names.add((manifest.namespace, str(target or manifest.name)))
    return frozenset(names)


def unseen_secrets(manifest: Model | InferenceService, seen: Set[tuple[str, str]]) -> Iterator[Problem]:
    """A note for each Secret with credentials that no manifest makes."""
    for path, name in _references(manifest):
        if isinstance(name, str) and name and (manifest.namespace, name) not in seen:
            message = (
                f"Secret {name} is not among the manifests, so pods start only if namespace {manifest.namespace} has "
                "it already"
            )
            yield Problem(f"spec.{path}.name", message, "info", "secret-not-seen")


def _references(manifest: Model | InferenceService) -> Iterator[tuple[str, Any]]:
    if isinstance(manifest, Model):
        reference = manifest.spec.sourceSecretRef
        yield "sourceSecretRef", reference.name if reference else ""
        return
    path = RUNTIMES[manifest.spec.runtime].token[1]
    field, _, key = path.partition(".")
    token = getattr(getattr(manifest.spec, field, None), key, None) if path else None
    optional = bool(getattr(token, "optional", None))
    yield path, "" if token is None or optional else token.name
