"""What all components share: registering rendered objects, and the outputs read from the live workloads.

A component's constructor only wires. The family's rendering has decided which objects exist and what they contain.
(Annotations are real types here: Pulumi infers the schema for other languages from them.)
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, TypedDict

import pulumi

from ..cluster.ownership import manager, owner_object, owner_reference
from ..cluster.service_status import status_with_reasons
from ..kubernetes.engine_values import blanked
from ..kubernetes.model import Spec
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.startup import StartupSettings
from .apply import KubernetesObject, elects_a_leader, register, waits_for_pods
from .certificates import kept, with_certificate
from .outputs import whole_numbers
from .preflight import live_object, look_at_component
from .registered import Registered, identity_of, provider_name, provider_of, registered_objects
from .waiting import Awaited, Waiting

_OLD_SUFFIX = "-keeper"
"""Former suffix of the Pulumi names of owner objects, which old states still have."""


class Condition(TypedDict):
    """One aspect of a service's state."""

    type: str
    """The aspect: Ready, Progressing, …"""
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

    ARGUMENTS: ClassVar[type[Spec]]
    """Model of the component's arguments."""

    phase: pulumi.Output[str]
    """Lifecycle phase: Ready, Progressing, Stopped, …"""
    endpoint: pulumi.Output[str]
    """URL of the service inside the cluster."""
    readyReplicas: pulumi.Output[int]
    """Pods that are ready to serve."""
    desiredReplicas: pulumi.Output[int]
    """Desired number of pods."""
    conditions: pulumi.Output[list[Condition]]
    """Conditions with type, status, reason and message; the most important one first."""
    details: pulumi.Output[dict[str, Any]]
    """Further state of a service of this kind, such as the counters of each role."""

    def __init__(self, name: str, rendered: RenderedComponent, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(component_token(rendered), name, None, opts)
        is_part = opts is not None and isinstance(opts.parent, ServiceComponent)
        self.rendered = rendered = (
            rendered if is_part else look_at_component(rendered, pulumi.ResourceOptions(parent=self))
        )
        if not is_part:
            warn_of_other_paths(name, opts, rendered.all_objects())
        self.children: dict[str, KubernetesObject] = {}
        self.parts: dict[str, ServiceComponent] = {}
        registered = registered_objects()
        provider = provider_of(pulumi.ResourceOptions(parent=self))
        self._waiting = registered.waiting if not provider_name(provider) else None
        after = ready_ones(registered, rendered.after, provider_name(provider))
        beside = [record for record in rendered.records if record.lifetime != "own"]
        for record in sorted(beside, key=lambda record: record.lifetime != "chart"):
            if record.lifetime == "chart":
                register_kept(record.body, provider)
            else:
                register_shared(record.body, provider, retained=record.lifetime == "retained")
        for role, part in rendered.parts.items():
            child_opts = pulumi.ResourceOptions.merge(inherited(opts), pulumi.ResourceOptions(parent=self))
            self.parts[role] = ServiceComponent(child_name(name, role), part, child_opts)
        for record in (record for record in rendered.records if record.lifetime == "own"):
            obj, wired = record.body, pulumi.ResourceOptions(parent=self, depends_on=after)
            child_opts = pulumi.ResourceOptions.merge(inherited(opts, obj), wired)
            if record.certificate:
                live = live_object(obj, provider_name(provider)) if record.certificate.is_live else None
                obj = with_certificate(obj, record.certificate, live)
                child_opts = kept(record.certificate, child_opts)
            self.children[record.role] = register(child_name(name, record.role), obj, registered, child_opts)
        self._statuses = {role: self._status(role) for role in self.children}
        outputs = self._outputs()
        for field, value in outputs.items():
            setattr(self, field, value)
        self.register_outputs(outputs)

    def statuses(self, prefix: str = "") -> Iterator[tuple[str, pulumi.Output[Any]]]:
        """The live status of each object, by role; those of parts as ``part/role``."""
        for role, status in self._statuses.items():
            yield f"{prefix}{role}", status
        for role, part in self.parts.items():
            yield from part.statuses(f"{prefix}{role}/")

    def _status(self, role: str) -> pulumi.Output[Any]:
        """An object's status; a workload's once its pods are ready, if this program waits for them."""
        obj, child = self.rendered.objects[role], self.children[role]
        if self._waiting is None or not waits_for_pods(obj):
            return child.status
        return live_status(obj, child, self.rendered.startup, self._waiting)

    def _outputs(self) -> dict[str, pulumi.Output[Any]]:
        if self.rendered.observe is None:
            return {}
        known = registered_objects().known.get(identity_of(self.rendered), self.rendered)
        live = pulumi.Output.all(**dict(self.statuses()))
        status = pulumi.Output.all(known, live).apply(lambda both: self._observed(*both))
        return {
            "phase": status["phase"],
            "endpoint": status["endpoint"],
            "readyReplicas": status["ready"],
            "desiredReplicas": status["desired"],
            "conditions": status["conditions"].apply(list),
            "details": status["details"],
        }

    async def _observed(self, known: RenderedComponent, live: Mapping[str, Any]) -> Mapping[str, Any]:
        waiting = self._waiting
        if waiting and registered_objects().for_others and not pulumi.runtime.is_dry_run():
            await waiting.succeed()
        reasons = waiting.reasons(map(key, known.all_objects())) if waiting else []
        return blanked(asdict(status_with_reasons(known, _present(live), reasons)))


def _present(live: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    # For a stopped service, which has no workloads, the engine passes an empty list.
    return {role: whole_numbers(status) for role, status in dict(live).items() if isinstance(status, Mapping)}


def component_token(rendered: RenderedComponent) -> str:
    """Pulumi's type token of a service's component."""
    return f"modelservices:index:{rendered.component}"


def register_shared(obj: Object, provider: pulumi.ProviderResource | None, *, retained: bool) -> None:
    """Register an object that belongs to the stack, once per cluster. A retained one outlives the stack."""
    registered = registered_objects()
    if registered.those([key(obj)], provider_name(provider)):
        return
    opts = pulumi.ResourceOptions(provider=provider, retain_on_delete=True if retained else None)
    register(shared_name(obj, provider), obj, registered, _moved(obj, provider, opts))


def register_kept(obj: Object, provider: pulumi.ProviderResource | None) -> None:
    """Register an object that all stacks of the cluster share (a PriorityClass), once per cluster.

    It exists as long as any of its owner objects, of which each stack registers one. Pulumi never deletes it.
    """
    registered = registered_objects()
    if registered.those([key(obj)], provider_name(provider)):
        return
    name = shared_name(obj, provider)
    owner = owner_object(obj, manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack()))
    # A renamed stack keeps its owner object: if it were replaced, the kept object would be deleted with the old one.
    alias = pulumi.Alias(name=f"{name}{_OLD_SUFFIX}")
    opts = pulumi.ResourceOptions(provider=provider, ignore_changes=["metadata.name"], aliases=[alias])
    kept_by = register(f"{name}-owner-object", owner, registered, _moved(obj, provider, opts, suffix=_OLD_SUFFIX))
    # Without a cluster (the provider only writes YAML) the owner object has no uid and can't own anything.
    owners = kept_by.metadata.apply(lambda live: [owner_reference(owner, live)] if "uid" in live else [])
    # The list also has other stacks' owners, in the API server's order. That is not a change by this stack.
    opts = pulumi.ResourceOptions(provider=provider, retain_on_delete=True, ignore_changes=["metadata.ownerReferences"])
    owned = {**obj, "metadata": {**obj["metadata"], "ownerReferences": owners}}
    register(name, owned, registered, _moved(obj, provider, opts), shared_with_stacks=True)


def child_name(component: str, role: str) -> str:
    """The Pulumi name of an object or a part of a component."""
    return f"{component}-{role}"


def pulumi_name(obj: Object) -> str:
    """The Pulumi name of an object that belongs to no service."""
    return f"{shared_name(obj)}-{obj['kind'].lower()}"


def shared_name(obj: Object, provider: pulumi.ProviderResource | None = None) -> str:
    """The Pulumi name of an object that belongs to the stack, with the provider's name if a program has several."""
    identity = key(obj)
    name = f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name
    return f"{name}-{provider_name(provider)}" if provider_name(provider) else name


def _moved(
    obj: Object, provider: pulumi.ProviderResource | None, opts: pulumi.ResourceOptions, suffix: str = ""
) -> pulumi.ResourceOptions:
    """The options with an alias for the name before the provider's name was part of it.

    Only the first provider's object had that name; a second provider's was never registered.
    """
    if not provider_name(provider) or registered_objects().anywhere(key(obj)):
        return opts
    alias = pulumi.Alias(name=shared_name(obj) + suffix)
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(aliases=[alias]))


