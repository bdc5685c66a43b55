"""Each decision to leave an operator has a page. Does not prove that the page and the rendering agree."""

import re
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
PAGES = {page.stem: page.read_text() for page in (REPOSITORY / "docs/decisions").glob("*.md") if page.stem != "index"}
DEPARTURES = (REPOSITORY / "tests/conformance/departures.yaml").read_text()
PARTS = ("**Upstream.**", "**Here.**", "**Why.**", "**Where.**")


def named_by_departures() -> set[str]:
    families = yaml.safe_load(DEPARTURES).values()
    cases = {letter for family in families for case in family["cases"].values() for letter in case["letters"]}
    recorded = [rules for family in families for rules in family.get("recorded", {}).values()]
    decisions = {rule["decision"] for rules in recorded for rule in rules}
    return cases | decisions | set(re.findall(r"^    # ([\w-]+): ", DEPARTURES, re.MULTILINE))


def test_every_departure_has_a_page():
    assert named_by_departures() - set(PAGES) == set()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_says_what_why_and_where(name: str):
    text = PAGES[name]
    assert [part for part in PARTS if part not in text] == []
    (module,) = re.findall(r"`(components/[\w/.]+)`", text)
    file = REPOSITORY / module
    source = (file / "__init__.py" if file.is_dir() else file).read_text()
    (decisions,) = re.findall(r"^Decisions: (.*) \(docs/decisions\)\.$", source, re.MULTILINE)
    assert name in decisions.split(", ")


def test_the_index_has_every_page():
    index = (REPOSITORY / "docs/decisions/index.md").read_text()
    assert set(re.findall(r"\[([\w-]+)\]\(\1\.md\)", index)) == set(PAGES)


def test_modules_name_pages_that_exist():
    named = {
        letter
        for file in (REPOSITORY / "components").rglob("*.py")
        for line in re.findall(r"^Decisions: (.*) \(docs/decisions\)\.$", file.read_text(), re.MULTILINE)
        for letter in line.split(", ")
    }
    assert named == set(PAGES)
