"""Literal secrets in manifests: refused, because a manifest is read by many and kept for ever.

A name says that a variable is a secret (``HF_TOKEN``), or a value looks like one (``hf_…``, ``sk-…``). References are
fine: ``valueFrom.secretKeyRef``, ``$(NAME)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from ..findings import Problem

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|gh[opsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
    r"|glpat-[A-Za-z0-9_-]{20,}|nvapi-[A-Za-z0-9_-]{30,}|xox[abp]-[A-Za-z0-9-]{20,})"
)
_NAME = re.compile(r"PASSWORD|PASSWD|(^|_)(API_?KEY|CLIENT_SECRET|SECRET_?KEY|ACCESS_KEY|PRIVATE_KEY)$|TOKEN$")
_NO_SECRET = re.compile(r"|EMPTY|none|null|dummy|true|false|<.*>|/.*|.*\$\([A-Za-z_][A-Za-z0-9_]*\).*", re.IGNORECASE)
_SECRET_FLAGS = ("--api-key", "--hf-token", "-hft")


class Variable(Protocol):
    """An environment variable, as far as secrets go."""

    @property
    def name(self) -> str: ...

    @property
    def value(self) -> Any: ...


def env_secrets(env: Sequence[Variable], path: str) -> Iterator[Problem]:
    """An error for each variable whose literal value is a secret."""
    for index, variable in enumerate(env):
        if _is_secret(variable.name, variable.value):
            message = (
                f"{variable.name} holds a literal secret: put it into a Secret and refer to it with "
                "valueFrom.secretKeyRef (name, key)"
            )
            yield Problem(f"{path}[{index}].value", message, code="literal-secret")


def _is_secret(name: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return bool(_TOKEN.search(value)) or bool(_NAME.search(name.upper()) and not _NO_SECRET.fullmatch(value))


def argument_secrets(words: Sequence[Any], path: str) -> Iterator[Problem]:
    """An error for each argument that is a secret, or that gives one to a flag such as ``--api-key``."""
    for index, word in enumerate(words):
        if not isinstance(word, str):
            continue
        flag, equals, value = word.partition("=")
        follower = value if equals else next(iter(words[index + 1 : index + 2]), "")
        given = flag in _SECRET_FLAGS and isinstance(follower, str) and not _NO_SECRET.fullmatch(follower)
        if given or _TOKEN.search(word):
            message = (
                "holds a literal secret: put it into a Secret, read it into an environment variable with "
                "valueFrom.secretKeyRef, and write $(NAME) here"
            )
            yield Problem(f"{path}[{index}]", message, code="literal-secret")


def url_secrets(url: str, path: str) -> Iterator[Problem]:
    """An error for credentials within a URL: ``https://user:password@host/…``, or a token in its query."""
    try:
        credentials = urlsplit(url).password is not None
    except ValueError:
        credentials = False
    if credentials or _TOKEN.search(url):
        message = "has credentials in the URL: remove them and give them by a Secret"
        yield Problem(path, message, code="literal-secret")


def text_secrets(text: str, path: str) -> Iterator[Problem]:
    """An error for a token anywhere in a text, such as a file of a ConfigMap."""
    if _TOKEN.search(text):
        message = "holds a literal secret: put it into a Secret, and mount that or refer to it"
        yield Problem(path, message, code="literal-secret")
