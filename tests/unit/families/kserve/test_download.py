"""What keeps a download from getting its model, or the server from seeing it. Not proved: that a download fails so."""

from __future__ import annotations

from typing import Any

import pytest

from .services import Data, manifest, plan

PATH = "spec.template.serviceAccountName"
S3 = {"model": {"uri": "s3://models/m", "name": "m"}}
HF = {"model": {"uri": "hf://org/m", "name": "m"}}
LOCATION = "kserve-provision-location"


def account(*secrets: str, name: str = "reader") -> dict[str, Any]:
    meta = {"name": name, "namespace": "models"}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta, "secrets": [{"name": s} for s in secrets]}


def secret(*keys: str, annotations: Data | None = None) -> dict[str, Any]:
    meta = {"name": "keys", "namespace": "models", "annotations": dict(annotations or {})}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": dict.fromkeys(keys, "${secret:x}")}


def by(account_name: str, **initializer: Any) -> dict[str, Any]:
    download = {"initContainers": [{"name": "storage-initializer", **initializer}]} if initializer else {}
    return {"template": {"serviceAccountName": account_name, "containers": [{"name": "main"}], **download}}


def said(*manifests: Data, settings: Data | None = None) -> list[tuple[str, str, str]]:
    found = plan(*manifests, settings=settings).findings
    return [(f.path, f.severity, f.code) for f in found if f.object.startswith("LLMInferenceService ")]


CODE = "credentials-not-found"
TOKEN = {"env": [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token"}}}]}
OLDER_TOKEN = {"env": [{**TOKEN["env"][0], "name": "HUGGING_FACE_HUB_TOKEN"}]}


def served_by(account_name: str, **server: Any) -> dict[str, Any]:
    return {"template": {"serviceAccountName": account_name, "containers": [{"name": "main", **server}]}}


@pytest.mark.parametrize(
    ("spec", "beside", "severity"),
    [
        ({**S3, **by("reader")}, [account("keys")], "warning"),
        ({**S3, **by("reader")}, [], "info"),
        ({**S3, **by("reader")}, [account("keys"), secret("accesskey", "secretkey")], "warning"),
        ({**HF, **by("reader")}, [account("keys"), secret("token")], "warning"),
        ({**HF, **by("reader")}, [account("keys"), secret("password")], None),
        ({**S3, **by("reader")}, [account("keys"), secret("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")], None),
        ({**S3, **by("reader", envFrom=[{"secretRef": {"name": "mine"}}])}, [account("keys")], None),
        ({**HF, **by("reader", **TOKEN)}, [account("keys")], None),
        ({**HF, **served_by("reader", **OLDER_TOKEN)}, [account("keys")], None),
        ({**HF, **served_by("reader", envFrom=[{"secretRef": {"name": "mine"}}])}, [account("keys")], None),
        ({**S3, **by("reader")}, [account()], None),
    ],
)
def test_credentials_that_a_download_does_not_get(spec: Data, beside: list[Data], severity: str | None) -> None:
    assert said(manifest(spec), *beside) == ([(PATH, severity, CODE)] if severity else [])


@pytest.mark.parametrize(
    ("decode", "prefill", "path"),
    [
        (TOKEN, {}, "spec.prefill.template"),
        ({}, TOKEN, "spec.template"),
        (TOKEN, TOKEN, None),
        ({}, {}, None),
        (TOKEN, {"envFrom": [{"secretRef": {"name": "keys"}}]}, None),
    ],
)
def test_a_token_on_one_side_only(decode: Data, prefill: Data, path: str | None) -> None:
    sides = [{"template": {"containers": [{"name": "main", **side}]}} for side in (decode, prefill)]
    found = said(manifest({**HF, **sides[0], "prefill": sides[1]}))
    assert [each for each in found if each[2] == CODE] == ([(path, "warning", CODE)] if path else [])


def test_a_prefill_pod_does_not_get_the_decode_server_s_token() -> None:
    spec = {**HF, **served_by("reader", **TOKEN), "prefill": by("reader")}
    path = "spec.prefill.template.serviceAccountName"
    assert [each for each in said(manifest(spec), account("keys")) if each[2] == CODE] == [(path, "warning", CODE)]


def test_the_tokenizer_downloads_too() -> None:
    spec = {"router": {"scheduler": {"tokenizer": by("reader")}}}
    path = "spec.router.scheduler.tokenizer.template.serviceAccountName"
    assert said(manifest(spec), account("keys")) == [(path, "warning", CODE)]


@pytest.mark.parametrize(
    ("file", "mounted", "found"),
    [
        ("/ca/corp.crt", False, True),
        ("/ca/corp.crt", True, False),
        ("/etc/ssl/certs/ca-certificates.crt", False, False),
    ],
)
def test_a_private_ca_where_nothing_is_mounted(file: str, mounted: bool, found: bool) -> None:
    keys = secret("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", annotations={"serving.kserve.io/s3-cabundle": file})
    mount = {"volumeMounts": [{"name": "ca", "mountPath": "/ca"}]} if mounted else {}
    spec = by("reader", **mount)
    spec["template"]["volumes"] = [{"name": "ca", "configMap": {"name": "corp"}}] if mounted else []
    path = "spec.template.initContainers[storage-initializer].env"
    expected = [(path, "warning", "no-file")] if found else []
    assert said(manifest({**S3, **spec}), account("keys"), keys) == expected


ADAPTER = {"lora": {"adapters": [{"name": "l", "uri": "hf://org/l"}]}}


@pytest.mark.parametrize(
    ("model", "mount", "missing"),
    [
        (HF, {"name": LOCATION, "mountPath": "/mnt/models"}, []),
        (HF, {"name": LOCATION, "mountPath": "/data"}, ["/mnt/models"]),
        (HF, {"name": LOCATION, "mountPath": "/mnt/models", "subPath": "x"}, ["/mnt/models"]),
        ({"model": {**HF["model"], **ADAPTER}}, {"name": LOCATION, "mountPath": "/mnt"}, []),
        (
            {"model": {**HF["model"], **ADAPTER}},
            {"name": LOCATION, "mountPath": "/mnt/models"},
            ["/mnt/models", "/mnt/lora/l"],
        ),
    ],
)
def test_mounts_that_hide_what_is_downloaded(model: Data, mount: Data, missing: list[str]) -> None:
    found = plan(manifest({**model, "template": {"containers": [{"name": "main", "volumeMounts": [mount]}]}})).findings
    assert [f.code for f in found] == ["download-not-seen"] * len(missing)
    assert all(
        f"downloaded to {path} from the server; mount volume {LOCATION} at" in f.message
        for f, path in zip(found, missing, strict=True)
    )
    assert {f.path for f in found} <= {"spec.template.containers[0].volumeMounts"}
