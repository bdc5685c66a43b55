"""Shared by the commands that look at a running stack: its name, its cluster, and tables on a terminal."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..cluster.connection import Cluster, ClusterError
from ..findings import Finding, InvalidManifests, escaped
from ..stack_config import cluster_config


def add_stack(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stack", default="dev", metavar="NAME", help="the stack (default: %(default)s)")


@contextmanager
def cluster_of(stack: str) -> Iterator[Cluster]:
    """The live cluster of a stack. If it refuses or does not answer, the command ends with a finding."""
    try:
        yield Cluster.connect(*cluster_config(stack, Path.cwd()))
    except ClusterError as error:
        raise InvalidManifests([Finding("", "", "", f"can't read the cluster: {error}", code="unreachable")]) from None


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as columns with two spaces between them. Each cell is escaped."""
    rows = [[escaped(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
