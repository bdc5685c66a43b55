"""A model of several files, from a server or a Hugging Face repository.

Not proved here: that curl's image has all the tools (its busybox is another version), and storage that has no locks.
"""

from __future__ import annotations

import pytest

from modelservices.families.llmkube.scripts import Variant

from ..model_server import Site
from .pod import Pod, recording_curl

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
