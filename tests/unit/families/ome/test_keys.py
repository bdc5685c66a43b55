"""The generated constants are current. Not proved here: that a key is used."""

from __future__ import annotations

from components.families.ome import keys
from components.families.ome.vocabulary import vocabulary
from tools import ome_reference


def test_the_module_is_what_the_generator_writes() -> None:
    assert ome_reference.keys_module() == ome_reference.KEYS.read_text()


def test_each_key_has_a_constant() -> None:
    constants = {name: getattr(keys, name) for name in dir(keys) if name.isupper()}
    assert sorted(constants.values()) == sorted(vocabulary().entries)


def test_the_docs_have_the_current_tables() -> None:
    text = ome_reference.DOCS.read_text()
    assert ome_reference.with_reference(text) == text
    assert all(f"| `{key}`" in text for key in vocabulary().entries)
