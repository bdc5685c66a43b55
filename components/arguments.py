"""A component's arguments as manifests: the Python API goes through the same rules as the YAML files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from .findings import Finding, InvalidManifests, errors
from .kubernetes.model import read
from .kubernetes.objects import Rendered
from .manifests import Document
from .outputs import hide_outputs
from .planning import make_plan
from .settings import Settings


class InvalidArguments(pulumi.RunError):
    """The arguments of a component can't be used. ``findings`` has every problem; nothing of it was registered."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in errors(findings)))


def manifest(api_version: str, kind: str, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest from a component's arguments ``name``, ``namespace``, ``labels``, ``annotations`` and ``spec``."""
    metadata = {
        "name": args.get("name", name),
        "namespace": args.get("namespace"),
        "labels": args.get("labels"),
        "annotations": args.get("annotations"),
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": args.get("spec")}


def render_arguments(
    component: str, name: str, manifests: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None
) -> Rendered:
    """The one service that the manifests describe. Raises InvalidArguments with every problem."""
    where = f"{component} {name}"
    model, problems = read(Settings, hide_outputs(settings or {}))
    if model is None:
        raise InvalidArguments([Finding.of(problem, where, "settings") for problem in problems])
    documents = [Document(where, index, 1, hide_outputs(data)) for index, data in enumerate(manifests, start=1)]
    try:
        plan = make_plan(documents, model).raise_for_errors()
    except InvalidManifests as error:
        raise InvalidArguments(error.findings) from None
    for finding in plan.findings:
        pulumi.log.warn(str(finding))
    return plan.services[0]
