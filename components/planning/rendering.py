"""The first phase of planning: what each manifest becomes, by its family, seen from its tenant."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..families import Plan
from ..families.registry import FAMILIES, SETTINGS_OBJECTS, family_of
from ..findings import Problem
from ..kubernetes.existing import Passed
from ..kubernetes.finishing import finished
from ..kubernetes.images import Images, with_images
from ..kubernetes.model import Manifest, defaults
from ..kubernetes.objects import Rendered
from ..kubernetes.rollout import with_deadline
from ..kubernetes.startup import StartupSettings
from ..ome_keys.presence import has_keys
from .settings import Settings
from .tenants import Tenant


def render(manifests: Sequence[Manifest], owners: Mapping[int, Tenant], settings: Settings) -> Plan:
    """What all manifests become. ``owners`` has each one's tenant, by the manifest's id.

    A tenant's services see its own manifests and those that are shared, so that nobody else's preset acts on them. Of
    two of one name its own takes precedence: families go by the last.
    """
    plan = Plan()
    for tenant in {id(owner): owner for owner in owners.values()}.values():
        own = [m for m in manifests if owners[id(m)] is tenant]
        of_platform = [] if tenant.shared else [m for m in own if _is_settings(m)]
        plan.problems += [(m, _settings_of_a_team(m)) for m in of_platform]
        own = [m for m in own if m not in of_platform] if of_platform else own
        shared = [m for m in manifests if owners[id(m)] is not tenant and owners[id(m)].shared]
        plan.add(_of(_rendered([*shared, *own], settings), frozenset(map(id, own))))
    return plan


def _is_settings(manifest: Manifest) -> bool:
    """Whether a manifest has the name of an operator's settings, elsewhere than the operator has them."""
    return SETTINGS_OBJECTS.get((manifest.kind, manifest.name), manifest.namespace) != manifest.namespace


def _settings_of_a_team(manifest: Manifest) -> Problem:
    message = (
        f"{manifest.name} has an operator's settings, gateways and hosts among them, which are the platform's, so it "
        "is not read: they stand in the operator's own namespace, in a shared tenant's folder or in the settings"
    )
    return Problem("metadata.namespace", message, "warning", "tenant")


def _of(plan: Plan, manifests: frozenset[int]) -> Plan:
    """The part of a plan that comes from some of its manifests."""
    return Plan(
        services=[(m, service) for m, service in plan.services if id(m) in manifests],
        objects=[(m, obj) for m, obj in plan.objects if id(m) in manifests],
        problems=[(m, problem) for m, problem in plan.problems if id(m) in manifests],
        existing=plan.existing,
    )


def _rendered(manifests: Sequence[Manifest], settings: Settings) -> Plan:
    """Each family renders its own manifests, then what needs another family's service."""
    families = {id(manifest): family_of(manifest.apiVersion) for manifest in manifests}
    plan = Plan()
    for family in FAMILIES:
        if any(found is family for found in families.values()):
            own = [manifest for manifest in manifests if families[id(manifest)] in (family, None)]
            plan.add(_with_all_keys(family.entry().render(own, getattr(settings, family.settings)), settings))
    plan.objects += [(m, m.as_object()) for m in manifests if isinstance(m, Passed)]
    if plan.pending:  # of benchmarks alone, which most stacks don't have
        from ..linking.targets import complete

        for completed in complete(plan):
            plan.add(_with_all_keys(completed, settings))
    return plan


def _with_all_keys(part: Plan, settings: Settings) -> Plan:
    services = [(manifest, _with_keys(manifest, service, settings)) for manifest, service in part.services]
    services = [(m, _patient(service, _limits(m, settings))) for m, service in services]
    if settings.images.are_given:
        services = [(manifest, _with_images(service, settings.images)) for manifest, service in services]
    return replace(part, services=services)


def _limits(manifest: Manifest, settings: Settings) -> StartupSettings:
    """How long pods of a manifest's family are waited for."""
    family = family_of(manifest.apiVersion)
    startup = getattr(getattr(settings, family.settings), "startup", None) if family else None
    return startup if isinstance(startup, StartupSettings) else defaults(StartupSettings)


def _with_keys(manifest: Manifest, service: Rendered, settings: Settings) -> Rendered:
    """The service as OME's documented keys change it, whatever its family."""
    if not has_keys(manifest.metadata):
        return service
    # Imported when first needed: most stacks have no such keys.
    from ..ome_keys.apply import apply_keys

    return apply_keys(manifest, service, settings.ome)


def _patient(service: Rendered, limits: StartupSettings) -> Rendered:
    """The service as it is registered: its Deployments have the time that their pods may take to start."""
    objects = {role: finished(with_deadline(obj)) for role, obj in service.objects.items()}
    parts = {role: _patient(part, limits) for role, part in service.parts.items()}
    return replace(service, objects=objects, parts=parts, startup=limits)


def _with_images(service: Rendered, images: Images) -> Rendered:
    """The service with its images where the platform has them. Rules of the families have seen their own names."""
    shared = tuple(with_images(obj, images) for obj in service.shared)
    return replace(service.with_objects(lambda obj: with_images(obj, images)), shared=shared)
