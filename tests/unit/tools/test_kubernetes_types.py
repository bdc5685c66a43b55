"""Models made of the OpenAPI document. Not proved: that what is there is up to date (`make verify`)."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.api_fields import fields
from modelservices.kubernetes.core import EnvVarSource, Volume
from modelservices.kubernetes.model import Spec, read
from modelservices.kubernetes.pod import MERGE_KEYS, VOLUME_SOURCES, Container, PodSpec
from tools.kubernetes_types import Types, _declaration, _model

TYPES = Types({"Outer": {"a": "![Inner]", "b": "{Other}", "c": "!string", "d": "int32"}}, {"Inner": "Mine"}, {})


@pytest.mark.parametrize(
    ("kind", "declaration"),
    [
        ("string", "Text | None = None"),
        ("!string", "Name"),
        ("![string]", "list[Text]"),
        ("int32", "Int32 | None = None"),
        ("integer", "Integer | None = None"),
        ("{string}", "Strings | None = None"),
        ("{quantity}", "dict[Text, Quantity] | None = None"),
        ("[Inner]", "list[Mine] | None = None"),
        ("[Unmodelled]", "list[FreeForm] | None = None"),
        ("Unmodelled", "FreeForm = None"),
        ("any", "FreeForm = None"),
    ],
)
def test_declarations(kind: str, declaration: str) -> None:
    assert _declaration(kind, TYPES) == declaration


def test_a_model_has_our_words_and_order_and_then_what_is_new() -> None:
    rows: dict[str, Any] = {"OF": "Outer", "ABOUT": "A thing.", "c": ["PassedText", "Handed on."], "a": "Some."}
    assert _model("Name", rows, TYPES).splitlines() == [
        "class Name(Spec):",
        '    """A thing."""',
        "",
        "    c: PassedText",
        '    """Handed on."""',
        "    a: list[Mine]",
        '    """Some."""',
        "    b: dict[Text, FreeForm] | None = None",
        "    d: Int32 | None = None",
    ]


@pytest.mark.parametrize("model", [PodSpec, Container, EnvVarSource])
def test_models_have_every_field_of_the_api(model: type[Spec]) -> None:
    assert set(model.model_fields) == set(fields(model.__name__))


def test_volume_sources_and_merge_keys_are_the_api_s() -> None:
    assert fields("Volume").keys() - {"name"} == VOLUME_SOURCES and "hostPath" in VOLUME_SOURCES
    assert MERGE_KEYS["containers"] == "name" and MERGE_KEYS["volumeMounts"] == "mountPath"
    assert "tolerations" not in MERGE_KEYS


def test_a_volume_keeps_its_source() -> None:
    volume, problems = read(Volume, {"name": "a", "emptyDir": {"medium": "Memory"}})
    assert problems == [] and volume is not None
    assert volume.model_dump(exclude_unset=True) == {"name": "a", "emptyDir": {"medium": "Memory"}}
