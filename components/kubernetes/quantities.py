"""Kubernetes resource quantities: parsing, comparison, and the canonical form that the API server stores.

Rendering the canonical form keeps the next preview empty: the API server returns ``2048Mi`` as ``2Gi``.
"""

import re
from decimal import Decimal
from functools import lru_cache

_SYNTAX = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?[0-9]+)?")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BY_EXPONENT = {exponent: suffix for suffix, exponent in _DECIMAL.items()}


_MAX_LENGTH = 60
_MAX_EXPONENT = 30


def _split(text: str) -> tuple[Decimal, str]:
    match = _SYNTAX.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if not match:
        shown = text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}..."
        raise ValueError(f"must be a quantity such as 500m, 2 or 4Gi, got {shown!r}")
    exponent = match[2][1:] if match[2] and match[2] not in (*_BINARY, *_DECIMAL) else "0"
    if abs(int(exponent)) > _MAX_EXPONENT:
        raise ValueError(f"must be a quantity within reach of a cluster, got {text!r}")
    return Decimal(match[1]), match[2] or ""


def amount(text: str) -> Decimal:
    """The number that a quantity stands for: ``amount("2Ki") == 2048``, ``amount("500m") == 0.5``."""
    number, suffix = _split(text)
    if suffix in _BINARY:
        return number * 1024 ** _BINARY.index(suffix)
    return number * Decimal(10) ** (_DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:]))


def whole(text: str) -> int | None:
    """The quantity as a whole number, or None if it has a fraction."""
    value = amount(text)
    return int(value) if value == value.to_integral_value() else None


@lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """The API server's spelling of a quantity, in the input's family of suffixes.

    As upstream, precision ends at nano units, and smaller fractions are rounded up. Raises ValueError for a malformed
    quantity.
    """
    _, suffix = _split(text)
    value = amount(text)
    if suffix in _BINARY and suffix and value and value % 1024 == 0:
        return _canonical_binary(int(value))
    exponential = suffix[:1] in ("e", "E") and len(suffix) > 1
    return _canonical_decimal(value, exponential)


def _canonical_binary(value: int) -> str:
    step = 0
    while value % 1024 == 0 and value and step < len(_BINARY) - 1:
        value //= 1024
        step += 1
    return f"{value}{_BINARY[step]}"


def _canonical_decimal(value: Decimal, exponential: bool) -> str:
    nano = value * 10**9
    digits = int(nano.to_integral_value(rounding="ROUND_UP"))
    if digits == 0:
        return "0"
    exponent = -9
    while digits % 1000 == 0 and exponent < 18:
        digits //= 1000
        exponent += 3
    if exponential:
        return f"{digits}e{exponent}" if exponent else str(digits)
    return f"{digits}{_BY_EXPONENT[exponent]}"
