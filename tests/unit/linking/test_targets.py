"""Which service a benchmark gets as its target. Does not prove what the job makes of it: see OME's tests."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from modelservices.families import Pending, Plan, Target
from modelservices.kubernetes.model import Manifest, ObjectMeta
from modelservices.kubernetes.objects import Key, Object
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.kubernetes.status import ServiceStatus
from modelservices.linking.targets import complete
from tests.unit.records import component, source

SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "chat", "namespace": "models"}}


def manifest(group: str, kind: str, name: str = "chat", namespace: str = "models") -> Manifest:
    return Manifest(apiVersion=f"{group}/v1", kind=kind, metadata=ObjectMeta(name=name, namespace=namespace))


def status(endpoint: str, live: Mapping[str, Mapping[str, Any]]) -> ServiceStatus:
    return ServiceStatus(phase="Ready", endpoint=endpoint)


def rendered(owner: Manifest, endpoint: str | None, objects: Mapping[str, Object]) -> RenderedComponent:
    observe = None if endpoint is None else partial(status, endpoint)
    return component(source(owner), objects, observe=observe)


def target(*services: tuple[Manifest, str | None], name: str = "chat", namespace: str = "models") -> Target | None:
    """What a job of ome.io that wants a service of this name is rendered with."""
    asked: list[Target | None] = []
    job = Pending(
        source(manifest("ome.io", "BenchmarkJob", "job")), namespace, name, lambda found: asked.append(found) or Plan()
    )
    made = [rendered(owner, endpoint, {"service": SERVICE}) for owner, endpoint in services]
    assert list(complete(Plan(services=made, pending=[job]))) == [Plan()]
    (found,) = asked
    return found


OTHER = manifest("serving.kserve.io", "LLMInferenceService")


def test_a_service_of_another_family() -> None:
    found = target((OTHER, "http://chat.models.svc:8000/v1/chat/completions"))
    assert found is not None
    assert (found.url, found.model_name) == ("http://chat.models.svc:8000", "chat")
    assert found.objects == (Key("v1", "Service", "models", "chat"),)


@pytest.mark.parametrize("endpoint", [None, "", "chat.models"])
def test_a_service_without_an_address(endpoint: str | None) -> None:
    found = target((OTHER, endpoint))
    assert found is not None
    assert found.url == ""


def test_one_of_the_job_s_own_family_is_not_looked_for_here() -> None:
    """The family has its own services already; a job of the service's name is none."""
    own = manifest("ome.io", "TrainingJob")
    assert target((own, "http://job")) is None
    found = target((own, "http://job"), (OTHER, "http://chat"))
    assert found is not None
    assert found.url == "http://chat"


@pytest.mark.parametrize(("name", "namespace"), [("chat", "other"), ("other", "models")])
def test_no_service_of_that_name(name: str, namespace: str) -> None:
    assert target((OTHER, "http://chat"), name=name, namespace=namespace) is None
