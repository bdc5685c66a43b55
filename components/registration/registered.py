"""What a program run has registered, by identity in its cluster: an identity can't be registered twice in one cluster.

Two resources with one identity would overwrite each other silently, and removing one would delete the other's object.
A cluster is identified by the Pulumi provider that reaches it, including the default provider.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import pulumi

from ..cluster.connection import Cluster
from ..kubernetes.objects import Key, TypedObjectReference, key
from ..kubernetes.references import Reference
from ..kubernetes.rendered import RenderedComponent
from .sdk import program_run
from .waiting import Waiting

_ANY_KIND = "kubernetes:core/v1:Namespace"
_STACK_PROVIDER = "kubernetes"


class Leaf(NamedTuple):
    """A value inside an object that is known only after deployment."""

    place: tuple[str | int, ...]
    output: pulumi.Output[Any]


ServiceIdentity = tuple[str, str, str]
"""Component, namespace and name of a rendered service."""


def identity_of(rendered: RenderedComponent) -> ServiceIdentity:
    return rendered.component, rendered.namespace, rendered.name


@dataclass
class Registered:
    """The objects of one program run, and what it knows of its clusters.

    ``resources``: those of each cluster, by the references that other objects use. ``users``: who makes each object.
    ``clusters``: connections by provider name (empty for the default one). ``unreachable``: those that don't answer.
    ``checks``: what the objects of an explicit provider wait for. ``whole_stack``: the stack has checked everything
    that it registers, so components need not. ``forces``: fields that someone else has changed are taken back. That is
    only right after a check that no object is someone else's: creating takes over an existing object (server-side
    apply). ``later``: the leaves of rendered objects that are known only after deployment. ``known``: the services
    rendered from the real values. ``waits``: this program waits for workloads of the default provider itself, by
    ``waiting`` once it has a connection. ``for_others``: the objects belong to a program in another language, which
    sees only outputs. ``drifted``: objects with someone else's field that excludes one of theirs, for which a preview
    can't ask what an apply would do.
    """

    resources: dict[str, dict[Reference, pulumi.Resource]] = field(default_factory=lambda: defaultdict(dict))
    users: dict[tuple[str, TypedObjectReference], str] = field(default_factory=dict)
    clusters: dict[str, Cluster] = field(default_factory=dict)
    unreachable: set[str] = field(default_factory=set)
    checks: dict[str, list[pulumi.Output[pulumi.Resource]]] = field(default_factory=lambda: defaultdict(list))
    whole_stack: bool = False
    forces: bool = False
    later: dict[Key, list[Leaf]] = field(default_factory=dict)
    known: dict[ServiceIdentity, pulumi.Output[RenderedComponent]] = field(default_factory=dict)
    waits: bool = False
    waiting: Waiting | None = None
    for_others: bool = False
    drifted: set[Key] = field(default_factory=set)
    example_namespaces: set[str] = field(default_factory=set)
    """Placeholders for namespaces that only the engine will know."""
    _examples: list[tuple[pulumi.Output[Any], str]] = field(default_factory=list)

    def example(self, output: pulumi.Output[Any], name: str) -> str:
        """An Output's name in examples: that of the first component that uses it, so that components share a
        namespace."""
        for known, example in self._examples:
            if known is output:
                return example
        self._examples.append((output, name))
        return name

    def add(self, obj: Mapping[str, Any], provider: str, resource: pulumi.Resource) -> None:
        self.resources[provider][_reference(key(obj))] = resource

    def those(self, identities: Iterable[Key], provider: str) -> list[pulumi.Resource]:
        """The resources of those objects that are registered in a cluster."""
        there = self.resources[provider]
        wanted = (_reference(identity) for identity in identities)
        return [there[reference] for reference in wanted if reference in there]

    def anywhere(self, identity: Key) -> bool:
        """Whether the object has been registered in any cluster."""
        return any(_reference(identity) in there for there in self.resources.values())

    def claim(self, obj: Mapping[str, Any], provider: str, user: str) -> None:
        """Record who makes an object. Raises RunError, naming both makers, if someone else makes it already."""
        identity = key(obj)
        first = self.users.setdefault((provider, identity.reference), user)
        if first != user:
            cluster = f" (provider {provider})" if provider else ""
            raise pulumi.RunError(
                f"{identity} is made twice{cluster}, by {first} and by {user}: they would overwrite each other, so "
                "give one of them another name or namespace"
            )


def _reference(identity: Key) -> Reference:
    return Reference(identity.kind, identity.namespace, identity.name)


# Objects of the stack are registered once per program run, by the first component that needs them. A run is identified
# by its connection to the engine, so two runs in one process (unit tests) share nothing.
_REGISTERED: WeakKeyDictionary[Any, Registered] = WeakKeyDictionary()


def registered_objects() -> Registered:
    """The objects that this program run has registered."""
    return _REGISTERED.setdefault(program_run(), Registered())


def continue_run(registered: Registered) -> None:
    """Treat objects that another connection to the engine has registered as registered by this program run.

    A component provider gets one connection for each component of a run.
    """
    registered.for_others = True
    _REGISTERED[program_run()] = registered


def provider_of(opts: pulumi.ResourceOptions | None) -> pulumi.ProviderResource | None:
    """The Kubernetes provider of a resource with these options, or None for the default one."""
    if opts is None:
        return None
    if opts.provider is not None:
        return opts.provider
    return opts.parent.get_provider(_ANY_KIND) if opts.parent else None


def provider_name(provider: pulumi.ProviderResource | None) -> str:
    """Name that distinguishes a program's clusters; empty for the default provider and for a stack's only one."""
    name = provider.pulumi_resource_name if provider else ""
    return "" if name == _STACK_PROVIDER else name
