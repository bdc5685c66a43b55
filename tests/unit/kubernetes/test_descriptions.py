"""Descriptions in JSON Schema. Not proved: that every field has one (tests/unit/commands)."""

from __future__ import annotations

from pydantic import Field

from modelservices.kubernetes.descriptions import descriptions
from modelservices.kubernetes.model import Spec


class Base(Spec):
    size: int = 1
    """How large
    it is."""
    silent: int = 2


class Derived(Base):
    size: int = 3
    """Another size."""
    other_name: str = Field("", alias="other-name")
    """Told by its alias."""


def test_docstrings_of_fields_are_their_descriptions() -> None:
    inherited = descriptions(Spec)
    assert descriptions(Base) == {**inherited, "size": "How large\nit is."}
    assert descriptions(Derived) == {**inherited, "size": "Another size.", "other_name": "Told by its alias."}


def test_the_schema_has_them() -> None:
    properties = Derived.model_json_schema()["properties"]
    assert {name: body.get("description") for name, body in properties.items()} == {
        "size": "Another size.",
        "silent": None,
        "other-name": "Told by its alias.",
    }
