"""Texts that the rules read but only the engine will know: the namespace of a component, the source of a model.

The component is rendered with an example of the same form, which determines its objects. Leaves that differ between
two examples depend on the value. They become Outputs, taken from rendering the real value once it is known. All rules
apply to the real value as well, and a value that leads to other objects stops the update.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import pulumi

from ..kubernetes.model import model_in, plain
from ..kubernetes.objects import Object, key
from ..kubernetes.rendered import Certificate, RenderedComponent
from ..kubernetes.scalars import Later, Opaque
from .registered import Leaf, Registered, identity_of

Place = tuple[str | int, ...]
Render = Callable[[Mapping[str, Any]], RenderedComponent]
_PREFIX = "known-later-"


class LaterText(NamedTuple):
    """An Output at a place in the arguments where the rules read a text."""

    place: Place
    marker: Later
    output: pulumi.Output[Any]


def later_texts(annotation: Any, value: Any, place: Place = ()) -> Iterator[LaterText]:
    """Every Output in a component's arguments that is first rendered with an example."""
    if isinstance(value, Opaque):
        metadata = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
        for marker in metadata:
            if isinstance(marker, Later):
                output = value.value
                known = output if isinstance(output, pulumi.Output) else pulumi.Output.from_input(output)
                yield LaterText(place, marker, known)
    elif isinstance(value, Mapping):
        model = model_in(annotation)
        hints = get_type_hints(model, include_extras=True) if model else {}
        for name, item in value.items():
            yield from later_texts(hints.get(name, Any), item, (*place, name))
    elif isinstance(value, list):
        inner = (*get_args(plain(annotation)), Any)[0]
        for index, item in enumerate(value):
            yield from later_texts(inner, item, (*place, index))


def is_known_later(namespace: str, registered: Registered) -> bool:
    """Whether a namespace is the example of one that is not known yet, where nothing can be looked up.

    A real namespace with such a name is treated like any other.
    """
    return namespace in registered.example_namespaces


def render_later(
    name: str, args: Mapping[str, Any], texts: Sequence[LaterText], render: Render, registered: Registered
) -> RenderedComponent:
    """The service with examples for values that are not known yet; ``registered`` learns which leaves are known later.

    Raises RunError if the value would decide which objects are rendered.
    """
    names = [registered.example(text.output, name) for text in texts]
    registered.example_namespaces |= {text for _, text in _examples(texts, names, "")}
    example, other = (render(_filled(args, _examples(texts, names, end))) for end in ("", "-2"))
    places = ", ".join(".".join(map(str, text.place)) for text in texts)
    leaves = _changing(example, other, f"{example.component} {name}: {places}")

    def known(values: list[str]) -> RenderedComponent:
        made = render(_filled(args, list(zip([text.place for text in texts], values, strict=True))))
        _changing(example, made, f"{example.component} {name}: {places}")
        return made

    service = pulumi.Output.all(*[text.output for text in texts]).apply(known)
    for address, places_ in leaves.items():
        obj = _addressed(example)[address]
        registered.later[key(obj)] = [Leaf(place, _leaf(service, address, place)) for place in places_]
    for part_path, part in _services(example):
        registered.known[identity_of(part)] = service.apply(lambda made, path=part_path: _part(made, path))
    return example


def _examples(texts: Sequence[LaterText], names: Sequence[str], end: str) -> list[tuple[Place, str]]:
    named = zip(texts, names, strict=True)
    return [(text.place, text.marker.example.format(f"{_PREFIX}{name}{end}")) for text, name in named]


def with_leaves(obj: Object, leaves: Sequence[Leaf]) -> Object:
    """The object with Outputs at the places that are known later."""
    return _filled(obj, [(leaf.place, Opaque(leaf.output)) for leaf in leaves])


def _leaf(service: pulumi.Output[RenderedComponent], address: Place, place: Place) -> pulumi.Output[Any]:
    return service.apply(lambda made: _at(_addressed(made)[address], place))


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def _filled(value: Any, texts: Sequence[tuple[Place, Any]]) -> Any:
    here = [text for place, text in texts if not place]
    if here:
        return here[0]
    if not texts:
        return value
    below: dict[str | int, list[tuple[Place, Any]]] = {}
    for place, text in texts:
        below.setdefault(place[0], []).append((place[1:], text))
    if isinstance(value, Mapping):
        return {name: _filled(item, below.get(name, ())) for name, item in value.items()}
    return [_filled(item, below.get(index, ())) for index, item in enumerate(value)]


def _changing(example: RenderedComponent, other: RenderedComponent, where: str) -> dict[Place, list[Place]]:
    """The differing places of each object. Raises RunError if more than leaves differ."""
    one, two = _addressed(example), _addressed(other)
    try:
        if one.keys() != two.keys() or _certificates(example) != _certificates(other):
            raise ValueError
        return {address: list(_differences(obj, two[address])) for address, obj in one.items()}
    except ValueError:
        raise pulumi.RunError(
            f"{where}: its value decides which objects are rendered, so it must be a plain value"
        ) from None


def _differences(one: Any, two: Any, place: Place = ()) -> Iterator[Place]:
    if isinstance(one, Mapping) and isinstance(two, Mapping) and one.keys() == two.keys():
        for name in one:
            yield from _differences(one[name], two[name], (*place, name))
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for index, pair in enumerate(zip(one, two, strict=True)):
            yield from _differences(*pair, (*place, index))
    elif isinstance(one, Mapping | list) or isinstance(two, Mapping | list):
        raise ValueError
    elif one != two:
        yield place


def _addressed(rendered: RenderedComponent) -> dict[Place, Object]:
    addressed: dict[Place, Object] = {(record.lifetime, record.role): record.body for record in rendered.records}
    for role, part in rendered.parts.items():
        addressed |= {("parts", role, *address): obj for address, obj in _addressed(part).items()}
    return addressed


def _certificates(rendered: RenderedComponent) -> list[Certificate | None]:
    return [record.certificate for record in rendered.records]


def _services(
    rendered: RenderedComponent, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], RenderedComponent]]:
    yield path, rendered
    for role, part in rendered.parts.items():
        yield from _services(part, (*path, role))


def _part(rendered: RenderedComponent, path: tuple[str, ...]) -> RenderedComponent:
    for role in path:
        rendered = rendered.parts[role]
    return rendered
