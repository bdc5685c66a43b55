"""Where pods may run: what the API server refuses in tolerations and in how pods are spread."""

from collections.abc import Iterator, Sequence

from ..findings import Problem
from .api_fields import field_problems
from .core import Toleration
from .metadata import is_label_key, is_label_value
from .pod import TopologySpreadConstraint
from .scalars import describe
from .values import repeated


def toleration_problems(tolerations: Sequence[Toleration], path: str) -> Iterator[Problem]:
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        exists = toleration.operator == "Exists"
        if toleration.key and not is_label_key(toleration.key):
            yield Problem(f"{where}.key", f"must be name or example.com/name, got {describe(toleration.key)}")
        if not toleration.key and not exists:
            yield Problem(f"{where}.operator", "must be Exists where there is no key")
        if exists and toleration.value:
            yield Problem(f"{where}.value", "must be left out with operator Exists, which takes any value")
        elif toleration.value and not is_label_value(toleration.value):
            yield Problem(f"{where}.value", f"is not a taint's value, got {describe(toleration.value)}")
        if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
            yield Problem(
                f"{where}.effect", "must be NoExecute with tolerationSeconds, which sets when pods are evicted"
            )


def spread_problems(constraints: Sequence[TopologySpreadConstraint], path: str) -> Iterator[Problem]:
    for index, constraint in enumerate(constraints):
        where = f"{path}[{index}]"
        yield from field_problems(constraint.labelSelector, "LabelSelector", f"{where}.labelSelector")
        for field in ("maxSkew", "minDomains"):
            value = getattr(constraint, field)
            if value is not None and value < 1:
                yield Problem(f"{where}.{field}", f"must be 1 or more, got {value}", code="bad-value")
        if constraint.minDomains is not None and constraint.whenUnsatisfiable != "DoNotSchedule":
            yield Problem(f"{where}.minDomains", "needs whenUnsatisfiable: DoNotSchedule: set it, or remove this")
        if constraint.matchLabelKeys and constraint.labelSelector is None:
            yield Problem(f"{where}.matchLabelKeys", "needs a labelSelector beside it, which selects the pods to count")
    for index, (key, when), _ in repeated((c.topologyKey, c.whenUnsatisfiable) for c in constraints):
        yield Problem(f"{path}[{index}]", f"repeats {when} for {describe(key)}; keep one", code="duplicate")
