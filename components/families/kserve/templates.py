"""KServe's templates in texts: a small evaluator of what presets and configs need.

``{{ .ObjectMeta.Name }}``, ``.Spec…`` (of the merged spec), ``.GlobalConfig…``,
``{{ ChildName .ObjectMeta.Name `-suffix` }}`` and ``{{ if … }} … {{ else }} … {{ end }}``, with the trim markers
``{{-`` and ``-}}``. Everything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...findings import Problem
from .names import child_name

_ACTION = re.compile(r"\s*\{\{-|\{\{")
_TAG = re.compile(r"(\s*\{\{-|\{\{)\s*(.*?)\s*(-\}\}\s*|\}\})", re.DOTALL)
_TOKEN = re.compile(r"`([^`]*)`|\"([^\"]*)\"|(\S+)")
_PATH = re.compile(r"(\.[A-Za-z][A-Za-z0-9]*)+")
_FALSE = ("", "0", "false", "no", "off")
_BLOCKS = ("block", "define", "range", "template", "with")
_ROOTS = ("ObjectMeta", "Spec", "GlobalConfig")


class TemplateError(ValueError):
    """A template that can't be evaluated; the message says why and what to do."""


def evaluate(value: Any, context: Mapping[str, Any], problems: list[Problem], path: str = "") -> Any:
    """A value with the templates of all its texts filled in; what can't be filled in goes to ``problems``.

    ``context`` has ObjectMeta, Spec and GlobalConfig. An item of a command or argument list that a template empties is
    left out.
    """
    if isinstance(value, Mapping):
        return {
            key: evaluate(item, context, problems, f"{path}.{key}" if path else str(key)) for key, item in value.items()
        }
    if isinstance(value, list):
        items = [evaluate(item, context, problems, f"{path}[{index}]") for index, item in enumerate(value)]
        return [new for new, old in zip(items, value, strict=True) if new != "" or old == ""]
    if isinstance(value, str) and "{{" in value:
        try:
            return fill(value, context)
        except TemplateError as error:
            problems.append(Problem(path, str(error), code="template"))
    return value


def fill(text: str, context: Mapping[str, Any]) -> str:
    """One text with its templates filled in. Raises TemplateError."""
    nodes, rest = _parse(_tokens(text), ())
    if rest is not None:
        raise TemplateError(f"has {{{{ {rest} }}}} without an if before it")
    return "".join(_render(nodes, context))


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
    for match in _TAG.finditer(text):
        yield "text", text[position : match.start()]
        yield "tag", match[2]
        position = match.end()
    rest = text[position:]
    if _ACTION.search(rest):
        raise TemplateError("has {{ without }}: close the template")
    yield "text", rest


def _parse(tokens: Iterator[_Token], until: Sequence[str]) -> tuple[list[Any], str | None]:
    """The nodes up to one of the tags ``until`` (or the end), and that tag."""
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
            then, tag = _parse(tokens, ("else", "end"))
            otherwise, tag = _parse(tokens, ("end",)) if tag == "else" else ([], tag)
            if tag != "end":
                raise TemplateError(f"{{{{ {content} }}}} has no end: write {{{{ end }}}} after it")
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
            yield from _render(node.then if _truth(node.condition, context) else node.otherwise, context)


def _text(expression: str, context: Mapping[str, Any]) -> str:
    words = _words(expression)
    if words and words[0] == "ChildName":
        if len(words) != 3:
            raise TemplateError("ChildName takes a name and a suffix: {{ ChildName .ObjectMeta.Name `-suffix` }}")
        return child_name(_operand(words[1], context), _operand(words[2], context))
    if len(words) != 1:
        raise TemplateError(_refused(expression))
    return _operand(words[0], context)


def _truth(condition: str, context: Mapping[str, Any]) -> bool:
    words = _words(condition)
    if len(words) != 1:
        raise TemplateError(_refused(f"if {condition}"))
    value = _look_up(words[0], context)
    return str(value).lower() not in _FALSE if isinstance(value, str | bool | int) else bool(value)


def _words(expression: str) -> list[str]:
    """Names and paths as they are, quoted texts with a quote in front."""
    return [match[3] if match[3] is not None else f'"{match[1] or match[2]}' for match in _TOKEN.finditer(expression)]


def _operand(word: str, context: Mapping[str, Any]) -> str:
    if word.startswith('"'):
        return word[1:]
    value = _look_up(word, context)
    if value is None:
        raise TemplateError(
            f"{{{{ {word} }}}} has no value here: set the field, or ask for it with {{{{ if {word} }}}}"
        )
    if not isinstance(value, str | int | float):
        raise TemplateError(f"{{{{ {word} }}}} is not a text or number")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _look_up(word: str, context: Mapping[str, Any]) -> Any:
    """The value of a path such as ``.Spec.Model.Name``; Go's field names differ from YAML's in upper case only."""
    parts = word.split(".")[1:]
    if not _PATH.fullmatch(word) or parts[0] not in _ROOTS:
        raise TemplateError(_refused(word))
    value: Any = context
    for part in parts:
        fields = {str(key).lower(): item for key, item in value.items()} if isinstance(value, Mapping) else {}
        value = fields.get(part.lower())
    return value


def _refused(expression: str) -> str:
    return (
        f"has the template {{{{ {expression} }}}}, which is not evaluated here: use .ObjectMeta, .Spec, .GlobalConfig, "
        "ChildName or if, or write the value"
    )
