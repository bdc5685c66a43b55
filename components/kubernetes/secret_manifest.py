"""Secrets of a stack: manifests that name Pulumi config secrets and hold no value themselves.

``${secret:hfToken}`` stands for the config secret ``modelservices:hfToken``. The value goes from Pulumi's encrypted
config to the Kubernetes Secret and is a secret in Pulumi's state; nothing else ever sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..findings import Problem
from .model import Manifest
from .scalars import Boolean, Text

_REFERENCE = re.compile(r"\$\{secret:([A-Za-z0-9_.:-]+)\}")


class SecretManifest(Manifest):
    """A ``v1`` Secret whose values are only ``${secret:<config key>}``."""

    type: Text = "Opaque"
    """Kind of Secret."""
    data: dict[Text, Text] = {}
    """Values, each ``${secret:<config key>}``; the config value is the plain text, not base64."""
    stringData: dict[Text, Text] = {}
    """The same as data."""
    immutable: Boolean | None = None
    """Whether the Secret may never change."""

    def references(self) -> dict[str, str]:
        """Secret key to config key."""
        values = {**self.data, **self.stringData}
        return {key: match[1] for key, value in values.items() if (match := _REFERENCE.fullmatch(value))}

    def problems(self) -> Iterator[Problem]:
        for field, values in (("data", self.data), ("stringData", self.stringData)):
            yield from _literals(field, values)


def _literals(field: str, values: Mapping[str, str]) -> Iterator[Problem]:
    for key, value in values.items():
        if not _REFERENCE.fullmatch(value):
            advice = (
                "is a literal secret, which would stand in the repository in plain text: run "
                f"`pulumi config set --secret {_suggestion(key)} …` and write ${{secret:{_suggestion(key)}}} here"
            )
            yield Problem(f"{field}.{key}", advice, code="literal-secret")


def _suggestion(key: str) -> str:
    words = [word for word in re.split(r"[^A-Za-z0-9]+", key.lower()) if word]
    return words[0] + "".join(word.capitalize() for word in words[1:]) if words else "token"
