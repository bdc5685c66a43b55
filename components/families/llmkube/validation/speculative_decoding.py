"""What is wrong with `speculativeDecoding` of an InferenceService."""

from __future__ import annotations

from collections.abc import Iterator

from ....findings import Problem
from ..spec import InferenceServiceSpec
from ..speculative_decoding import DRAFT_TYPES, speculative_type, takes_draft


def speculative_problems(spec: InferenceServiceSpec) -> Iterator[Problem]:
    speculative, path = spec.speculativeDecoding, "spec.speculativeDecoding"
    if speculative is None:
        return
    given = [name for name in ("draftModel", "draftModelRef") if getattr(speculative, name)]
    kind = speculative_type(speculative.type)
    if len(given) == 2:
        yield Problem(f"{path}.draftModelRef", "names a Model, and draftModel a file: remove one of them")
    if kind in DRAFT_TYPES and not given:
        message = f"is required for type {speculative.type}, or draftModel with a file of the Model's files"
        yield Problem(f"{path}.draftModelRef", message, code="required")
    if given and not takes_draft(kind):
        yield Problem(f"{path}.{given[0]}", f"has no meaning for type {speculative.type}, which needs no draft model")
