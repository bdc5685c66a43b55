"""Propagates labels and annotations to objects: layers are merged in order, and later ones win key by key.

A family states its table as a list of :class:`Layer`; nothing else in the package merges labels or annotations.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..findings import Problem


class Layer(NamedTuple):
    """Keys from one place in the user's document, or ``owned`` keys that the rules set, and their targets.

    ``source`` is the field path (``metadata.labels``, ``spec.prefill.labels``) or names what set the keys. ``prefixes``
    is an allow-list: a key passes if it starts with one of them; None lets every key pass. No other layer that reaches
    the same target may change ``owned`` keys.
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
    """Where the labels and annotations of one rendered object come from, for explanations.

    ``object`` is the target for the object's metadata. ``templates`` maps the path of each pod template
    (``spec.template``) to its target.
    """

    labels: tuple[Layer, ...]
    annotations: tuple[Layer, ...]
    object: str
    templates: Mapping[str, str] = {}

    def places(self) -> dict[str, str]:
        """Targets by place: ``""`` for the object itself, then the paths of its templates."""
        return {"": self.object, **self.templates}


class Origin(NamedTuple):
    """Where a key's value comes from, and whether it wins."""

    source: str
    value: Any
    wins: bool


def propagate(layers: Iterable[Layer], target: str) -> dict[str, Any]:
    """The labels (or annotations) of a target, from every layer that reaches it; later layers win."""
    result: dict[str, Any] = {}
    for layer in layers:
        result.update(layer.passing(target))
    return result


def origins(layers: Iterable[Layer], target: str, key: str) -> list[Origin]:
    """Each layer that sets the key for the target, in order; the last one wins."""
    values = [(layer.source, layer.passing(target)[key]) for layer in layers if key in layer.passing(target)]
    return [Origin(source, value, index == len(values) - 1) for index, (source, value) in enumerate(values)]


def withheld(layers: Iterable[Layer], target: str, key: str) -> list[str]:
    """Sources that set the key for the target, but whose ``prefixes`` don't let it pass."""
    return [
        layer.source
        for layer in layers
        if target in layer.targets and key in layer.values and key not in layer.passing(target)
    ]


def collisions(layers: Sequence[Layer], target: str, reserved: Collection[str] = ()) -> list[Problem]:
    """An error for each key of a user's layer that an owned layer sets to another value, on which selectors rely.

    ``reserved`` keys are owned at other targets. They may not be set here, because selectors would then match these
    pods.
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
