"""Storage URIs, one parser for each scheme. What a URI lacks is said as the end of a sentence (``must be …``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


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
    if not separator or scheme not in _PARSERS:
        raise BadUri(f"must start with one of {', '.join(f'{known}://' for known in _PARSERS)}")
    form, parser = _PARSERS[scheme]
    parts = parser(rest)
    if parts is None:
        raise BadUri(f"must be {form}")
    return StorageUri(scheme, parts)


def _oci(rest: str) -> dict[str, str] | None:
    words = rest.split("/", 5)
    if len(words) < 6 or (words[0], words[2], words[4]) != ("n", "b", "o") or not (words[1] and words[3]):
        return None
    return {"namespace": words[1], "bucket": words[3], "prefix": words[5]}


def _pvc(rest: str) -> dict[str, str] | None:
    place, _, path = rest.partition("/")
    namespace, _, claim = place.rpartition(":")
    return {"namespace": namespace, "claim": claim, "path": path} if claim and path else None


def _s3(rest: str) -> dict[str, str] | None:
    place, _, prefix = rest.partition("/")
    bucket, _, region = place.partition("@")
    return {"bucket": bucket, "region": region, "prefix": prefix} if bucket else None


def _azure(rest: str) -> dict[str, str] | None:
    words = [*rest.split("/", 2), "", ""]
    account = words[0].removesuffix(".blob.core.windows.net")
    return {"account": account, "container": words[1], "prefix": words[2]} if account and words[1] else None


def _bucket(rest: str) -> dict[str, str] | None:
    bucket, _, prefix = rest.partition("/")
    return {"bucket": bucket, "prefix": prefix} if bucket else None


def _github(rest: str) -> dict[str, str] | None:
    owner, _, repository = rest.partition("/")
    repository, _, tag = repository.partition("@")
    return {"owner": owner, "repository": repository, "tag": tag} if owner and repository else None


def _hugging_face(rest: str) -> dict[str, str] | None:
    model, _, revision = rest.partition("@")
    return {"model": model, "revision": revision} if model else None


def _local(rest: str) -> dict[str, str] | None:
    return {"path": rest} if rest else None


def _vendor(rest: str) -> dict[str, str] | None:
    words = rest.split("/", 2)
    return {"vendor": words[0], "type": words[1], "path": words[2]} if len(words) == 3 and all(words) else None


_PARSERS: Mapping[str, tuple[str, Callable[[str], dict[str, str] | None]]] = {
    "oci": ("oci://n/<namespace>/b/<bucket>/o/<path>", _oci),
    "pvc": ("pvc://<claim>/<path>", _pvc),
    "hf": ("hf://<organisation>/<model>", _hugging_face),
    "s3": ("s3://<bucket>[@<region>]/<path>", _s3),
    "az": ("az://<account>/<container>/<path>", _azure),
    "gs": ("gs://<bucket>/<path>", _bucket),
    "github": ("github://<owner>/<repository>[@<tag>]", _github),
    "local": ("local:///<path>", _local),
    "vendor": ("vendor://<vendor>/<type>/<path>", _vendor),
}
