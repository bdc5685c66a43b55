"""What a program run has registered, by what it is in its cluster: a name can't be registered twice in one cluster.

Two resources with one identity would overwrite each other silently, and removing one would delete the other's object.
A cluster is known by the Pulumi provider that reaches it; the default provider is one, too.
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
"""Component, namespace and name of a service, as it was rendered."""


def identity_of(rendered: RenderedComponent) -> ServiceIdentity:
    return rendered.component, rendered.namespace, rendered.name


@dataclass
class Registered:
    """The objects of one program run, and what it knows of its clusters.

    ``resources``: those of each cluster, by what other objects call them; ``users``: who makes each object.
    ``clusters``: the connections by the provider's name (empty for the default one); ``unreachable``: those that don't
    answer; ``checks``: what the objects of an explicit provider wait for. ``whole_stack``: the stack has looked at all
    that it registers, so components need not. ``forces``: fields that someone else has changed are taken back. That is
    only right where someone has looked that none of the objects is someone else's: creating takes over what is there
    already (server-side apply). ``later``: the leaves of rendered objects that are known only after deployment;
    ``known``: the services that the true values make. ``waits``: this program waits for workloads of the default
    provider itself, by ``waiting`` once it has a connection. ``for_others``: what is registered belongs to a program in
    another language, which sees nothing but outputs. ``drifted``: objects on which someone has set a field that
    excludes theirs, so that a preview can't ask what an apply would make of them.
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
    """Names that stand for namespaces which only the engine will know."""
    _examples: list[tuple[pulumi.Output[Any], str]] = field(default_factory=list)

    def example(self, output: pulumi.Output[Any], name: str) -> str:
        """The name of an Output in examples: that of the first component which uses it, so that what components share
        in its namespace is shared."""
        for known, example in self._examples:
            if known is output:
                return example
        self._examples.append((output, name))
        return name

    def add(self, obj: Mapping[str, Any], provider: str, resource: pulumi.Resource) -> None:
        self.resources[provider][_reference(key(obj))] = resource

    def those(self, identities: Iterable[Key], provider: str) -> list[pulumi.Resource]:
        """Those of the objects that have been registered in a cluster."""
        there = self.resources[provider]
        wanted = (_reference(identity) for identity in identities)
        return [there[reference] for reference in wanted if reference in there]

    def anywhere(self, identity: Key) -> bool:
        """Whether the object has been registered in any cluster."""
        return any(_reference(identity) in there for there in self.resources.values())

    def claim(self, obj: Mapping[str, Any], provider: str, user: str) -> None:
        """Note who makes an object. Raises RunError, naming both, when someone else makes it already."""
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


# Objects that belong to the stack are registered once a program run, whichever component brings them first. A run is
# known by its connection to the engine, so two runs in one process (unit tests) share nothing.
_REGISTERED: WeakKeyDictionary[Any, Registered] = WeakKeyDictionary()


def registered_objects() -> Registered:
    """The objects that this program run has registered."""
    return _REGISTERED.setdefault(program_run(), Registered())


def continue_run(registered: Registered) -> None:
    """Count objects as registered by this program run, which another connection to the engine has registered.

    A component provider gets one connection for each component of a run.
    """
    registered.for_others = True
    _REGISTERED[program_run()] = registered


def provider_of(opts: pulumi.ResourceOptions | None) -> pulumi.ProviderResource | None:
    """The Kubernetes provider that a resource with these options gets; None for the default one."""
    if opts is None:
        return None
    if opts.provider is not None:
        return opts.provider
    return opts.parent.get_provider(_ANY_KIND) if opts.parent else None


def provider_name(provider: pulumi.ProviderResource | None) -> str:
    """Distinguishes the clusters of a program; empty for the default provider and for a stack's only one."""
    name = provider.pulumi_resource_name if provider else ""
    return "" if name == _STACK_PROVIDER else name
