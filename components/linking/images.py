"""Images of any family that no node can pull, because their text is not an image reference."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..findings import Problem
from ..kubernetes.images import is_reference
from ..kubernetes.pod_templates import Container, Pod, containers, containers_of
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.scalars import describe
from ..kubernetes.source import Source
from ..kubernetes.values import value_at
from .places import place_of

_KNOWN_LATER = ("$", "{{")
"""Parts of a text that is filled in later, or refused as a placeholder."""

_WITHOUT_PODS = frozenset(
    [
        *("ClusterRole", "ClusterRoleBinding", "ConfigMap", "HTTPRoute", "HorizontalPodAutoscaler", "InferencePool"),
        *("PersistentVolumeClaim", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"),
    ]
)


def bad_images(objects: Iterable[RenderedObject]) -> Iterator[tuple[Source, Problem]]:
    """A warning for each image that is not an image reference: its pods wait with InvalidImageName."""
    said: set[tuple[Source, str]] = set()
    for record in objects:
        for image in _images(record):
            if not _is_image(image) and (record.source, image) not in said:
                said.add((record.source, image))
                message = (
                    f"{describe(image)} is not an image reference, so the pods never start; write "
                    "registry/repository:tag in lower case, without a scheme or blanks"
                )
                yield record.source, Problem(place_of(record, image), message, "warning", "bad-image")


def _images(record: RenderedObject) -> Iterator[str]:
    for container in _containers(record):
        image = container.body.get("image")
        if isinstance(image, str) and image:
            yield image


def _containers(record: RenderedObject) -> Iterator[Container]:
    """The containers of an object. It is searched only without a pod in the usual place, if its kind may have one."""
    pod = value_at(record.body, "spec", "template", "spec")
    if isinstance(pod, dict):
        return containers(Pod("spec.template.spec", pod, None))
    return iter(()) if record.key.kind in _WITHOUT_PODS else containers_of(record.body)


@lru_cache(maxsize=1024)
def _is_image(text: str) -> bool:
    return is_reference(text) or any(sign in text for sign in _KNOWN_LATER)
