"""`python -m bench`: every measure with its goal, as a Markdown table; the raw figures are kept as JSON.

--quick takes small sizes and few runs; --compare FILE shows the ratios of an earlier run beside.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import engine, rendering, report
from bench.measure import Measure

FIGURES = Path(".run/bench.json")
LIMITS = """
What these numbers can't prove: the engine's measures write YAML through the provider, so the time that a real API
server and real pods take is in neither side; both sides share one machine and one engine, so a ratio says nothing of
absolute speed elsewhere; the bare program has no component resources, checks or outputs, so it does less; the chart
has the same objects with nothing but their names left open, so Helm decides, computes and checks nothing; memory is
that of the largest process. A ratio "below" something: the other side was stopped when the goal was surely met.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few runs: two minutes")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="the figures of an earlier run")
    parser.add_argument("--output", type=Path, default=FIGURES, metavar="FILE", help="where the figures are kept")
    arguments = parser.parse_args()
    before = report.ratios_of(arguments.compare) if arguments.compare else None
    print(report.head(compared=before is not None), flush=True)
    found: list[Measure] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for measure in measures(Path(folder), quick=arguments.quick):
            print(report.line(measure, before), flush=True)
            found.append(measure)
            report.keep(found, arguments.output)
    print(LIMITS)
    print(f"figures: {arguments.output}")


def measures(scratch: Path, *, quick: bool) -> Iterator[Measure]:
    count, runs = (100, 2) if quick else (1000, 5)
    yield from rendering.start_up(runs, scratch)
    yield from rendering.against_helm(count, min(runs, 3), scratch)
    yield from rendering.one_file(count, min(runs, 3), scratch)
    if not quick:
        yield from rendering.growth(count // 10, count, min(runs, 3), scratch)
    yield from engine.measure({10: 1} if quick else {10: 3, 100: 1, 400: 1}, scratch)


if __name__ == "__main__":
    main()
