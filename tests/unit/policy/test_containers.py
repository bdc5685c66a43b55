"""Rules on what containers and pods ask for. Not proven: how much of it they use."""

import pytest

from policy.rules.containers import PRIORITY_CLASS, PRIVILEGED, REQUESTS
from tests.unit.policy.helpers import MAIN, container, obj, pod_of, said, template, workload


def test_a_container_without_requests() -> None:
    assert said(REQUESTS, workload()) == [
        f"Deployment n/web: {MAIN}.resources: the container server requests no cpu and no memory: set "
        "resources.requests.cpu and resources.requests.memory"
    ]


def test_a_container_with_some() -> None:
    assert said(REQUESTS, workload(container(resources={"requests": {"cpu": "1"}}))) == [
        f"Deployment n/web: {MAIN}.resources: the container server requests no memory: set resources.requests.memory"
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
        "Deployment n/web: spec.template.spec.initContainers[0].resources: the container fetch requests no memory: set "
        "resources.requests.memory"
    ]


def test_a_privileged_container() -> None:
    pod = template(container(), initContainers=[container("tune", securityContext={"privileged": True})])
    assert said(PRIVILEGED, obj("Deployment", template=pod)) == [
        "Deployment n/web: spec.template.spec.initContainers[0].securityContext.privileged: the container tune is "
        "privileged, so it can do anything on its node: remove privileged, and add the capabilities that it needs"
    ]


@pytest.mark.parametrize("context", [{}, {"privileged": False}, {"capabilities": {"add": ["IPC_LOCK"]}}, None])
def test_containers_that_are_not_privileged(context: object) -> None:
    assert said(PRIVILEGED, workload(container(securityContext=context))) == []


def test_an_object_can_be_exempt() -> None:
    thing = workload(container(securityContext={"privileged": True}))
    assert said(PRIVILEGED, thing, {"exempt": ["Deployment n/*"]}) == []
    assert said(PRIVILEGED, thing, {"exempt": ["Deployment other/*", "Job n/web"]}) != []


def test_a_priority_class_that_is_not_allowed() -> None:
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="system-node-critical"), {"classes": ["low", "high"]}) == [
        "Deployment n/web: spec.template.spec.priorityClassName: the priority class system-node-critical is not "
        "allowed: use one of low, high"
    ]


def test_priority_classes_that_are_allowed() -> None:
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="low"), {"classes": ["low"]}) == []
    assert said(PRIORITY_CLASS, pod_of(), {"classes": ["low"]}) == []
    assert said(PRIORITY_CLASS, pod_of(priorityClassName="any")) == []


def test_every_template_of_an_object_is_looked_at() -> None:
    pod = template(container(securityContext={"privileged": True}))
    groups = obj(
        "LeaderWorkerSet", leaderWorkerTemplate={"leaderTemplate": template(container()), "workerTemplate": pod}
    )
    jobs = obj("JobSet", replicatedJobs=[{"template": {"spec": {"template": pod}}}])
    assert [sentence.split(": ")[1] for thing in (groups, jobs) for sentence in said(PRIVILEGED, thing)] == [
        "spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].securityContext.privileged",
        "spec.replicatedJobs[0].template.spec.template.spec.containers[0].securityContext.privileged",
    ]
