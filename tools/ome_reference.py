"""Generates the constants in ``keys.py`` and the docs' tables of keys from OME's vocabulary.

``python -m tools.generate`` writes both.
"""

from __future__ import annotations

import re

from modelservices.ome_keys.vocabulary import Entry, vocabulary

KEYS = "components/ome_keys/keys.py"

BEGIN = "<!-- keys: made by tools/ome_reference.py -->"
END = "<!-- end of keys -->"

_HEAD = '''"""The documented keys of OME as constants, made from vocabulary.yaml by tools/ome_reference.py."""

from typing import Final, NewType

LabelKey = NewType("LabelKey", str)
AnnotationKey = NewType("AnnotationKey", str)
'''
_TYPES = {"label": "LabelKey", "annotation": "AnnotationKey"}


def constant(key: str) -> str:
    """``serving.ome.io/model`` becomes ``SERVING_MODEL``, ``ome.io/deploymentMode`` becomes ``DEPLOYMENT_MODE``."""
    domain, _, name = key.partition("/")
    prefix = {"ome.io": "", "autoscaling.knative.dev": "knative_"}.get(domain, domain.partition(".")[0] + "_")
    return (prefix + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).replace("-", "_").upper()


def keys_module() -> str:
    """The text of ``keys.py``."""
    text = _HEAD
    category = ""
    for entry in vocabulary().entries.values():
        heading = f"{entry.category} {entry.place}s"
        text += "" if heading == category else f"\n# {heading}\n"
        category = heading
        text += _constant(entry)
    return text


def _constant(entry: Entry) -> str:
    return f'{constant(entry.key)}: Final = {_TYPES[entry.place]}("{entry.key}")\n'


def reference() -> str:
    """The docs' tables of keys, one for each category."""
    lines: list[str] = []
    heading = ""
    for entry in vocabulary().entries.values():
        if f"{entry.category} {entry.place}s" != heading:
            heading = f"{entry.category} {entry.place}s"
            lines += [
                "",
                f"#### {heading}",
                "",
                "| key | value | what it says | what it does here | on services of other families |",
                "|---|---|---|---|---|",
            ]
        cells = (
            f"`{entry.key}`{_marks(entry)}",
            _value(entry),
            entry.description,
            entry.here,
            _on_other_families(entry),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines[1:]) + "\n"


def _on_other_families(entry: Entry) -> str:
    return (entry.other_families or "The same.") if entry.belongs_on("InferenceService") else "A finding, `wrong-kind`."


def _marks(entry: Entry) -> str:
    marks = {"always": " (identity)", "warn": " (change with care)", "never": ""}[entry.identity]
    return marks + (" (many values)" if entry.many else "")


def _value(entry: Entry) -> str:
    """A value's type in short: its choices, bounds or an example."""
    rule = entry.value
    example = f"e.g. `{entry.examples[0]}`"
    if rule["type"] == "enum":
        listed = ", ".join(f"`{value}`" for value in rule["values"])
        return listed if rule["closed"] else f"{listed}, …"
    bounds = [f"from {rule['minimum']}"] if "minimum" in rule else []
    bounds += [f"above {rule['above']}"] if rule["type"] == "number" and "above" in rule else []
    bounds += [f"up to {rule['maximum']}"] if "maximum" in rule else []
    names = {"int": "whole number", "bool": "`true` or `false`", "free": "text", "regex": "text", "json": "JSON"}
    name = names.get(rule["type"], rule["type"])
    return " ".join([name, *bounds]) + ("" if rule["type"] in ("bool", "json") else f", {example}")


def with_reference(page: str) -> str:
    """A page of the docs with its tables of keys regenerated, if it has any."""
    head, begin, rest = page.partition(BEGIN)
    tail = rest.partition(END)[2]
    return f"{head}{BEGIN}\n\n{reference()}\n{END}{tail}" if begin else page
