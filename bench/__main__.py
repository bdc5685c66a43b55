"""`python -m bench`: measures performance against its goals and prints a Markdown table.

The raw figures are kept as JSON. --quick uses small sizes and few runs; --compare FILE adds the ratios of an earlier
run; --only selects parts.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench import engine, rendering, report
from bench.measure import Measure

FIGURES = Path(".run/bench.json")
LIMITS = """
What these numbers can't prove: the engine's measures write YAML through the provider, so the time that a real API
server and real pods take is in neither side; both sides share one machine and one engine, so a ratio says nothing of
absolute speed elsewhere; the bare program has no component resources, checks or outputs, so it does less, and it sends
the SDK's debug messages, as every Pulumi program in Python does; the chart has the same objects with nothing but their
names left open, so Helm decides, computes and checks nothing; memory is that of the largest process. A ratio "below"
something: the other side was stopped when the goal was surely met.
"""

Part = Callable[[Path], Iterator[Measure]]
"""Yields measures; the argument is the part's scratch folder."""


def _rendering(count: int, runs: int) -> Part:
    def part(scratch: Path) -> Iterator[Measure]:
        yield from rendering.against_helm(count, runs, scratch)
        yield from rendering.one_file(count, runs, scratch)

    return part


FULL: Mapping[str, Part] = {
    "start-up": lambda scratch: rendering.start_up(5, scratch),
    "rendering": _rendering(1000, 3),
    "growth": lambda scratch: rendering.growth(100, 1000, 3, scratch),
    "10": lambda scratch: engine.measure(10, 5, scratch),
    "100": lambda scratch: engine.measure(100, 3, scratch),
    "400": lambda scratch: engine.measure(400, 1, scratch),
}
BY_NAME: Mapping[str, Part] = {**FULL, "1000": lambda scratch: engine.measure(1000, 1, scratch)}
"""Including parts that run only if named."""
QUICK: Mapping[str, Part] = {
    "start-up": lambda scratch: rendering.start_up(2, scratch),
    "rendering": _rendering(100, 2),
    "10": lambda scratch: engine.measure(10, 1, scratch),
}


def main() -> None:
    # The engine stops its plugins with SIGINT. A background job and its children ignore SIGINT, so each command would
    # wait five seconds for its plugins.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, few runs: two minutes")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="the figures of an earlier run")
    parser.add_argument("--only", nargs="+", choices=list(BY_NAME), metavar="PART", help=f"parts: {', '.join(BY_NAME)}")
    parser.add_argument("--output", type=Path, default=FIGURES, metavar="FILE", help="where the figures are kept")
    arguments = parser.parse_args()
    parts = QUICK if arguments.quick else BY_NAME
    missing = ", ".join(part for part in arguments.only or [] if part not in parts)
    if missing:
        parser.error(f"--quick has no part {missing}")
    before = report.ratios_of(arguments.compare) if arguments.compare else None
    print(report.head(compared=before is not None), flush=True)
    found: list[Measure] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for part in arguments.only or (QUICK if arguments.quick else FULL):
            for measure in parts[part](Path(folder)):
                print(report.line(measure, before), flush=True)
                found.append(measure)
                report.keep(found, arguments.output)
    print(LIMITS)
    print(f"figures: {arguments.output}")


if __name__ == "__main__":
    main()
