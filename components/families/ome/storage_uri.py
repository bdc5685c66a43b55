"""Storage URIs, a form for each scheme. What a URI lacks is said as the end of a sentence (``must be …``)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
"""Scheme to what follows it: as people write it, and as a pattern of its parts."""


class BadUri(ValueError):
    """The URI is not of the form that its scheme has."""


@dataclass(frozen=True)
class StorageUri:
    """``parts`` by name, as the scheme has them; a part that may be left out is empty then."""

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
