"""The preflight of a program: what it reports, and what stops it, before any of its objects is registered.

A stack looks once at everything that it planned. In a user's program each component looks at its objects, over one
connection per cluster. An explicit provider's cluster is known only when the provider is registered, so its objects
wait for that check. There nothing is forced, and the API server refuses to change fields of others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pulumi

from ..cluster.connection import Cluster, ClusterError, Unreachable
from ..cluster.forecast import claims, forecast, sentences, totals, unmatched_selectors
from ..cluster.nodes import nodes_of
from ..cluster.ownership import manager
from ..cluster.preflight import Rules, Verdict, Wanted, preflight, wanted
from ..cluster.released import release
from ..kubernetes.objects import Key, Object, key
from ..kubernetes.rendered import RenderedComponent
from .later import is_known_later
from .registered import Registered, provider_name, provider_of, registered_objects
from .sdk import has_mock_engine
from .waiting import Waiting

_NAMESPACE = "modelservices"


def look_at_stack(planned: Wanted, *, adopt: bool | frozenset[str], allow_replace: bool) -> Verdict:
    """Look at everything that a stack registers. Raises RunError when something stops it."""
    registered = registered_objects()
    registered.whole_stack = True
    return _look(planned, registered, _rules(adopt, allow_replace)) if _has_cluster() else Verdict()


def forecast_stack(objects: Sequence[Object], removed: Sequence[str], *, require_nodes: bool) -> None:
    """Log a summary of what an update does to pods; ``removed`` are lines about services that are deleted.

    Raises RunError if nodes are required and no node matches.
    """
    cluster = registered_objects().clusters.get("")
    if cluster is None or registered_objects().unreachable:
        return
    mark = manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack())
    try:
        changes = forecast(objects, cluster, mark)
        made = list(claims(objects, cluster))
    except ClusterError as error:
        pulumi.log.warn(f"what restarts is not known: {error}")
        return
    if not (changes or removed):
        return
    nodes = nodes_of(cluster, with_free=any(change.gpus for change in changes))
    unmatched = unmatched_selectors(changes, nodes)
    if unmatched and require_nodes:
        raise pulumi.RunError("\n".join(["nothing was changed:", *(f"  {line}" for line in unmatched)]))
    for line in unmatched:
        pulumi.log.warn(line)
    lines = (*sentences(changes, nodes), *removed, *totals(objects, changes, nodes), *made)
    pulumi.log.info("\n".join(["what happens to pods:", *(f"  {line}" for line in lines)]))


def look_at_component(rendered: RenderedComponent, opts: pulumi.ResourceOptions) -> RenderedComponent:
    """Look at one component's objects, unless its stack has done so or its namespace is not known yet.

    Returns the component without existing chart objects. Raises RunError when something stops the program. With an
    explicit provider the check comes later, before any of the objects is registered.
    """
    registered = registered_objects()
    if registered.whole_stack or is_known_later(rendered.namespace, registered) or not _has_cluster():
        return rendered
    config = pulumi.Config(_NAMESPACE)
    adopt = config.get_object("adopt") or False
    rules = _rules(frozenset(adopt) if isinstance(adopt, list) else bool(adopt), allow_replace=False)
    planned, provider = wanted([rendered]), provider_of(opts)
    if provider is not None:
        registered.checks[provider_name(provider)].append(_checked(provider, planned, registered, rules))
        return rendered
    return without_present_chart([rendered], _look(planned, registered, rules).present)[0]


def live_object(obj: Object, provider: str) -> Mapping[str, Any] | None:
    """The live object, or None if it does not exist or no cluster answers.

    Raises RunError if the cluster refuses to answer, because the live object must not be overwritten then.
    """
    registered = registered_objects()
    cluster = registered.clusters.get(provider)
    if cluster is None or provider in registered.unreachable:
        return None
    try:
        return cluster.read(key(obj))
    except ClusterError as error:
        raise pulumi.RunError(f"{key(obj)} keeps its live content, which can't be read: {error}") from None


def _checked(
    provider: pulumi.ProviderResource, planned: Wanted, registered: Registered, rules: Rules
) -> pulumi.Output[pulumi.Resource]:
    """The provider, once its cluster was checked. A cluster that the program itself creates is missing in a preview."""

    async def checked() -> pulumi.Resource:
        where = await _connection(provider)
        if where is not None:
            _look(planned, registered, rules, where)
        return provider

    return pulumi.Output.from_input(checked())


def without_present_chart(
    services: Iterable[RenderedComponent], present: Iterable[Key]
) -> tuple[RenderedComponent, ...]:
    """The services without those chart objects that someone else (the chart) has installed."""
    there = set(present)
    return tuple(
        replace(service, records=tuple(r for r in service.records if r.lifetime != "chart" or r.key not in there))
        for service in services
    )


def _has_cluster() -> bool:
    """Whether objects go to a cluster: not with the mock engine of unit tests, nor if the provider writes YAML."""
    settings = pulumi.Config("kubernetes")
    return not has_mock_engine() and not settings.get("renderYamlToDirectory")


def _rules(adopt: bool | frozenset[str], allow_replace: bool) -> Rules:
    stack = pulumi.get_stack()
    mark = manager(pulumi.get_organization(), pulumi.get_project(), stack)
    return Rules(mark, stack, adopt, allow_replace)


class Connection(NamedTuple):
    """How to reach a cluster. ``name`` is its provider's name, empty for the default provider."""

    name: str
    kubeconfig: str | None
    context: str | None


