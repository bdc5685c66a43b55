"""A model of one file: downloaded once, continued, refreshed, verified, or copied from the node.

Not proved here: that curl's image has all the tools (its busybox is another version), and storage that has no locks.
"""

from __future__ import annotations

import hashlib
import os
import subprocess

import pytest

from modelservices.families.llmkube.scripts import Variant, download

from ..model_server import Site
from .pod import HTTP, MODEL, Pod, recording_curl

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


def test_a_cached_file_of_another_content_is_replaced(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(b"someone else's")
    done = pod.one_file(Variant("http", sha256=hashlib.sha256(MODEL).hexdigest()), f"{site.url}/m.gguf")
    assert (done.returncode, pod.model.read_bytes(), pod.left()) == (0, MODEL, ["m.gguf"])
    assert "does not have the checksum" in done.stderr


def test_a_cached_file_of_the_right_content_costs_no_traffic(pod: Pod, site: Site) -> None:
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(MODEL)
    done = pod.one_file(Variant("http", sha256=hashlib.sha256(MODEL).hexdigest()), f"{site.url}/m.gguf")
    assert (done.returncode, site.requests) == (0, [])


def test_a_cached_file_of_the_node_is_verified_too(pod: Pod) -> None:
    (pod.folder / "host-model").mkdir()
    (pod.folder / "host-model" / "model.gguf").write_bytes(b"weights")
    pod.cache.mkdir(parents=True)
    pod.model.write_bytes(b"others")
    done = pod.one_file(Variant("node", sha256=hashlib.sha256(b"weights").hexdigest()), "/srv/m.gguf")
    assert (done.returncode, pod.model.read_bytes()) == (0, b"weights")


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


def test_a_cache_that_cannot_be_made_says_so(pod: Pod) -> None:
    pod.cache.parent.write_text("not a folder")
    done = pod.one_file(HTTP, "http://127.0.0.1:1/m.gguf")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, f"model-downloader: can't make {pod.cache}")
