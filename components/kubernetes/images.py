"""Image references, and where a platform gets images from: mirrors, and pinned digests."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from .model import Spec
from .pod_templates import CONTAINERS, TRAINER
from .scalars import Name, Text
from .values import mapping

_DOCKER_HUB = "docker.io"
_PREFIX = r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
_PART = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
_REFERENCE = re.compile(
    rf"(?=.{{1,500}}$)(?:{_HOST}/)?{_PART}(?:/{_PART})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?"
    r"(?:@[a-z0-9]+:[0-9a-fA-F]{32,128})?"
)


class Image(NamedTuple):
    """A parsed image reference; ``repository`` includes the registry."""

    repository: str
    tag: str
    digest: str

    @property
    def registry(self) -> str:
        return self.repository.partition("/")[0]

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.repository}{tag}@{self.digest}" if self.digest else f"{self.repository}{tag}"


def is_reference(text: str) -> bool:
    """Whether a text is a valid image reference."""
    return bool(_REFERENCE.fullmatch(text))


def parse(reference: str) -> Image:
    """``vllm/vllm-openai:v1`` is ``docker.io/vllm/vllm-openai`` with the tag ``v1``."""
    rest, _, digest = reference.partition("@")
    slash = rest.rfind("/")
    colon = rest.find(":", slash + 1)
    name, tag = (rest, "") if colon < 0 else (rest[:colon], rest[colon + 1 :])
    first, separator, path = name.partition("/")
    if not separator or not ("." in first or ":" in first or first == "localhost"):
        first, path = _DOCKER_HUB, name
    if first in (_DOCKER_HUB, f"index.{_DOCKER_HUB}"):
        first, path = _DOCKER_HUB, path if "/" in path else f"library/{path}"
    return Image(f"{first}/{path}", tag, digest)


def _prefix(value: str) -> str:
    if not re.fullmatch(_PREFIX, value):
        raise ValueError(
            f"must be a registry, or a repository of one (registry.example.com/cache), without https:// and a / at its "
            f"end, got {value!r}"
        )
    return value


Prefix = Annotated[Name, AfterValidator(_prefix)]
Digest = Annotated[Text, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class Images(Spec):
    """Where the images of all services come from, whether a manifest, a runtime, a setting or this program names them.
    Objects that are passed through keep their images."""

    mirror: Prefix | None = None
    """Mirror of all registries: `ghcr.io/team/x:1` becomes `<mirror>/ghcr.io/team/x:1`, and `x:1` becomes
    `<mirror>/docker.io/library/x:1`. Images in the mirror's own registry stay as they are."""
    mirrors: dict[Prefix, Prefix] = {}
    """Mirrors of single registries, or of repositories below one. With `docker.io: registry.example.com/hub`,
    `vllm/vllm-openai:v1` becomes `registry.example.com/hub/vllm/vllm-openai:v1`. The longest match takes precedence,
    and all of them take precedence over `mirror`."""
    digests: dict[Name, Digest] = {}
    """Digests by the image's name before mirroring (`vllm/vllm-openai:v0.25.1`). An image that already has a digest
    keeps it."""

    @property
    def are_set(self) -> bool:
        """Whether any of the settings is set."""
        return bool(self.mirror or self.mirrors or self.digests)

    @cached_property
    def digest_of(self) -> Mapping[tuple[str, str], str]:
        """Digest by repository and tag."""
        return {parse(name)[:2]: digest for name, digest in self.digests.items()}


def located(reference: str, images: Images) -> str:
    """The reference of an image in the platform's registry, or the reference itself if no setting applies."""
    image = parse(reference)
    digest = image.digest or images.digest_of.get(image[:2], "")
    repository = _mirrored(image, images)
    if repository == image.repository:
        return reference if digest == image.digest else f"{reference}@{digest}"
    return str(Image(repository, image.tag, digest))


def _mirrored(image: Image, images: Images) -> str:
    for prefix in sorted(images.mirrors, key=len, reverse=True):
        if _is_below(image.repository, prefix):
            return images.mirrors[prefix] + image.repository.removeprefix(prefix)
    is_mirrored = any(_is_below(image.repository, mirror) for mirror in images.mirrors.values())
    if not images.mirror or is_mirrored or image.registry == images.mirror.partition("/")[0]:
        return image.repository
    return f"{images.mirror}/{image.repository}"


def _is_below(repository: str, prefix: str) -> bool:
    return f"{repository}/".startswith(f"{prefix}/")


def with_images(value: Any, images: Images) -> Any:
    """An object, or a part of one, with the images of its containers and image volumes located as the platform sets."""
    if isinstance(value, Mapping):
        return {field: item if field == "metadata" else _field(field, item, images) for field, item in value.items()}
    return [with_images(item, images) for item in value] if isinstance(value, list) else value


def _field(field: str, value: Any, images: Images) -> Any:
    if field in CONTAINERS and isinstance(value, list):
        return [_with_image(item, "image", images) for item in value]
    if field == "volumes" and isinstance(value, list):
        return [_with_volume_image(item, images) for item in value]
    if field == TRAINER:
        return _with_image(value, "image", images)
    return with_images(value, images)


def _with_volume_image(volume: Any, images: Images) -> Any:
    source = mapping(volume).get("image")
    return {**volume, "image": _with_image(source, "reference", images)} if source else volume


def _with_image(holder: Any, field: str, images: Images) -> Any:
    reference = mapping(holder).get(field)
    return {**holder, field: located(reference, images)} if isinstance(reference, str) and reference else holder
