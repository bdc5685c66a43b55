"""Evaluates KServe's templates in texts, as far as presets and configs need them.

Supported are ``{{ .ObjectMeta.Name }}`` and the fields that Go promotes from it (``{{ .Name }}``), ``.Spec…`` (of the
merged spec), ``.GlobalConfig…``, ``{{ if … }} … {{ else }} … {{ end }}`` and ``FUNCTIONS``, with the trim markers
``{{-`` and ``-}}``. Everything else is rejected.

Decisions: K5 (docs/decisions).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...engines.vllm.serving import KV_TRANSFER
from ...findings import MOST_OF_ONE, Problem
from ...kubernetes.model import read
from .flag_values import kv_transfer_config, shutdown_timeout
from .model_spec import KVCacheOffloadingSpec
from .names import child_name

_MAX_DEPTH = 100
_TOKEN = re.compile(r"`([^`]*)`|\"([^\"]*)\"|(\S+)")
_PATH = re.compile(r"(\.[A-Za-z][A-Za-z0-9]*)+")
_FALSE = ("", "0", "false", "no", "off")
_BLOCKS = ("block", "define", "range", "template", "with")
_ROOTS = ("APIVersion", "GlobalConfig", "Kind", "ObjectMeta", "Spec")
_PROMOTED = ("Annotations", "Labels", "Name", "Namespace")
"""Fields of the service's embedded ObjectMeta, which Go's templates read without its name."""
_TRIMMED = " "
"""The characters that trim markers remove. KServe fills in a config as JSON, where line ends and tabs are escapes,
which stay."""


class TemplateError(ValueError):
    """A template that can't be evaluated; the message says why and what to do."""


@dataclass
class Budget:
    """Characters that the templates of one spec may still produce: they may repeat a long name a thousand times."""

    left: int = 1 << 17

    def spend(self, text: str) -> str:
        self.left -= len(text)
        if self.left < 0:
            raise TemplateError("makes, with the other templates, more than 131,072 characters: write less of it")
        return text


def evaluate(
    value: Any, context: Mapping[str, Any], problems: list[Problem], path: str = "", budget: Budget | None = None
) -> Any:
    """Fill in the templates of all texts in a value; failures are added to ``problems``.

    ``context`` has ObjectMeta, Spec and GlobalConfig. A list item that a template empties is left out.
    """
    budget = budget or Budget()
    if isinstance(value, Mapping):
        return {
            key: evaluate(item, context, problems, f"{path}.{key}" if path else str(key), budget)
            for key, item in value.items()
        }
    if isinstance(value, list):
        items = [evaluate(item, context, problems, f"{path}[{index}]", budget) for index, item in enumerate(value)]
        return [new for new, old in zip(items, value, strict=True) if new != "" or old == ""]
    # With more failures than are reported, the spec is not rendered, so further texts are skipped.
    if isinstance(value, str) and "{{" in value and len(problems) <= MOST_OF_ONE:
        try:
            return fill(value, context, budget)
        except TemplateError as error:
            problems.append(Problem(path, str(error), code="template"))
    return value


def fill(text: str, context: Mapping[str, Any], budget: Budget | None = None) -> str:
    """Fill in the templates of one text. Raises TemplateError."""
    return "".join(map((budget or Budget()).spend, _render(_template(text), context)))


@lru_cache(maxsize=256)
def _template(text: str) -> Sequence[str | _Branch | _Value]:
    """Parse one text; all services of a config share the result. Raises TemplateError."""
    nodes, rest = _parse(_tokens(text), ())
    if rest is not None:
        raise TemplateError(f"has {{{{ {rest} }}}} without an if before it; add the if, or remove it")
    return nodes


@dataclass(frozen=True)
class _Branch:
    condition: str
    then: Sequence[str | _Branch | _Value]
    otherwise: Sequence[str | _Branch | _Value]


@dataclass(frozen=True)
class _Value:
    expression: str


_Token = tuple[str, str]
"""``text`` or ``tag``, and its content."""


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while (begin := text.find("{{", position)) >= 0:
        end = text.find("}}", begin + 2)
        if end < 0:
            raise TemplateError("has {{ without }}; close the template")
        before, tag = text[position:begin], text[begin + 2 : end]
        yield "text", before.rstrip(_TRIMMED) if tag.startswith("-") else before
        position = end + 2
        if tag.endswith("-"):  # also of a comment
            position = len(text) - len(text[position:].lstrip(_TRIMMED))
        tag = tag.removeprefix("-").removesuffix("-").strip()
        if not (tag.startswith("/*") and tag.endswith("*/")):
            yield "tag", tag
    yield "text", text[position:]


