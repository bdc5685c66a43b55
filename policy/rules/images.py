"""Images: from a registry that the platform trusts, with a version that does not change."""

from __future__ import annotations

from collections.abc import Iterator

from modelservices.findings import Problem
from modelservices.kubernetes.images import parse
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import containers_of, pods
from modelservices.kubernetes.scalars import Boolean, Name
from modelservices.kubernetes.values import mapping, mappings

from ..rule import ObjectRule, Parameters


class ImageTag(Parameters):
    moving: list[Name] = ["latest"]
    """Tags that move from one image to another."""
    digests: Boolean = False
    """Whether images must have a digest."""


class ImageRegistry(Parameters):
    registries: list[Name] = []
    """Registries, or repositories below one (`ghcr.io/our-team`), that images may come from; any by default."""


def images(obj: Object) -> Iterator[tuple[str, str]]:
    """Path and reference of each image of containers and of image volumes."""
    for container in containers_of(obj):
        yield from _known(f"{container.path}.image", container.body.get("image"))
    for pod in pods(obj):
        for index, volume in enumerate(mappings(pod.spec.get("volumes"))):
            reference = mapping(volume.get("image")).get("reference")
            yield from _known(f"{pod.path}.volumes[{index}].image.reference", reference)


def _known(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value:
        yield path, value


def check_tags(obj: Object, parameters: ImageTag) -> Iterator[Problem]:
    for path, reference in images(obj):
        _, tag, digest = parse(reference)
        if digest:
            continue
        if not tag or tag in parameters.moving:
            wrong = f"moves with its tag {tag}" if tag else "has no tag, which means latest"
            yield Problem(path, f"the image {reference} {wrong}; name a version, or a digest (@sha256:…)")
        elif parameters.digests:
            yield Problem(path, f"the image {reference} has no digest; list it under settings.images.digests")


def check_registries(obj: Object, parameters: ImageRegistry) -> Iterator[Problem]:
    if not parameters.registries:
        return
    for path, reference in images(obj):
        repository = parse(reference).repository
        if not any(f"{repository}/".startswith(f"{allowed.rstrip('/')}/") for allowed in parameters.registries):
            allowed = ", ".join(parameters.registries)
            yield Problem(
                path, f"the image {reference} is not from an allowed registry ({allowed}); mirror it into one"
            )


IMAGE_TAG = ObjectRule("image-tag", "Images name a version.", "advisory", ImageTag, check_tags)
IMAGE_REGISTRY = ObjectRule(
    "image-registry", "Images come from allowed registries.", "advisory", ImageRegistry, check_registries
)
