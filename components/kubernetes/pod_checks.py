"""What the API server would refuse in a pod spec, reported before anything is registered.

Decisions: input (docs/decisions).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..findings import Problem, first_problems
from .api_fields import field_problems, fields
from .core import ContainerPort, ResourceRequirements, Toleration, Volume, VolumeMount
from .env import env_problems
from .metadata import is_dns_label, is_label_key, is_label_value, is_subdomain
from .model import dump
from .pod import VOLUME_SOURCES, Container, Lifecycle, PodSpec, TopologySpreadConstraint
from .probes import PROBE_FIELDS, probe_problems
from .resources import is_extended, resource_problems
from .scalars import describe
from .security import security_problems
from .values import repeated

_GRACE_SECONDS = 30
_SLEEP = r"(?:/?\S*sh -l?c )?(?:/bin/|/usr/bin/)?sleep ([0-9]{1,6})s?"
_MAX_PORT_NAME = 15
_LABEL = "must be lower-case letters, digits and '-', at most 63 characters"


def pod_problems(pod: PodSpec, path: str) -> Iterator[Problem]:
    """Problems of a pod as it is registered, up to the number that is reported, with paths below ``path``."""
    yield from first_problems(_pod_problems(pod, path))


def _pod_problems(pod: PodSpec, path: str) -> Iterator[Problem]:
    volumes = pod.volumes or []
    yield from _duplicates([volume.name for volume in volumes], f"{path}.volumes", "volume")
    for index, volume in enumerate(volumes):
        yield from volume_problems(volume, f"{path}.volumes[{index}]")
    names = frozenset(volume.name for volume in volumes)
    groups = {"initContainers": pod.initContainers or [], "containers": pod.containers}
    seconds = pod.terminationGracePeriodSeconds
    grace = _GRACE_SECONDS if seconds is None else seconds
    containers = [item.name for items in groups.values() for item in items]
    yield from _duplicates(containers, f"{path}.containers", "container")
    for field, items in groups.items():
        for index, item in enumerate(items):
            yield from container_problems(item, f"{path}.{field}[{index}]", names)
            if item.lifecycle:
                yield from _lifecycle_problems(item.lifecycle, grace, f"{path}.{field}[{index}].lifecycle")
    if pod.ephemeralContainers:
        yield Problem(f"{path}.ephemeralContainers", "belongs in a running pod, not in a pod template; remove it")
    account = pod.serviceAccountName
    if account and not is_subdomain(account):
        yield Problem(f"{path}.serviceAccountName", f"must be the name of a ServiceAccount, got {describe(account)}")
    if grace < 0:
        yield Problem(f"{path}.terminationGracePeriodSeconds", "must be 0 or more")
    yield from _whole_pod_problems(dump(pod.resources) if pod.resources else {}, f"{path}.resources")
    yield from security_problems(pod.securityContext, f"{path}.securityContext")
    yield from toleration_problems(pod.tolerations or [], f"{path}.tolerations")
    yield from _class_problems(pod, path)
    for name, kind in _HANDED_ON.items():
        yield from field_problems(getattr(pod, name), kind, f"{path}.{name}")
    yield from spread_problems(pod.topologySpreadConstraints or [], f"{path}.topologySpreadConstraints")


def _whole_pod_problems(resources: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Problems of pod-level resources, where Kubernetes allows no devices."""
    yield from resource_problems(resources, path)
    for field in ("limits", "requests"):
        for name in filter(is_extended, resources.get(field, {})):
            message = (
                "can't be requested by a pod as a whole, which may have cpu, memory and huge pages only; move it to "
                "the resources of its container"
            )
            yield Problem(f'{path}.{field}["{name}"]', message)


def _class_problems(pod: PodSpec, path: str) -> Iterator[Problem]:
    for name in ("priorityClassName", "runtimeClassName"):
        value = getattr(pod, name)
        if isinstance(value, str) and value and not is_subdomain(value):
            yield Problem(f"{path}.{name}", f"must be the name of a class, got {describe(value)}")


