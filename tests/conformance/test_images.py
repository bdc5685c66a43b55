"""All images that the families add are pinned to a version and come from the platform's mirror, if it has one.

All reference cases are rendered with a mirror and with digests. Not proven here: that the images exist.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelservices.engines.flag import Launch
from modelservices.engines.known import ENGINES
from modelservices.families.llmkube.runtimes import RUNTIMES
from modelservices.findings import errors
from modelservices.kubernetes.images import Image, parse
from modelservices.kubernetes.model import Spec
from modelservices.kubernetes.objects import Object
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from modelservices.policy.rules.images import images

from .reference import cases

COMPONENTS = Path(__file__).parents[2] / "components"
CASES = [case for family in ("llmkube", "otterscale", "kserve") for case in cases(family)]
CASES += [case for folder in ("propagation", "benchmark") for case in cases("ome", folder)]
REFERENCE = re.compile(
    r"[a-z0-9][a-z0-9.-]*(/[a-z0-9][a-z0-9._-]*)+(:[A-Za-z0-9][A-Za-z0-9._-]*)?(@sha256:[0-9a-f]{64})?"
)
"""A text that is entirely an image reference; without a tag or digest it may also be a path."""
RUNS = (None, "cuda", "rocm", "vulkan")
MOVING = ("latest", "main", "master", "nightly", "server", "stable", "edge", "dev")


def default_images() -> Iterator[str]:
    """All image references in the package: constants of the engines, defaults of settings, presets."""
    for file in sorted(COMPONENTS.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if REFERENCE.fullmatch(text) and {":", "@"} & set(text):
                yield text
    for file in sorted(COMPONENTS.rglob("*.yaml")):
        yield from re.findall(r"^\s*-?\s*image:\s*[\"']?([^\s\"'{]+)", file.read_text(), re.MULTILINE)


def is_pinned(image: Image) -> bool:
    """Whether it has a digest, or a tag with a digit that isn't a moving tag."""
    return bool(image.digest) or (image.tag not in MOVING and bool(re.search(r"\d", image.tag)))


def test_no_default_image_moves() -> None:
    found = sorted({*default_images(), *settings_images(), *engine_images()})
    assert len(found) >= 18
    assert [reference for reference in found if not is_pinned(parse(reference))] == []
    assert {parse(reference).registry for reference in found} == {"docker.io", "ghcr.io"}


def settings_images() -> Iterator[str]:
    """The defaults of image settings, recognized by their names."""

    def images_of(value: Any, name: str) -> Iterator[str]:
        for field in type(value).model_fields if isinstance(value, Spec) else ():
            yield from images_of(getattr(value, field), f"{name}.{field}")
        if isinstance(value, str) and value and re.search(r"image(s\.\w+)?$", name, re.IGNORECASE):
            yield value

    yield from images_of(Settings(), "")


def engine_images() -> Iterator[str]:
    """The engines' default images for each GPU vendor."""
    gpus = [{}, *({"vendor": vendor, "runtime": runtime} for vendor in ("nvidia", "amd", "intel") for runtime in RUNS)]
    for engine in (*ENGINES, *RUNTIMES.values()):
        for gpu in gpus:
            for count in (0, 1):
                found = engine.default_image(Launch({}, 80, gpus=count, gpu=gpu))
                if found:
                    yield found


def test_the_walks_see_what_they_should() -> None:
    assert len(set(settings_images())) == 10
    assert set(engine_images()) <= set(default_images())
    assert set(settings_images()) <= set(default_images())


@pytest.mark.parametrize("reference", ["a/b:latest", "a/b", "a/b:server", "a/b:server-cuda", "a/b:main"])
def test_what_moves(reference: str) -> None:
    assert not is_pinned(parse(reference))


def rendered(case: Path, settings: dict[str, Any]) -> list[Object]:
    files = [file for file in (case / "input.yaml", case) if file.is_file()]
    plan = plan_paths(files, Settings.model_validate(settings))
    return [] if errors(plan.findings) else plan.all_objects()


def with_paths(objects: list[Object]) -> dict[tuple[str, str, str], str]:
    return {(obj["kind"], obj["metadata"]["name"], path): image for obj in objects for path, image in images(obj)}


@pytest.mark.parametrize("case", [case for case in CASES if case.exists()], ids=lambda case: case.name)
def test_every_image_of_a_case(case: Path) -> None:
    """With a mirror all images are the mirror's, with digests all are pinned; nothing else in the objects changes."""
    plain = rendered(case, {})
    before = with_paths(plain)
    mirrored = with_paths(rendered(case, {"images": {"mirror": "r.corp/cache"}}))
    assert mirrored == {at: str(parse(image)._replace(repository=_cached(image))) for at, image in before.items()}
    digests = {image: f"sha256:{index:064x}" for index, image in enumerate(sorted(set(before.values())))}
    pinned = with_paths(rendered(case, {"images": {"digests": digests}}))
    assert pinned == {at: image if "@" in image else f"{image}@{digests[image]}" for at, image in before.items()}
    assert [_without_images(obj) for obj in rendered(case, {"images": {"mirror": "r.corp/cache"}})] == [
        _without_images(obj) for obj in plain
    ]


def _cached(image: str) -> str:
    return f"r.corp/cache/{parse(image).repository}"


def _without_images(value: Any) -> Any:
    if isinstance(value, dict):
        return {field: _without_images(item) for field, item in value.items() if field != "image"}
    return [_without_images(item) for item in value] if isinstance(value, list) else value