def live_status(
    obj: Object, resource: KubernetesObject, limits: StartupSettings, waiting: Waiting
) -> pulumi.Output[Mapping[str, Any]]:
    """A workload's status once its pods are ready or the waiting has ended; in a preview its current status."""
    if not pulumi.runtime.is_dry_run():
        waiting.announce()

    async def wait(metadata: Any) -> Mapping[str, Any]:
        if not isinstance(metadata, Mapping):  # left out of this update, for example by --target
            waiting.withdraw()
            return pulumi.UNKNOWN  # type: ignore[return-value]
        # The rendered object has an example for a name or namespace that is known only now.
        live = {**obj, "metadata": {**obj["metadata"], **{field: metadata[field] for field in ("name", "namespace")}}}
        before, now = waiting.generations.get(key(live)), metadata.get("generation")
        changed = before is None or (now is not None and now > before)
        return await waiting.until_ready(Awaited(live, resource, limits, changed, elects_a_leader(obj)))

    status = resource.metadata.apply(wait, run_with_unknowns=not pulumi.runtime.is_dry_run())
    waiting.ended[key(obj)] = status
    return status


def ready_ones(
    registered: Registered, identities: Iterable[Key], provider: str
) -> list[pulumi.Resource | pulumi.Output[pulumi.Resource]]:
    """The registered resources of these objects, to depend on; workloads once their pods are ready."""
    waiting = registered.waiting if not provider and not pulumi.runtime.is_dry_run() else None
    pairs = [(identity, resource) for identity in identities for resource in registered.those([identity], provider)]
    if waiting is None:
        return [resource for _, resource in pairs]
    return [pulumi.Output.from_input(waiting.after(identity, resource)) for identity, resource in pairs]


