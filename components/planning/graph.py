"""The references among rendered objects, as a graph and as a picture: made from the objects, so never out of date.

An edge is a reference by name, or a selector that matches labels. An object that is referred to but not rendered (a
Gateway, an existing Secret) is an outside node.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..findings import escaped
from ..kubernetes.objects import Object, key
from ..kubernetes.references import Reference, labels, links, references, selector

_DOT_NEWLINE = "\\n"
_DOT = {'"': '\\"', "\\": "\\\\"}
_MERMAID = {char: f"#{ord(char)};" for char in '"#%&<>[]`\\'}
"""Characters with a meaning in a label, and their escapes."""


Selectable = defaultdict[tuple[str, str, str, str], list[tuple[Reference, Mapping[str, Any]]]]
"""Objects with labels, by the kind that is selected, namespace and label."""


class Edge(NamedTuple):
    source: Reference
    target: Reference
    label: str


@dataclass(frozen=True)
class Graph:
    """Objects and what they refer to, sorted; ``outside`` are the nodes that are not among the objects."""

    nodes: tuple[Reference, ...]
    edges: tuple[Edge, ...]
    outside: frozenset[Reference]


def graph(objects: Sequence[Object]) -> Graph:
    """The graph of rendered objects."""
    rendered = [_node(obj) for obj in objects]
    selectable: Selectable = defaultdict(list)
    for node, obj in zip(rendered, objects, strict=True):
        for kind, values in labels(obj):
            for name, value in values.items():
                selectable[kind, node.namespace, name, str(value)].append((node, values))
    edges = {edge for node, obj in zip(rendered, objects, strict=True) for edge in _edges(node, obj, selectable)}
    nodes = {*rendered, *(edge.target for edge in edges)}
    return Graph(tuple(sorted(nodes)), tuple(sorted(edges)), frozenset(nodes - set(rendered)))


def _node(obj: Object) -> Reference:
    identity = key(obj)
    return Reference(identity.kind, identity.namespace, identity.name)


def _edges(source: Reference, obj: Object, selectable: Selectable) -> Iterator[Edge]:
    """One edge to each other object, with the most specific label: by name, by labels, or because pods need it."""
    says = dict.fromkeys(references(obj), "uses")
    kind, wanted = selector(obj)
    places = [(kind, source.namespace, name, str(value)) for name, value in wanted.items()]
    for node, labelled in min((selectable.get(place, []) for place in places), key=len, default=[]):
        if wanted.items() <= labelled.items():
            says[node] = "selects"
    says |= dict(links(obj))
    return (Edge(source, target, label) for target, label in says.items())


def mermaid(drawn: Graph) -> str:
    """The graph as a Mermaid flowchart; outside nodes are dashed."""
    ids = {node: f"n{index}" for index, node in enumerate(drawn.nodes)}
    lines = ["flowchart LR"]
    lines += [f'  {ids[node]}["{_text(node, drawn, "<br>", _MERMAID)}"]' for node in drawn.nodes]
    lines += [f"  {ids[edge.source]} -->|{edge.label}| {ids[edge.target]}" for edge in drawn.edges]
    if drawn.outside:
        outside = ",".join(ids[node] for node in drawn.nodes if node in drawn.outside)
        lines += ["  classDef outside stroke-dasharray: 4", f"  class {outside} outside"]
    return "\n".join(lines) + "\n"


def dot(drawn: Graph) -> str:
    """The graph in Graphviz' language; outside nodes are dashed."""
    ids = {node: f"n{index}" for index, node in enumerate(drawn.nodes)}
    lines = ["digraph services {", "  rankdir=LR", "  node [shape=box]"]
    for node in drawn.nodes:
        style = ", style=dashed" if node in drawn.outside else ""
        lines.append(f'  {ids[node]} [label="{_text(node, drawn, _DOT_NEWLINE, _DOT)}"{style}]')
    lines += [f'  {ids[edge.source]} -> {ids[edge.target]} [label="{edge.label}"]' for edge in drawn.edges]
    return "\n".join([*lines, "}"]) + "\n"


FORMATS: Mapping[str, Callable[[Graph], str]] = {"mermaid": mermaid, "dot": dot}


def _text(node: Reference, drawn: Graph, newline: str, escapes: Mapping[str, str]) -> str:
    """The label of a node: kind and name, and the namespace unless all objects share it. It is escaped for the
    picture's language and for HTML."""
    home = {other.namespace for other in drawn.nodes if other not in drawn.outside} - {""}
    elsewhere = node.namespace and home != {node.namespace}
    parts = [node.kind, node.name, *([node.namespace] if elsewhere else [])]
    return newline.join("".join(escapes.get(char, char) for char in escaped(part)) for part in parts)