async def _connection(provider: pulumi.ProviderResource) -> Connection | None:
    """How an explicit provider reaches its cluster; None if that is not known yet, or if it only writes YAML.

    A preview does not know settings that are left out, so it does not check a cluster of the default kubeconfig.
    """
    settings: dict[str, str | None] = {}
    for name in ("kubeconfig", "context", "render_yaml_to_directory"):
        value = getattr(provider, name, None)
        if isinstance(value, pulumi.Output) and await value.is_known():
            settings[name] = await value.future()
    if "kubeconfig" not in settings or settings.get("render_yaml_to_directory"):
        return None
    return Connection(provider.pulumi_resource_name, settings["kubeconfig"], settings.get("context"))


def _default() -> Connection:
    settings = pulumi.Config("kubernetes")
    return Connection("", settings.get("kubeconfig"), settings.get("context"))


def _look(planned: Wanted, registered: Registered, rules: Rules, where: Connection | None = None) -> Verdict:
    """Look at a cluster. An update needs one that can be read; a preview goes on without one, after one warning."""
    where = where or _default()
    registered.waits = registered.waits or not where.name
    if where.name in registered.unreachable:
        return Verdict()
    try:
        cluster = registered.clusters.get(where.name) or Cluster.connect(where.kubeconfig, where.context)
        registered.clusters[where.name] = cluster
        verdict = preflight(planned, cluster, rules)
    except ClusterError as error:
        if not (isinstance(error, Unreachable) and pulumi.runtime.is_dry_run()):
            message = f"{_unchanged(where)}: {_the_cluster(where)} can't be looked at before: {error}"
            raise pulumi.RunError(message) from None
        registered.unreachable.add(where.name)
        pulumi.log.warn(f"{_the_cluster(where)} was not looked at before: {error}")
        return Verdict()
    _report(verdict, where)
    if not where.name:
        _release(verdict.excluded, cluster, registered, rules.manager)
        registered.waiting = registered.waiting or Waiting(cluster)
        registered.waiting.generations.update(verdict.generations)
    registered.forces = registered.forces or not where.name
    return verdict


def _release(objects: Iterable[Object], cluster: Cluster, registered: Registered, manager: str) -> None:
    """In an update, take back the fields that exclude the stack's.

    A preview changes nothing, and can't ask the API server what an apply would do.
    """
    for obj in objects:
        if pulumi.runtime.is_dry_run():
            registered.drifted.add(key(obj))
            continue
        try:
            release(obj, cluster, manager)
        except ClusterError as error:
            raise pulumi.RunError(f"{key(obj)}: a field of someone else's can't be taken back: {error}") from None


def _the_cluster(where: Connection) -> str:
    return f"the cluster of provider {where.name}" if where.name else "the cluster"


def _unchanged(where: Connection) -> str:
    """Start of an error message. Objects of the program's other providers may be changing meanwhile."""
    return f"nothing was changed in {_the_cluster(where)}" if where.name else "nothing was changed"


def _report(verdict: Verdict, where: Connection) -> None:
    """Report a verdict. A missing kind only warns in a preview, as it may be installed before the update."""
    stopping = [*([] if pulumi.runtime.is_dry_run() else verdict.missing), *verdict.stopping]
    if stopping:
        raise pulumi.RunError("\n".join([f"{_unchanged(where)}:", *(f"  {line}" for line in stopping)]))
    for line in [*verdict.missing, *verdict.returned]:
        pulumi.log.warn(line)
    for identity in verdict.present:
        pulumi.log.info(f"{identity} is there already: used as it is")
    if verdict.adopted:
        names = ", ".join(str(identity) for identity in verdict.adopted)
        count = "1 object" if len(verdict.adopted) == 1 else f"{len(verdict.adopted)} objects"
        pulumi.log.info(f"modelservices:adopt takes over {count}: {names}")
