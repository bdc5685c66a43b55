"""Rules on what containers and pods ask for. Not proven: how much of it they use."""

import pytest

from modelservices.policy.rules.containers import PRIORITY_CLASS, REQUESTS
from modelservices.policy.rules.security_context import PRIVILEGED
from tests.unit.policy.helpers import MAIN, container, obj, pod_of, said, template, workload


def test_a_container_without_requests() -> None:
    assert said(REQUESTS, workload()) == [
        f"Deployment n/web: {MAIN}.resources: the container server requests no cpu and no memory; set "
        "resources.requests.cpu and resources.requests.memory"
    ]


def test_a_container_with_some() -> None:
    assert said(REQUESTS, workload(container(resources={"requests": {"cpu": "1"}}))) == [
        f"Deployment n/web: {MAIN}.resources: the container server requests no memory; set resources.requests.memory"
    ]


@pytest.mark.parametrize(
    "resources",
    [
        {"requests": {"cpu": "1", "memory": "1Gi"}},
        {"limits": {"cpu": "1", "memory": "1Gi"}},
        {"limits": {"cpu": "1"}, "requests": {"memory": "1Gi"}},
    ],
)
def test_a_limit_is_a_request_too(resources: dict) -> None:
    assert said(REQUESTS, workload(container(resources=resources))) == []


def test_requests_of_the_whole_pod_are_its_containers() -> None:
    assert said(REQUESTS, pod_of(resources={"requests": {"cpu": "1", "memory": "1Gi"}})) == []


def test_init_containers_count_where_asked_for() -> None:
    enough = {"requests": {"cpu": "1", "memory": "1Gi"}}
    pod = template(container(resources=enough), initContainers=[container("fetch", restartPolicy="Always")])
    thing = obj("Deployment", template=pod)
    assert said(REQUESTS, thing) == []
    assert said(REQUESTS, thing, {"initContainers": True, "resources": ["memory"]}) == [
        "Deployment n/web: spec.template.spec.initContainers[0].resources: the container fetch requests no memory; "
        "set resources.requests.memory"
    ]


def test_an_object_can_be_exempt() -> None:
    thing = workload(container(securityContext={"privileged": True}))
    assert said(PRIVILEGED, thing, {"exempt": ["Deployment n/*"]}) == []
    assert said(PRIVILEGED, thing, {"exempt": ["Deployment other/*", "Job n/web"]}) != []


def test_a_priority_class_that_is_not_allowed() -> None:
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="system-node-critical"), {"classes": ["low", "high"]}) == [
        "Deployment n/web: spec.template.spec.priorityClassName: the priority class system-node-critical is not "
        "allowed; use one of low, high"
    ]


def test_priority_classes_that_are_allowed() -> None:
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="low"), {"classes": ["low"]}) == []
    assert said(PRIORITY_CLASS, pod_of(), {"classes": ["low"]}) == []
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="any")) == []
