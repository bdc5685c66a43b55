"""Whether an object has any of OME's keys. Most objects have none, so this check is cheap."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.model import ObjectMeta
from ..kubernetes.values import mapping
from . import keys

KNATIVE = frozenset([keys.KNATIVE_METRIC, keys.KNATIVE_TARGET])
"""Documented keys outside OME's domains."""


def is_ome_key(key: str) -> bool:
    domain, slash, _ = key.rpartition("/")
    return bool(slash) and (domain == "ome.io" or domain.endswith(".ome.io"))


def has_keys(metadata: ObjectMeta) -> bool:
    """Whether the rules on keys apply to an object."""
    return any(is_ome_key(key) or key in KNATIVE for key in (*metadata.labels, *metadata.annotations))


def may_have_keys(document: Mapping[str, Any]) -> bool:
    """The same for an unread document, where OME's objects may lack keys and others may misspell them."""
    metadata = mapping(document.get("metadata"))
    of_ome = str(document.get("apiVersion")).startswith("ome.io/")
    return of_ome or bool(mapping(metadata.get("labels")) or mapping(metadata.get("annotations")))
