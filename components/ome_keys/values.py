"""Checks of label and annotation values by type, one function each.

A function returns the problem as the end of a sentence (``must be …``), or an empty text.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from ..kubernetes.json_text import from_json as from_json_text
from ..kubernetes.quantities import amount

_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
_PART = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)"
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}

Rule = Mapping[str, Any]


def wrong(value: str, rule: Rule) -> str:
    """Why a value breaks a rule of the vocabulary (``{type: int, minimum: 1}``), or an empty text."""
    return _CHECKS[rule["type"]](value, rule)


def seconds(text: str) -> float | None:
    """A Go duration (``10m``, ``1h30m``, ``100ms``) in seconds, or None."""
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("+", "-") else text
    parts = re.findall(_PART, rest)
    if not parts or "".join(number + unit for number, unit in parts) != rest:
        return 0.0 if rest == "0" else None
    return sign * sum(float(number) * _UNITS[unit] for number, unit in parts)


def _free(_value: str, _rule: Rule) -> str:
    return ""


def _boolean(value: str, _rule: Rule) -> str:
    return "" if value in ("true", "false") else 'must be "true" or "false"'


def _integer(value: str, rule: Rule) -> str:
    if not _INTEGER.fullmatch(value):
        return f"must be a whole number{_range(rule)}"
    return _bounds(Decimal(value), rule)


def _number(value: str, rule: Rule) -> str:
    if not re.fullmatch(_NUMBER, value):
        return f"must be a number{_range(rule)}"
    return _bounds(Decimal(value), rule)


def _bounds(number: Decimal, rule: Rule) -> str:
    low, above, high = (rule.get(name) for name in ("minimum", "above", "maximum"))
    broken = (
        (low is not None and number < Decimal(str(low)))
        or (above is not None and number <= Decimal(str(above)))
        or (high is not None and number > Decimal(str(high)))
    )
    return f"must be a number{_range(rule)}" if broken else ""


def _range(rule: Rule) -> str:
    low = f" from {rule['minimum']}" if "minimum" in rule else f" above {rule['above']}" if "above" in rule else ""
    return low + (f" up to {rule['maximum']}" if "maximum" in rule else "")


def _enum(value: str, rule: Rule) -> str:
    verb = "is usually" if rule.get("closed") is False else "must be"
    return "" if value in rule["values"] else f"{verb} one of {', '.join(rule['values'])}"


def _regex(value: str, rule: Rule) -> str:
    if len(value) > rule.get("maxLength", len(value)):
        return f"must have at most {rule['maxLength']} characters"
    return "" if re.fullmatch(rule["pattern"], value, re.ASCII) else f"must match {rule['pattern']}"


def _json(value: str, _rule: Rule) -> str:
    try:
        from_json_text(value)
    except ValueError:
        return "must be JSON"
    return ""


def _uri(value: str, rule: Rule) -> str:
    scheme, separator, rest = value.partition("://")
    if not separator or scheme not in rule["schemes"] or not rest.partition("/")[0]:
        return f"must be a URI with one of the schemes {', '.join(rule['schemes'])}"
    return ""


def _duration(value: str, rule: Rule) -> str:
    length = seconds(value)
    if length is None or ("above" in rule and length <= 0):
        return "must be a duration with its unit, such as 100ms or 10m"
    return ""


def _quantity(value: str, _rule: Rule) -> str:
    try:
        return "" if amount(value) > 0 else "must be a quantity above 0"
    except ValueError:
        return "must be a quantity such as 100Gi"


def _address(value: str, _rule: Rule) -> str:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return "must be an IP address"
    return ""


_CHECKS: Mapping[str, Callable[[str, Rule], str]] = {
    "free": _free,
    "bool": _boolean,
    "int": _integer,
    "number": _number,
    "enum": _enum,
    "regex": _regex,
    "json": _json,
    "uri": _uri,
    "duration": _duration,
    "quantity": _quantity,
    "ip": _address,
}
