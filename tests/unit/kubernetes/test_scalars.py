"""How a field's type reads a scalar. Does not prove which fields have which type: see the families' spec tests."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from modelservices.kubernetes import scalars
from modelservices.kubernetes.scalars import Opaque, Plain


def value(kind: Any, raw: Any) -> Any:
    return TypeAdapter(kind, config={"arbitrary_types_allowed": True}).validate_python(raw)


@pytest.mark.parametrize("text", ["yes", "on", "0010", "1.10", "1e3", "2026-03-25", "true"])
@pytest.mark.parametrize("kind", [scalars.Text, scalars.PassedText])
def test_text_is_what_was_written(kind: Any, text: str):
    read = value(kind, Plain(text))
    assert (read, type(read)) == (text, str)


@pytest.mark.parametrize(("raw", "text"), [(True, "true"), (False, "false"), (8080, "8080"), ("x", "x")])
def test_text_from_programs_and_configs(raw: Any, text: str):
    assert value(scalars.Text, raw) == text


@pytest.mark.parametrize("raw", [1.1, None, ["a"], {"a": "b"}])
@pytest.mark.parametrize("kind", [scalars.Text, scalars.PassedText])
def test_text_refuses_what_has_lost_its_spelling(kind: Any, raw: Any):
    with pytest.raises(ValidationError):
        value(kind, raw)


@pytest.mark.parametrize(("raw", "number"), [("8", 8), ("-3", -3), ("0", 0), ("+5", 5)])
def test_whole_numbers_quoted_or_not(raw: str, number: int):
    assert value(scalars.Integer, Plain(raw)) == number
    assert value(scalars.Integer, raw) == number


@pytest.mark.parametrize("raw", ["010", "08", "1.5", "1e3", "0x10", "1_000", "yes", "2026-03-25", ""])
def test_what_is_no_whole_number(raw: str):
    with pytest.raises(ValidationError, match=r"whole number|leading zero"):
        value(scalars.Integer, Plain(raw))


@pytest.mark.parametrize("raw", [True, 1.5, None])
def test_whole_numbers_from_programs(raw: Any):
    with pytest.raises(ValidationError):
        value(scalars.Integer, raw)


@pytest.mark.parametrize(
    ("raw", "flag"), [("true", True), ("yes", True), ("On", True), ("off", False), ("FALSE", False)]
)
def test_booleans(raw: str, flag: bool):
    assert value(scalars.Boolean, Plain(raw)) is flag


def test_quoted_booleans():
    assert value(scalars.Boolean, "true") is True
    with pytest.raises(ValidationError, match="true or false"):
        value(scalars.Boolean, "yes")


@pytest.mark.parametrize("raw", ["1", "maybe", "0"])
def test_what_is_no_boolean(raw: str):
    with pytest.raises(ValidationError, match="true or false"):
        value(scalars.Boolean, Plain(raw))


@pytest.mark.parametrize(
    ("raw", "quantity"), [(Plain("2048Mi"), "2Gi"), (1, "1"), (0.5, "500m"), ("1000m", "1"), (1073741824, "1073741824")]
)
def test_quantities_are_canonical(raw: Any, quantity: str):
    assert value(scalars.Quantity, raw) == quantity


@pytest.mark.parametrize("raw", ["2gb", "16 Gi", "", "four", "1,5", True, None])
def test_malformed_quantities(raw: Any):
    with pytest.raises(ValidationError, match="quantity"):
        value(scalars.Quantity, raw)


def test_a_port_by_number_or_name():
    assert value(scalars.IntOrString, Plain("8080")) == 8080
    assert value(scalars.IntOrString, "8080") == "8080"
    assert value(scalars.IntOrString, Plain("http")) == "http"


def test_free_form_values_get_the_types_of_the_api_servers_reader():
    raw = {"a": Plain("5"), "b": [Plain("true"), Plain("0.5"), Plain("x"), "7"], "c": Plain("010"), "y": Plain("y")}
    assert scalars.resolve(raw) == {"a": 5, "b": [True, 0.5, "x", "7"], "c": "010", "y": "y"}


@pytest.mark.parametrize("kind", [scalars.PassedText, scalars.Quantity])
def test_a_passed_value_may_be_unknown(kind: Any):
    unknown = Opaque("later")
    assert value(kind, unknown) is unknown


@pytest.mark.parametrize("kind", [scalars.Text, scalars.Integer, scalars.Boolean])
def test_a_value_that_rules_read_must_be_known(kind: Any):
    with pytest.raises(ValidationError):
        value(kind, Opaque("later"))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [(True, "true"), ({}, "a mapping"), ([], "a list"), (None, "null"), (Plain("5"), "5"), ("5", "'5'"), (7, "7")],
)
def test_values_in_messages(raw: Any, shown: str):
    assert scalars.describe(raw) == shown


def test_long_values_are_cut_in_messages():
    assert len(scalars.describe("x" * 500)) < 70
