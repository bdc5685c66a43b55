"""``render``: the objects that a stack, or some manifests, become."""

import argparse
import sys
from pathlib import Path

from ..kubernetes.objects import key
from ..manifests.reports import report
from ..planning.yaml_files import stream, write
from .sources import add_paths, objects_of, plan_of, writing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--output", metavar="DIR", help="write one file for each object instead")


def run(arguments: argparse.Namespace) -> int:
    plan = plan_of(arguments).raise_for_errors()
    sys.stderr.write(report(plan.findings))
    for secret in plan.secrets:
        print(f"left out: Secret {secret.namespace}/{secret.name} (its values are Pulumi secrets)", file=sys.stderr)
    for secret in plan.certificates():
        print(f"left out: {secret} (its certificate is made when it is registered)", file=sys.stderr)
    for installed in () if arguments.stack else map(key, plan.chart):
        print(f"left out: {installed} (the cluster needs it once: LLMKube's chart has it, or --stack)", file=sys.stderr)
    objects = objects_of(plan, arguments)
    if not arguments.output:
        sys.stdout.write(stream(objects))
        return 0
    with writing(arguments.output):
        changed = write(objects, Path(arguments.output))
    print(f"{len(objects)} objects in {arguments.output}, {len(changed)} files changed", file=sys.stderr)
    return 0
