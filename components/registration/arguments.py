"""A component's arguments as manifests: the Python API goes through the same rules as the YAML files.

Pulumi infers the schema for other languages from the annotations of argument classes, so those are real types here and
not the texts that ``from __future__ import annotations`` would make of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pulumi

from ..findings import Finding, InvalidManifests, errors
from ..kubernetes.model import read
from ..kubernetes.objects import Rendered
from ..manifests.documents import Document
from ..planning.plan import make_plan
from ..planning.settings import Settings
from .outputs import hide_outputs


class ServiceArgs(TypedDict):
    """What the arguments of all components have in common."""

    name: NotRequired[str]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[str]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[dict[str, pulumi.Input[str]]]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[dict[str, pulumi.Input[str]]]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[list[dict[str, pulumi.Input[Any]]]]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[dict[str, Any]]
    """Platform settings, as in the stack's config."""


class InvalidArguments(pulumi.RunError):
    """The arguments of a component can't be used. ``findings`` has every problem; nothing of it was registered."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in errors(findings)))


def manifest(api_version: str, kind: str, name: pulumi.Input[str], args: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest from a component's arguments ``name``, ``namespace``, ``labels``, ``annotations`` and ``spec``."""
    metadata = {
        "name": args.get("name", name),
        "namespace": args.get("namespace"),
        "labels": args.get("labels"),
        "annotations": args.get("annotations"),
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": args.get("spec")}


def read_settings(where: str, settings: Mapping[str, Any] | None) -> Settings:
    """The settings of a component's arguments. Raises InvalidArguments with every problem."""
    model, problems = read(Settings, hide_outputs(settings or {}))
    if model is None:
        raise InvalidArguments([Finding.of(problem, where, "settings") for problem in problems])
    return model


def render_arguments(
    component: str, name: str, manifests: Sequence[Mapping[str, Any]], settings: Mapping[str, Any] | None
) -> Rendered:
    """The service of the first manifest; the others are what it refers to.

    Raises InvalidArguments with every problem.
    """
    where = f"{component} {name}"
    model = read_settings(where, settings)
    documents = [Document(where, index, 0, hide_outputs(data)) for index, data in enumerate(manifests, start=1)]
    try:
        plan = make_plan(documents, model).raise_for_errors()
    except InvalidManifests as error:
        raise InvalidArguments(error.findings) from None
    for finding in plan.findings:
        pulumi.log.warn(str(finding))
    own = documents[0].data
    identity = (own["kind"], own["metadata"].get("namespace") or "default", own["metadata"]["name"])
    return next(s for s in plan.services if (s.kind, s.namespace, s.name) == identity)
