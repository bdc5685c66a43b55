"""Durations of the Gateway API: ``500ms``, ``10s``, ``1h30m``."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..findings import Problem
from .scalars import describe

_FORM = re.compile(r"([0-9]{1,5}(h|m|s|ms)){1,4}")
_PART = re.compile(r"([0-9]+)(ms|h|m|s)")
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}


def milliseconds(text: str) -> int | None:
    """A duration in milliseconds; None for an invalid text."""
    if not _FORM.fullmatch(text):
        return None
    return sum(int(part[1]) * _MILLISECONDS[part[2]] for part in _PART.finditer(text))


def timeout_problems(timeouts: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """What the API server rejects in the timeouts of a route rule: invalid durations, and an attempt longer than the
    request."""
    texts = {field: value for field, value in timeouts.items() if isinstance(value, str)}
    known = {field: milliseconds(value) for field, value in texts.items()}
    for field, value in known.items():
        if value is None:
            message = f"must be a duration such as 30s or 1h30m, got {describe(texts[field])}"
            yield Problem(f"{path}.{field}", message, code="bad-value")
    request, attempt = known.get("request"), known.get("backendRequest")
    if request and attempt and attempt > request:
        message = f"must be at most request, {texts['request']}, got {texts['backendRequest']}"
        yield Problem(f"{path}.backendRequest", message, code="bad-value")
