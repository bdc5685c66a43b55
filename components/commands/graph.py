"""``graph``: the references among the rendered objects, as a picture."""

import argparse
import sys

from ..planning.graph import FORMATS, graph
from .sources import add_paths, objects_of, plan_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--format", choices=FORMATS, default="mermaid", help="the picture's language (%(default)s)")


def run(arguments: argparse.Namespace) -> int:
    plan = plan_of(arguments).raise_for_errors()
    sys.stdout.write(FORMATS[arguments.format](graph(objects_of(plan, arguments))))
    return 0
