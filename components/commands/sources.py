"""The arguments that several commands share: where the manifests and the settings come from."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..findings import Finding, InvalidManifests, errors
from ..kubernetes.model import read
from ..manifests import load
from ..planning import StackPlan, plan_paths
from ..settings import Settings
from ..stack_config import config_file, plan_stack, read_config

DEFAULT_STACK = "dev"


def add_paths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file or folder of manifests")
    parser.add_argument("--settings", metavar="FILE", help="platform settings (YAML), as under modelservices:settings")
    parser.add_argument("--stack", metavar="NAME", help="take manifests and settings from Pulumi.NAME.yaml instead")
    parser.add_argument("--namespace", default="default", help="namespace of manifests that name none")


def plan_of(arguments: argparse.Namespace) -> StackPlan:
    """The plan of what the arguments name. Raises InvalidManifests for unusable settings; findings are in the plan."""
    if arguments.stack:
        if arguments.paths or arguments.settings:
            raise _misuse("give either --stack, or PATH and --settings")
        return plan_named_stack(arguments.stack)
    if not arguments.paths:
        raise _misuse("give a PATH of manifests, or --stack NAME")
    return plan_paths(arguments.paths, settings_file(arguments.settings), namespace=arguments.namespace)


def plan_named_stack(stack: str) -> StackPlan:
    values, namespace = config_file(stack, Path.cwd())
    return plan_stack(read_config(values, f"Pulumi.{stack}.yaml"), stack, Path.cwd(), namespace)


def settings_file(path: str | None) -> Settings:
    if path is None:
        return Settings()
    documents, findings = load([path])
    if errors(findings):
        raise InvalidManifests(findings)
    data: dict[str, Any] = documents[0].data if documents else {}
    settings, problems = read(Settings, data)
    if settings is None:
        raise InvalidManifests(Finding.of(problem, path, "settings") for problem in problems)
    return settings


def _misuse(message: str) -> InvalidManifests:
    return InvalidManifests([Finding("", "", "", message, code="usage")])
