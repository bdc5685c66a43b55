"""`python -m bench`: every measure, as a Markdown table. `--quick` takes small sizes and few runs."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench import engine, rendering

HEAD = ["measure", "ours", "the other side", "ratio"]
LIMITS = """
What these numbers can't prove: the engine's measures write YAML through the provider, so the time that a real API
server and real pods take is in neither side; both sides share one machine and one engine, so a ratio says nothing of
absolute speed elsewhere; the bare program has no component resources, checks or outputs, so it does less; the chart
makes comparable objects, not equal ones, and Helm checks nothing; memory is that of the largest process.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    sizes, count, runs = ([4, 12], 40, 1) if quick else ([10, 100, 400], 1000, 5)
    print(_row(HEAD) + "\n" + _row(["---"] * len(HEAD)), flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        scratch = Path(folder)
        _print(rendering.imports(runs))
        _print(rendering.against_helm(count, runs, scratch))
        _print(rendering.growth(count // 10, count, runs, scratch))
        _print(engine.measure(sizes, min(runs, 3), scratch))
    print(LIMITS)


def _print(rows: Iterable[list[str]]) -> None:
    for row in rows:
        print(_row(row), flush=True)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
