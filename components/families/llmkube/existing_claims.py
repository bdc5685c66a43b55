"""Existing claims: those of ``pvc://`` sources, and whether only one node can mount them."""

from collections.abc import Iterator, Mapping, Sequence

from ...findings import Problem
from ...kubernetes.access_modes import access_modes, is_of_one_node
from ...kubernetes.existing import Existing
from ...kubernetes.model import Manifest
from ...kubernetes.values import value_at
from .context import Context
from .persistent_volume_claim import known_claims
from .settings import LLMKubeSettings

Claims = Mapping[tuple[str, str], Existing]


def claims_of(manifests: Sequence[Manifest]) -> Claims:
    return {
        (m.namespace, m.name): m
        for m in manifests
        if isinstance(m, Existing) and (m.apiVersion, m.kind) == ("v1", "PersistentVolumeClaim")
    }


def claim_problems(
    path: str, namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings
) -> Iterator[Problem]:
    """Reports an unknown claim that the field at ``path`` names."""
    if not exists(namespace, claim, claims, settings):
        message = (
            f"claim {claim} is not known in namespace {namespace}; add its PersistentVolumeClaim to the manifests, "
            f"or list {namespace}/{claim} under settings.llmkube.existingClaims if the cluster has it"
        )
        yield Problem(path, message, code="unknown-claim", missing=claim)


def source_claim_problems(namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings) -> Iterator[Problem]:
    """Reports a claim of a ``pvc://`` source that is unknown or, by its status, not bound."""
    yield from claim_problems("spec.source", namespace, claim, claims, settings)
    known = claims.get((namespace, claim))
    phase = value_at(known.status, "phase") if known else None
    if phase and phase != "Bound":
        message = f"claim {claim} is {phase}, not Bound; bind it first, or remove its status if it is out of date"
        yield Problem("spec.source", message, code="claim-not-bound")


def exists(namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings) -> bool:
    """Whether the claim exists by the manifests or the settings."""
    return (namespace, claim) in claims or f"{namespace}/{claim}" in settings.existingClaims


def has_claim_of_one_node(service: Context, claims: Claims) -> bool:
    """Whether a claim of the service's models can be mounted by only one node at a time."""
    known = known_claims(service)
    for name in {each.storage.claim for each in service.models}:
        there = claims.get((service.namespace, name))
        modes = access_modes(there.body("spec")) if there else []
        if is_of_one_node(modes or ([known[name].mode] if name in known else [])):
            return True
    return False