_HANDED_ON = {
    "affinity": "Affinity",
    "dnsConfig": "PodDNSConfig",
    "hostAliases": "[HostAlias]",
    "os": "PodOS",
    "readinessGates": "[PodReadinessGate]",
    "schedulingGates": "[PodSchedulingGate]",
    "schedulingGroup": "PodSchedulingGroup",
}
"""Fields of a pod that no rule reads, with their types."""


def _duplicates(names: Iterable[str], path: str, what: str) -> Iterator[Problem]:
    for _, name, _ in repeated(names):
        yield Problem(path, f"has two {what}s named {describe(name)}; rename one", code="duplicate")


def volume_problems(volume: Volume, path: str) -> Iterator[Problem]:
    """Problems of one volume: an invalid name, not exactly one source, invalid fields of the source."""
    if not is_dns_label(volume.name):
        yield Problem(f"{path}.name", f"{_LABEL}, got {describe(volume.name)}")
    sources = [field for field in dump(volume) if field != "name"]
    for source in sources:
        if source not in VOLUME_SOURCES:
            yield Problem(f"{path}.{source}", "is not a kind of volume", code="unknown-field")
        else:
            yield from field_problems(getattr(volume, source), fields("Volume")[source], f"{path}.{source}")
    if len(sources) > 1:
        yield Problem(path, f"has {len(sources)} sources ({', '.join(sorted(sources))}); keep one")
    if not sources:
        yield Problem(path, "has no source; add one, for example emptyDir: {}")


def mount_problems(mount: VolumeMount, path: str) -> Iterator[Problem]:
    """Problems of a mount's path within its volume."""
    for field in ("subPath", "subPathExpr"):
        value = getattr(mount, field) or ""
        if value.startswith("/") or ".." in value.split("/"):
            message = f"must be a path within the volume, without '..', got {describe(value)}"
            yield Problem(f"{path}.{field}", message, code="bad-value")
    if mount.subPath and mount.subPathExpr:
        yield Problem(f"{path}.subPathExpr", "excludes subPath; remove one of them")


def container_problems(item: Container, path: str, volumes: frozenset[str]) -> Iterator[Problem]:
    """Problems of one container; ``volumes`` are the names of the pod's volumes."""
    if not is_dns_label(item.name):
        yield Problem(f"{path}.name", f"{_LABEL}, got {describe(item.name)}")
    if not item.image:
        yield Problem(f"{path}.image", f"is required; name the image of the container {item.name}", code="required")
    yield from resource_problems(dump(item.resources) if item.resources else {}, f"{path}.resources")
    yield from _port_problems(item.ports or [], f"{path}.ports")
    mounts = item.volumeMounts or []
    yield from _duplicates([mount.mountPath for mount in mounts], f"{path}.volumeMounts", "mount")
    for index, mount in enumerate(mounts):
        if mount.name not in volumes:
            message = f"mounts {describe(mount.name)}, which is not a volume of the pod; add it under volumes"
            yield Problem(f"{path}.volumeMounts[{index}].name", message)
        yield from mount_problems(mount, f"{path}.volumeMounts[{index}]")
    yield from env_problems(item.env or [], f"{path}.env", volumes=volumes)
    yield from security_problems(item.securityContext, f"{path}.securityContext")
    yield from field_problems(item.restartPolicyRules, "[ContainerRestartRule]", f"{path}.restartPolicyRules")
    ports = [port.name for port in item.ports or [] if port.name]
    for field in PROBE_FIELDS:
        if probe := getattr(item, field):
            yield from probe_problems(field.removesuffix("Probe"), probe, f"{path}.{field}", ports)


