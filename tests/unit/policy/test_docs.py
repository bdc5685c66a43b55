"""The page on policies has every rule, with its level, parameters and defaults. Not proven: that its sentences hold."""

import re
from pathlib import Path

import pytest

from modelservices.policy.rule import Parameters, Rule
from modelservices.policy.rules import RULES

PAGE = (Path(__file__).parents[3] / "docs" / "policy.md").read_text()
ROWS = {row.split("`")[1]: row for row in re.findall(r"^\| `.*$", PAGE, re.MULTILINE)}


def test_the_table_has_the_rules_in_their_order() -> None:
    assert list(ROWS) == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_a_rules_row(rule: Rule) -> None:
    _, _, level, _, parameters, _ = re.split(r" ?(?<!\\)\| ?", ROWS[rule.name])
    assert level == rule.level
    own = set(rule.parameters.model_fields) - set(Parameters.model_fields)
    named = {name for name in own if f"`{name}` (" in parameters}
    assert named == (set() if "as above" in parameters else own)
