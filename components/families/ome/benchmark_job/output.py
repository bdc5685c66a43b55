"""Where genai-bench puts its results: the words for each kind of storage, and the volume of a claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..fields import StorageSpec
from ..storage_uri import StorageUri, parse

VOLUME = "benchmark-output-storage"

Parameters = Mapping[str, Any]

# Parameter to flag, in the order of the command line.
_OCI = (
    ("auth", "--auth"),
    ("config_file", "--config-file"),
    ("profile", "--profile"),
    ("security_token", "--security-token"),
    ("region", "--region"),
)
_AWS = (
    ("aws_access_key_id", "--storage-aws-access-key-id"),
    ("aws_secret_access_key", "--storage-aws-secret-access-key"),
    ("aws_profile", "--storage-aws-profile"),
)
_AZURE = (
    ("azure_account_key", "--storage-azure-account-key"),
    ("azure_connection_string", "--storage-azure-connection-string"),
    ("azure_sas_token", "--storage-azure-sas-token"),
)
_GITHUB = (("github_token", "--github-token"),)
_GCP = (
    ("gcp_project_id", "--storage-gcp-project-id"),
    ("gcp_credentials_path", "--storage-gcp-credentials-path"),
)


def words(output: StorageSpec) -> list[Any]:
    """Arguments for a location that was checked before."""
    uri = parse(output.storageUri or "")
    return _WORDS[uri.scheme](uri, output.parameters)


def unused_parameters(output: StorageSpec) -> list[str]:
    """Parameters of a location that was checked before, for which genai-bench has no argument."""
    taken = [name for name, _ in _PARAMETERS.get(parse(output.storageUri or "").scheme, ())]
    return sorted(output.parameters.keys() - set(taken))


def _given(parameters: Parameters, flags: Sequence[tuple[str, str]]) -> list[Any]:
    return [word for name, flag in flags if name in parameters for word in (flag, parameters[name])]


def _prefixed(uri: StorageUri) -> list[Any]:
    return ["--storage-prefix", uri["prefix"]] if uri["prefix"] else []


def _upload(provider: str, bucket: str) -> list[Any]:
    return ["--upload-results", "--storage-provider", provider, "--storage-bucket", bucket]


def _pvc(uri: StorageUri, _parameters: Parameters) -> list[Any]:
    return ["--experiment-base-dir", f"/{uri['path']}"]


def _oci(uri: StorageUri, parameters: Parameters) -> list[Any]:
    place = ["--namespace", uri["namespace"], "--storage-bucket", uri["bucket"], "--storage-prefix", uri["prefix"]]
    return ["--upload-results", *place, *_given(parameters, _OCI)]


def _s3(uri: StorageUri, parameters: Parameters) -> list[Any]:
    region = parameters.get("aws_region") or uri["region"]
    placed = ["--storage-aws-region", region] if region else []
    return [*_upload("aws", uri["bucket"]), *_prefixed(uri), *_given(parameters, _AWS), *placed]


def _azure(uri: StorageUri, parameters: Parameters) -> list[Any]:
    account = ["--storage-azure-account-name", parameters.get("azure_account_name") or uri["account"]]
    return [*_upload("azure", uri["container"]), *_prefixed(uri), *account, *_given(parameters, _AZURE)]


def _gcs(uri: StorageUri, parameters: Parameters) -> list[Any]:
    return [*_upload("gcp", uri["bucket"]), *_prefixed(uri), *_given(parameters, _GCP)]


def _github(uri: StorageUri, parameters: Parameters) -> list[Any]:
    found = ["--upload-results", "--storage-provider", "github"]
    found += ["--github-owner", uri["owner"], "--github-repo", uri["repository"]]
    return [*found, *_given(parameters, _GITHUB)]


_PARAMETERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "oci": _OCI,
    "s3": (*_AWS, ("aws_region", "--storage-aws-region")),
    "az": (*_AZURE, ("azure_account_name", "--storage-azure-account-name")),
    "gs": _GCP,
    "github": _GITHUB,
}
_WORDS: Mapping[str, Callable[[StorageUri, Parameters], list[Any]]] = {
    "pvc": _pvc,
    "oci": _oci,
    "s3": _s3,
    "az": _azure,
    "gs": _gcs,
    "github": _github,
}


def claim_volume(output: StorageSpec) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Volume and mount of a location on a claim, or None for another one."""
    uri = parse(output.storageUri or "")
    if uri.scheme != "pvc":
        return None
    volume = {"name": VOLUME, "persistentVolumeClaim": {"claimName": uri["claim"]}}
    return volume, {"name": VOLUME, "mountPath": f"/{uri['path']}", "subPath": uri["path"]}
