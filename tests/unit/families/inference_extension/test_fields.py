"""Scalars that are judged by their YAML type. Not proved here: which fields use them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from modelservices.families.inference_extension.fields import ExactInteger, ExactPort, ExactText, PassedName
from modelservices.kubernetes.scalars import Opaque, Plain


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (ExactText, Plain("llama"), "llama"),
        (ExactText, "10", "10"),
        (ExactText, Plain("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00Z"),
        (ExactInteger, Plain("-10"), -10),
        (ExactInteger, 3.0, 3),
        (ExactPort, Plain("8000.0"), 8000),
        (PassedName, Plain("epp"), "epp"),
    ],
)
def test_accepted(kind: Any, written: Any, value: Any) -> None:
    assert TypeAdapter(kind).validate_python(written) == value


@pytest.mark.parametrize(
    ("kind", "written", "says"),
    [
        (ExactText, Plain("10"), "put it in quotes"),
        (ExactText, Plain("true"), "put it in quotes"),
        (ExactInteger, "10", "remove the quotes"),
        (ExactInteger, Plain("010"), "leading zero"),
        (ExactInteger, Plain("1.5"), "whole number"),
        (ExactInteger, True, "whole number"),
        (ExactInteger, 2**63, "less than or equal"),
        (PassedName, "", "1 to 253"),
        (PassedName, Plain("1"), "put it in quotes"),
        (PassedName, [], "must be a string"),
    ],
)
def test_refused(kind: Any, written: Any, says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        TypeAdapter(kind).validate_python(written)


def test_an_output_passes_as_a_name() -> None:
    output = Opaque("later")
    assert TypeAdapter(PassedName).validate_python(output) is output
