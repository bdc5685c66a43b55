"""The table of failures in docs/waiting.md, from the messages of `up` that the tests with a real node expect."""

import re
from pathlib import Path

TABLE = re.compile(r"(<!-- failures -->\n).*?(<!-- end -->)", re.DOTALL)
_FILE = Path(__file__).parents[1] / "tests/integration/real_node/failures.tsv"


def failures() -> dict[str, tuple[str, str]]:
    """Maps a service's name to what is wrong with it and what `up` says."""
    lines = [line.split("\t") for line in _FILE.read_text().splitlines() if line and not line.startswith("#")]
    return {name: (wrong, said) for name, wrong, said in lines}


def with_failures(page: str) -> str:
    """A page of the docs with its table of failures regenerated."""
    rows = [f"| {wrong} | `{said}` |\n" for wrong, said in failures().values()]
    table = "| what is wrong | what `up` says |\n|---|---|\n" + "".join(rows)
    return TABLE.sub(lambda match: f"{match[1]}{table}{match[2]}", page)
