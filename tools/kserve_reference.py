"""The tables of docs/kserve.md that are made from the program: who gets which label, and the fields of a spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from components.commands.schema import schema
from components.families.kserve.labels import (
    ANNOTATION_PREFIXES,
    COMPONENT,
    LABEL_PREFIXES,
    ROLE,
    RULES,
    SERVING,
    TARGETS,
    Rule,
)

_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PLACES = ("decode workload", "decode pods", "prefill workload", "prefill pods", "scheduler pods", "everything else")
_STOP = {"PodSpec", "WorkloadSpec"}
"""Definitions that are not spelled out again below a field: Kubernetes' own, and the service's own fields."""


def with_tables(page: str) -> str:
    """A page of the docs with these tables made anew."""
    return _PART.sub(lambda match: f"{match[1]}{_TABLES[match[2]]()}{match[3]}", page)


def who_gets_what() -> str:
    """Each source of labels and annotations and what of it reaches the objects and pods."""
    rows = (
        [f"`{rule.source}.{field}`", *(_reaching(rule, place, prefixes) for place in _PLACES)]
        for rule in RULES
        for field, prefixes in (("labels", LABEL_PREFIXES), ("annotations", ANNOTATION_PREFIXES))
    )
    return _table(["from", *_PLACES], rows)


def _reaching(rule: Rule, place: str, prefixes: tuple[str, ...]) -> str:
    targets = {target for target in TARGETS if _place(target) == place}
    reached = rule.targets & targets
    if reached not in (set(), targets):
        raise ValueError(f"{rule.source} reaches only some of {place}: {sorted(reached)}")
    if not reached:
        return ""
    return ", ".join(f"`{prefix}…`" for prefix in prefixes) if rule.filtered else "all"


def _place(target: str) -> str:
    role, *rest = target.split()
    if role not in ("decode", "prefill", "scheduler") or (role == "scheduler" and "pod" not in rest):
        return "everything else"
    return f"{role} pods" if "pod" in rest else f"{role} workload"


def owned_labels() -> str:
    """The labels that this program gives each kind of object, beside name and part-of."""
    rows = ([target, *_owned(target)] for target in TARGETS)
    return _table(["on", f"`{COMPONENT}`", f"`{SERVING}`", f"`{ROLE}`"], rows)


def _owned(target: str) -> Iterator[str]:
    owned = TARGETS[target]
    yield f"`{owned.component}`" if owned.component else ""
    yield "`workload`" if owned.serving else ""
    if not owned.serving:
        yield ""
    elif target.startswith("prefill"):
        yield "`prefill`"
    else:
        yield "`decode`" if target.endswith("without leader") else "`both`, or `decode` beside prefill"


def fields() -> str:
    """Every field of a spec down to pods, with its values and meaning."""
    definitions = schema("LLMInferenceService")["$defs"]
    return _table(["field", "value", "meaning"], _fields("ServiceSpec", "", definitions))


def _fields(name: str, path: str, definitions: Mapping[str, Any]) -> Iterator[list[str]]:
    for field, rule in definitions[name]["properties"].items():
        inner = _inner(rule)
        yield [f"`{path}{field}`", _value(rule, inner), rule.get("description", "")]
        if inner and inner not in _STOP:
            yield from _fields(inner, f"{path}{field}{'[]' if _is_list(rule) else ''}.", definitions)


def _alternatives(rule: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [item for item in rule.get("anyOf", [rule]) if item.get("type") != "null"]


def _is_list(rule: Mapping[str, Any]) -> bool:
    return any(item.get("type") == "array" for item in _alternatives(rule))


def _inner(rule: Mapping[str, Any]) -> str | None:
    """The definition that a field's value, or each item of it, has."""
    for item in _alternatives(rule):
        reference = item.get("items", item).get("$ref")
        if reference:
            return reference.rpartition("/")[2]
    return None


def _value(rule: Mapping[str, Any], inner: str | None) -> str:
    if inner in _STOP:
        return {"PodSpec": "a pod of Kubernetes", "WorkloadSpec": "the fields of a workload, as above"}[inner or ""]
    for item in _alternatives(rule):
        if "enum" in item or "const" in item:
            return ", ".join(f"`{value}`" for value in item.get("enum", [item.get("const")]))
    names = {
        "any": "any",
        "array": "list",
        "object": "mapping",
        "integer": "whole number",
        "boolean": "`true` or `false`",
    }
    kinds = [item.get("type", "object" if "$ref" in item else "any") for item in _alternatives(rule)]
    return " or ".join(dict.fromkeys(names.get(kind, "text") for kind in kinds))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


_TABLES: Mapping[str, Callable[[], str]] = {"labels": who_gets_what, "owned": owned_labels, "fields": fields}
