"""Credentials of a download: environment variables that refer to the Secrets of the pod's service account.

A private CA is a ConfigMap, mounted in the download's container: the one that a Secret's annotation names (variable
``AWS_CA_BUNDLE_CONFIGMAP``), else the copy of the installation's, which KServe's controller makes in each namespace
under one name. KServe's downloader reads the file ``cabundle.crt`` of the folder that its environment names.

Decisions: K12, K13 (docs/decisions).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...kubernetes.existing import Existing
from ...kubernetes.model import Manifest
from ...kubernetes.scalars import Opaque
from ...kubernetes.secret_manifest import SecretManifest
from ...kubernetes.values import mappings
from .context import Service
from .pods import Pod, container, with_env, with_generated
from .settings import S3Settings, StorageInitializerSettings

_PREFIX = "serving.kserve.io/s3-"
_ROLE = "eks.amazonaws.com/role-arn"
"""Annotation of an account: the AWS role of its pods."""
HF_TOKEN = "HF_TOKEN"
_PLATFORMS_OWN = re.compile(r"-(dockercfg|token)-\w+$")

# Environment variable, annotation of the Secret, setting that applies without the annotation.
_S3_VARIABLES = (
    ("S3_VERIFY_SSL", "verifyssl", "s3VerifySSL"),
    ("awsAnonymousCredential", "useanoncredential", "s3UseAnonymousCredential"),
    ("AWS_DEFAULT_REGION", "region", "s3Region"),
    ("S3_USER_VIRTUAL_BUCKET", "usevirtualbucket", "s3UseVirtualBucket"),
    ("S3_USE_ACCELERATE", "useaccelerate", "s3UseAccelerate"),
    ("AWS_CA_BUNDLE", "cabundle", "s3CABundle"),
    ("AWS_CA_BUNDLE_CONFIGMAP", "cabundle-configmap", "s3CABundleConfigMap"),
)

Variable = dict[str, Any]


def env(service: Service, account: str, uris: Sequence[str]) -> Iterator[Variable]:
    """The variables for downloads from ``uris``, from the Secrets that the account lists."""
    schemes = {uri.partition("://")[0] for uri in uris}
    s3 = service.settings.credentials.s3
    if "s3" in schemes and not secret_by_annotation(service):
        yield from _role_variables(service, account, s3)
    for secret in seen_secrets(service, account):
        keys = keys_of(secret)
        if s3.s3SecretAccessKeyName in keys and "s3" in schemes:
            yield _reference("AWS_ACCESS_KEY_ID", secret, s3.s3AccessKeyIDName)
            yield _reference("AWS_SECRET_ACCESS_KEY", secret, s3.s3SecretAccessKeyName)
            yield from _s3_variables(secret.metadata.annotations, s3)
        elif HF_TOKEN in keys and "hf" in schemes:
            yield _reference(HF_TOKEN, secret, HF_TOKEN)


def secret_by_annotation(service: Service) -> str:
    """The Secret that the service's annotation names; it replaces the account's Secrets."""
    return str(service.metadata.annotations.get(service.settings.credentials.storageSecretNameAnnotation) or "")


def _role_variables(service: Service, account: str, settings: S3Settings) -> Iterator[Variable]:
    """S3 variables of an account with a role: the cloud's webhook gives it to the pods, so they need no keys in a
    Secret."""
    annotations = service.known.annotations("ServiceAccount", service.namespace, account or "default")
    if _ROLE in annotations:
        yield from _s3_variables(annotations, settings)


def unseen_secrets(service: Service, account: str) -> list[str]:
    """Secrets of the account that are not among the manifests, so their keys are unknown. Secrets that the platform
    makes for itself (registry logins, tokens) are left out: they hold no download credentials."""
    names = [name for name in _listed(service, account) if service.known.secret(service.namespace, name) is None]
    return [name for name in names if not _PLATFORMS_OWN.search(name)]


def seen_secrets(service: Service, account: str) -> list[Manifest]:
    secrets = (service.known.secret(service.namespace, name) for name in _listed(service, account))
    return [secret for secret in secrets if secret is not None]


def keys_of(secret: Manifest) -> set[str]:
    """The keys of a Secret. They are in plain text even in a file with encrypted values."""
    if isinstance(secret, SecretManifest):
        return {*secret.data, *secret.stringData}
    fields = [secret.body(field) for field in ("data", "stringData")] if isinstance(secret, Existing) else []
    return {str(key) for field in fields if isinstance(field, Mapping) for key in field}


def _listed(service: Service, account: str) -> list[str]:
    if named := secret_by_annotation(service):
        return [named]
    listed = service.known.field("ServiceAccount", service.namespace, account or "default", "secrets")
    return [str(reference["name"]) for reference in mappings(listed) if "name" in reference]


def _reference(variable: str, secret: Manifest, key: str) -> Variable:
    return {"name": variable, "valueFrom": {"secretKeyRef": {"name": secret.name, "key": key}}}


def _s3_variables(annotations: Mapping[str, Any], settings: S3Settings) -> Iterator[Variable]:
    endpoint = annotations.get(f"{_PREFIX}endpoint", settings.s3Endpoint)
    if endpoint:
        https = annotations.get(f"{_PREFIX}usehttps", settings.s3UseHttps)
        if https:
            yield {"name": "S3_USE_HTTPS", "value": https}
        yield {"name": "S3_ENDPOINT", "value": endpoint}
        # A value that is not known yet can't be inserted into a text, so Kubernetes expands the variable.
        host = "$(S3_ENDPOINT)" if isinstance(endpoint, Opaque) else endpoint
        yield {"name": "AWS_ENDPOINT_URL", "value": f"{'http' if https == '0' else 'https'}://{host}"}
    for variable, annotation, setting in _S3_VARIABLES:
        value = annotations.get(_PREFIX + annotation, getattr(settings, setting))
        if value:
            yield {"name": variable, "value": value}


GLOBAL_BUNDLE = "global-ca-bundle"
"""Name of the copy of the installation's bundle in each namespace."""


def with_bundle(pod: Pod, settings: StorageInitializerSettings, initializer: str) -> Pod:
    item = container(pod, initializer, "initContainers") or {}
    values = {variable["name"]: variable.get("value") for variable in item.get("env", [])}
    config_map = values.get("AWS_CA_BUNDLE_CONFIGMAP") or (GLOBAL_BUNDLE if settings.caBundleConfigMapName else "")
    if not config_map:
        return pod
    file = values.get("AWS_CA_BUNDLE")
    folder = str(PurePosixPath(file).parent) if isinstance(file, str) and file else settings.caBundleVolumeMountPath
    mount = {"name": "cabundle-cert", "mountPath": folder, "readOnly": True}
    volume = {"name": "cabundle-cert", "configMap": {"name": config_map}}
    pod = with_generated(pod, {"initContainers": [{"name": initializer, "volumeMounts": [mount]}], "volumes": [volume]})
    variables = {"CA_BUNDLE_CONFIGMAP_NAME": config_map, "CA_BUNDLE_VOLUME_MOUNT_POINT": folder}
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return with_env(pod, env, initializer, "initContainers")
