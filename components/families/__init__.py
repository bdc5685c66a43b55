"""The API families: the kinds each one accepts, and how its manifests become rendered services.

A family is a folder and a row of ``registry.py``. Its ``render.py`` defines ``KINDS`` (``(apiVersion, kind)`` to model)
and ``render``; its ``settings.py`` defines its part of the settings. A family renders from its own manifests alone;
``components/linking`` checks references between families afterwards.
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
    """A service that a service of another family sends requests to.

    ``url`` is scheme, host and port, empty for a service without an address. ``model_name`` is the model's name in
    requests; ``tokenizer`` is the Hugging Face repository of its tokenizer; ``objects`` must be ready before the first
    request.
    """

    url: str
    model_name: str
    tokenizer: str
    objects: tuple[Key, ...]


@dataclass
class Plan:
    """The result of rendering a family: services (one component each), single objects, and problems.

    ``problems`` pair each problem with its source. ``pending`` are services that depend on another service;
    ``existing`` are objects that the cluster has according to the settings.
    """

    services: list[RenderedComponent] = field(default_factory=list)
    objects: list[RenderedObject] = field(default_factory=list)
    problems: list[tuple[Source, Problem]] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    existing: list[Key] = field(default_factory=list)

    def add(self, other: Plan) -> None:
        """Append the contents of another plan."""
        self.services += other.services
        self.objects += other.objects
        self.problems += other.problems
        self.pending += other.pending
        self.existing += other.existing

    def records(self) -> Iterator[RenderedObject]:
        """All rendered objects as one flat list: those of the services, then the single objects."""
        for service in self.services:
            yield from service.flat()
        yield from self.objects


class Pending(NamedTuple):
    """A service (a benchmark) to render after the service that ``namespace`` and ``name`` identify, of another family.
    ``render`` gets None if no manifest of the stack defines that service."""

    source: Source
    namespace: str
    name: str
    render: Callable[[Target | None], Plan]


class Entry(Protocol):
    """The interface of a family's ``render.py``."""

    KINDS: Mapping[tuple[str, str], type[Manifest]]

    def render(self, sources: Sequence[Source], settings: Any) -> Plan:
        """Render ``sources`` with the family's settings: the family's manifests, and all objects that are only read
        (claims, Secrets, ConfigMaps) or passed through."""
        ...
