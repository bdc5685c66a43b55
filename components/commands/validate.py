"""``validate``: every finding about some manifests."""

from __future__ import annotations

import argparse
import json

from ..findings import errors
from .sources import add_paths, plan_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    findings = plan_of(arguments).findings
    if arguments.format == "json":
        print(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        for finding in findings:
            print(finding.line())
    return 1 if errors(findings) else 0
