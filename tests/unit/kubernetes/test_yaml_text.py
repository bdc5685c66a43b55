"""YAML is laid out as PyYAML writes it, byte for byte, whatever the values are."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.kubernetes import yaml_text

ODD = " \n-:#'\"a1|>{}[],&*!%@`\r\t\x85\u2028~=<yesno.+x0"
WORDS = ["yes", "No", "null", "~", "", "1e3", "0x1", "--a: b", "a:", "---", "--- x", "set -eu\nexit 0\n", "a\n\n", "<<"]
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=ODD, max_size=14),
    st.sampled_from(WORDS),
    st.text(alphabet="ab ", min_size=900, max_size=5000),
)
LEAVES = st.one_of(TEXTS, st.integers(), st.floats(), st.booleans(), st.none())
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def by_pyyaml(values: list[Any], *, explicit_start: bool) -> str:
    return yaml.dump_all(
        values,
        Dumper=yaml_text._Dumper,
        sort_keys=False,
        width=4096,
        allow_unicode=True,
        explicit_start=explicit_start,
    )


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_a_stream_is_what_pyyaml_writes(values: list[Any]) -> None:
    assert yaml_text.documents(values) == by_pyyaml(values, explicit_start=True)


@settings(deadline=None)
@given(VALUES)
def test_a_document_is_what_pyyaml_writes(value: Any) -> None:
    assert yaml_text.document(value) == by_pyyaml([value], explicit_start=False)


SCRIPT = "set -eu\n\nif true; then\n  exit 0\nfi\n"


@pytest.mark.parametrize(
    "value",
    [
        {"a": {"b": [{"c": "d", "e": []}, ["f", {"g": {}}]], "script": SCRIPT, "args": ["--x", "8080", True, None]}},
        [SCRIPT, {"k": SCRIPT.strip()}],
    ],
)
def test_usual_values_are_laid_out_without_pyyaml(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written = by_pyyaml([value], explicit_start=False)
    yaml_text.document(value)  # what single texts look like is known from now on
    monkeypatch.setattr(yaml, "dump_all", pytest.fail)

    assert yaml_text.document(value) == written
