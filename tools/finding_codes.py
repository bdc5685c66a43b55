"""The registry of findings, ``components/findings.tsv``, and its table in docs/serving.md."""

import re
from pathlib import Path
from typing import NamedTuple

TABLE = re.compile(r"(<!-- findings -->\n).*?(<!-- end -->)", re.DOTALL)
_FILE = Path(__file__).parents[1] / "components/findings.tsv"


class Code(NamedTuple):
    """A row of the registry; ``page`` is the code's page of docs/."""

    severity: str
    page: str
    sentence: str


def codes() -> dict[str, Code]:
    """Maps each code to its row."""
    lines = [line.split("\t") for line in _FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {code: Code(*rest) for code, *rest in lines}


def with_codes(page: str) -> str:
    """A page of the docs with its table of codes regenerated."""
    rows = [
        f"| `{code}` | {row.severity} | {row.sentence} | [{row.page.removesuffix('.md')}]({row.page}) |\n"
        for code, row in codes().items()
    ]
    table = "| code | severity | what it says | more |\n|---|---|---|---|\n" + "".join(rows)
    return TABLE.sub(lambda match: f"{match[1]}{table}{match[2]}", page)
