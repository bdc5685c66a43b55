"""The shell scripts of the init containers, run in every shell that is here, with the real curl and a local server.

Not proved here: that curl's image has all the tools (its busybox is another version), and storage that has no locks.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from components.families.llmkube.scripts import Variant, download, prepare

from .model_server import Site, serve

SHELLS = [shell for shell in (["dash"], ["busybox", "sh"], ["bash", "--posix"]) if shutil.which(shell[0])]
MODEL = random.Random(7).randbytes(300_000)
SECRETS = {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": 'wJalr/"UtnFEMI\\K7MD',
    "AWS_REGION": "eu-west-9",
}

pytestmark = pytest.mark.skipif(not shutil.which("curl") or not SHELLS, reason="needs curl and a POSIX shell")


@pytest.fixture(params=SHELLS, ids=lambda shell: shell[0])
def shell(request: pytest.FixtureRequest) -> list[str]:
    return request.param


@pytest.fixture
def site() -> Iterator[Site]:
    with serve(Site(files={"/m.gguf": MODEL})) as running:
        yield running


class Pod:
    """A place to run a script: its folders stand for the container's."""

    def __init__(self, folder: Path, shell: list[str]) -> None:
        self.folder, self.shell = folder, shell
        self.cache = folder / "models" / "key"
        self.model = self.cache / "m.gguf"
        (folder / "bin").mkdir()

    def run(self, script: str, env: Mapping[str, str], *, timeout: int = 60) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.shell, "-c", self.placed(script)],
            env={"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), **env},
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def placed(self, script: str) -> str:
        for path in ("/custom-certs", "/host-model", "/models"):
            script = script.replace(f" {path}", f" {self.folder}{path}")
        return script

    def one_file(self, variant: Variant, source: str, env: Mapping[str, str] | None = None):
        paths = {"MODEL_SOURCE": source, "CACHE_DIR": str(self.cache), "MODEL_PATH": str(self.model)}
        return self.run(download(variant), {**paths, **(env or {})})

    def several(self, variant: Variant, source: str, files: list[str], env: Mapping[str, str] | None = None):
        given = {"MODEL_SOURCE": source, "CACHE_DIR": str(self.cache), "MODEL_FILES": "\n".join(files)}
        return self.run(download(variant), {**given, **(env or {})})

    def stub(self, name: str, body: str) -> None:
        """A program of that name, first on the PATH."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def left(self) -> list[str]:
        """Every file below the cache folder."""
        return sorted(str(path.relative_to(self.cache)) for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def pod(tmp_path: Path, shell: list[str]) -> Pod:
    return Pod(tmp_path, shell)


HTTP = Variant("http")
ON_CHANGE = Variant("http", on_change=True)


def test_download_makes_the_folder_and_leaves_only_the_model(pod: Pod, site: Site) -> None:
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL
    assert pod.left() == ["m.gguf"]
    assert pod.model.stat().st_mode & 0o060 == 0o060, "the server's group must read it"


def test_a_model_that_is_there_costs_no_traffic(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(b"cached")
    (pod.cache / "m.gguf.tmp").write_bytes(b"left over")
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert (site.requests, pod.left(), pod.model.read_bytes()) == ([], ["m.gguf"], b"cached")


def test_redirects_are_followed(pod: Pod, site: Site) -> None:
    site.redirects["/latest"] = f"{site.url}/m.gguf"
    assert pod.one_file(HTTP, f"{site.url}/latest").returncode == 0
    assert pod.model.read_bytes() == MODEL


@pytest.mark.parametrize(
    "source",
    ["{url}/none.gguf", "http://", "nonsense", "file:///etc/hostname", "http://127.0.0.1:1/m.gguf", "{url}/empty"],
)
def test_a_source_without_a_model_fails_and_leaves_nothing(pod: Pod, site: Site, source: str) -> None:
    site.files["/empty"] = b""
    done = pod.one_file(HTTP, source.format(url=site.url))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("model-downloader: ")
    assert "m.gguf" not in pod.left()


def test_a_partial_file_is_continued(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    (pod.cache / "m.gguf.tmp").write_bytes(MODEL[:200_000])
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL
    assert [headers["range"] for headers in site.transfers()] == ["bytes=200000-"]
    assert site.sent < len(MODEL), "less than the whole was sent"


@pytest.mark.parametrize("partial", [b"stale", MODEL[:100_000] + b"x" * 100_000, MODEL[1000:200_000], MODEL + b"more"])
def test_a_partial_file_of_something_else_is_thrown_away(pod: Pod, site: Site, partial: bytes) -> None:
    pod.cache.mkdir(parents=True)
    (pod.cache / "m.gguf.tmp").write_bytes(partial)
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert (pod.model.read_bytes(), pod.left()) == (MODEL, ["m.gguf"])


def test_a_whole_partial_file_is_taken(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    (pod.cache / "m.gguf.tmp").write_bytes(MODEL)
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL


def test_without_ranges_the_download_starts_again(pod: Pod, site: Site) -> None:
    site.ranges = False
    pod.cache.mkdir(parents=True)
    (pod.cache / "m.gguf.tmp").write_bytes(MODEL[:200_000])
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL


def test_a_broken_connection_is_continued(pod: Pod, site: Site) -> None:
    site.break_after = 120_000
    done = pod.one_file(HTTP, f"{site.url}/m.gguf")
    assert done.returncode == 0, done.stderr
    assert pod.model.read_bytes() == MODEL
    assert [headers.get("range") for headers in site.transfers()] == [None, "bytes=120000-"]


def test_what_a_failed_download_got_is_kept_for_the_next_start(pod: Pod, site: Site) -> None:
    site.break_after, site.ranges = 120_000, False
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 1
    assert pod.left() == [".lock", "m.gguf.tmp"]
    site.ranges = True
    assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 0
    assert (pod.model.read_bytes(), pod.left()) == (MODEL, ["m.gguf"])
    assert site.transfers()[-1]["range"] == "bytes=120000-"


def test_two_pods_download_once(pod: Pod, site: Site) -> None:
    env = {"MODEL_SOURCE": f"{site.url}/m.gguf", "CACHE_DIR": str(pod.cache), "MODEL_PATH": str(pod.model)}
    command = [*pod.shell, "-c", pod.placed(download(HTTP))]
    pods = [subprocess.Popen(command, env={**os.environ, **env}, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert [running.wait(60) for running in pods] == [0, 0, 0]
    assert (len(site.transfers()), pod.model.read_bytes()) == (1, MODEL)


def test_on_change_keeps_a_file_of_the_same_size(pod: Pod, site: Site) -> None:
    site.redirects["/latest"] = f"{site.url}/m.gguf"
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(b"x" * len(MODEL))
    assert pod.one_file(ON_CHANGE, f"{site.url}/latest").returncode == 0
    assert (site.got("GET"), pod.model.read_bytes()) == ([], b"x" * len(MODEL))
    assert len(site.got("HEAD")) == 2, "the redirect was followed"


@pytest.mark.parametrize(("heads", "cached"), [(True, b"an older one"), (False, b"an older one"), (True, b"")])
def test_on_change_replaces_a_file_of_another_size(pod: Pod, site: Site, heads: bool, cached: bytes) -> None:
    site.heads = heads
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(cached)
    assert pod.one_file(ON_CHANGE, f"{site.url}/m.gguf").returncode == 0
    assert (pod.model.read_bytes(), pod.left()) == (MODEL, ["m.gguf"])


def test_on_change_keeps_what_it_has_when_the_source_is_away(pod: Pod, site: Site) -> None:
    site.broken = True
    assert pod.one_file(ON_CHANGE, f"{site.url}/m.gguf").returncode == 1
    pod.model.write_bytes(b"an older one")
    done = pod.one_file(ON_CHANGE, f"{site.url}/m.gguf")
    assert (done.returncode, pod.model.read_bytes()) == (0, b"an older one")
    assert "keeping" in done.stderr


def test_the_checksum_decides(pod: Pod, site: Site) -> None:
    right = "7f" + "0" * 62
    wrong = pod.one_file(Variant("http", sha256=right), f"{site.url}/m.gguf")
    assert (wrong.returncode, pod.left()) == (1, [".lock"])
    assert "checksum" in wrong.stderr
    right = hashlib.sha256(MODEL).hexdigest()
    assert pod.one_file(Variant("http", sha256=right), f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL


def test_without_a_cache_the_folder_is_the_volumes(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    done = pod.one_file(Variant("http", cached=False), f"{site.url}/m.gguf", {"CACHE_DIR": ""})
    assert (done.returncode, pod.left()) == (0, ["m.gguf"])


def test_a_model_of_the_node_is_copied_once(pod: Pod) -> None:
    (pod.folder / "host-model").mkdir()
    host = pod.folder / "host-model" / "model.gguf"
    host.write_bytes(b"weights")
    assert pod.one_file(Variant("node"), "/srv/m.gguf").returncode == 0
    host.write_bytes(b"others")
    assert pod.one_file(Variant("node"), "/srv/m.gguf").returncode == 0
    assert (pod.model.read_bytes(), pod.left()) == (b"weights", ["m.gguf"])


@pytest.mark.parametrize(
    ("variant", "words"), [(Variant("node", cached=False), "model cache"), (Variant("node"), "copy")]
)
def test_a_model_of_the_node_that_cannot_be_copied_fails(pod: Pod, variant: Variant, words: str) -> None:
    done = pod.one_file(variant, "/srv/m.gguf")
    assert done.returncode == 1
    assert words in done.stderr.splitlines()[-1]


ODD = ["a.gguf", "sub dir/b (1)+#%.gguf", "sub dir/ü&'\"$(x)`.json", "-dash;.txt"]


def test_several_files_with_folders_and_odd_names(pod: Pod, site: Site) -> None:
    site.files = {f"/repo/{name}": name.encode() for name in ODD}
    pod.cache.mkdir(parents=True)
    (pod.cache / "sub dir").mkdir()
    (pod.cache / "sub dir" / "old.gguf.tmp").write_bytes(b"left over")
    variant = Variant("http", several=True)
    done = pod.several(variant, f"{site.url}/repo/", ODD)
    assert done.returncode == 0, done.stderr
    assert {name: (pod.cache / name).read_text() for name in pod.left()} == {name: name for name in ODD}
    before = len(site.requests)
    assert pod.several(variant, f"{site.url}/repo/", [*ODD, ""]).returncode == 0
    assert len(site.requests) == before


def test_the_first_file_that_fails_ends_it(pod: Pod, site: Site) -> None:
    site.files = {"/repo/a": b"a", "/repo/c": b"c"}
    done = pod.several(Variant("http", several=True), f"{site.url}/repo", ["a", "b", "c"])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "model-downloader: could not download b"
    assert "c" not in pod.left()


def test_several_files_on_change(pod: Pod, site: Site) -> None:
    site.files = {"/repo/a": b"a", "/repo/b": b"bb"}
    variant = Variant("http", several=True, on_change=True)
    assert pod.several(variant, f"{site.url}/repo/", ["a", "b"]).returncode == 0
    site.files["/repo/b"] = b"bbb"
    fetched = len(site.got("GET"))
    assert pod.several(variant, f"{site.url}/repo/", ["a", "b"]).returncode == 0
    assert ((pod.cache / "b").read_bytes(), len(site.got("GET"))) == (b"bbb", fetched + 1)


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("hf://org/name@v1", "https://huggingface.co/org/name/resolve/v1/a%20b"),
        ("org/name", "https://huggingface.co/org/name/resolve/main/a%20b"),
        ("https://huggingface.co/org/name/resolve/main/", "https://huggingface.co/org/name/resolve/main/a%20b"),
    ],
)
def test_addresses_of_a_repository(pod: Pod, source: str, url: str) -> None:
    recording_curl(pod)
    assert pod.several(Variant("http", several=True), source, ["a b"], {"HF_TOKEN": "hf_secret"}).returncode == 0
    assert (pod.folder / "arguments").read_text().splitlines()[-1] == url
    assert (pod.folder / "config").read_text() == 'header = "Authorization: Bearer hf_secret"\n'
    assert "hf_secret" not in (pod.folder / "arguments").read_text()


def test_the_page_of_a_file_becomes_the_file(pod: Pod) -> None:
    recording_curl(pod)
    assert pod.one_file(HTTP, "https://huggingface.co/org/name/blob/main/x.gguf").returncode == 0
    last = (pod.folder / "arguments").read_text().splitlines()[-1]
    assert last == "https://huggingface.co/org/name/resolve/main/x.gguf"


@pytest.mark.parametrize("source", ["https://models.example.com/m", "https://huggingface.co.example.com/m"])
def test_the_hugging_face_token_goes_nowhere_else(pod: Pod, source: str) -> None:
    recording_curl(pod)
    assert pod.one_file(HTTP, source, {"HF_TOKEN": "hf_secret"}).returncode == 0
    assert (pod.folder / "config").read_text() == ""


def recording_curl(pod: Pod) -> None:
    """A curl that writes down its arguments and its config, and gives every file the same content."""
    pod.stub(
        "curl",
        f"""cat > {pod.folder}/config
printf '%s\\n' "$@" > {pod.folder}/arguments
printf '%s' "${{CURL_CA_BUNDLE:-}}" > {pod.folder}/bundle
while [ $# -gt 0 ]; do
  if [ "$1" = -o ]; then echo model > "$2"; fi
  shift
done""",
    )


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
    certificate, key = pod.folder / "custom-certs" / "ca.crt", pod.folder / "key.pem"
    certificate.parent.mkdir()
    new = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*new.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve(Site(files={"/m.gguf": MODEL}), context) as site:
        assert pod.one_file(HTTP, f"{site.url}/m.gguf").returncode == 1
        assert pod.one_file(Variant("http", ca_bundle=True), f"{site.url}/m.gguf").returncode == 0
    assert pod.model.read_bytes() == MODEL


def test_preparation_changes_the_root_of_the_cache_only(pod: Pod) -> None:
    # Functions, because busybox takes its own chown before one on the PATH.
    recording = "".join(f'{name}() {{ echo {name} "$@"; }}\n' for name in ("chown", "chmod"))
    done = pod.run(recording + prepare("0:102", "g+rwX"), {})
    models = f"{pod.folder}/models"
    assert (done.returncode, done.stdout.splitlines()) == (0, [f"chown 0:102 {models}", f"chmod g+rwX {models}"])


@pytest.mark.parametrize("fails", ["chown", "chmod"])
def test_preparation_that_fails_says_so(pod: Pod, fails: str) -> None:
    results = "".join(f"{name}() {{ return {int(name == fails)}; }}\n" for name in ("chown", "chmod"))
    done = pod.run(results + prepare("100:100", "770"), {})
    assert done.returncode == 1
    assert done.stderr.startswith("model-cache-prep: can't ")


def test_a_cache_that_cannot_be_made_says_so(pod: Pod) -> None:
    pod.cache.parent.write_text("not a folder")
    done = pod.one_file(HTTP, "http://127.0.0.1:1/m.gguf")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"model-downloader: can't make {pod.cache}")


SCRIPTS = [
    *(download(Variant(origin, several, ca_bundle=True)) for origin in ("http", "s3") for several in (False, True)),
    download(Variant("node")),
    prepare("0:102", "g+rwX"),
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_short_and_trace_nothing(script: str) -> None:
    assert "set -x" not in script and len(script) < 5500


@pytest.mark.parametrize("script", SCRIPTS)
def test_kubernetes_leaves_the_scripts_as_they_are(script: str) -> None:
    """It makes $$ to $ and puts a variable's value for $(NAME) in a container's command."""
    assert "$$" not in script
    assert set(re.findall(r"\$\(([A-Z_]+)\)", script)) == set()


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="needs shellcheck")
@pytest.mark.parametrize(
    "variant", [Variant("node"), Variant("http", ca_bundle=True), Variant("s3", several=True, on_change=True)]
)
def test_scripts_are_clean(variant: Variant) -> None:
    command = ["shellcheck", "--shell=sh", "--severity=warning", "-"]
    done = subprocess.run(command, input=download(variant), capture_output=True, text=True)
    assert done.stdout == ""
