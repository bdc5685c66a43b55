"""What all components share: registering what was rendered, and the outputs read from the live workloads.

A component's constructor only wires. Which objects there are and what they say was decided by the family's rendering.
(Annotations are real types here: Pulumi infers the schema for other languages from them.)
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, TypedDict
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import settings as runtime

from ..cluster.ownership import keeper, manager, owner_reference
from ..kubernetes.objects import Object, Rendered, key
from ..kubernetes.references import Reference
from .apply import KubernetesObject, Registered, register
from .certificates import kept, with_certificate
from .outputs import whole_numbers

# Objects that belong to the stack are registered once a program run, whichever component brings them first. A run is
# known by its connection to the engine, so two runs in one process (unit tests) share nothing.
_REGISTERED: WeakKeyDictionary[Any, Registered] = WeakKeyDictionary()


def registered_objects() -> Registered:
    """The objects that this program run has registered."""
    return _REGISTERED.setdefault(runtime.get_monitor(), Registered())


def continue_run(registered: Registered) -> None:
    """Count objects as registered by this program run, which another connection to the engine has registered.

    A component provider gets a connection of its own for each component of a run.
    """
    _REGISTERED[runtime.get_monitor()] = registered


class Condition(TypedDict):
    """What is known about one side of a service."""

    type: str
    """Which side: Ready, Progressing, …"""
    status: str
    """True, False or Unknown."""
    reason: str
    """Why, as one word for programs."""
    message: str
    """Why, as a sentence for people; may be empty."""


class ServiceComponent(pulumi.ComponentResource):
    """Base of the components: one service (or job) with all its objects.

    ``phase``, ``endpoint`` and ``conditions`` are read from the live workloads at the end of an update;
    ``readyReplicas`` and ``desiredReplicas`` count the pods that serve.
    """

    phase: pulumi.Output[str]
    """Lifecycle phase: Ready, Progressing, Stopped, …"""
    endpoint: pulumi.Output[str]
    """Where the service answers inside the cluster."""
    readyReplicas: pulumi.Output[int]
    """Pods that are ready to serve."""
    desiredReplicas: pulumi.Output[int]
    """Pods that there should be."""
    conditions: pulumi.Output[list[Condition]]
    """Conditions with type, status, reason and message; the most telling one first."""
    details: pulumi.Output[dict[str, Any]]
    """What else is known of a service of this kind: the counters of each role, and the like."""

    def __init__(self, name: str, rendered: Rendered, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(f"modelservices:index:{rendered.component}", name, None, opts)
        self.rendered = rendered
        self.children: dict[str, KubernetesObject] = {}
        self.parts: dict[str, ServiceComponent] = {}
        registered = registered_objects()
        after = registered.those(rendered.after)
        for obj in rendered.chart:
            register_kept(obj, self)
        for obj in rendered.shared:
            register_shared(obj, self)
        for role, part in rendered.parts.items():
            child_opts = pulumi.ResourceOptions(parent=self)
            self.parts[role] = ServiceComponent(f"{name}-{role}", part, child_opts)
        for role, obj in rendered.objects.items():
            child_opts = pulumi.ResourceOptions(parent=self, depends_on=after)
            if rendered.certificate and role == rendered.certificate.role:
                obj = with_certificate(obj, rendered.certificate)
                child_opts = kept(rendered.certificate, child_opts)
            self.children[role] = register(f"{name}-{role}", obj, registered, child_opts)
        outputs = self._outputs()
        for field, value in outputs.items():
            setattr(self, field, value)
        self.register_outputs(outputs)

    def statuses(self, prefix: str = "") -> Iterator[tuple[str, pulumi.Output[Any]]]:
        """The live status of each object, by role; those of parts as ``part/role``."""
        for role, child in self.children.items():
            yield f"{prefix}{role}", child.status
        for role, part in self.parts.items():
            yield from part.statuses(f"{prefix}{role}/")

    def _outputs(self) -> dict[str, pulumi.Output[Any]]:
        observe = self.rendered.observe
        if observe is None:
            return {}
        status = pulumi.Output.all(**dict(self.statuses())).apply(lambda live: asdict(observe(_present(live))))
        return {
            "phase": status["phase"],
            "endpoint": status["endpoint"],
            "readyReplicas": status["ready"],
            "desiredReplicas": status["desired"],
            "conditions": status["conditions"].apply(list),
            "details": status["details"],
        }


def _present(live: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    # The engine has an empty list where there are no workloads (a stopped service).
    return {role: whole_numbers(status) for role, status in dict(live).items() if isinstance(status, Mapping)}


def register_shared(obj: Object, user: pulumi.ComponentResource | None = None) -> None:
    """Register an object that belongs to the stack once a run, with the provider of its first user."""
    registered = registered_objects()
    if _reference(obj) not in registered.resources:
        register(shared_name(obj), obj, registered, pulumi.ResourceOptions(provider=_provider(user)))


def register_kept(obj: Object, user: pulumi.ComponentResource) -> None:
    """Register an object that all stacks of the cluster share (a PriorityClass), once a run.

    It stays as long as one of its keepers does, of which each stack registers its own; Pulumi never deletes it.
    """
    registered = registered_objects()
    if _reference(obj) in registered.resources:
        return
    provider = _provider(user)
    own = keeper(obj, manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack()))
    # A renamed stack goes on with the keeper that it has: with another one, what is kept would go with the old one.
    opts = pulumi.ResourceOptions(provider=provider, ignore_changes=["metadata.name"])
    kept_by = register(f"{shared_name(obj)}-keeper", own, registered, opts)
    # Without a cluster (the provider only writes YAML) the keeper has no uid, and nothing can be owned.
    owners = kept_by.metadata.apply(lambda live: [owner_reference(own, live)] if "uid" in live else [])
    # The list has the other stacks' keepers too, in an order of the API server's: no difference of this stack's.
    opts = pulumi.ResourceOptions(provider=provider, retain_on_delete=True, ignore_changes=["metadata.ownerReferences"])
    owned = {**obj, "metadata": {**obj["metadata"], "ownerReferences": owners}}
    register(shared_name(obj), owned, registered, opts, shared_with_stacks=True)


def _reference(obj: Object) -> Reference:
    identity = key(obj)
    return Reference(identity.kind, identity.namespace, identity.name)


def _provider(user: pulumi.ComponentResource | None) -> pulumi.ProviderResource | None:
    return user.get_provider("kubernetes:core/v1:Namespace") if user else None


def shared_name(obj: Object) -> str:
    """The Pulumi name of an object that belongs to the stack."""
    identity = key(obj)
    return f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name
