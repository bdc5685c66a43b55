"""What a document has that means something to Pulumi: the engine's values are errors, annotations for its provider are
left out, as dumps of what Pulumi made have them."""

from collections.abc import Container, Iterable
from dataclasses import replace

from ..findings import MOST_OF_ONE, Finding, Problem
from ..kubernetes.engine_values import engine_problems, without_provider_keys
from .documents import Document


def without_engine_values(
    documents: Iterable[Document], allowed: Container[str]
) -> tuple[list[Document], list[Finding]]:
    """The documents as they may be read, and a finding for each value that was refused or left out."""
    kept: list[Document] = []
    findings: list[Finding] = []
    for document in documents:
        data, left_out = without_provider_keys(document.data, allowed)
        problems = [*engine_problems(data), *map(_left_out, left_out[:MOST_OF_ONE])]
        findings += [Finding.of(problem, document.file, document.object, document.line) for problem in problems]
        kept.append(replace(document, data=data) if left_out else document)
    return kept, findings


def _left_out(path: str) -> Problem:
    message = (
        "steers Pulumi's provider (how long it waits, what it replaces, what it leaves running) and is left out; where "
        "the platform wants it, settings.pulumiAnnotations lists it"
    )
    return Problem(path, message, "info", "pulumi-annotation")
