"""Where genai-bench puts its results: the words for each kind of storage, and the volume of a claim."""

from collections.abc import Mapping
from typing import Any

from ..fields import StorageSpec
from ..storage_uri import StorageUri, parse

VOLUME = "benchmark-output-storage"

_PARAMETERS: Mapping[str, Mapping[str, str]] = {
    "oci": {
        "auth": "--auth",
        "config_file": "--config-file",
        "profile": "--profile",
        "security_token": "--security-token",
        "region": "--region",
    },
    "s3": {
        "aws_access_key_id": "--storage-aws-access-key-id",
        "aws_secret_access_key": "--storage-aws-secret-access-key",
        "aws_profile": "--storage-aws-profile",
        "aws_region": "--storage-aws-region",
    },
    "az": {
        "azure_account_name": "--storage-azure-account-name",
        "azure_account_key": "--storage-azure-account-key",
        "azure_connection_string": "--storage-azure-connection-string",
        "azure_sas_token": "--storage-azure-sas-token",
    },
    "gs": {
        "gcp_project_id": "--storage-gcp-project-id",
        "gcp_credentials_path": "--storage-gcp-credentials-path",
    },
    "github": {"github_token": "--github-token"},
}
"""Scheme to its parameters with their flags, in the order of the command line."""
_SAID_BY_URI = {"s3": ("aws_region", "region"), "az": ("azure_account_name", "account")}
"""Scheme to the parameter that the URI may say itself, and in which of its parts."""
_PROVIDERS = {"s3": "aws", "az": "azure", "gs": "gcp"}


def words(output: StorageSpec) -> list[Any]:
    """Arguments for a location that was checked before."""
    uri = parse(output.storageUri or "")
    if uri.scheme == "pvc":
        return ["--experiment-base-dir", f"/{uri['path']}"]
    values, flags = _values(uri, output.parameters), _PARAMETERS[uri.scheme]
    options = [word for name, flag in flags.items() if name in values for word in (flag, values[name])]
    return ["--upload-results", *_place(uri), *options]


def unused_parameters(output: StorageSpec) -> list[str]:
    """Parameters of a location that was checked before, for which genai-bench has no argument."""
    return sorted(output.parameters.keys() - _PARAMETERS.get(parse(output.storageUri or "").scheme, {}).keys())


def _values(uri: StorageUri, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, the one that the URI may say itself among them."""
    name, part = _SAID_BY_URI.get(uri.scheme, ("", ""))
    said = parameters.get(name) or uri.parts.get(part)
    others = {other: value for other, value in parameters.items() if other != name}
    return {**others, name: said} if said else others


def _place(uri: StorageUri) -> list[str]:
    if uri.scheme == "oci":
        return ["--namespace", uri["namespace"], "--storage-bucket", uri["bucket"], "--storage-prefix", uri["prefix"]]
    if uri.scheme == "github":
        owner, repository = uri["owner"], uri["repository"]
        return ["--storage-provider", "github", "--github-owner", owner, "--github-repo", repository]
    bucket = uri["container" if uri.scheme == "az" else "bucket"]
    prefix = ["--storage-prefix", uri["prefix"]] if uri["prefix"] else []
    return ["--storage-provider", _PROVIDERS[uri.scheme], "--storage-bucket", bucket, *prefix]


def claim_volume(output: StorageSpec) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Volume and mount of a location on a claim, or None for another one."""
    uri = parse(output.storageUri or "")
    if uri.scheme != "pvc":
        return None
    volume = {"name": VOLUME, "persistentVolumeClaim": {"claimName": uri["claim"]}}
    return volume, {"name": VOLUME, "mountPath": f"/{uri['path']}", "subPath": uri["path"]}
