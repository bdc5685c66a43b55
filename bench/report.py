"""The figures as a Markdown table and as JSON, compared with an earlier run."""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measure import Measure

HEAD = ("measure", "ours", "the other side", "ratio", "of CPU time", "goal")


def head(*, compared: bool) -> str:
    titles = [*HEAD, *(["ratio before"] if compared else [])]
    return f"{_row(titles)}\n{_row(['---'] * len(titles))}"


def line(measure: Measure, before: Mapping[str, float] | None) -> str:
    """A row: medians with minimum and maximum, and whether the goal is met."""
    met = "met" if measure.ratio <= measure.goal else "not met"
    name = f"{measure.name} ({measure.note})" if measure.note else measure.name
    cells = [
        name,
        _spread(measure.ours, measure.unit),
        _spread(measure.other, measure.unit),
        f"below {measure.ratio:.2f}" if measure.stopped else _spread(measure.ratios),
        "-" if measure.cpu_ratio is None else f"{measure.cpu_ratio:.2f}",
        f"<= {measure.goal:g}: {met}",
    ]
    if before is not None:
        cells.append(f"{before[measure.name]:.2f}" if measure.name in before else "-")
    return _row(cells)


def keep(measures: Iterable[Measure], file: Path) -> None:
    """Write the raw figures and a description of the machine."""
    file.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "system": platform.platform()}
    figures = {"machine": machine, "measures": [measure.as_dict() for measure in measures]}
    file.write_text(json.dumps(figures, indent=1) + "\n")


def ratios_of(file: Path) -> dict[str, float]:
    """The ratios of an earlier run, by measure name."""
    figures: dict[str, Any] = json.loads(file.read_text())
    return {measure["name"]: measure["ratio"] for measure in figures["measures"]}


def _spread(values: Sequence[float], unit: str = "") -> str:
    least, middle, most = (f"{value:.2f}" for value in (min(values), statistics.median(values), max(values)))
    end = f" {unit}" if unit else ""
    return f"{middle}{end}" if len(values) == 1 else f"{middle}{end} ({least} to {most})"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
