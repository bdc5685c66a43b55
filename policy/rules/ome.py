"""The rules on OME's labels and annotations: those of `validate`, applied to everything that is registered.

A manifest was checked when it was read. Here its children are checked: pod labels and component annotations may be
wrong as well, and programs may register objects that never were a manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from modelservices.findings import Problem, Severity
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Name
from modelservices.ome_keys.validation import Profile, check_metadata

from ..rule import ObjectRule, Parameters

_OF_MANIFESTS = frozenset(["wrong-kind", "deprecated", "no-effect", "controller-owned"])
"""Problems that only manifests can have. Their children have the key because it was copied."""


class OMEKeys(Parameters):
    profile: Profile = "document"
    """Same as settings.ome.profile: `upstream` also checks the keys that OME's controllers read."""
    customKeys: list[Name] = []
    """Same as the keys of settings.ome.customKeys: a team's keys in OME's domains."""


def check(obj: Object, parameters: OMEKeys) -> Iterator[Problem]:
    """All findings about an object and its pods. A finding about both is reported once."""
    said = set()
    for path, subject in _subjects(obj):
        for problem in check_metadata(subject, parameters.profile, parameters.customKeys):
            finding = (problem.key, problem.code, problem.message)
            if problem.code not in _OF_MANIFESTS and finding not in said:
                said.add(finding)
                yield Problem(path + problem.path, problem.message, problem.severity, problem.code, problem.key)


def _subjects(obj: Object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "", obj
    for pod in pods(obj):
        if pod.template is not None and pod.template is not obj:
            template = pod.path.removesuffix("spec")
            yield template, {"apiVersion": "v1", "kind": "Pod", "metadata": pod.metadata}


def _only(severity: Severity) -> Callable[[Object, OMEKeys], Iterator[Problem]]:
    def chosen(obj: Object, parameters: OMEKeys) -> Iterator[Problem]:
        yield from (problem for problem in check(obj, parameters) if problem.severity == severity)

    return chosen


OME_KEYS = ObjectRule(
    "ome-keys", "Labels and annotations of OME have values that fit.", "mandatory", OMEKeys, _only("error")
)
OME_KEYS_ADVICE = ObjectRule(
    "ome-keys-advice", "Labels and annotations of OME are known and complete.", "advisory", OMEKeys, _only("warning")
)
