"""The preflight of a program: what is said, and what stops it, before any of its objects is registered.

A stack looks once at everything that it planned; in a program of a user's own each component looks at its objects, over
one connection. Only the cluster of the default provider can be looked at: what an explicit provider of a program will
reach is not known before it is made. There nothing is forced, and the API server refuses to change fields of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pulumi
from pulumi.runtime import settings as runtime
from pulumi.runtime.mocks import MockMonitor

from ..cluster.connection import Cluster, ClusterError, Unreachable
from ..cluster.forecast import forecast, gpus, sentences, unmatched_selectors
from ..cluster.ownership import manager
from ..cluster.preflight import Rules, Verdict, Wanted, preflight, wanted
from ..kubernetes.objects import Key, Object, Rendered, key
from .later import is_known_later
from .registered import Registered, registered_objects

_NAMESPACE = "modelservices"


def look_at_stack(planned: Wanted, *, adopt: bool | frozenset[str], allow_replace: bool) -> Verdict:
    """Look at everything that a stack registers. Raises RunError when something stops it."""
    registered = registered_objects()
    registered.whole_stack = True
    return _look(planned, registered, _rules(adopt, allow_replace)) if _has_cluster() else Verdict()


def forecast_stack(objects: Sequence[Object], *, require_nodes: bool) -> None:
    """Say in one summary what an update does to pods. Raises RunError where nodes are required and no node matches."""
    cluster = registered_objects().cluster
    if cluster is None or registered_objects().unreachable:
        return
    mark = manager(pulumi.get_organization(), pulumi.get_project(), pulumi.get_stack())
    try:
        changes = forecast(objects, cluster, mark)
        unmatched = unmatched_selectors(changes, cluster)
    except ClusterError as error:
        pulumi.log.warn(f"what restarts is not known: {error}")
        return
    if unmatched and require_nodes:
        raise pulumi.RunError("\n".join(["nothing was changed:", *(f"  {line}" for line in unmatched)]))
    for line in unmatched:
        pulumi.log.warn(line)
    if changes:
        before, after = gpus(objects, changes)
        total = [f"GPUs of the stack: {before} → {after}"] if before or after else []
        pulumi.log.info("\n".join(["what happens to pods:", *(f"  {line}" for line in (*sentences(changes), *total))]))


def look_at_component(rendered: Rendered, opts: pulumi.ResourceOptions) -> Rendered:
    """Look at the objects of one component, unless its stack has done so or its namespace is not known yet; without the
    chart's that are there.

    Raises RunError when something stops the program.
    """
    registered = registered_objects()
    explicit = opts.parent is not None and opts.parent.get_provider("kubernetes:core/v1:Namespace") is not None
    unknown = is_known_later(rendered.namespace)
    if registered.whole_stack or explicit or unknown or not _has_cluster():
        return rendered
    config = pulumi.Config(_NAMESPACE)
    adopt = config.get_object("adopt") or False
    rules = _rules(frozenset(adopt) if isinstance(adopt, list) else bool(adopt), allow_replace=False)
    return without_present_chart([rendered], _look(wanted([rendered]), registered, rules).present)[0]


def without_present_chart(services: Iterable[Rendered], present: Iterable[Key]) -> tuple[Rendered, ...]:
    """The services without those of the chart's objects that someone else (the chart) has installed."""
    there = set(present)
    return tuple(
        replace(service, chart=tuple(obj for obj in service.chart if key(obj) not in there)) for service in services
    )


def _has_cluster() -> bool:
    """Whether objects go to a cluster: not with the mock engine of unit tests, nor where the provider writes YAML."""
    settings = pulumi.Config("kubernetes")
    return not isinstance(runtime.get_monitor(), MockMonitor) and not settings.get("renderYamlToDirectory")


def _rules(adopt: bool | frozenset[str], allow_replace: bool) -> Rules:
    stack = pulumi.get_stack()
    mark = manager(pulumi.get_organization(), pulumi.get_project(), stack)
    return Rules(mark, stack, adopt, allow_replace)


def _look(planned: Wanted, registered: Registered, rules: Rules) -> Verdict:
    """An update needs a cluster that can be looked at; a preview goes on without one, once warned."""
    if registered.unreachable:
        return Verdict()
    settings = pulumi.Config("kubernetes")
    try:
        registered.cluster = registered.cluster or Cluster.connect(settings.get("kubeconfig"), settings.get("context"))
        verdict = preflight(planned, registered.cluster, rules)
    except Unreachable as error:
        if not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(f"nothing was changed: the cluster can't be looked at before: {error}") from None
        registered.unreachable = True
        pulumi.log.warn(f"the cluster was not looked at before: {error}")
        return Verdict()
    except ClusterError as error:
        raise pulumi.RunError(f"nothing was changed: the cluster can't be looked at before: {error}") from None
    _report(verdict)
    registered.forces = True
    return verdict


def _report(verdict: Verdict) -> None:
    """A missing kind stops an update and is a warning in a preview, as it may be installed by then."""
    stopping = [*([] if pulumi.runtime.is_dry_run() else verdict.missing), *verdict.stopping]
    if stopping:
        raise pulumi.RunError("\n".join(["nothing was changed:", *(f"  {line}" for line in stopping)]))
    for line in verdict.missing:
        pulumi.log.warn(line)
    for identity in verdict.present:
        pulumi.log.info(f"{identity} is there already: used as it is")
    if verdict.adopted:
        names = ", ".join(str(identity) for identity in verdict.adopted)
        count = "1 object" if len(verdict.adopted) == 1 else f"{len(verdict.adopted)} objects"
        pulumi.log.info(f"modelservices:adopt takes over {count}: {names}")
