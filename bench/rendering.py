"""Rendering without an engine: against `helm template`, and how it grows; import time beside Pulumi's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Command, pair, several
from bench.services import write_manifests, write_values
from tools import toolchain

REPOSITORY = Path(__file__).parent.parent
CHART = REPOSITORY / "bench" / "chart"


def against_helm(count: int, runs: int, scratch: Path) -> Iterator[list[str]]:
    """One process each, start-up included, the same services."""
    values = scratch / "values.yaml"
    write_values(count, values)
    helm = str(toolchain.ensure("helm")["helm"])
    words = [helm, "template", "bench", str(CHART), "--values", str(values)]
    our, their, ratio = pair(_render(count, scratch), Command(words, REPOSITORY, os.environ), runs)
    faster = 1 / ratio
    yield [
        f"render {count} services against `helm template`",
        f"{our.seconds:.2f} s",
        f"{their.seconds:.2f} s",
        f"{faster:.1f} times faster",
    ]


def growth(small: int, large: int, runs: int, scratch: Path) -> Iterator[list[str]]:
    """Seconds a service beyond start-up (the time for one service), at both sizes."""
    start = several(_render(1, scratch), runs).seconds
    figures = {count: several(_render(count, scratch), runs) for count in (small, large)}
    each = {count: (figure.seconds - start) / (count - 1) for count, figure in figures.items()}
    change = each[large] / each[small]
    yield [
        f"time a service, {large} against {small} services",
        f"{each[large] * 1e3:.2f} ms",
        f"{each[small] * 1e3:.2f} ms",
        f"{change:.2f}",
    ]
    yield [
        f"peak memory, {large} against {small} services",
        f"{figures[large].memory:.0f} MiB",
        f"{figures[small].memory:.0f} MiB",
        f"{figures[large].memory / figures[small].memory:.2f}",
    ]


def imports(runs: int) -> Iterator[list[str]]:
    """What the package costs a program that imports Pulumi anyway."""
    names = "Finding, InferenceServiceComponent, InvalidManifests, Settings, run"
    ours = _python(f"import pulumi; from components import {names}")
    our, their, ratio = pair(ours, _python("import pulumi"), runs)
    beyond = our.seconds - their.seconds
    yield [
        f"import of the package beyond `pulumi`: {beyond:.2f} s",
        f"{our.seconds:.2f} s",
        f"{their.seconds:.2f} s",
        f"{ratio:.2f}",
    ]


def _render(count: int, scratch: Path) -> Command:
    folder = scratch / f"render-{count}"
    if not folder.exists():
        write_manifests(count, folder)
    return Command([sys.executable, "-m", "components", "render", str(folder)], REPOSITORY, os.environ)


def _python(code: str) -> Command:
    return Command([sys.executable, "-c", code], REPOSITORY, os.environ)
