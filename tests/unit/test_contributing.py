"""CONTRIBUTING's map leads to files that are there. Not proved: that they are what a reader hopes to find."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
TEXT = (REPOSITORY / "CONTRIBUTING.md").read_text()


def test_every_path_of_the_map_exists():
    paths = set(re.findall(r"`((?:components|tests|tools|docs|policy|bench)/[a-z_0-9/.]*)`", TEXT))
    assert len(paths) > 20
    assert sorted(path for path in paths if not (REPOSITORY / path).exists()) == []


def test_the_map_answers_a_newcomers_questions():
    section = TEXT.partition("## Where a rule lives")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", section, re.MULTILINE)
    assert len(rows) >= 19
    assert [question for question, answer in rows if "components/" not in answer] == []


def test_the_path_of_a_service_is_there_and_short():
    section = TEXT.partition("## The path of one service")[2].partition("\n## ")[0]
    steps = re.findall(r"^\| `(components/[\w/]+\.py)` \| `(\w+)` \|", section, re.MULTILINE)
    assert 1 < len(steps) <= 12
    for file, name in steps:
        assert re.search(rf"^(def|class) {name}\b", (REPOSITORY / file).read_text(), re.MULTILINE), (file, name)
