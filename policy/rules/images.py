"""Images: from a registry that the platform trusts, at a version that stays what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import containers, pods
from modelservices.kubernetes.scalars import Name
from modelservices.kubernetes.values import mapping, mappings

from ..rule import ObjectRule, Parameters


class ImageTag(Parameters):
    moving: list[Name] = ["latest"]
    """Tags that mean another image tomorrow."""


class ImageRegistry(Parameters):
    registries: list[Name] = []
    """Registries, or repositories below one (`ghcr.io/our-team`), that images may come from; any by default."""


class Image(NamedTuple):
    """An image reference taken apart; ``repository`` is complete, with its registry."""

    repository: str
    tag: str
    digest: str


def parse(reference: str) -> Image:
    """``vllm/vllm-openai:v1`` is ``docker.io/vllm/vllm-openai`` at ``v1``."""
    rest, _, digest = reference.partition("@")
    slash = rest.rfind("/")
    colon = rest.find(":", slash + 1)
    name, tag = (rest, "") if colon < 0 else (rest[:colon], rest[colon + 1 :])
    first, separator, _ = name.partition("/")
    if not separator:
        name = f"docker.io/library/{name}"
    elif not ("." in first or ":" in first or first == "localhost"):
        name = f"docker.io/{name}"
    return Image(name, tag, digest)


def images(obj: Object) -> Iterator[tuple[str, str]]:
    """Path and reference of each image: of containers, and of volumes that are images."""
    for pod in pods(obj):
        for container in containers(pod):
            yield from _known(f"{container.path}.image", container.body.get("image"))
        for index, volume in enumerate(mappings(pod.spec.get("volumes"))):
            reference = mapping(volume.get("image")).get("reference")
            yield from _known(f"{pod.path}.volumes[{index}].image.reference", reference)


def _known(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value:
        yield path, value


def check_tags(obj: Object, parameters: ImageTag) -> Iterator[Problem]:
    for path, reference in images(obj):
        _, tag, digest = parse(reference)
        if digest or (tag and tag not in parameters.moving):
            continue
        wrong = f"moves with its tag {tag}" if tag else "has no tag, which means latest"
        yield Problem(path, f"the image {reference} {wrong}: name a version, or a digest (@sha256:…)")


def check_registries(obj: Object, parameters: ImageRegistry) -> Iterator[Problem]:
    if not parameters.registries:
        return
    for path, reference in images(obj):
        repository = parse(reference).repository
        if not any(f"{repository}/".startswith(f"{allowed.rstrip('/')}/") for allowed in parameters.registries):
            allowed = ", ".join(parameters.registries)
            yield Problem(
                path, f"the image {reference} is not from an allowed registry ({allowed}): mirror it into one"
            )


IMAGE_TAG = ObjectRule("image-tag", "Images name a version.", "advisory", ImageTag, check_tags)
IMAGE_REGISTRY = ObjectRule(
    "image-registry", "Images come from allowed registries.", "advisory", ImageRegistry, check_registries
)
