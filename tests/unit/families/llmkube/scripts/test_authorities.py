"""Certificate authorities of one's own, beside those of the image.

Not proved here: that curl's image has all the tools (its busybox is another version), and storage that has no locks.
"""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from modelservices.families.llmkube.scripts import Variant

from ..model_server import Site, serve
from .pod import HTTP, MODEL, Pod, recording_curl


def test_certificate_authorities_are_added_to_those_of_the_image(pod: Pod) -> None:
    recording_curl(pod)
    (pod.folder / "roots.pem").write_text("ROOTS")
    (pod.folder / "custom-certs").mkdir()
    (pod.folder / "custom-certs" / "ca.crt").write_text("OURS\n")
    given = {"CURL_CA_BUNDLE": str(pod.folder / "roots.pem")}
    assert pod.one_file(Variant("http", ca_bundle=True), "https://models.example.com/m", given).returncode == 0
    bundle = Path((pod.folder / "bundle").read_text())
    assert bundle.read_text().split() == ["ROOTS", "OURS"]
    bundle.unlink()


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_a_server_with_its_own_authority_is_trusted(pod: Pod) -> None:
    context = own_authority(pod)
    with serve(Site(files={"/m.gguf": MODEL}), context) as site:
        assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 1
        assert pod.one_file(Variant("http", ca_bundle=True), f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_a_bucket_behind_an_authority_of_one_s_own(pod: Pod) -> None:
    given = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-9"}
    with serve(Site(files={"/bucket/m": MODEL}, secret="secret"), own_authority(pod)) as site:
        env = {**given, "AWS_ENDPOINT_URL": site.url, "S3_BUCKET": "bucket", "S3_KEY": "m"}
        assert pod.one_file(Variant("s3"), "s3://bucket/m", env).returncode == 1
        assert pod.one_file(Variant("s3", ca_bundle=True), "s3://bucket/m", env).returncode == 0
    assert pod.model.read_bytes() == MODEL


def own_authority(pod: Pod) -> ssl.SSLContext:
    """A certificate for localhost, signed by an authority that only the pod's ConfigMap has."""
    certificate, key = pod.folder / "custom-certs" / "ca.crt", pod.folder / "key.pem"
    certificate.parent.mkdir()
    new = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*new.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
