"""Values as YAML text that every reader takes as it was meant: the one place that spells YAML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml

_BASE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# PyYAML leaves some texts plain that other readers take for numbers: 1e3, 08, 0o17.
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9a-fA-FxXo_.:+-]*")


class _Dumper(_BASE):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else "'" if _NUMBER_LIKE.fullmatch(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def document(value: Any) -> str:
    """One value, keys in their own order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=4096, allow_unicode=True)


def documents(values: Iterable[Any]) -> str:
    """A stream of values, each after its own ``---``."""
    return yaml.dump_all(values, Dumper=_Dumper, sort_keys=False, width=4096, allow_unicode=True, explicit_start=True)
