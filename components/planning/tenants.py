"""Tenants limit the reach of each team's manifests. The platform defines them in the stack's config, where teams can't.

A manifest belongs to the tenant that has its file, links followed. The manifest and every object that it becomes must
be in that tenant's namespaces; cluster-wide kinds have to be listed. Presets, runtimes and models affect only services
of the same tenant, unless the tenant is ``shared``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache

from ..families.registry import CLUSTER_KINDS
from ..findings import Problem
from ..kubernetes.existing import Existing, Passed
from ..kubernetes.model import Manifest
from ..kubernetes.objects import TypedObjectReference
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.secret_manifest import SecretManifest
from ..kubernetes.source import PLATFORM as PLATFORM
from ..kubernetes.source import Source, Tenant
from ..linking.reference_grants import Consent
from .settings import Settings

SYSTEM_NAMESPACES = ("kube-*", "openshift", "openshift-*")
"""Namespaces that run the cluster itself; Kubernetes and OpenShift reserve these names."""


NOBODY = Tenant.model_construct(manifests=[], namespaces=[])
"""The tenant of files outside all folders. It may do nothing."""


def matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def written_namespaces(sources: Iterable[Source], objects: Iterable[RenderedObject]) -> Mapping[Source, set[str]]:
    """The namespaces of all objects that each manifest becomes. Of cluster-wide objects only Namespaces count."""
    written: defaultdict[Source, set[str]] = defaultdict(set)
    for source in sources:
        if isinstance(source.manifest, SecretManifest):
            written[source].add(source.manifest.namespace)
    for record in objects:
        key = record.key
        written[record.source].add(key.name if key.kind == "Namespace" else key.namespace)
    return {source: namespaces - {""} for source, namespaces in written.items()}


def system_problems(manifest: Manifest, written: set[str], allowed: Sequence[str]) -> Iterator[Problem]:
    """An error if a manifest, or an object that it becomes, is in a system namespace."""
    namespaces = set() if type(manifest) is Existing else {manifest.namespace}
    for namespace in sorted(namespaces | written):
        if _is_system(namespace, allowed):
            message = (
                f"{namespace} is a system namespace; choose another, or let the platform list it under "
                "settings.systemNamespaces"
            )
            yield Problem("metadata.namespace", message, code="system-namespace")


def tenant_problems(manifest: Manifest, tenant: Tenant, written: set[str]) -> Iterator[Problem]:
    """Errors if a manifest, or an object that it becomes, reaches beyond its tenant."""
    problem = _reach_of_manifest(manifest, tenant)
    if problem:
        yield problem
    if isinstance(manifest, SecretManifest):
        for field, secret in manifest.references().items():
            if not matches(secret, tenant.secrets):
                yield _beyond(f"stringData.{field}", f"the config secret {secret}", "secrets", tenant)
    said = {manifest.namespace} if problem and problem.path == "metadata.namespace" else set()
    for namespace in sorted(written - said):
        if not matches(namespace, tenant.namespaces):
            yield _beyond("metadata.namespace", f"an object in namespace {namespace}", "namespaces", tenant)


def _reach_of_manifest(manifest: Manifest, tenant: Tenant) -> Problem | None:
    """What is wrong with the manifest's kind and namespace. Cluster-wide objects that are only read are allowed."""
    cluster_wide = not manifest.namespace or manifest.kind in CLUSTER_KINDS
    if matches(manifest.kind, tenant.kinds) or (cluster_wide and type(manifest) is Existing):
        return None
    if cluster_wide:
        return _beyond("kind", f"{manifest.kind}, a kind of the whole cluster,", "kinds", tenant)
    if isinstance(manifest, Passed):
        return _beyond("kind", f"{manifest.kind}, which is passed through,", "kinds", tenant)
    if not matches(manifest.namespace, tenant.namespaces):
        return _beyond("metadata.namespace", f"namespace {manifest.namespace}", "namespaces", tenant)
    return None


def consent(objects: Sequence[RenderedObject], settings: Settings) -> Consent:
    """A function that says whether the owner of a backend accepts requests from a manifest's route.

    The owner is the tenant that has both, a stack of one team that makes the backend itself, or the platform through
    ``settings.referenceGrants``.
    """

    @cache
    def made() -> frozenset[TypedObjectReference]:
        return frozenset(one.key.reference for one in objects)

    def agrees(route: Source, backend: TypedObjectReference) -> bool:
        if _is_system(backend.namespace, settings.systemNamespaces):
            return False
        if matches(backend.namespace, settings.referenceGrants):
            return True
        tenant = route.tenant
        return backend in made() if tenant is PLATFORM else matches(backend.namespace, tenant.namespaces)

    return agrees


def _is_system(namespace: str, allowed: Sequence[str]) -> bool:
    return matches(namespace, SYSTEM_NAMESPACES) and namespace not in allowed


def _beyond(path: str, what: str, field: str, tenant: Tenant) -> Problem:
    allowed = ", ".join(getattr(tenant, field)) or "none"
    message = (
        f"{what} is not allowed for {tenant.title} ({field}: {allowed}); the platform can change "
        "modelservices:tenants in the stack's config"
    )
    return Problem(path, message, code="tenant")
