"""Writes values as YAML that every reader parses as intended, and reads YAML texts within manifests. Apart from the
manifests themselves, no other module writes or reads YAML."""

import re
from collections.abc import Iterable
from typing import Any

import yaml

_BASE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WIDTH = 4096
# PyYAML leaves some texts unquoted that other readers parse as numbers: 1e3, 08, 0o17.
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9a-fA-FxXo_.:+-]*")


class _Dumper(_BASE):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represented(dumper: Any, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else "'" if _NUMBER_LIKE.fullmatch(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represented)
_Dumper.add_multi_representer(str, _represented)


_READER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_READER):  # dates stay texts, because JSON has none
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_MAX_VALUES = 50_000
_MAX_DEPTH = 100


def load(text: str) -> Any:
    """Parses a YAML text within a manifest. Raises ValueError if it is invalid, recursive, too large or nested too
    deeply."""
    try:
        value = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"is not valid YAML: {error}") from None
    left, waiting = _MAX_VALUES, [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        inner = list(item.values()) if isinstance(item, dict) else item if isinstance(item, list) else []
        left -= len(inner)
        if left < 0 or depth > _MAX_DEPTH:
            raise ValueError("is too large or nested too deeply")
        waiting += [(one, depth + 1) for one in inner]
    return value


def document(value: Any) -> str:
    """One value as YAML, with its keys in their order."""
    return _dumped([value])


def documents(values: Iterable[Any]) -> str:
    """Several values as a YAML stream, each after a ``---``."""
    return _dumped(list(values), explicit_start=True)


def _dumped(values: list[Any], *, explicit_start: bool = False) -> str:
    return yaml.dump_all(
        values, Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=True, explicit_start=explicit_start
    )
