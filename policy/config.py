"""Checks the pack's config file: rule to its level, or to its level and parameters. The engine reads the file.

The engine ignores rules and parameters that don't exist, so a misspelled rule would silently have no effect.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from modelservices.findings import Finding, Problem
from modelservices.kubernetes.scalars import describe

from .rule import InvalidParameters, Level, Rule
from .rules import RULES

ALL = "all"
"""In place of a rule's name: the level of all rules that the file does not name."""
LEVEL = "enforcementLevel"
_CODE = "policy-config"


def config_findings(path: Path) -> list[Finding]:
    """Everything that is wrong with a config file."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [Finding(str(path), "", "", f"can't be read: {error}", code=_CODE)]
    if not isinstance(config, dict):
        return [Finding(str(path), "", "", "must be a mapping of rules", code=_CODE)]
    return [
        Finding(str(path), "", problem.path, problem.message, code=problem.code)
        for name, parameters in config.items()
        for problem in _problems(name, parameters)
    ]


def _problems(name: str, parameters: Any) -> Iterator[Problem]:
    rules = {rule.name: rule for rule in RULES}
    if name != ALL and name not in rules:
        near = difflib.get_close_matches(name, rules, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(rules)}"
        yield Problem(name, f"is not a rule; {hint}", code=_CODE)
        return
    values = parameters if isinstance(parameters, Mapping) else {LEVEL: parameters}
    level = values.get(LEVEL)
    if LEVEL in values and level not in get_args(Level):
        levels = ", ".join(get_args(Level))
        yield Problem(f"{name}.{LEVEL}", f"must be one of {levels}, got {describe(level)}", code=_CODE)
    if name in rules:
        yield from _parameter_problems(rules[name], {key: value for key, value in values.items() if key != LEVEL})


def _parameter_problems(rule: Rule, values: Mapping[str, Any]) -> Iterator[Problem]:
    try:
        rule.read(values)
    except InvalidParameters as error:
        yield from error.problems
