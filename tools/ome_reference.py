"""Writes what is generated from OME's vocabulary: the constants in ``keys.py`` and the table of keys in the docs.

``python -m tools.ome_reference`` rewrites both; a test compares them.
"""

from __future__ import annotations

import re
from pathlib import Path

from components.families.ome.vocabulary import Entry, vocabulary

ROOT = Path(__file__).parent.parent
KEYS = ROOT / "components" / "families" / "ome" / "keys.py"

_HEAD = '''"""The documented keys of OME as constants, made from vocabulary.yaml by tools/ome_reference.py."""

from __future__ import annotations

from typing import Final, Literal, NewType

LabelKey = NewType("LabelKey", str)
AnnotationKey = NewType("AnnotationKey", str)
'''
_TYPES = {"label": "LabelKey", "annotation": "AnnotationKey"}


def constant(key: str) -> str:
    """``serving.ome.io/model`` as ``SERVING_MODEL``, ``ome.io/deploymentMode`` as ``DEPLOYMENT_MODE``."""
    domain, _, name = key.partition("/")
    prefix = {"ome.io": "", "autoscaling.knative.dev": "knative_"}.get(domain, domain.partition(".")[0] + "_")
    return (prefix + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).replace("-", "_").upper()


def value_type(key: str) -> str:
    """The name of the type of an enumerated value: ``DeploymentModeValue``."""
    return "".join(part.capitalize() for part in constant(key).split("_")) + "Value"


def keys_module() -> str:
    """The text of ``keys.py``."""
    text = _HEAD
    category = ""
    for entry in vocabulary().entries.values():
        heading = f"{entry.category} {entry.place}s"
        text += "" if heading == category else f"\n# {heading}\n"
        category = heading
        text += _constant(entry)
    text += "\n# Values\n"
    for entry in vocabulary().entries.values():
        if entry.value["type"] == "enum":
            text += _values(entry)
    return text


def _constant(entry: Entry) -> str:
    kind = _TYPES[entry.place]
    line = f'{constant(entry.key)}: Final = {kind}("{entry.key}")\n'
    return line + f'"""{entry.description}"""\n'


def _values(entry: Entry) -> str:
    values = ", ".join(f'"{value}"' for value in entry.value["values"])
    line = f"{value_type(entry.key)} = Literal[{values}]\n"
    if len(line) <= 121:
        return line
    items = "".join(f'    "{value}",\n' for value in entry.value["values"])
    return f"{value_type(entry.key)} = Literal[\n{items}]\n"


if __name__ == "__main__":
    KEYS.write_text(keys_module())
