"""The live status of workloads, which a program reads itself once their pods are ready."""

from collections.abc import Iterable, Mapping
from typing import Any

import pulumi

from ..kubernetes.objects import Key, Object, key
from ..kubernetes.startup import StartupSettings
from .apply import KubernetesObject, elects_a_leader
from .registered import Registered
from .waiting import Awaited, Waiting


def live_status(
    obj: Object, resource: KubernetesObject, limits: StartupSettings, waiting: Waiting
) -> pulumi.Output[Mapping[str, Any]]:
    """The status of a workload when its pods are ready, or when waiting for them has ended; now, in a preview."""
    if not pulumi.runtime.is_dry_run():
        waiting.announce()

    async def wait(metadata: Any) -> Mapping[str, Any]:
        if not isinstance(metadata, Mapping):  # left out of this update, as by --target
            waiting.withdraw()
            return pulumi.UNKNOWN  # type: ignore[return-value]
        # A name or namespace that was known only now is an example in what was rendered.
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
    """The registered ones of these objects, to depend on: workloads when their pods are ready."""
    waiting = registered.waiting if not provider and not pulumi.runtime.is_dry_run() else None
    pairs = [(identity, resource) for identity in identities for resource in registered.those([identity], provider)]
    if waiting is None:
        return [resource for _, resource in pairs]
    return [pulumi.Output.from_input(waiting.after(identity, resource)) for identity, resource in pairs]
