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
