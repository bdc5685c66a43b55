"""The types that the CRDs of this API share, as strict as the API server: a number is no string, and a string is no
number. Elsewhere the field's type decides how to read what was written (:mod:`~.kubernetes.scalars`)."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema

from ...kubernetes.scalars import ArgumentType, Opaque, Plain, describe, resolve

_DIGITS = re.compile(r"[-+]?[0-9]+")


def exact_text(value: Any) -> Any:
    """Reject what YAML reads as a number or boolean; everything else is for the next validator."""
    value = resolve(value) if isinstance(value, Plain) else value
    if isinstance(value, bool | int | float):
        raise ValueError(f"must be a string, got {describe(value)}; put it in quotes")
    return value


def _integer(value: Any) -> Any:
    if isinstance(value, Plain) and re.fullmatch(r"[-+]?0[0-9]+", value):
        raise ValueError(f"must be a decimal number, got {value}; remove the leading zero, which YAML reads as octal")
    value = resolve(value) if isinstance(value, Plain) else value
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        raise ValueError(f"must be a whole number, got the string {describe(value)}; remove the quotes")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"must be a whole number, got {describe(value)}")
    return value


def matching(pattern: str, what: str) -> tuple[Any, ...]:
    """Constrain a string to ``pattern``; ``what`` describes it in words."""
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise ValueError(f"must be {what}, got {describe(value)}")
        return value

    return AfterValidator(check), Field(json_schema_extra={"pattern": pattern})


ExactText = Annotated[str, BeforeValidator(exact_text)]
"""A string; an unquoted number or boolean is rejected."""

ExactInteger = Annotated[int, BeforeValidator(_integer), Field(ge=-(2**63), le=2**63 - 1)]
"""A whole number; one in quotes is rejected."""

ExactPort = Annotated[int, BeforeValidator(_integer), Field(ge=1, le=65535)]


def _passed_name(value: Any) -> Any:
    value = exact_text(value)
    if isinstance(value, Opaque):
        return value
    if not isinstance(value, str):
        raise ValueError(f"must be a string, got {describe(value)}")
    if not 1 <= len(value) <= 253:
        raise ValueError(f"must have 1 to 253 characters, got {len(value)}")
    return value


PassedName = Annotated[
    Any,
    PlainValidator(_passed_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 253}),
    ArgumentType("text"),
]
"""The name of another object, only passed on to Kubernetes: an Output is fine."""


_DNS = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"

Group = Annotated[
    ExactText, Field(max_length=253), *matching(f"({_DNS})?", "empty or a lower-case API group such as example.com")
]
KindName = Annotated[
    ExactText,
    Field(min_length=1, max_length=63),
    *matching(r"[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?", "a kind such as Service"),
]
ObjectName = Annotated[ExactText, Field(min_length=1, max_length=253)]
LabelValue = Annotated[
    ExactText,
    Field(max_length=63),
    *matching(
        r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
        "a label value: letters, digits, '-', '_' or '.', with a letter or digit at both ends",
    ),
]
