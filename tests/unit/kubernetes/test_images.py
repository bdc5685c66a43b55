"""Image references, mirrors and digests. Not proven: that a mirror has an image."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from modelservices.kubernetes.images import Image, Images, is_reference, located, parse, with_images
from modelservices.kubernetes.model import read
from modelservices.kubernetes.scalars import Opaque

DIGEST = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64


@pytest.mark.parametrize(
    ("reference", "image"),
    [
        ("nginx", Image("docker.io/library/nginx", "", "")),
        ("docker.io/nginx:1", Image("docker.io/library/nginx", "1", "")),
        ("index.docker.io/a/b", Image("docker.io/a/b", "", "")),
        ("vllm/vllm-openai:v1", Image("docker.io/vllm/vllm-openai", "v1", "")),
        ("ghcr.io/team/server:1.2", Image("ghcr.io/team/server", "1.2", "")),
        ("localhost/server", Image("localhost/server", "", "")),
        ("registry:5000/server", Image("registry:5000/server", "", "")),
        ("registry:5000/server:2", Image("registry:5000/server", "2", "")),
        (f"ghcr.io/team/server:1@{DIGEST}", Image("ghcr.io/team/server", "1", DIGEST)),
        (f"server@{DIGEST}", Image("docker.io/library/server", "", DIGEST)),
    ],
)
def test_references_are_taken_apart(reference: str, image: Image) -> None:
    assert parse(reference) == image


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("a", True),
        ("registry:5000/a/b:v1.2_x", True),
        (f"ghcr.io/a__b/c--d:x@{DIGEST}", True),
        ("a/B", False),
        ("a:", False),
        ("a b", False),
        ("a/x'; touch y; '", False),
        ("a\n", False),
        ("", False),
    ],
)
def test_what_is_a_reference(text: str, known: bool) -> None:
    assert is_reference(text) is known


MIRROR = Images(mirror="r.corp/cache")
SEVERAL = Images(
    mirror="r.corp/cache",
    mirrors={
        "docker.io": "r.corp/hub",
        "docker.io/vllm": "r.corp/vllm",
        "ghcr.io/our": "ghcr.io/our",
        "q.io": "z.corp",
    },
)


@pytest.mark.parametrize(
    ("images", "reference", "expected"),
    [
        (Images(), "vllm/vllm-openai:v1", "vllm/vllm-openai:v1"),
        (MIRROR, "nginx", "r.corp/cache/docker.io/library/nginx"),
        (MIRROR, "vllm/vllm-openai:v1", "r.corp/cache/docker.io/vllm/vllm-openai:v1"),
        (MIRROR, f"ghcr.io/a/b:1@{DIGEST}", f"r.corp/cache/ghcr.io/a/b:1@{DIGEST}"),
        (MIRROR, "registry:5000/a:1", "r.corp/cache/registry:5000/a:1"),
        (MIRROR, "r.corp/cache/ghcr.io/a/b:1", "r.corp/cache/ghcr.io/a/b:1"),
        (MIRROR, "r.corp/ours/a:1", "r.corp/ours/a:1"),
        (MIRROR, "r.corp.evil/a:1", "r.corp/cache/r.corp.evil/a:1"),
        (SEVERAL, "nginx:1", "r.corp/hub/library/nginx:1"),
        (SEVERAL, "vllm/vllm-openai:v1", "r.corp/vllm/vllm-openai:v1"),
        (SEVERAL, "vllmx/a:v1", "r.corp/hub/vllmx/a:v1"),
        (SEVERAL, "ghcr.io/our/a:1", "ghcr.io/our/a:1"),
        (SEVERAL, "ghcr.io/ours/a:1", "r.corp/cache/ghcr.io/ours/a:1"),
        (SEVERAL, "q.io/a:1", "z.corp/a:1"),
        (SEVERAL, "z.corp/a:1", "z.corp/a:1"),
        (Images(mirrors={"docker.io": "r.corp/hub"}), "quay.io/a/b:1", "quay.io/a/b:1"),
    ],
)
def test_where_an_image_comes_from(images: Images, reference: str, expected: str) -> None:
    assert located(reference, images) == expected
    assert located(expected, images) == expected  # what is mirrored stays


@pytest.mark.parametrize("name", ["a/b:1", "docker.io/a/b:1", "index.docker.io/a/b:1"])
def test_a_digest_counts_for_every_spelling(name: str) -> None:
    images = Images(digests={name: DIGEST})
    assert located("a/b:1", images) == f"a/b:1@{DIGEST}"
    assert located("docker.io/a/b:1", images) == f"docker.io/a/b:1@{DIGEST}"
    assert located("a/b:2", images) == "a/b:2"
    assert located("quay.io/a/b:1", images) == "quay.io/a/b:1"
    assert located(f"a/b:1@{OTHER}", images) == f"a/b:1@{OTHER}"


def test_a_digest_is_of_the_image_before_its_mirror() -> None:
    images = Images(mirror="r.corp/cache", digests={"a/b:1": DIGEST})
    assert located("a/b:1", images) == f"r.corp/cache/docker.io/a/b:1@{DIGEST}"


def test_the_page_s_example() -> None:
    page = (Path(__file__).parents[3] / "docs" / "images.md").read_text().replace("5d4f5b3a…", "5" * 64)
    config = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])["config"]
    images = Images.model_validate(config["modelservices:settings"]["images"])
    rows = re.findall(r"^\| `([^`]+)` \| (?:`([^`]+)`|itself)", page, re.MULTILINE)
    assert len(rows) == 5
    assert [located(written, images) for written, _ in rows] == [expected or written for written, expected in rows]


def test_images_in_an_object() -> None:
    unknown = Opaque(None)
    pod = {
        "containers": [{"name": "image", "image": "a:1", "env": [{"name": "image", "value": "a:1"}]}, {"name": "b"}],
        "initContainers": [{"name": "c", "image": unknown}],
        "ephemeralContainers": [{"name": "d", "image": "d:1"}],
        "volumes": [{"name": "w", "image": {"reference": "w:1"}}, {"name": "e", "emptyDir": {}}],
        "nodeSelector": {"image": "a:1"},
    }
    thing = {
        "metadata": {"labels": {"image": "a:1"}},
        "spec": {"template": {"metadata": {"annotations": {"image": "a:1"}}, "spec": pod}, "trainer": {"image": "t:1"}},
    }
    made = with_images(thing, Images(mirrors={"docker.io/library": "r"}))
    assert made == {
        "metadata": {"labels": {"image": "a:1"}},
        "spec": {
            "template": {
                "metadata": {"annotations": {"image": "a:1"}},
                "spec": {
                    "containers": [
                        {"name": "image", "image": "r/a:1", "env": [{"name": "image", "value": "a:1"}]},
                        {"name": "b"},
                    ],
                    "initContainers": [{"name": "c", "image": unknown}],
                    "ephemeralContainers": [{"name": "d", "image": "r/d:1"}],
                    "volumes": [{"name": "w", "image": {"reference": "r/w:1"}}, {"name": "e", "emptyDir": {}}],
                    "nodeSelector": {"image": "a:1"},
                },
            },
            "trainer": {"image": "r/t:1"},
        },
    }
    assert thing["spec"]["trainer"] == {"image": "t:1"}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"mirror": "https://r.corp"}, "mirror"),
        ({"mirror": "r.corp/"}, "mirror"),
        ({"mirror": "r.corp/UPPER"}, "mirror"),
        ({"mirrors": {"docker.io": "r.corp/a:1"}}, 'mirrors["docker.io"]'),
        ({"digests": {"a:1": "latest"}}, "digests.a:1"),
        ({"digest": {}}, "digest"),
    ],
)
def test_what_is_no_mirror_and_no_digest(given: dict, path: str) -> None:
    model, problems = read(Images, given)
    assert model is None
    assert [problem.path for problem in problems] == [path]
