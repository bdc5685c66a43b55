"""Values in documents that mean something to Pulumi: the engine's are errors. Annotations for its provider are left
out, because dumps of what Pulumi made have them."""

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..families.registry import family_of
from ..findings import MOST_OF_ONE, Finding, Problem
from ..kubernetes.engine_values import engine_problems, without_provider_keys
from .documents import Document

_WAIT = re.compile(r"pulumi\.com/(?:skipAwait|timeoutSeconds|waitFor)", re.IGNORECASE)
"""Annotations that say how long an update waits."""


def without_engine_values(
    documents: Iterable[Document], allowed: Container[str]
) -> tuple[list[Document], list[Finding]]:
    """The documents without left-out annotations, and a finding for each value that was refused or left out."""
    kept: list[Document] = []
    findings: list[Finding] = []
    for document in documents:
        data, left_out = without_provider_keys(document.data, allowed)
        problems = [*engine_problems(data), *(_left_out(path, data) for path in left_out[:MOST_OF_ONE])]
        findings += [Finding.of(problem, document.file, document.object, document.line) for problem in problems]
        kept.append(replace(document, data=data) if left_out else document)
    return kept, findings


def _left_out(path: str, data: Mapping[str, Any]) -> Problem:
    family = family_of(str(data.get("apiVersion")))
    setting = f"settings.{family.settings}.startup" if family and _WAIT.search(path) else ""
    wait = f"{setting} says how long an update waits; " if setting else ""
    message = (
        "steers Pulumi's provider (how long it waits, what it replaces, what it leaves running) and is left out; "
        f"{wait}where the platform wants the annotation, settings.pulumiAnnotations lists it"
    )
    return Problem(path, message, "info", "pulumi-annotation")