def _lifecycle_problems(lifecycle: Lifecycle, grace: int, path: str) -> Iterator[Problem]:
    """Checks that the waits of lifecycle hooks fit into the pod's grace period of ``grace`` seconds. A preStop command
    that sleeps for the whole grace period gives only a warning: the server is killed during its requests."""
    for name, handler in (("postStart", lifecycle.postStart), ("preStop", lifecycle.preStop)):
        if handler and handler.sleep and not 0 <= handler.sleep.seconds <= grace:
            message = f"must be between 0 and terminationGracePeriodSeconds, {grace}, got {handler.sleep.seconds}"
            yield Problem(f"{path}.{name}.sleep.seconds", message)
    words = lifecycle.preStop.exec.command if lifecycle.preStop and lifecycle.preStop.exec else []
    asleep = re.fullmatch(_SLEEP, " ".join(word for word in words if isinstance(word, str)))
    if asleep and int(asleep[1]) >= max(grace, 1):
        message = (
            f"sleeps {int(asleep[1])} s, but terminationGracePeriodSeconds is {grace}, so the server is killed with "
            "its requests in flight; sleep less, or raise terminationGracePeriodSeconds"
        )
        yield Problem(f"{path}.preStop", message, "warning", "no-time-to-end")


def _port_problems(ports: Sequence[ContainerPort], path: str) -> Iterator[Problem]:
    yield from _duplicates([port.name for port in ports if port.name], path, "port")
    numbers = [f"{port.containerPort}/{port.protocol or 'TCP'}" for port in ports]
    yield from _duplicates(numbers, path, "port")
    for index, port in enumerate(ports):
        if port.name and (len(port.name) > _MAX_PORT_NAME or not is_dns_label(port.name)):
            message = f"must be at most {_MAX_PORT_NAME} lower-case letters, digits and '-', got {describe(port.name)}"
            yield Problem(f"{path}[{index}].name", message)


def claim_problems(resources: ResourceRequirements, path: str) -> Iterator[Problem]:
    """Resource claims, which the API server rejects because no field here gives the pod any."""
    for index, claim in enumerate(resources.claims):
        message = (
            f"names the resource claim {claim.name}, but the pod has no resourceClaims and none can be set here; "
            "remove it"
        )
        yield Problem(f"{path}.claims[{index}]", message, code="unknown-claim")


def toleration_problems(tolerations: Sequence[Toleration], path: str) -> Iterator[Problem]:
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        exists = toleration.operator == "Exists"
        if toleration.key and not is_label_key(toleration.key):
            yield Problem(f"{where}.key", f"must be name or example.com/name, got {describe(toleration.key)}")
        if not toleration.key and not exists:
            yield Problem(f"{where}.operator", "must be Exists where there is no key")
        if exists and toleration.value:
            yield Problem(f"{where}.value", "must be left out with operator Exists, which takes any value")
        elif toleration.value and not is_label_value(toleration.value):
            yield Problem(f"{where}.value", f"is not a taint's value, got {describe(toleration.value)}")
        if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
            yield Problem(
                f"{where}.effect", "must be NoExecute with tolerationSeconds, which sets when pods are evicted"
            )


def spread_problems(constraints: Sequence[TopologySpreadConstraint], path: str) -> Iterator[Problem]:
    for index, constraint in enumerate(constraints):
        where = f"{path}[{index}]"
        yield from field_problems(constraint.labelSelector, "LabelSelector", f"{where}.labelSelector")
        for field in ("maxSkew", "minDomains"):
            value = getattr(constraint, field)
            if value is not None and value < 1:
                yield Problem(f"{where}.{field}", f"must be 1 or more, got {value}", code="bad-value")
        if constraint.minDomains is not None and constraint.whenUnsatisfiable != "DoNotSchedule":
            yield Problem(f"{where}.minDomains", "needs whenUnsatisfiable: DoNotSchedule: set it, or remove this")
        if constraint.matchLabelKeys and constraint.labelSelector is None:
            yield Problem(f"{where}.matchLabelKeys", "needs a labelSelector beside it, which selects the pods to count")
    for index, (key, when), _ in repeated((c.topologyKey, c.whenUnsatisfiable) for c in constraints):
        yield Problem(f"{path}[{index}]", f"repeats {when} for {describe(key)}; keep one", code="duplicate")
