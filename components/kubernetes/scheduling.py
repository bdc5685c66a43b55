"""Where pods may run: what the API server refuses in tolerations."""

from collections.abc import Iterator, Sequence

from ..findings import Problem
from .core import Toleration
from .metadata import is_label_key, is_label_value
from .scalars import describe


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
