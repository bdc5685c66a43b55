"""``validate``: every finding about some manifests."""

from __future__ import annotations

import argparse
import json
from typing import get_args

from ..findings import Finding, errors
from ..manifests.documents import load
from ..ome_keys.validation import Profile
from ..planning.changes import change_findings
from .sources import add_paths, plan_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument(
        "--profile", choices=get_args(Profile), help="how OME keys are judged, settings.ome.profile else"
    )
    parser.add_argument("--before", nargs="+", metavar="PATH", help="an earlier version, to check what may not change")
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    findings = [*plan_of(arguments, arguments.profile).findings, *_changes(arguments)]
    if arguments.format == "json":
        # "##[" in a line of a CI log would be a command of the runner; as JSON the two spellings are the same text.
        print(json.dumps([finding.as_dict() for finding in findings], indent=2).replace("##", "#\\u0023"))
    else:
        for finding in findings:
            print(finding.line())
    return 1 if errors(findings) else 0


def _changes(arguments: argparse.Namespace) -> list[Finding]:
    if not arguments.before:
        return []
    before, findings = load(arguments.before)
    after, _ = load(arguments.paths)
    return [*findings, *change_findings(before, after, arguments.namespace)]
