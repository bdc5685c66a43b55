"""Whether an object has any of OME's keys. All objects are asked; most have none, and need no more of this folder."""

from collections.abc import Mapping
from typing import Any

from ..kubernetes.model import ObjectMeta
from ..kubernetes.values import mapping
from . import keys

KNATIVE = frozenset([keys.KNATIVE_METRIC, keys.KNATIVE_TARGET])
"""The documented keys of another domain."""


def is_ome_key(key: str) -> bool:
    domain, slash, _ = key.rpartition("/")
    return bool(slash) and (domain == "ome.io" or domain.endswith(".ome.io"))


def has_keys(metadata: ObjectMeta) -> bool:
    """Whether there is anything for the rules on keys to look at. Costs next to nothing."""
    return any(is_ome_key(key) or key in KNATIVE for key in (*metadata.labels, *metadata.annotations))


def may_have_keys(document: Mapping[str, Any]) -> bool:
    """The same before a document is read: an object of OME's may lack keys, and others are misspelled."""
    metadata = mapping(document.get("metadata"))
    of_ome = str(document.get("apiVersion")).startswith("ome.io/")
    return of_ome or bool(mapping(metadata.get("labels")) or mapping(metadata.get("annotations")))
