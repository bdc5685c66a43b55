"""Models in S3: requests are signed, and secrets stay out of sight.

Not proved here: that curl's image has all the tools (its busybox is another version), and storage that has no locks.
"""

from __future__ import annotations

import pytest

from modelservices.families.llmkube.scripts import Variant

from ..model_server import Site
from .pod import MODEL, Pod, recording_curl

SECRETS = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": 'wJalr/"UtnFEMI\\K7MD',
    "AWS_REGION": "eu-west-9",
}


@pytest.mark.parametrize("key", ["chat/m.gguf", "chat/my model+v1 (é).gguf"])
def test_s3_requests_are_signed(pod: Pod, site: Site, key: str) -> None:
    site.files, site.secret = {f"/bucket/{key}": MODEL}, SECRETS["AWS_SECRET_ACCESS_KEY"]
    given = {**SECRETS, "AWS_ENDPOINT_URL": f"{site.url}/", "S3_BUCKET": "bucket", "S3_KEY": key}
    done = pod.one_file(Variant("s3"), f"s3://bucket/{key}", given)
    assert done.returncode == 0, done.stderr
    assert pod.model.read_bytes() == MODEL
    assert "/eu-west-9/s3/aws4_request" in site.got("GET")[0]["authorization"]
    assert SECRETS["AWS_SECRET_ACCESS_KEY"] not in done.stdout + done.stderr


def test_a_partial_file_of_a_bucket_is_continued(pod: Pod, site: Site) -> None:
    site.files, site.secret = {"/bucket/m": MODEL}, SECRETS["AWS_SECRET_ACCESS_KEY"]
    pod.cache.mkdir(parents=True)
    (pod.cache / "m.gguf.tmp").write_bytes(MODEL[:200_000])
    given = {**SECRETS, "AWS_ENDPOINT_URL": site.url, "S3_BUCKET": "bucket", "S3_KEY": "m"}
    assert pod.one_file(Variant("s3"), "s3://bucket/m", given).returncode == 0
    assert pod.model.read_bytes() == MODEL
    assert [headers["range"] for headers in site.transfers()] == ["bytes=200000-"]


def test_s3_with_a_wrong_key_fails(pod: Pod, site: Site) -> None:
    site.files, site.secret = {"/bucket/m": MODEL}, "another"
    given = {**SECRETS, "AWS_ENDPOINT_URL": site.url, "S3_BUCKET": "bucket", "S3_KEY": "m"}
    assert pod.one_file(Variant("s3"), "s3://bucket/m", given).returncode == 1


@pytest.mark.parametrize("prefix", ["chat", "chat/", ""])
def test_several_files_of_a_bucket(pod: Pod, site: Site, prefix: str) -> None:
    folder = f"/bucket/{prefix.rstrip('/')}".rstrip("/")
    site.files = {f"{folder}/{name}": name.encode() for name in ("a", "sub/b")}
    site.secret = SECRETS["AWS_SECRET_ACCESS_KEY"]
    given = {**SECRETS, "AWS_ENDPOINT_URL": site.url, "S3_BUCKET": "bucket", "S3_PREFIX": prefix}
    done = pod.several(Variant("s3", several=True), f"s3://bucket/{prefix}", ["a", "sub/b"], given)
    assert (done.returncode, pod.left()) == (0, ["a", "sub/b"]), done.stderr


def test_s3_secrets_stay_out_of_arguments_and_log(pod: Pod) -> None:
    recording_curl(pod)
    given = {**SECRETS, "AWS_SESSION_TOKEN": "temporary", "S3_BUCKET": "bucket", "S3_KEY": "m"}
    done = pod.one_file(Variant("s3"), "s3://bucket/m", given)
    arguments = (pod.folder / "arguments").read_text()
    assert done.returncode == 0, done.stderr
    assert arguments.splitlines()[-1] == "https://s3.eu-west-9.amazonaws.com/bucket/m"
    assert "--aws-sigv4\naws:amz:eu-west-9:s3\n" in arguments
    for secret in (SECRETS["AWS_SECRET_ACCESS_KEY"], SECRETS["AWS_ACCESS_KEY_ID"], "temporary"):
        assert secret not in arguments + done.stdout + done.stderr
    assert (pod.folder / "config").read_text().splitlines() == [
        'user = "AKIDEXAMPLE:wJalr/\\"UtnFEMI\\\\K7MD"',
        'header = "x-amz-security-token: temporary"',
    ]


def test_s3_without_keys_says_so(pod: Pod) -> None:
    done = pod.one_file(Variant("s3"), "s3://bucket/m", {"S3_BUCKET": "bucket", "S3_KEY": "m"})
    assert done.returncode == 1
    assert "AWS_ACCESS_KEY_ID" in done.stderr.splitlines()[-1]
