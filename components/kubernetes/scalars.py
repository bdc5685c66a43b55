"""Scalar types of manifest fields.

YAML derives the type of an unquoted scalar from its form (``on``, ``010``, ``1.10``, ``2026-03-25``), Kubernetes from
the field. So the loader keeps the text of an unquoted scalar (:class:`Plain`), and the field's type parses it here: a
string field gets exactly what was written, an integer field a whole number, or an error that says what to write.

A value that the Pulumi engine learns only later is an :class:`Opaque`. Only fields that are passed on unchanged accept
one, such as :data:`PassedText`; it is never formatted into another string.
"""

import re
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, WithJsonSchema

from .quantities import canonical

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_TRUE = frozenset(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"])
_FALSE = frozenset(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"])


class Plain(str):
    """The text of an unquoted YAML scalar, before the field's type gives it a meaning."""

    __slots__ = ()


class Opaque:
    """A value that is not known yet (a Pulumi Output), passed to the cluster as it is."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<a value known only after deployment>"


Scalar = Literal["text", "integer", "number", "boolean", "quantity", "int or text", "any"]


class ArgumentType(NamedTuple):
    """Annotation metadata: the type that a program passes, for each language's types where the annotation is ``Any``.
    ``output`` says whether an Output of another resource is allowed."""

    scalar: Scalar
    output: bool = True


class Later(NamedTuple):
    """Annotation metadata: a program may pass an Output for this text, although the rules read it. Until the Output is
    known, an example of the same form is rendered; ``{}`` in ``example`` stands for a name."""

    example: str


def resolve(value: Any) -> Any:
    """The JSON value of a free-form field: unquoted scalars get the types that Kubernetes' YAML reader gives them."""
    if isinstance(value, Plain):
        return _resolve_plain(value)
    if isinstance(value, dict):
        return {str(key): resolve(item) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item) for item in value]
    return value


def _resolve_plain(text: Plain) -> Any:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and not re.match(r"[-+]?0[0-9]", text):
        return float(text)
    if text in _TRUE and len(text) > 1:
        return True
    if text in _FALSE and len(text) > 1:
        return False
    return str(text)


def _text(value: Any) -> Any:
    if isinstance(value, Plain):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        raise ValueError(f"must be a string, got the number {value}; quote it to keep it as written")
    return value


def _passed_text(value: Any) -> Any:
    if isinstance(value, Opaque):
        return value
    value = _text(value)
    if not isinstance(value, str):
        raise ValueError(f"must be a string, got {describe(value)}")
    return value


def _integer(value: Any) -> Any:
    if isinstance(value, Plain | str):
        if _INTEGER.fullmatch(value):
            return int(value)
        if re.fullmatch(r"[-+]?0[0-9]+", value):
            raise ValueError(
                f"must be a decimal number, got {describe(value)}; remove the leading zero, which YAML reads as octal"
            )
        raise ValueError(f"must be a whole number, got {describe(value)}")
    if isinstance(value, bool):
        raise ValueError(f"must be a whole number, got {describe(value)}")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _number(value: Any) -> Any:
    if isinstance(value, Plain | str) and _NUMBER.fullmatch(value):
        return float(value)
    if isinstance(value, bool | str):
        raise ValueError(f"must be a number, got {describe(value)}")
    return value


def _boolean(value: Any) -> Any:
    if isinstance(value, Plain):
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
        raise ValueError(f"must be true or false, got {describe(value)}")
    if value in ("true", "false"):
        return value == "true"
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, got {describe(value)}")
    return value


def _quantity(value: Any) -> Any:
    if isinstance(value, Opaque):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be a quantity such as 500m, 2 or 4Gi, got {describe(value)}")
    return canonical(format(value, "f").rstrip("0").rstrip(".") if isinstance(value, float) else str(value))


def _int_or_string(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"must be a number or a name, got {describe(value)}")
    if isinstance(value, Plain):
        return int(value) if _INTEGER.fullmatch(value) else str(value)
    return value


def describe(value: object) -> str:
    """A value as an error message shows it: short, without Python's type names."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None:
        return "null"
    if isinstance(value, Opaque):
        return "an Output"
    if isinstance(value, Plain):
        return str(value)
    if isinstance(value, str):
        shown = str(value)
        return repr(shown if len(shown) <= 60 else shown[:57] + "...")
    return str(value)


def shape(value: object) -> str:
    """A value where a list or a mapping is required. A text is not shown, because it may contain a secret."""
    return "a text" if isinstance(resolve(value), str) else describe(value)


Text = Annotated[str, BeforeValidator(_text)]
"""A string that the rules read. Unquoted numbers, dates and booleans become the text as written."""

Name = Annotated[Text, Field(min_length=1)]

NameOrNothing = Annotated[Text | None, AfterValidator(lambda value: value or None)]
"""A string for which empty means unset: operators write such fields into objects that don't set them."""

PassedText = Annotated[Any, PlainValidator(_passed_text), WithJsonSchema({"type": "string"}), ArgumentType("text")]
"""A string that is only passed on to Kubernetes; it may be an Output (as :class:`Opaque`)."""

Integer = Annotated[int, BeforeValidator(_integer)]
Int32 = Annotated[Integer, Field(ge=-(2**31), lt=2**31)]
Port = Annotated[Integer, Field(ge=1, le=65535)]
Number = Annotated[float, BeforeValidator(_number)]
Boolean = Annotated[bool, BeforeValidator(_boolean)]

Quantity = Annotated[
    Any,
    PlainValidator(_quantity),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ArgumentType("quantity"),
]
"""A Kubernetes resource quantity in canonical form (``2048Mi`` becomes ``2Gi``)."""

QuantityOrNothing = Annotated[
    Any,
    PlainValidator(lambda value: None if value in (None, "") else _quantity(value)),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "number"}]}),
    ArgumentType("quantity"),
]
"""A quantity for which an empty text means unset."""

IntOrString = Annotated[
    Any,
    PlainValidator(_int_or_string),
    WithJsonSchema({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ArgumentType("int or text", output=False),
]

FreeForm = Annotated[Any, BeforeValidator(resolve)]
"""Any JSON value, for fields without a schema in the API."""

Strings = dict[Text, PassedText]
"""Labels, annotations, node selectors: text to text."""
