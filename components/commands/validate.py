"""``validate``: every finding about some manifests."""

import argparse
import sys
from typing import get_args

from ..findings import Finding, errors
from ..manifests.documents import load
from ..manifests.reports import FORMATS, report
from ..ome_keys.validation import Profile
from ..planning.identity import change_findings
from .sources import add_paths, plan_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument(
        "--profile", choices=get_args(Profile), help="how OME keys are judged, settings.ome.profile else"
    )
    parser.add_argument("--before", nargs="+", metavar="PATH", help="an earlier version, to check what may not change")
    parser.add_argument("--format", choices=list(FORMATS), default="text")


def run(arguments: argparse.Namespace) -> int:
    findings = [*plan_of(arguments, arguments.profile).findings, *_changes(arguments)]
    sys.stdout.write(report(findings, arguments.format))
    return 1 if errors(findings) else 0


def _changes(arguments: argparse.Namespace) -> list[Finding]:
    if not arguments.before:
        return []
    before, findings = load(arguments.before)
    after, _ = load(arguments.paths)
    return [*findings, *change_findings(before, after, arguments.namespace)]
