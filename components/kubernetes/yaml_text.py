"""Values as YAML text that every reader takes as it was meant: the one place that spells YAML.

PyYAML makes a node of each value and asks a dozen patterns what a plain text would be taken for, which is most of the
time that a large stack takes. Here mappings and lists are laid out directly, and PyYAML spells only a text that is not
obviously plain, once. Where the spelling depends on the place (a long text is folded), it writes the whole stream.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import NoneType
from typing import Any

import yaml

_BASE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WIDTH = 4096
_LONG = 1024
"""Longer texts of one line may be folded."""
_LONG_KEY = 100
"""Longer keys may be written in another way, from 128 characters on."""
# PyYAML leaves some texts plain that other readers take for numbers: 1e3, 08, 0o17.
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9a-fA-FxXo_.:+-]*")
_PLAIN = re.compile(r"-{0,2}[A-Za-z/_][A-Za-z0-9/_.@=+:-]*(?<!:)")
"""Texts that are never taken for anything else, apart from the words."""
_WORDS = frozenset(["yes", "no", "on", "off", "true", "false", "null"])
_ODD_BREAKS = re.compile("[\r\x85\u2028\u2029]")
"""Characters that break lines too."""


class _Dumper(_BASE):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represented(dumper: Any, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else "'" if _NUMBER_LIKE.fullmatch(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represented)
_Dumper.add_multi_representer(str, _represented)


_READER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_READER):  # dates stay texts, as JSON has none
    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


_MAX_VALUES = 50_000
_MAX_DEPTH = 100


def load(text: str) -> Any:
    """What a YAML text within a manifest says. Raises ValueError, also where it would not end."""
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
    """One value, keys in their own order."""
    laid_out = _laid_out(value)
    return _dumped([value]) if laid_out is None else laid_out


def documents(values: Iterable[Any]) -> str:
    """A stream of values, each after its own ``---``."""
    found = list(values)
    laid_out = [text for text in map(_laid_out, found) if text is not None]
    if len(laid_out) < len(found):
        return _dumped(found, explicit_start=True)
    return "---\n".join(["", *laid_out])


def _dumped(values: list[Any], *, explicit_start: bool = False) -> str:
    return yaml.dump_all(
        values, Dumper=_Dumper, sort_keys=False, width=_WIDTH, allow_unicode=True, explicit_start=explicit_start
    )


class _ByPlace(Exception):
    """A value whose spelling depends on where it stands."""


def _laid_out(value: Any) -> str | None:
    """A mapping or list as PyYAML would write it; None where that takes PyYAML itself."""
    parts: list[str] = []
    try:
        if type(value) is dict and value:
            _mapping(parts, value, "", "")
        elif type(value) is list and value:
            _sequence(parts, value, "", "")
        else:
            return None
    except _ByPlace:
        return None
    return "".join(parts)


def _mapping(parts: list[str], mapping: Mapping[Any, Any], first: str, margin: str) -> None:
    """One entry a line below another; ``first`` stands before the first one, ``margin`` before the others."""
    before = first
    for name, value in mapping.items():
        key = _key(name)
        if type(value) is dict and value:
            parts.append(f"{before}{key}:\n")
            _mapping(parts, value, f"{margin}  ", f"{margin}  ")
        elif type(value) is list and value:
            parts.append(f"{before}{key}:\n")
            _sequence(parts, value, margin, margin)
        else:
            parts.append(f"{before}{key}: {_leaf(value, margin)}\n")
        before = margin


def _sequence(parts: list[str], items: Iterable[Any], first: str, margin: str) -> None:
    before = first
    for item in items:
        if type(item) is dict and item:
            _mapping(parts, item, f"{before}- ", f"{margin}  ")
        elif type(item) is list and item:
            _sequence(parts, item, f"{before}- ", f"{margin}  ")
        else:
            parts.append(f"{before}- {_leaf(item, margin)}\n")
        before = margin


@lru_cache(maxsize=4096)
def _key(name: Any) -> str:
    if type(name) is not str or len(name) > _LONG_KEY or "\n" in name:
        raise _ByPlace
    return _line(name)


def _leaf(value: Any, margin: str) -> str:
    kind = type(value)
    if kind is str:
        return _block(value, margin) if "\n" in value else _line(value)
    if kind in (bool, int, NoneType):
        return _plain(value)
    if kind is float:
        return _spelled(value)
    if value == {} or value == []:
        return "{}" if kind is dict else "[]"
    raise _ByPlace


@lru_cache(maxsize=65536)
def _line(text: str) -> str:
    """A text of one line."""
    _refuse_odd_breaks(text)
    if _PLAIN.fullmatch(text) and len(text) < _LONG and text.lower() not in _WORDS:
        return text
    return _spelled(text)


@lru_cache(maxsize=1024)
def _block(text: str, margin: str) -> str:
    """A text of several lines, each after the margin of its place and two spaces more."""
    _refuse_odd_breaks(text)
    spelled = _dumped([{"k": text}])[3:-1]
    if not spelled.startswith(("|\n", "|-\n")):  # with a mark for blanks at its beginning or end, or not a block
        raise _ByPlace
    return re.sub(r"\n(?=[^\n])", f"\n{margin}", spelled)


def _refuse_odd_breaks(text: str) -> None:
    if _ODD_BREAKS.search(text):
        raise _ByPlace


@lru_cache(maxsize=1024, typed=True)
def _plain(value: int | bool | None) -> str:
    return _spelled(value)


def _spelled(value: Any) -> str:
    spelled = _dumped([{"k": value}])[3:-1]
    if "\n" in spelled or len(spelled) > _LONG:
        raise _ByPlace
    return spelled
