"""Which label or annotation reaches which object, as one rule: layers in order, the later one wins key by key.

A family states its table as a list of :class:`Layer`; nothing else in the package merges labels or annotations.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..findings import Problem


class Layer(NamedTuple):
    """Keys from one place of the user's document (or ``owned`` ones that the rules make) and the targets they reach.

    ``source`` is the field path (``metadata.labels``, ``spec.prefill.labels``) or says who made them. ``prefixes`` is
    an allow-list: a key passes when it starts with one of them; None lets every key pass. ``owned`` keys may not be set
    by another layer that reaches the same target.
    """

    source: str
    values: Mapping[str, Any]
    targets: frozenset[str]
    prefixes: tuple[str, ...] | None = None
    owned: bool = False

    def passing(self, target: str) -> dict[str, Any]:
        if target not in self.targets:
            return {}
        if self.prefixes is None:
            return dict(self.values)
        return {key: value for key, value in self.values.items() if key.startswith(self.prefixes)}


class Propagation(NamedTuple):
    """Where the labels and annotations of one rendered object come from, to be explained.

    ``object`` is the target that stands for the object's metadata, ``templates`` the one of each pod template, by
    the path of the template in the object (``spec.template``).
    """

    labels: tuple[Layer, ...]
    annotations: tuple[Layer, ...]
    object: str
    templates: Mapping[str, str] = {}

    def places(self) -> dict[str, str]:
        """Each place with labels and annotations and its target: ``""`` for the object itself, then the templates."""
        return {"": self.object, **self.templates}


class Origin(NamedTuple):
    """Where a value of a key came from, and whether it is the one that stands."""

    source: str
    value: Any
    wins: bool


def propagate(layers: Iterable[Layer], target: str) -> dict[str, Any]:
    """The labels (or annotations) of a target: every layer that reaches it, the later one winning."""
    result: dict[str, Any] = {}
    for layer in layers:
        result.update(layer.passing(target))
    return result


def origins(layers: Iterable[Layer], target: str, key: str) -> list[Origin]:
    """Each layer that has the key for the target, in order; the last one wins."""
    values = [(layer.source, layer.passing(target)[key]) for layer in layers if key in layer.passing(target)]
    return [Origin(source, value, index == len(values) - 1) for index, (source, value) in enumerate(values)]


def withheld(layers: Iterable[Layer], target: str, key: str) -> list[str]:
    """The sources that set the key and would reach the target, were the key's prefix approved."""
    return [
        layer.source
        for layer in layers
        if target in layer.targets and key in layer.values and key not in layer.passing(target)
    ]


def collisions(layers: Sequence[Layer], target: str, reserved: Collection[str] = ()) -> list[Problem]:
    """An error for each key of a user's layer that an owned layer sets too: selectors rely on the owned value.

    ``reserved`` keys are owned at other targets: here they may not be set at all, or the pods would be taken for those.
    """
    owned = {key: value for layer in layers if layer.owned for key, value in layer.passing(target).items()}
    return [
        Problem(f'{layer.source}["{key}"]', _owned(key, owned), code="owned-key", key=key)
        for layer in layers
        if not layer.owned
        for key, value in layer.passing(target).items()
        if (key in owned and value != owned[key]) or (key in reserved and key not in owned)
    ]


def _owned(key: str, owned: Mapping[str, Any]) -> str:
    if key in owned:
        return f"is set to {owned[key]!r} by this program, and selectors rely on that value; remove it"
    return "is a label that selectors of this program use, so they would select these pods by mistake; remove it"
