"""The pack's config file, and that the shipped one lets the shipped stacks through."""

import json
from pathlib import Path
from typing import Any

import pytest

from modelservices.commands.sources import plan_named_stack
from modelservices.policy.config import LEVEL, config_findings
from modelservices.policy.rule import ObjectRule, Rule, StackRule
from modelservices.policy.rules import RULES

REPOSITORY = Path(__file__).parents[3]
SHIPPED = REPOSITORY / "policy" / "config.json"


def test_the_shipped_config_has_every_rule_and_is_right() -> None:
    assert config_findings(SHIPPED) == []
    assert list(json.loads(SHIPPED.read_text())) == [rule.name for rule in RULES]


def test_rules_have_names_of_their_own_and_sentences() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.description.endswith(".") for rule in RULES)


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
@pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
def test_the_shipped_stacks_keep_to_it(stack: str, rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    plan = plan_named_stack(stack)
    objects = [obj for obj in [*plan.all_objects(), *plan.chart] if obj["kind"] != "Secret"]
    given = json.loads(SHIPPED.read_text())[rule.name]
    parameters = rule.read({k: v for k, v in given.items() if k != LEVEL} if isinstance(given, dict) else {})
    if isinstance(rule, ObjectRule):
        assert [sentence for obj in objects for sentence in rule.sentences(obj, parameters)] == []
    else:
        assert isinstance(rule, StackRule)
        assert list(rule.sentences(objects, parameters)) == []


@pytest.mark.parametrize(
    ("config", "lines"),
    [
        ({}, []),
        ({"all": "mandatory", "image-tag": {"moving": ["main"]}}, []),
        ({"image-tags": "mandatory"}, ["{file}: image-tags: is not a rule; did you mean image-tag?"]),
        (
            {"all": "strict"},
            ["{file}: all.enforcementLevel: must be one of advisory, mandatory, disabled, got 'strict'"],
        ),
        (
            {"gpu-budget": {"enforcementLevel": "remediate", "maximum": -1}},
            [
                "{file}: gpu-budget.enforcementLevel: must be one of advisory, mandatory, disabled, got 'remediate'",
                "{file}: gpu-budget.maximum: must be 0 or more, got -1",
            ],
        ),
        (
            {"requests": {"resource": ["cpu"]}},
            ["{file}: requests.resource: is not a known field; did you mean resources?"],
        ),
        (["image-tag"], ["{file}: must be a mapping of rules"]),
    ],
)
def test_what_is_wrong_with_a_config(config: Any, lines: list[str], tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    assert [str(finding) for finding in config_findings(file)] == [line.format(file=file) for line in lines]


@pytest.mark.parametrize("text", [None, "{", "\xff"])
def test_a_file_that_can_not_be_read(text: str | None, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    (finding,) = config_findings(file)
    assert finding.message.startswith("can't be read: ")
