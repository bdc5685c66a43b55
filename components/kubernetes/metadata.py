"""The API server's rules for metadata: names, labels and annotations."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from ..findings import Problem
from .model import MAX_NAME, ObjectMeta
from .scalars import Opaque, PassedText, describe
from .values import without_empty

MAX_LABEL = 63
MAX_ANNOTATIONS = 256 * 1024
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_RBAC = "rbac.authorization.k8s.io"
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LABEL_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def is_subdomain(text: str) -> bool:
    return len(text) <= MAX_NAME and bool(_SUBDOMAIN.fullmatch(text))


def is_host_name(text: str) -> bool:
    """Whether a route can have this host name: without scheme and port, perhaps with a wildcard in front."""
    return is_subdomain(text.removeprefix("*."))


def is_path_segment(name: str) -> bool:
    return name not in (".", "..") and 0 < len(name) <= MAX_NAME and name.isprintable() and not set("/%") & set(name)


def is_object_name(api_version: str, name: str) -> bool:
    """Whether the API server accepts the name: RBAC's kinds allow nearly any text, all others a DNS name."""
    if api_version.partition("/")[0] == _RBAC:
        return is_path_segment(name)
    return is_subdomain(name)


def is_dns_label(text: str) -> bool:
    return len(text) <= MAX_LABEL and bool(_DNS_LABEL.fullmatch(text))


def is_label_value(text: str) -> bool:
    return len(text) <= MAX_LABEL and bool(_LABEL_VALUE.fullmatch(text))


def is_label_key(text: str) -> bool:
    """``name`` or ``dns.prefix/name``."""
    prefix, slash, name = text.rpartition("/")
    return (not slash or is_subdomain(prefix)) and len(name) <= MAX_LABEL and bool(_LABEL_NAME.fullmatch(name))


def metadata_problems(metadata: ObjectMeta) -> Iterator[Problem]:
    """Why the API server would reject an object's metadata, with field paths."""
    yield from name_problems(metadata)
    yield from label_problems(metadata.labels)
    yield from annotation_problems(metadata.annotations)


def name_problems(metadata: ObjectMeta, api_version: str = "") -> Iterator[Problem]:
    """Problems of name and namespace. Both become parts of paths and of other names, so none may be invalid."""
    if len(metadata.name) > MAX_NAME:
        yield Problem("metadata.name", f"must have at most {MAX_NAME} characters, got {len(metadata.name)}")
    elif not is_object_name(api_version, metadata.name):
        what = "must be lower-case letters, digits, '-' and '.', each part between dots ending in a letter or digit"
        yield Problem("metadata.name", f"{what}, got {describe(metadata.name)}")
    if metadata.namespace and not is_dns_label(metadata.namespace):
        yield Problem("metadata.namespace", f"{_NAMESPACE_RULE}, got {describe(metadata.namespace)}")


_NAMESPACE_RULE = f"must be lower-case letters, digits and '-', at most {MAX_LABEL} characters"


def _namespace(value: Any) -> Any:
    if isinstance(value, str) and value and not is_dns_label(value):
        raise ValueError(f"{_NAMESPACE_RULE}, got {describe(value)}")
    return value


PassedNamespace = Annotated[PassedText, AfterValidator(_namespace)]
"""Namespace of a referenced object; may be an Output."""


def label_problems(labels: Mapping[str, Any], path: str = "metadata.labels") -> Iterator[Problem]:
    for key, value in labels.items():
        if not is_label_key(key):
            yield Problem(path, f"{describe(key)} is not a label key; write name or example.com/name", key=key)
        if not isinstance(value, Opaque) and not is_label_value(value):
            yield Problem(path, f"the value of {key} {_LABEL_RULE}, got {describe(value)}", key=key)


_LABEL_RULE = "must be at most 63 letters, digits, '-', '_' or '.', with a letter or digit at both ends"


def annotation_problems(annotations: Mapping[str, Any], path: str = "metadata.annotations") -> Iterator[Problem]:
    for key in annotations:
        if not is_label_key(key.lower()):
            yield Problem(path, f"{describe(key)} is not an annotation key; write name or example.com/name", key=key)
    size = sum(len(text.encode()) for pair in annotations.items() for text in pair if isinstance(text, str))
    if size > MAX_ANNOTATIONS:
        yield Problem(
            path,
            f"the annotations have {size} bytes, but at most {MAX_ANNOTATIONS} are allowed; shorten or remove some",
        )


def object_metadata(metadata: ObjectMeta) -> dict[str, Any]:
    """Metadata of an object that is passed through, without what only ``kubectl`` needs."""
    annotations = {key: value for key, value in metadata.annotations.items() if key != LAST_APPLIED}
    fields = {"name": metadata.name, "namespace": metadata.namespace, "labels": dict(metadata.labels)}
    return without_empty({**fields, "annotations": annotations})


def metadata(name: str, namespace: str, labels: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata of a rendered object; a cluster-scoped one has no namespace."""
    return without_empty({"name": name, "namespace": namespace, "labels": dict(labels)})
