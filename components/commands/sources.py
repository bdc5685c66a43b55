"""Shared by several commands: where manifests and settings come from, and where files are written."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..findings import Finding, InvalidManifests
from ..kubernetes.engine_values import engine_problems
from ..kubernetes.model import defaults, read
from ..kubernetes.objects import Object
from ..kubernetes.secret_manifest import not_in_settings
from ..manifests.documents import load, only_mapping, parse
from ..manifests.files import text_of
from ..planning.plan import StackPlan, plan_paths
from ..planning.settings import Settings

if TYPE_CHECKING:
    from ..ome_keys.validation import Profile


def add_paths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="file or folder of manifests")
    parser.add_argument("--settings", metavar="FILE", help="platform settings (YAML), as under modelservices:settings")
    parser.add_argument("--stack", metavar="NAME", help="take manifests and settings from Pulumi.NAME.yaml instead")
    parser.add_argument("--namespace", default="default", help="namespace of manifests that name none")


def plan_of(arguments: argparse.Namespace, profile: "Profile | None" = None) -> StackPlan:
    """The plan of what the arguments name; ``profile`` replaces ``settings.ome.profile``.

    Raises InvalidManifests for unusable settings; findings are in the plan.
    """
    if arguments.stack:
        if arguments.paths or arguments.settings:
            raise _misuse("give either --stack, or PATH and --settings")
        return plan_named_stack(arguments.stack, profile)
    if not arguments.paths:
        raise _misuse("give a PATH of manifests, or --stack NAME")
    settings = _with_profile(settings_file(arguments.settings), profile)
    return plan_paths(arguments.paths, settings, namespace=arguments.namespace)


def objects_of(plan: StackPlan, arguments: argparse.Namespace) -> list[Object]:
    """The rendered objects; for a stack, including what an operator's chart would have installed."""
    return plan.writable(chart=bool(arguments.stack))


def plan_named_stack(stack: str, profile: "Profile | None" = None) -> StackPlan:
    # Imported when first needed: a config has models that manifests alone don't need.
    from ..stack_config import config_file, plan_stack, program_folder, read_config

    values, namespace = config_file(stack, Path.cwd())
    config = read_config(values, f"Pulumi.{stack}.yaml")
    config = config.model_copy(update={"settings": _with_profile(config.settings, profile)})
    return plan_stack(config, stack, program_folder(Path.cwd()), namespace)


def _with_profile(settings: Settings, profile: "Profile | None") -> Settings:
    if profile is None:
        return settings
    return settings.model_copy(update={"ome": settings.ome.model_copy(update={"profile": profile})})


def settings_file(path: str | None) -> Settings:
    if path is None:
        return defaults(Settings)
    documents, findings = load([path])
    data = only_mapping(path, documents, findings)
    settings, problems = read(Settings, data)
    problems += [*not_in_settings(data), *engine_problems(data)]
    if settings is None or problems:
        raise InvalidManifests(Finding.of(problem, path, "settings") for problem in problems)
    return settings


def project_name(folder: Path) -> str:
    """The name in a program's Pulumi.yaml, with which its stacks mark their objects."""
    file = folder / "Pulumi.yaml"
    text = text_of(file)
    documents, findings = ([], [text]) if isinstance(text, Finding) else parse(text, file.name)
    name = documents[0].data.get("name") if documents and not findings else None
    if not isinstance(name, str):
        raise InvalidManifests([Finding(file.name, "", "name", "is needed; run this in the program's folder")])
    return name


@contextmanager
def writing(place: str | Path) -> Iterator[None]:
    """End the command with a finding if something can't be written at a place."""
    try:
        yield
    except OSError as error:
        why = f"can't be written: {error.strerror.lower()}" if error.strerror else str(error)
        raise InvalidManifests([Finding(str(error.filename or place), "", "", why, code="unwritable")]) from None


def _misuse(message: str) -> InvalidManifests:
    return InvalidManifests([Finding("", "", "", message, code="usage")])
