"""The API families: which kinds each one takes, and how its manifests become rendered services.

A family is a folder and a row of ``registry.py``. Its ``render.py`` has ``KINDS`` (``(apiVersion, kind)`` to model) and
``render``, its ``settings.py`` its part of the settings. A family renders from its manifests alone; what lies
between services of different families is looked at afterwards, in ``components/linking``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..findings import Problem
    from ..kubernetes.model import Manifest
    from ..kubernetes.objects import Key
    from ..kubernetes.rendered import RenderedComponent, RenderedObject
    from ..kubernetes.source import Source


class Target(NamedTuple):
    """A service of another family, as one that sends it requests needs to know it.

    ``url`` is scheme, host and port, empty for a service without an address; ``model_name`` is the model's
    name in requests, ``tokenizer`` where its tokenizer is (a Hugging Face repository); ``objects`` must be ready before
    the first request.
    """

    url: str
    model_name: str
    tokenizer: str
    objects: tuple[Key, ...]


@dataclass
class Plan:
    """What a family makes of its manifests: services (a component each), single objects, and what is wrong where.

    ``problems`` are pairs with the source that they are about. ``pending`` are services that need another one, and
    ``existing`` objects that the settings say the cluster has.
    """

    services: list[RenderedComponent] = field(default_factory=list)
    objects: list[RenderedObject] = field(default_factory=list)
    problems: list[tuple[Source, Problem]] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    existing: list[Key] = field(default_factory=list)

    def add(self, other: Plan) -> None:
        """Take over everything of another plan."""
        self.services += other.services
        self.objects += other.objects
        self.problems += other.problems
        self.pending += other.pending
        self.existing += other.existing

    def records(self) -> Iterator[RenderedObject]:
        """Everything that is rendered, as one flat list: what belongs to the services, then the single objects."""
        for service in self.services:
            yield from service.flat()
        yield from self.objects


class Pending(NamedTuple):
    """A service (a benchmark) that is rendered when a service of another family has been: that of ``namespace`` and
    ``name``. ``render`` gets None where no manifest of the stack makes it."""

    source: Source
    namespace: str
    name: str
    render: Callable[[Target | None], Plan]


class Entry(Protocol):
    """What a family's ``render.py`` offers."""

    KINDS: Mapping[tuple[str, str], type[Manifest]]

    def render(self, sources: Sequence[Source], settings: Any) -> Plan:
        """The family's manifests, and all objects that only exist (claims, Secrets, ConfigMaps) or are passed
        through, with the family's settings."""
        ...
