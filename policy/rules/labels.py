"""Labels that everything should have, so that people and tools know what belongs together."""

from __future__ import annotations

from collections.abc import Iterator

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Name
from modelservices.kubernetes.values import mapping
from modelservices.ome_keys.validation import STANDARD

from ..rule import ObjectRule, Parameters


class RequiredLabels(Parameters):
    labels: list[Name] = [*STANDARD]
    """Labels that objects must have, OME's standard labels by default; one of `a|b` is enough."""
    kinds: list[Name] = []
    """Kinds that must have them; by default every kind that runs pods."""


def check(obj: Object, parameters: RequiredLabels) -> Iterator[Problem]:
    wanted = obj["kind"] in parameters.kinds if parameters.kinds else any(pods(obj))
    labels = mapping(obj["metadata"].get("labels"))
    missing = [label for label in parameters.labels if not any(labels.get(key) for key in label.split("|"))]
    if wanted and missing:
        what = "the label" if len(missing) == 1 else "the labels"
        names = ", ".join(label.replace("|", " or ") for label in missing)
        yield Problem("metadata.labels", f"lacks {what} {names}: {_advice(missing)}")


def _advice(missing: list[str]) -> str:
    if set(missing) <= set(STANDARD):
        return "set them in the manifest, or settings.ome.standardLabels to true"
    return "set them in the manifest"


REQUIRED_LABELS = ObjectRule(
    "required-labels", "Workloads have the standard labels.", "advisory", RequiredLabels, check
)
