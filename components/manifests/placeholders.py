"""Finds placeholders that were not filled in, and reports their paths before they reach a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..engines.vllm.serving import MORE_WORDS
from ..findings import Problem
from ..kubernetes.values import all_text

_FORGOTTEN = r"(?i)<[a-z][a-z0-9_-]*>|\bCHANGE-?ME\b"

# Fields that a cluster or kubectl wrote, and OME's templates of host names and paths.
_NOT_OURS = frozenset(
    [
        "managedFields",
        "status",
        "kubectl.kubernetes.io/last-applied-configuration",
        "ome.io/ingress-domain-template",
        "ome.io/ingress-path-template",
    ]
)

# In a command line, also one in a variable, braces mean something else: shell variables, chat templates.
_COMMANDS = frozenset(["args", "command", "extraArgs"])

_TOKEN = r"</?[a-z]+(_[a-z]+)+>|</?(s|bos|eos|mask|pad|think|unk)>"
"""Tokens of chat templates, at which servers are told to stop. Placeholders of two words mostly have a hyphen."""


def placeholders(value: Any, *, templates: bool) -> list[Problem]:
    """An error for each text with a placeholder. With ``templates``, ``{{ … }}`` is the family's."""
    if not _may_have(all_text(value)):  # most manifests have none, so no paths are built for them
        return []
    return list(_search(value, templates, "", command=False))


def _may_have(text: str) -> bool:
    return "<" in text or "${" in text or "{{" in text or "change" in text.lower()


def _search(value: Any, templates: bool, path: str, *, command: bool) -> Iterator[Problem]:
    if isinstance(value, dict):
        command = command or value.get("name") == MORE_WORDS
        variable = isinstance(value.get("name"), str) and "value" in value
        for key, item in value.items():
            if key not in _NOT_OURS:
                where = f"{path}.{key}" if path else str(key)
                as_template = templates or (variable and key == "value")  # programs use templates as well
                yield from _search(item, as_template, where, command=command or key in _COMMANDS)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _search(item, templates, f"{path}[{index}]", command=command)
    elif isinstance(value, str):
        placeholder = _placeholder(value, templates, command)
        if placeholder:
            yield Problem(path, f"has a placeholder that was not filled in: {placeholder}", code="placeholder")


def _placeholder(text: str, templates: bool, command: bool) -> str | None:
    if command and re.fullmatch(_TOKEN, text.strip()):
        return None
    forgotten = re.search(_FORGOTTEN, text)
    candidates = [forgotten[0] if forgotten else None]
    if not command:
        candidates += [_variable(text), None if templates else _template(text)]
    return next((one for one in candidates if one and not (command and one != text.strip())), None)


def _template(text: str) -> str | None:
    """The first ``{{ … }}``. A regular expression would search for the end again from each beginning."""
    begin = text.find("{{")
    end = text.find("}}", begin + 2) if begin >= 0 else -1
    return text[begin : end + 2] if end >= 0 else None


def _variable(text: str) -> str | None:
    """The first ``${…}`` that is not a reference to a secret."""
    end = 0
    while (begin := text.find("${", end)) >= 0:
        end = text.find("}", begin)
        if end < 0:
            return None
        if not text.startswith("${secret:", begin):
            return text[begin : end + 1]
    return None
