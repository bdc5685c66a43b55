"""Field types that several kinds of OME share, and the forms of storage URIs, one for each scheme."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from ...findings import Problem, Severity
from ...kubernetes.model import Spec
from ...kubernetes.scalars import FreeForm, Int32, Name, PassedText, Strings, Text, describe

Count = Annotated[Int32, Field(ge=0)]


class StorageSpec(Spec):
    """Storage location of a model, a data set or results."""

    HINTS = {"storageKey": "it is called key in OME's CRD"}

    path: Text | None = None
    """Absolute path of a model on the node."""
    parameters: dict[Text, PassedText] = {}
    """Access settings of the storage: region, auth, profile, …"""
    key: Text | None = None
    """Key of the Secret with credentials."""
    storageUri: Text | None = None
    """oci://n/<namespace>/b/<bucket>/o/<path>, pvc://<claim>/<path>, s3://<bucket>[@<region>]/<path>, hf://…, …"""
    schemaPath: Text | None = None
    """Path of the schema file."""
    nodeSelector: Strings | None = None
    """Labels of the nodes that store the model."""
    downloadPolicy: Literal["AlwaysDownload", "ReuseIfExists"] | None = None
    """Whether OME's model agent downloads again what a node already has. Only the agent reads this field."""
    nodeAffinity: FreeForm = None
    """Affinity rules for the nodes that store the model."""


class Versioned(Spec):
    """A name with an optional version: a model format or framework."""

    name: Name
    """Name, for example safetensors or transformers."""
    version: Text | None = None
    """major, major.minor or major.minor.patch."""
    operator: Text | None = None
    """How versions are compared."""
    weight: Int32 | None = None
    """Weight in the selection of a runtime."""


_FORMS: Mapping[str, tuple[str, str]] = {
    "oci": ("n/<namespace>/b/<bucket>/o/<path>", r"n/(?P<namespace>[^/]+)/b/(?P<bucket>[^/]+)/o/(?P<prefix>.*)"),
    "pvc": (
        "<claim>/<path>, without '..'",
        r"((?P<namespace>[^/]*):)?(?P<claim>[a-z0-9]([-a-z0-9.]*[a-z0-9])?)/(?P<path>(?!(.*/)?\.\.(/|$)).+)",
    ),
    "hf": ("<organisation>/<model>", r"(?P<model>[^@]+)(@(?P<revision>.*))?"),
    "s3": ("<bucket>[@<region>]/<path>", r"(?P<bucket>[^/@]+)(@(?P<region>[^/]*))?(/(?P<prefix>.*))?"),
    "az": (
        "<account>/<container>/<path>",
        r"(?P<account>(?!\.blob)[^/]+?)(\.blob\.core\.windows\.net)?/(?P<container>[^/]+)(/(?P<prefix>.*))?",
    ),
    "gs": ("<bucket>/<path>", r"(?P<bucket>[^/]+)(/(?P<prefix>.*))?"),
    "github": ("<owner>/<repository>[@<tag>]", r"(?P<owner>[^/]+)/(?P<repository>[^@]+)(@(?P<tag>.*))?"),
    "local": ("/<path>", r"(?P<path>.+)"),
    "vendor": ("<vendor>/<type>/<path>", r"(?P<vendor>[^/]+)/(?P<type>[^/]+)/(?P<path>.+)"),
}
"""For each scheme, the form of what follows it, and a pattern with its parts."""


class BadUri(ValueError):
    """A URI with an unknown scheme, or not in the form of its scheme."""


@dataclass(frozen=True)
class StorageUri:
    """``parts`` by name; an omitted optional part is empty."""

    scheme: str
    parts: Mapping[str, str]

    def __getitem__(self, part: str) -> str:
        return self.parts[part]


def parse(uri: str) -> StorageUri:
    """Raises :class:`BadUri`."""
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme not in _FORMS:
        raise BadUri(f"must start with one of {', '.join(f'{known}://' for known in _FORMS)}")
    form, pattern = _FORMS[scheme]
    match = re.fullmatch(pattern, rest, re.DOTALL)
    if match is None:
        raise BadUri(f"must be {scheme}://{form}")
    return StorageUri(scheme, match.groupdict(""))


def place_on_claim(uri: str | None) -> StorageUri | None:
    """Claim (with its namespace) and path of a URI; None for one of another scheme or form."""
    try:
        place = parse(uri or "")
    except BadUri:
        return None
    return place if place.scheme == "pvc" else None


def uri_problems(storage: Any, path: str) -> Iterator[Problem]:
    """A ``storageUri`` of no known form; an error only for a claim, which is mounted."""
    uri = storage.storageUri if storage else None
    try:
        parse(uri) if uri else None
    except BadUri as error:
        severity: Severity = "error" if str(uri).startswith("pvc:") else "warning"
        yield Problem(f"{path}.storageUri", f"{error}, got {describe(uri)}", severity, "bad-value")
