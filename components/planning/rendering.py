"""The first phase of planning: what its family makes of each manifest, as its tenant sees it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..engines.draining import wait
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
    """Render all manifests.

    A tenant's services see only its manifests and shared ones, so no other tenant's preset affects them. Of two with
    one name the tenant's takes precedence, because families use the last one.
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
    """Whether a manifest has the name of an operator's settings but not their namespace."""
    return SETTINGS_OBJECTS.get((manifest.kind, manifest.name), manifest.namespace) != manifest.namespace


def _settings_of_a_team(manifest: Manifest) -> Problem:
    message = (
        f"{manifest.name} has an operator's settings, gateways and hosts among them, which are the platform's, so it "
        "is not read: they stand in the operator's namespace, in a shared tenant's folder or in the settings"
    )
    return Problem("metadata.namespace", message, "warning", "tenant")


def _of_tenant(plan: Plan, tenant: Tenant) -> Plan:
    return Plan(
        services=[service for service in plan.services if service.source.tenant is tenant],
        objects=[record for record in plan.objects if record.source.tenant is tenant],
        problems=[(source, problem) for source, problem in plan.problems if source.tenant is tenant],
        existing=plan.existing,
    )


def _rendered(sources: Sequence[Source], settings: Settings) -> Plan:
    """Let each family render its manifests, then what needs another family's service."""
    families = [family_of(source.manifest.apiVersion) for source in sources]
    quotas = needed(manifests_of(sources))
    plan = Plan()
    for family in FAMILIES:
        if family in families:
            of_family = [source for source, of in zip(sources, families, strict=True) if of in (family, None)]
            plan.add(_finished(family.entry().render(of_family, getattr(settings, family.settings)), settings, quotas))
    plan.objects += [_passed(source) for source in sources if isinstance(source.manifest, Passed)]
    if plan.pending:  # only benchmarks, which most stacks don't have
        from ..linking.targets import complete

        for completed in complete(plan):
            plan.add(_finished(completed, settings, quotas))
    return plan


def _passed(source: Source) -> RenderedObject:
    assert isinstance(source.manifest, Passed)
    return RenderedObject("", source.manifest.as_object(), source, field="spec", replicas="spec")


def _finished(part: Plan, settings: Settings, quotas: Needed) -> Plan:
    """A family's services with what all families have in common: keys, deadlines and mirrors of images."""
    return replace(
        part,
        services=[
            _with_images(_with_deadlines(_with_keys(s, settings), settings, quotas), settings.images)
            for s in part.services
        ],
    )


def _limits(manifest: Manifest, settings: Settings) -> StartupSettings:
    family = family_of(manifest.apiVersion)
    startup = getattr(getattr(settings, family.settings), "startup", None) if family else None
    return startup if isinstance(startup, StartupSettings) else defaults(StartupSettings)


def _with_keys(service: RenderedComponent, settings: Settings) -> RenderedComponent:
    """The service as changed by OME's documented keys, which apply to all families."""
    if not has_keys(service.source.manifest.metadata):
        return service
    # Imported when first needed: most stacks have no such keys.
    from ..ome_keys.apply import apply_keys

    return apply_keys(service.source.manifest, service, settings.ome)


def _with_deadlines(service: RenderedComponent, settings: Settings, quotas: Needed) -> RenderedComponent:
    """The service as registered: Deployments have deadlines that allow for the start of their pods, and containers
    state what quotas ask for."""
    limits = _limits(service.source.manifest, settings)
    changed = _draining(service, settings).with_objects(lambda obj: finished(with_deadline(with_little(obj, quotas))))
    return replace(
        changed, startup=limits, parts={role: replace(p, startup=limits) for role, p in changed.parts.items()}
    )


def _draining(service: RenderedComponent, settings: Settings) -> RenderedComponent:
    """The service with servers that drain. Its parts are pickers, which end before new ones start."""
    records = (record.with_body(with_drain(record.body, settings.drain, wait)) for record in service.records)
    return replace(service, records=tuple(records))


def _with_images(service: RenderedComponent, images: Images) -> RenderedComponent:
    """The service with images from the platform's mirrors. The families' rules have already seen the original names."""
    if not images.are_set:
        return service
    return service.changed(lambda record: record.with_body(with_images(record.body, images)))
