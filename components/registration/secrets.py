"""The Kubernetes Secrets of manifests. Only here do Pulumi's config secrets replace ``${secret:key}``."""

from collections.abc import Iterable, Iterator

import pulumi

from ..findings import Finding
from ..kubernetes.metadata import object_metadata
from ..kubernetes.objects import Object
from ..kubernetes.secret_manifest import SecretManifest
from ..stack_config import NAMESPACE
from .apply import register
from .registered import registered_objects


def register_secret(secret: SecretManifest, opts: pulumi.ResourceOptions | None) -> pulumi.Resource:
    """Register the Kubernetes Secret of a manifest with values from Pulumi's config secrets."""
    config = pulumi.Config(NAMESPACE)
    values = {field: config.require_secret(name) for field, name in secret.references().items()}
    obj = {**without_values(secret), "stringData": values}
    return register(f"{secret.namespace}/{secret.name}", obj, registered_objects(), opts)


def without_values(secret: SecretManifest) -> Object:
    """The Secret of a manifest as an object without values."""
    sealed = {} if secret.immutable is None else {"immutable": secret.immutable}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": object_metadata(secret.metadata),
        "type": secret.type,
        **sealed,
    }


def missing_secrets(secrets: Iterable[SecretManifest]) -> Iterator[Finding]:
    """An error for each config secret that a manifest names and the stack's config lacks."""
    config = pulumi.Config(NAMESPACE)
    for secret in secrets:
        for field, reference in secret.references().items():
            if config.get(reference) is None:
                command = f"pulumi config set --secret {NAMESPACE}:{reference}"
                message = f"the config secret {reference} is not set; run `{command}`"
                yield Finding("", f"Secret {secret.namespace}/{secret.name}", field, message, code="missing-secret")