_PARTS = re.compile(r'\["([^"]*)"\]|\[([^\]]*)\]|([^.\[\]]+)')
"""The parts of a property path: ``["app.kubernetes.io/name"]``, ``[0]``, ``spec``."""


def inherited(opts: pulumi.ResourceOptions | None, obj: Object | None = None) -> pulumi.ResourceOptions:
    """A component's options for one of its objects, with the paths that the object has, or for a part.

    Pulumi itself passes on aliases, protect, the provider and transforms.
    """
    if opts is None:
        return pulumi.ResourceOptions()
    return pulumi.ResourceOptions(
        ignore_changes=_fitting(opts.ignore_changes, obj),
        replace_on_changes=_fitting(opts.replace_on_changes, obj),
        custom_timeouts=opts.custom_timeouts,
        retain_on_delete=opts.retain_on_delete,
    )


def warn_of_other_paths(name: str, opts: pulumi.ResourceOptions | None, objects: Iterable[Object]) -> None:
    """Warn of each path in the options that none of the component's objects has."""
    bodies = list(objects) if opts and (opts.ignore_changes or opts.replace_on_changes) else []
    for option in ("ignore_changes", "replace_on_changes") if bodies else ():
        for path in getattr(opts, option) or ():
            if not any(_has(body, path) for body in bodies):
                pulumi.log.warn(
                    f"{name}: {option} names {path}, which no object of the component has, so it has no effect; write "
                    "a path of a Kubernetes object, such as spec.template.spec.containers[0].image, or use transforms"
                )


def _fitting(paths: Sequence[str] | None, obj: Object | None) -> list[str] | None:
    return [path for path in paths if obj is None or _has(obj, path)] or None if paths else None


def _has(obj: Object, path: str) -> bool:
    values: list[Any] = [obj]
    for quoted, index, name in _PARTS.findall(path):
        values = [item for value in values for item in _items(value, quoted or index or name)]
    return bool(values)


def _items(value: Any, part: str) -> list[Any]:
    """The items of a value at one part of a path; ``*`` is every item."""
    if isinstance(value, dict):
        return list(value.values()) if part == "*" else [value[part]] if part in value else []
    if isinstance(value, list):
        if part == "*":
            return value
        return [value[int(part)]] if part.isdecimal() and int(part) < len(value) else []
    return []