def _parse(tokens: Iterator[_Token], until: Sequence[str], depth: int = 0) -> tuple[list[Any], str | None]:
    """The nodes up to one of the tags ``until`` (or the end), and that tag."""
    if depth > _MAX_DEPTH:
        raise TemplateError(f"has more than {_MAX_DEPTH} ifs within each other")
    nodes: list[Any] = []
    for kind, content in tokens:
        word = content.split(maxsplit=1)[0] if kind == "tag" and content else ""
        if kind == "text":
            nodes.append(content)
        elif word in ("else", "end"):
            if content != word or word not in until:
                return nodes, content
            return nodes, word
        elif word == "if":
            then, tag = _parse(tokens, ("else", "end"), depth + 1)
            otherwise, tag = _parse(tokens, ("end",), depth + 1) if tag == "else" else ([], tag)
            if tag != "end":
                raise TemplateError(f"{{{{ {content} }}}} has no end; write {{{{ end }}}} after it")
            nodes.append(_Branch(content[2:].strip(), then, otherwise))
        elif word in _BLOCKS:
            raise TemplateError(_refused(content))
        else:
            nodes.append(_Value(content))
    return nodes, None


def _render(nodes: Sequence[Any], context: Mapping[str, Any]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif isinstance(node, _Value):
            yield _text(node.expression, context)
        else:
            holds = _is_true(_value(node.condition, context))
            yield from _render(node.then if holds else node.otherwise, context)


def _text(expression: str, context: Mapping[str, Any]) -> str:
    value = _value(expression, context)
    if value is None:
        raise TemplateError(
            f"{{{{ {expression} }}}} has no value here; set the field, or test it with {{{{ if {expression} }}}}"
        )
    if not isinstance(value, str | int | float):
        raise TemplateError(f"{{{{ {expression} }}}} is not a text or number")
    return _written(value)


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(expression: str, context: Mapping[str, Any]) -> Any:
    """A path's value, or what a function makes of its arguments."""
    name, *words = _words(expression) or [""]
    if not words and name not in FUNCTIONS:
        return _look_up(name, context)
    if name not in FUNCTIONS:
        raise TemplateError(_refused(expression))
    arguments = [_argument(word, context) for word in words]
    try:
        return FUNCTIONS[name](*arguments)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise TemplateError(f"{{{{ {expression} }}}}: {name} does not take these arguments") from error


def _argument(word: str, context: Mapping[str, Any]) -> Any:
    if word.startswith('"'):
        return word[1:]
    if word == "nil":
        return None
    return int(word) if word.isdecimal() else _look_up(word, context)


def _is_true(value: Any) -> bool:
    return str(value).lower() not in _FALSE if isinstance(value, str | bool | int) else bool(value)


def _or(first: Any, *others: Any) -> Any:
    values = (first, *others)
    return next((value for value in values if _is_true(value)), values[-1])


def _and(first: Any, *others: Any) -> Any:
    values = (first, *others)
    return next((value for value in values if not _is_true(value)), values[-1])


def _kv_transfer_config(kv: Mapping[str, Any] | None) -> str:
    """Escaped for a shell's double quotes; empty without offloading."""
    if kv is None:
        return ""
    model, problems = read(KVCacheOffloadingSpec, kv)
    if model is None:
        raise ValueError(problems)
    value = kv_transfer_config(model).replace('"', '\\"')
    return f"{KV_TRANSFER} '{value}'"


def _index(value: Any, *keys: Any) -> Any:
    """Go's index: like a path, but for names with dots; nothing for a name that is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None if value is None else value[key]
    return value


def _printf(form: str, *values: Any) -> str:
    """Go's printf with the verbs for texts and numbers, and without widths."""
    first, *rest = re.split(r"%[sdv]", form)
    if "%" in "".join([first, *rest]):
        raise ValueError("a verb that is not evaluated")
    return first + "".join(f"{_written(value)}{text}" for value, text in zip(values, rest, strict=True))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ChildName": child_name,
    "and": _and,
    "eq": lambda value, *others: value in others,
    "index": _index,
    "kvTransferConfig": _kv_transfer_config,
    "ne": lambda value, other: value != other,
    "not": lambda value: not _is_true(value),
    "or": _or,
    "printf": _printf,
    "shutdownTimeout": shutdown_timeout,
}
"""Functions that KServe's presets call, and those of Go that users write."""


def _words(expression: str) -> list[str]:
    """Split an expression into words; quoted texts get a leading quote."""
    return [match[3] if match[3] is not None else f'"{match[1] or match[2]}' for match in _TOKEN.finditer(expression)]


def _look_up(word: str, context: Mapping[str, Any]) -> Any:
    """The value of a path such as ``.Spec.Model.Name``. Go's field names differ from YAML's only in upper case."""
    parts = word.split(".")[1:]
    if parts and parts[0] in _PROMOTED:
        parts = ["ObjectMeta", *parts]
    if not _PATH.fullmatch(word) or parts[0] not in _ROOTS:
        raise TemplateError(_refused(word))
    value: Any = context
    for part in parts:
        fields = {str(key).lower(): item for key, item in value.items()} if isinstance(value, Mapping) else {}
        value = fields.get(part.lower())
    return value


def _refused(expression: str) -> str:
    return (
        f"has the template {{{{ {expression} }}}}, which is not evaluated here; use .Name, .ObjectMeta, .Spec, "
        f".GlobalConfig, if, {', '.join(sorted(FUNCTIONS))}, or write the value"
    )
