"""Secrets of a stack: manifests that name Pulumi config secrets and hold no values themselves.

``${secret:hfToken}`` stands for the config secret ``modelservices:hfToken``. The value goes from Pulumi's encrypted
config to the Kubernetes Secret and is a secret in Pulumi's state; nothing else sees it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from .metadata import MAX_NAME
from .model import Manifest
from .scalars import Boolean, Text, describe
from .secrets import secret_problems
from .values import field_path, texts

REFERENCE = "${secret:"
_REFERENCE = re.compile(r"\$\{secret:([A-Za-z0-9_.:-]+)\}")
_KEY = re.compile(r"(?!\.\.)[-._A-Za-z0-9]+")
_OF_ACCOUNT = "kubernetes.io/service-account.name"

TYPES: Mapping[str, tuple[str, ...]] = {
    "Opaque": (),
    "kubernetes.io/basic-auth": (),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Types of Secret that only hold values, and the keys that each must have. For other types a controller grants rights:
the token of any account in the namespace, or a node's access to the cluster."""


class SecretManifest(Manifest):
    """A ``v1`` Secret whose values are only ``${secret:<config key>}``."""

    type: Text = "Opaque"
    """Type of the Secret."""
    data: dict[Text, Text] = {}
    """Values, each ``${secret:<config key>}``; the config value is the plain text, not base64."""
    stringData: dict[Text, Text] = {}
    """The same as data."""
    immutable: Boolean | None = None
    """Whether the Secret can't be changed."""

    def references(self) -> dict[str, str]:
        """Secret key to config key."""
        values = {**self.data, **self.stringData}
        return {key: match[1] for key, value in values.items() if (match := _REFERENCE.fullmatch(value))}

    def problems(self) -> Iterator[Problem]:
        yield from self._type_problems()
        for field, values in (("data", self.data), ("stringData", self.stringData)):
            yield from _value_problems(field, values)

    def _type_problems(self) -> Iterator[Problem]:
        if _OF_ACCOUNT in self.metadata.annotations:
            message = "makes Kubernetes write the token of a service account into the Secret; remove it"
            yield Problem(field_path("metadata.annotations", _OF_ACCOUNT), message, code="secret-type", key=_OF_ACCOUNT)
        if self.type not in TYPES:
            message = f"must be one of {', '.join(TYPES)}, which only hold values, got {describe(self.type)}"
            yield Problem("type", message, code="secret-type")
        for key in TYPES.get(self.type, ()):
            if key not in self.data and key not in self.stringData:
                yield Problem("stringData", f"must have the key {key}, as the type {self.type} asks", code="required")


def misplaced_references(value: Any, path: str = "") -> Iterator[Problem]:
    """An error for each ``${secret:…}`` within a value: it would reach the cluster as literal text."""
    message = (
        "${secret:…} is replaced only in the data of a v1 Secret; write a Secret, and refer to it with "
        "valueFrom.secretKeyRef (name, key)"
    )
    for where, text in texts(value, path):
        if REFERENCE in text:
            yield Problem(where, message, code="secret-reference")


def not_in_settings(settings: Any, path: str = "") -> list[Problem]:
    """Secrets in settings, in plain text or by reference. Many people read settings, so they must hold none."""
    return [*secret_problems(settings, path), *misplaced_references(settings, path)]


def _value_problems(field: str, values: Mapping[str, str]) -> Iterator[Problem]:
    for key, value in values.items():
        if len(key) > MAX_NAME or not _KEY.fullmatch(key) or key == ".":
            message = (
                f"{describe(key)} is not a valid Secret key, which has only letters, digits, '-', '_' and '.', and at "
                f"most {MAX_NAME} characters"
            )
            yield Problem(field, message, code="bad-value", key=key)
        if not _REFERENCE.fullmatch(value):
            advice = (
                "is a literal secret, which the repository would hold in plain text; run "
                f"`pulumi config set --secret {_suggestion(key)} …` and write ${{secret:{_suggestion(key)}}} here"
            )
            yield Problem(field_path(field, key), advice, code="literal-secret")


def _suggestion(key: str) -> str:
    words = [word for word in re.split(r"[^A-Za-z0-9]+", key.lower()) if word]
    return words[0] + "".join(word.capitalize() for word in words[1:]) if words else "token"
