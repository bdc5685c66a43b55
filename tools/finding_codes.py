"""The registry of findings, ``components/findings.tsv``, and the table that docs/serving.md makes of it."""

import re
from pathlib import Path
from typing import NamedTuple

TABLE = re.compile(r"(<!-- findings -->\n).*?(<!-- end -->)", re.DOTALL)
_FILE = Path(__file__).parents[1] / "components/findings.tsv"


class Code(NamedTuple):
    """What one code says. ``page`` is the page of docs/ about it."""

    severity: str
    page: str
    sentence: str


def codes() -> dict[str, Code]:
    """Code to its row, as the file has them."""
    lines = [line.split("\t") for line in _FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {code: Code(*rest) for code, *rest in lines}


def with_codes(page: str) -> str:
    """A page of the docs with its table of all codes made anew."""
    rows = [
        f"| `{code}` | {row.severity} | {row.sentence} | [{row.page.removesuffix('.md')}]({row.page}) |\n"
        for code, row in codes().items()
    ]
    table = "| code | severity | what it says | more |\n|---|---|---|---|\n" + "".join(rows)
    return TABLE.sub(lambda match: f"{match[1]}{table}{match[2]}", page)
