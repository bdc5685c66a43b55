"""Pods that go on serving while they are taken away: gateways and Services send them requests for some seconds more.

Decisions: draining (docs/decisions).
"""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from .model import Spec
from .objects import Object
from .pod_edits import SERVERS, with_pod_specs
from .scalars import Integer
from .values import mapping, mappings

Seconds = Annotated[Integer, Field(ge=0, lt=2**31)]


class DrainSettings(Spec):
    preStopSeconds: Seconds = 15
    """How long a server goes on before it is told to end: until nobody sends it requests any more. 0 leaves the pods as
    their operators make them."""
    terminationGracePeriodSeconds: Seconds = 60
    """How long it may take to end, that time included."""

    @model_validator(mode="after")
    def _leaves_time(self) -> Self:
        if self.preStopSeconds and self.preStopSeconds >= self.terminationGracePeriodSeconds:
            raise ValueError("preStopSeconds must be less than terminationGracePeriodSeconds, which includes it")
        return self


def with_drain(obj: Object, drain: DrainSettings) -> Object:
    """A workload of servers whose pods drain. One that has a preStop keeps its pods as they are."""
    if not drain.preStopSeconds or obj["kind"] not in SERVERS:
        return obj
    return with_pod_specs(obj, lambda pod: _drained(pod, drain))


def _drained(pod: Mapping[str, Any], drain: DrainSettings) -> dict[str, Any]:
    containers = mappings(pod.get("containers"))
    grace = pod.get("terminationGracePeriodSeconds", drain.terminationGracePeriodSeconds)
    has_time = not isinstance(grace, int) or grace > drain.preStopSeconds
    if not has_time or any("preStop" in mapping(item.get("lifecycle")) for item in containers):
        return {**pod}
    changed = [_waiting(item, drain.preStopSeconds) if item.get("ports") else item for item in containers]
    return {**pod, "terminationGracePeriodSeconds": grace, "containers": changed} if changed != containers else {**pod}


def _waiting(container: Mapping[str, Any], seconds: int) -> dict[str, Any]:
    wait = {"exec": {"command": ["/bin/sleep", str(seconds)]}}
    return {**container, "lifecycle": {**mapping(container.get("lifecycle")), "preStop": wait}}
