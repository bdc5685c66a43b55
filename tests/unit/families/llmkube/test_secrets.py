"""Credentials whose Secret nobody brings. Not proved here: what a cluster has beside the manifests."""

from __future__ import annotations

from typing import Any

import pytest

from .render import SOURCE, brief, manifest, plan_of

S3 = {"source": "s3://bucket/m.gguf", "sourceSecretRef": {"name": "store"}}
NOTE = ["info spec.sourceSecretRef.name secret-not-seen"]
META = {"name": "store", "namespace": "ai"}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": META, "stringData": {"k": "${secret:k}"}}


def test_a_secret_for_downloads_that_is_not_among_the_manifests() -> None:
    found = plan_of([manifest("Model", "m", spec=S3)]).findings
    assert brief(found) == NOTE
    assert "Secret store" in found[0].message and "namespace ai" in found[0].message


@pytest.mark.parametrize(
    ("secret", "expected"),
    [(SECRET, []), ({**SECRET, "metadata": {**META, "namespace": "other"}}, NOTE)],
)
def test_a_secret_of_the_namespace_is_seen(secret: Any, expected: list[str]) -> None:
    assert brief(plan_of([manifest("Model", "m", spec=S3), secret]).findings) == expected


@pytest.mark.parametrize(("optional", "expected"), [(None, 1), (True, 0)])
def test_a_token_of_the_runtime(optional: Any, expected: int) -> None:
    token = {"name": "hub", "key": "token", **({"optional": optional} if optional else {})}
    service = {"modelRef": "m", "runtime": "vllm", "resources": {"gpu": 1}, "vllmConfig": {"hfTokenSecretRef": token}}
    documents = [
        manifest("Model", "m", spec={"source": "org/name", "files": ["a.safetensors"], "format": "safetensors"}),
        manifest("InferenceService", "chat", spec=service),
    ]
    notes = [line for line in brief(plan_of(documents).findings) if line.endswith("secret-not-seen")]
    assert notes == ["info spec.vllmConfig.hfTokenSecretRef.name secret-not-seen"] * expected


def test_another_runtime_s_token_is_not_asked_for() -> None:
    service = {"modelRef": "m", "tgiConfig": {"hfTokenSecretRef": {"name": "hub", "key": "token"}}}
    documents = [manifest("Model", "m", spec={"source": SOURCE}), manifest("InferenceService", "chat", spec=service)]
    assert brief(plan_of(documents).findings) == ["warning spec.tgiConfig no-effect"]
