"""``dashboard``: a Grafana dashboard and Prometheus rules for the services of a stack."""

import argparse
import json
import sys
from pathlib import Path

from ..kubernetes.yaml_text import document
from ..planning.dashboard import Watched, dashboard, rules, rules_object, watched
from .sources import add_paths, objects_of, plan_of, writing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--rules", action="store_true", help="print Prometheus rules instead of the dashboard")
    parser.add_argument(
        "--output", metavar="DIR", help="write dashboard.json, rules.yaml and prometheusrule.yaml there instead"
    )


def run(arguments: argparse.Namespace) -> int:
    plan = plan_of(arguments).raise_for_errors()
    workloads = watched(objects_of(plan, arguments))
    title = f"Model services {arguments.stack}" if arguments.stack else "Model services"
    if arguments.output:
        return _write(Path(arguments.output), title, workloads)
    sys.stdout.write(document(rules(workloads)) if arguments.rules else _json(title, workloads))
    return 0


def _json(title: str, workloads: list[Watched]) -> str:
    return json.dumps(dashboard(title, workloads), indent=2) + "\n"


def _write(folder: Path, title: str, workloads: list[Watched]) -> int:
    name = title.lower().replace(" ", "-")
    namespace = workloads[0].namespace if workloads else "default"
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "dashboard.json").write_text(_json(title, workloads))
        (folder / "rules.yaml").write_text(document(rules(workloads)))
        (folder / "prometheusrule.yaml").write_text(document(rules_object(name, namespace, workloads)))
    print(f"{len(workloads)} workloads in {folder}: dashboard.json, rules.yaml, prometheusrule.yaml", file=sys.stderr)
    return 0
