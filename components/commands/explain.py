"""``explain``: where a label or annotation of the rendered objects comes from, and which values it replaced."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..findings import escaped
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.propagation import Origin, Propagation, origins, withheld
from ..kubernetes.scalars import describe
from ..kubernetes.values import mapping, value_at
from .sources import add_paths, objects_of, plan_of

RENDERED = "rendered"
"""The source of a value that is in no layer: a rule writes it into this object."""


@dataclass(frozen=True)
class Explanation:
    """One place that has the key, or would have it if its prefix were approved (then ``value`` is None).

    ``path`` is the place's path in the object; ``origins`` are the layers that set the key there, the last one winning.
    """

    object: Key
    path: str
    value: Any
    origins: tuple[Origin, ...] = ()
    withheld: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The source of the layer that set the value, or RENDERED."""
        return self.origins[-1].source if self.origins and self.origins[-1].value == self.value else RENDERED

    def line(self) -> str:
        if self.value is None:
            sources = " and ".join(self.withheld)
            return f"{self.object} {self.path}: not there: {sources} has it, but its prefix may not reach this place"
        lost = [origin for origin in self.origins if origin.value != self.value]
        over = "".join(f", over {describe(origin.value)} from {origin.source}" for origin in reversed(lost))
        return f"{self.object} {self.path}: {describe(self.value)} from {self.source}{over}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    parser.add_argument("--key", required=True, help="the label or annotation, such as prometheus.io/scrape")


def run(arguments: argparse.Namespace) -> int:
    plan = plan_of(arguments).raise_for_errors()
    layered = {record.key: record.layers for record in plan.records if record.layers}
    explained = list(explanations(objects_of(plan, arguments), layered, arguments.key))
    for explanation in explained:
        print(escaped(explanation.line()))
    if not explained:
        print(f"no rendered object has {arguments.key}", file=sys.stderr)
    return 0


def explanations(objects: Iterable[Object], layered: Mapping[Key, Propagation], name: str) -> Iterator[Explanation]:
    """Every place of the objects that has a label or annotation of this name, or from which it was withheld."""
    for obj in objects:
        propagation = layered.get(key(obj))
        targets = propagation.places() if propagation else {}
        for path, holder in {"": obj, **dict(pod_templates(obj))}.items():
            for field in ("labels", "annotations"):
                layers = getattr(propagation, field) if path in targets else ()
                place = ".".join(part for part in (path, "metadata", field) if part)
                # Objects that are passed through may have labels of any shape.
                value = mapping(value_at(holder, "metadata", field)).get(name)
                kept_back = withheld(layers, targets.get(path, ""), name)
                if value is not None:
                    yield Explanation(key(obj), place, value, tuple(origins(layers, targets.get(path, ""), name)))
                elif kept_back:
                    yield Explanation(key(obj), place, None, withheld=tuple(kept_back))
