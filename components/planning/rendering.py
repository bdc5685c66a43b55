"""The first phase of planning: what each manifest becomes, by its family, seen from its tenant."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..families import Plan
from ..families.registry import FAMILIES, SETTINGS_OBJECTS, family_of
from ..findings import Problem
from ..kubernetes.existing import Passed
from ..kubernetes.finishing import finished, with_drain
from ..kubernetes.images import Images, with_images
from ..kubernetes.model import Manifest, defaults
from ..kubernetes.rendered import RenderedComponent, RenderedObject
from ..kubernetes.rollout import with_deadline
from ..kubernetes.source import Source, Tenant, manifests_of
from ..kubernetes.startup import StartupSettings
from ..linking.quotas import Needed, needed, with_little
from ..ome_keys.presence import has_keys
from .settings import Settings


def render(sources: Sequence[Source], settings: Settings) -> Plan:
    """What all manifests become.

    A tenant's services see its manifests and those that are shared, so that nobody else's preset acts on them. Of
    two of one name the tenant's takes precedence: families go by the last.
    """
    plan = Plan()
    for tenant in _distinct(source.tenant for source in sources):
        visible = [source for source in sources if source.tenant is tenant]
        of_platform = [] if tenant.shared else [source for source in visible if _is_settings(source.manifest)]
        plan.problems += [(source, _settings_of_a_team(source.manifest)) for source in of_platform]
        visible = [source for source in visible if source not in of_platform]
        shared = [source for source in sources if source.tenant is not tenant and source.tenant.shared]
        plan.add(_of_tenant(_rendered([*shared, *visible], settings), tenant))
    return plan


def _distinct(tenants: Iterable[Tenant]) -> list[Tenant]:
    distinct: list[Tenant] = []
    for tenant in tenants:
        if not any(tenant is other for other in distinct):
            distinct.append(tenant)
    return distinct


def _is_settings(manifest: Manifest) -> bool:
    """Whether a manifest has the name of an operator's settings, elsewhere than the operator has them."""
    return SETTINGS_OBJECTS.get((manifest.kind, manifest.name), manifest.namespace) != manifest.namespace


def _settings_of_a_team(manifest: Manifest) -> Problem:
    message = (
        f"{manifest.name} has an operator's settings, gateways and hosts among them, which are the platform's, so it "
        "is not read: they stand in the operator's namespace, in a shared tenant's folder or in the settings"
    )
    return Problem("metadata.namespace", message, "warning", "tenant")


def _of_tenant(plan: Plan, tenant: Tenant) -> Plan:
    """The part of a plan that comes from a tenant's manifests."""
    return Plan(
        services=[service for service in plan.services if service.source.tenant is tenant],
        objects=[record for record in plan.objects if record.source.tenant is tenant],
        problems=[(source, problem) for source, problem in plan.problems if source.tenant is tenant],
        existing=plan.existing,
    )


def _rendered(sources: Sequence[Source], settings: Settings) -> Plan:
    """Each family renders its manifests, then what needs another family's service."""
    families = [family_of(source.manifest.apiVersion) for source in sources]
    quotas = needed(manifests_of(sources))
    plan = Plan()
    for family in FAMILIES:
        if family in families:
            of_family = [source for source, of in zip(sources, families, strict=True) if of in (family, None)]
            plan.add(_finished(family.entry().render(of_family, getattr(settings, family.settings)), settings, quotas))
    plan.objects += [_passed(source) for source in sources if isinstance(source.manifest, Passed)]
    if plan.pending:  # of benchmarks alone, which most stacks don't have
        from ..linking.targets import complete

        for completed in complete(plan):
            plan.add(_finished(completed, settings, quotas))
    return plan


def _passed(source: Source) -> RenderedObject:
    assert isinstance(source.manifest, Passed)
    return RenderedObject("", source.manifest.as_object(), source, field="spec", replicas="spec")


def _finished(part: Plan, settings: Settings, quotas: Needed) -> Plan:
    """The services of a family with what is the same for all families: keys, deadlines and mirrors of images."""
    return replace(
        part,
        services=[
            _with_images(_with_deadlines(_with_keys(s, settings), settings, quotas), settings.images)
            for s in part.services
        ],
    )


def _limits(manifest: Manifest, settings: Settings) -> StartupSettings:
    """How long pods of a manifest's family are waited for."""
    family = family_of(manifest.apiVersion)
    startup = getattr(getattr(settings, family.settings), "startup", None) if family else None
    return startup if isinstance(startup, StartupSettings) else defaults(StartupSettings)


def _with_keys(service: RenderedComponent, settings: Settings) -> RenderedComponent:
    """The service as OME's documented keys change it, whatever its family."""
    if not has_keys(service.source.manifest.metadata):
        return service
    # Imported when first needed: most stacks have no such keys.
    from ..ome_keys.apply import apply_keys

    return apply_keys(service.source.manifest, service, settings.ome)


def _with_deadlines(service: RenderedComponent, settings: Settings, quotas: Needed) -> RenderedComponent:
    """The service as it is registered: its Deployments have the time that their pods may take to start, and containers
    state what quotas ask for."""
    limits = _limits(service.source.manifest, settings)
    changed = _draining(service, settings).with_objects(lambda obj: finished(with_deadline(with_little(obj, quotas))))
    return replace(
        changed, startup=limits, parts={role: replace(p, startup=limits) for role, p in changed.parts.items()}
    )


def _draining(service: RenderedComponent, settings: Settings) -> RenderedComponent:
    """The service with servers that drain. Its parts are pickers, which end before new ones start."""
    records = (record.with_body(with_drain(record.body, settings.drain)) for record in service.records)
    return replace(service, records=tuple(records))


def _with_images(service: RenderedComponent, images: Images) -> RenderedComponent:
    """The service with its images where the platform has them. Rules of the families have seen the names that the
    manifests say."""
    if not images.are_set:
        return service
    return service.changed(lambda record: record.with_body(with_images(record.body, images)))
