"""YAML that is written is read again as it was, by readers of YAML 1.1 and 1.2, whatever the values are."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from modelservices.kubernetes import yaml_text

ODD = " \n-:#'\"a1|>{}[],&*!%@`\t\u2028~=<yesno.+x0"
WORDS = ["yes", "No", "null", "~", "", "1e3", "0x1", "--a: b", "a:", "---", "--- x", "set -eu\nexit 0\n", "a\n\n", "<<"]
TEXTS = st.one_of(
    st.text(alphabet=ODD, max_size=14), st.sampled_from(WORDS), st.text(alphabet="ab ", min_size=900, max_size=5000)
)
LEAVES = st.one_of(TEXTS, st.integers(), st.booleans(), st.none())
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_a_stream_says_what_was_written(values: list[Any]) -> None:
    assert list(yaml.safe_load_all(yaml_text.documents(values))) == values


@settings(deadline=None)
@given(VALUES)
def test_a_document_says_what_was_written(value: Any) -> None:
    assert yaml_text.load(yaml_text.document(value)) == value


@pytest.mark.parametrize("text", ["1e3", "08", "0o17", "0x1F", "1_000", "1:30", ".5", "+1"])
def test_a_text_that_some_readers_take_for_a_number_is_quoted(text: str) -> None:
    assert yaml_text.document({"a": text}) == f"a: '{text}'\n"


def test_a_script_is_a_block_and_nothing_is_an_alias() -> None:
    shared = {"script": "set -eu\nexit 0\n"}
    assert yaml_text.documents([{"a": shared, "b": shared}]) == (
        "---\na:\n  script: |\n    set -eu\n    exit 0\nb:\n  script: |\n    set -eu\n    exit 0\n"
    )
