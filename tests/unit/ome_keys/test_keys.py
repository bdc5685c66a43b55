"""The constants and the docs' tables of keys. That the repository's own are current is for `make verify`.

Not proved here: that a key is used.
"""

from __future__ import annotations

from modelservices.ome_keys import keys
from modelservices.ome_keys.vocabulary import vocabulary
from tools import ome_reference


def test_each_key_has_a_constant() -> None:
    constants = {name: getattr(keys, name) for name in dir(keys) if name.isupper()}
    assert sorted(constants.values()) == sorted(vocabulary().entries)


def test_the_docs_get_a_row_for_each_key() -> None:
    page = f"before\n{ome_reference.BEGIN}\n#obsolete#\n{ome_reference.END}\nafter\n"
    text = ome_reference.with_reference(page)
    assert (text.startswith("before\n"), text.endswith("\nafter\n"), "#obsolete#" in text) == (True, True, False)
    assert all(f"| `{key}`" in text for key in vocabulary().entries)
    assert ome_reference.with_reference(text) == text
    assert ome_reference.with_reference("another page\n") == "another page\n"
