"""Generates the tables of docs/kserve.md: which objects get which labels and annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from modelservices.families.kserve.labels import (
    ANNOTATION_PREFIXES,
    COMPONENT,
    LABEL_PREFIXES,
    ROLE,
    RULES,
    SERVING,
    TARGETS,
    Rule,
)
from tools.field_tables import table

_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_PLACES = ("decode workload", "decode pods", "prefill workload", "prefill pods", "scheduler pods", "everything else")


def with_tables(page: str) -> str:
    """A page of the docs with these tables regenerated."""
    return _PART.sub(lambda match: f"{match[1]}{_TABLES[match[2]]()}{match[3]}", page)


def who_gets_what() -> str:
    """Each source of labels and annotations, and which of them reach the objects and pods."""
    rows = (
        [f"`{rule.source}.{field}`", *(_reaching(rule, place, prefixes) for place in _PLACES)]
        for rule in RULES
        for field, prefixes in (("labels", LABEL_PREFIXES), ("annotations", ANNOTATION_PREFIXES))
    )
    return table(["from", *_PLACES], rows)


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
    """The labels that this program adds to each kind of object, besides name and part-of."""
    rows = ([target, *_owned(target)] for target in TARGETS)
    return table(["on", f"`{COMPONENT}`", f"`{SERVING}`", f"`{ROLE}`"], rows)


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


_TABLES: Mapping[str, Callable[[], str]] = {"labels": who_gets_what, "owned": owned_labels}
