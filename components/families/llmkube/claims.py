"""Claims that are there already: the weights behind ``pvc://`` sources, and which nodes can mount them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...findings import Problem
from ...kubernetes.existing import Existing
from ...kubernetes.model import Manifest
from ...kubernetes.values import value_at
from .context import Context
from .persistent_volume_claim import access_mode, is_users
from .settings import LLMKubeSettings

Claims = Mapping[tuple[str, str], Existing]
"""Claims among the manifests, by namespace and name."""

_ONE_NODE = frozenset(["ReadWriteOnce", "ReadWriteOncePod"])


def claims_of(manifests: Sequence[Manifest]) -> Claims:
    return {
        (m.namespace, m.name): m
        for m in manifests
        if isinstance(m, Existing) and (m.apiVersion, m.kind) == ("v1", "PersistentVolumeClaim")
    }


def claim_problems(
    path: str, namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings
) -> Iterator[Problem]:
    """Whether the claim that the field at ``path`` names is known."""
    if not exists(namespace, claim, claims, settings):
        message = (
            f"claim {claim} is not known in namespace {namespace}: put its PersistentVolumeClaim among the manifests, "
            f"or list {namespace}/{claim} under settings.llmkube.existingClaims when the cluster has it"
        )
        yield Problem(path, message, code="unknown-claim", missing=claim)


def source_claim_problems(namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings) -> Iterator[Problem]:
    """Whether the claim of a ``pvc://`` source is known, and bound as far as its status says."""
    yield from claim_problems("spec.source", namespace, claim, claims, settings)
    known = claims.get((namespace, claim))
    phase = value_at(known.status, "phase") if known else None
    if phase and phase != "Bound":
        message = f"claim {claim} is {phase}, not Bound: bind it first, or remove its status when it is out of date"
        yield Problem("spec.source", message, code="claim-not-bound")


def exists(namespace: str, claim: str, claims: Claims, settings: LLMKubeSettings) -> bool:
    """Whether the cluster has the claim already, by the manifests or the settings."""
    return (namespace, claim) in claims or f"{namespace}/{claim}" in settings.existingClaims


class OneNodeClaim(NamedTuple):
    """A mounted claim that only one node at a time can mount: ``kind`` of storage, name and access mode."""

    kind: str
    name: str
    mode: str


def one_node_claim(service: Context, claims: Claims) -> OneNodeClaim | None:
    """The first claim of the service's models that only one node can mount."""
    for each in service.models:
        modes = _access_modes(claims.get((service.namespace, each.storage.claim)))
        if each.storage.kind == "cache" and not modes and not is_users(service):
            modes = [access_mode(service)]
        if modes and _ONE_NODE.issuperset(modes):
            return OneNodeClaim(each.storage.kind, each.storage.claim, modes[0])
    return None


def _access_modes(claim: Existing | None) -> list[str]:
    modes = value_at(claim.body("spec"), "accessModes") if claim else None
    return [mode for mode in modes if isinstance(mode, str)] if isinstance(modes, list) else []
