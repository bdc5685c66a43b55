"""What every rendered object gets at the end, whatever its family: what an API server takes, and what then works wrong.

Servers drain: gateways and Services send them requests for some seconds more while they are taken away. Downloads know
what their server says of the hub, variables stand after those that they name, pods of the node's network know the
cluster's names, and autoscalers can be handed from Kubernetes to KEDA.

Decisions: draining, keda, K15 (docs/decisions).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from .download_env import with_server_env
from .env import REFERENCE
from .model import Spec
from .objects import Object
from .pod_edits import SERVERS, with_pod_specs
from .pod_templates import CONTAINERS
from .scalars import Integer
from .values import mapping, mappings

Seconds = Annotated[Integer, Field(ge=0, lt=2**31)]


class DrainSettings(Spec):
    preStopSeconds: Seconds = 15
    """Seconds that a server at least keeps serving before it is told to stop, until it no longer receives requests. 0
    leaves the pods as their operators create them."""
    terminationGracePeriodSeconds: Seconds = 60
    """Seconds that a pod may take to stop, including preStopSeconds. Answers that take longer are cut off."""

    @model_validator(mode="after")
    def _leaves_time(self) -> Self:
        if self.preStopSeconds and self.preStopSeconds >= self.terminationGracePeriodSeconds:
            raise ValueError("preStopSeconds must be less than terminationGracePeriodSeconds, which includes it")
        return self


Wait = Callable[[Mapping[str, Any], int], list[str]]
"""The command with which a container waits for at least some seconds."""


def with_drain(obj: Object, drain: DrainSettings, wait: Wait) -> Object:
    """Adds a preStop wait to the pods of a server workload, unless they already have a preStop hook."""
    if not drain.preStopSeconds or obj["kind"] not in SERVERS:
        return obj
    return with_pod_specs(obj, lambda pod: _drained(pod, drain, wait))


def _drained(pod: Mapping[str, Any], drain: DrainSettings, wait: Wait) -> dict[str, Any]:
    containers = mappings(pod.get("containers"))
    grace = pod.get("terminationGracePeriodSeconds", drain.terminationGracePeriodSeconds)
    has_time = not isinstance(grace, int) or grace > drain.preStopSeconds
    if not has_time or any("preStop" in mapping(item.get("lifecycle")) for item in containers):
        return {**pod}
    changed = [_waiting(item, wait(item, drain.preStopSeconds)) if item.get("ports") else item for item in containers]
    return {**pod, "terminationGracePeriodSeconds": grace, "containers": changed} if changed != containers else {**pod}


def _waiting(container: Mapping[str, Any], command: list[str]) -> dict[str, Any]:
    lifecycle = {**mapping(container.get("lifecycle")), "preStop": {"exec": {"command": command}}}
    return {**container, "lifecycle": lifecycle}


OWNERSHIP = "validations.keda.sh/hpa-ownership"
"""Annotation that makes KEDA's admission webhook skip an HPA: a ScaledObject is created before the HPA that it replaces
is deleted."""
_KEDA_PREFIX = "keda-hpa-"
_MOST = 63
"""Maximum length of the HPA's name, which KEDA uses as a label value."""


def finished(obj: Object) -> Object:
    """The object as it is registered."""
    if obj["kind"] == "HorizontalPodAutoscaler":
        metadata = obj["metadata"]
        return {**obj, "metadata": {**metadata, "annotations": {OWNERSHIP: "false", **metadata.get("annotations", {})}}}
    if obj["kind"] == "ScaledObject":
        return _with_short_name(obj)
    return with_pod_specs(obj, _pod)


def _with_short_name(obj: Object) -> Object:
    """Gives a ScaledObject's HPA a name that fits into a label, unless the manifest names it."""
    name = f"{_KEDA_PREFIX}{obj['metadata']['name']}"
    advanced = mapping(obj["spec"].get("advanced"))
    config = mapping(advanced.get("horizontalPodAutoscalerConfig"))
    if len(name) <= _MOST or config.get("name"):
        return obj
    digest = sha256(name.encode()).hexdigest()[:8]
    short = f"{name[: _MOST - len(digest) - 1].rstrip('-.')}-{digest}"
    advanced = {**advanced, "horizontalPodAutoscalerConfig": {**config, "name": short}}
    return {**obj, "spec": {**obj["spec"], "advanced": advanced}}


def _pod(pod: Mapping[str, Any]) -> dict[str, Any]:
    changed = with_server_env(pod)
    if pod.get("hostNetwork") is True and "dnsPolicy" not in pod:
        changed["dnsPolicy"] = "ClusterFirstWithHostNet"  # the default, the node's resolver, knows no Services
    for field in CONTAINERS:
        if field in changed:
            changed[field] = [_container(item) for item in changed[field]]
    return changed


def _container(item: Any) -> Any:
    if not isinstance(item, Mapping) or "env" not in item:
        return item
    return {**item, "env": in_order(item["env"])}


def in_order(env: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Moves variables behind those that they reference: Kubernetes expands ``$(NAME)`` only from earlier entries. All
    others keep their order. Circular references can't be ordered."""
    by_name = {str(entry.get("name")): dict(entry) for entry in mappings(env)}
    if len(by_name) != len(env):
        return list(env)
    placed: dict[str, dict[str, Any]] = {}
    for name in by_name:
        _place(name, by_name, placed, frozenset())
    return list(placed.values())


def _place(
    name: str,
    by_name: Mapping[str, dict[str, Any]],
    placed: dict[str, dict[str, Any]],
    above: frozenset[str],
) -> None:
    if name in placed or name in above:
        return
    for needed in _names(by_name[name]):
        if needed in by_name:
            _place(needed, by_name, placed, above | {name})
    placed[name] = by_name[name]


def _names(entry: Mapping[str, Any]) -> Iterator[str]:
    value = entry.get("value")
    if isinstance(value, str) and "$(" in value:
        yield from REFERENCE.findall(value)
