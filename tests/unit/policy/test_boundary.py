"""The rules that keep pods off their nodes, each on each kind that makes pods.

Not proven: kinds that hide a pod in text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from modelservices.kubernetes.scalars import Opaque
from modelservices.policy.rule import ObjectRule, Rule, StackRule
from modelservices.policy.rules import RULES
from modelservices.policy.rules.host import HOST_NAMESPACES, HOST_PATH, HOST_PORT, NODE_NAME
from modelservices.policy.rules.reach import NAMESPACES, SERVICE_ACCOUNTS
from modelservices.policy.rules.security_context import CAPABILITIES, CONFINEMENT, PRIVILEGED
from tests.unit.policy.helpers import MAIN, container, obj, pod_of, said, said_of_all, template, workload

Made = dict[str, Any]
PLAIN = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container()]}}


def _of_job(pod: Made) -> Made:
    return {"spec": {"template": pod}}


def _ray(pod: Made) -> Made:
    return {"headGroupSpec": {"template": PLAIN}, "workerGroupSpecs": [{"template": pod}]}


KINDS: Mapping[str, tuple[Callable[[Made], Made], str]] = {
    "Pod": (lambda pod: {**obj("Pod"), **pod, "metadata": obj("Pod")["metadata"]}, "spec"),
    "Deployment": (lambda pod: obj("Deployment", template=pod), "spec.template.spec"),
    "StatefulSet": (lambda pod: obj("StatefulSet", template=pod), "spec.template.spec"),
    "DaemonSet": (lambda pod: obj("DaemonSet", template=pod), "spec.template.spec"),
    "ReplicaSet": (lambda pod: obj("ReplicaSet", template=pod), "spec.template.spec"),
    "Job": (lambda pod: obj("Job", template=pod), "spec.template.spec"),
    "CronJob": (lambda pod: obj("CronJob", jobTemplate=_of_job(pod)), "spec.jobTemplate.spec.template.spec"),
    "leader": (
        lambda pod: obj("LeaderWorkerSet", leaderWorkerTemplate={"leaderTemplate": pod, "workerTemplate": PLAIN}),
        "spec.leaderWorkerTemplate.leaderTemplate.spec",
    ),
    "worker": (
        lambda pod: obj("LeaderWorkerSet", leaderWorkerTemplate={"leaderTemplate": PLAIN, "workerTemplate": pod}),
        "spec.leaderWorkerTemplate.workerTemplate.spec",
    ),
    "JobSet": (
        lambda pod: obj("JobSet", replicatedJobs=[{"template": _of_job(PLAIN)}, {"template": _of_job(pod)}]),
        "spec.replicatedJobs[1].template.spec.template.spec",
    ),
    "TrainJob": (
        lambda pod: obj("TrainJob", trainer={"image": "a:1"}, podTemplateOverrides=[{"spec": pod["spec"]}]),
        "spec.podTemplateOverrides[0].spec",
    ),
    "Knative": (lambda pod: obj("Service", api_version="serving.knative.dev/v1", template=pod), "spec.template.spec"),
    "RayCluster": (lambda pod: obj("RayCluster", **_ray(pod)), "spec.workerGroupSpecs[0].template.spec"),
    "head": (
        lambda pod: obj("RayCluster", headGroupSpec={"template": pod}),
        "spec.headGroupSpec.template.spec",
    ),
    "RayService": (
        lambda pod: obj("RayService", rayClusterConfig=_ray(pod)),
        "spec.rayClusterConfig.workerGroupSpecs[0].template.spec",
    ),
    "RayJob": (
        lambda pod: obj("RayJob", rayClusterSpec=_ray(PLAIN), submitterPodTemplate=pod),
        "spec.submitterPodTemplate.spec",
    ),
    "PodTemplate": (lambda pod: {**obj("PodTemplate"), "template": pod}, "template.spec"),
    "passed through": (
        lambda pod: obj("Thing", api_version="example.com/v1", parts={"a": [pod]}),
        "spec.parts.a[0].spec",
    ),
}
"""What makes pods: an object with this pod template in it, and where the pod's spec stands there."""


def security(**context: Any) -> Made:
    return {"securityContext": context}


IN_CONTAINERS: Mapping[str, tuple[Rule, Made, str]] = {
    "privileged": (PRIVILEGED, security(privileged=True), "securityContext.privileged"),
    "capabilities": (CAPABILITIES, security(capabilities={"add": ["NET_ADMIN"]}), "securityContext.capabilities.add"),
    "procMount": (CONFINEMENT, security(procMount="Unmasked"), "securityContext.procMount"),
    "seccomp": (CONFINEMENT, security(seccompProfile={"type": "Unconfined"}), "securityContext.seccompProfile.type"),
    "SELinux": (CONFINEMENT, security(seLinuxOptions={"type": "spc_t"}), "securityContext.seLinuxOptions.type"),
    "hostPort": (HOST_PORT, {"ports": [{"containerPort": 80, "hostPort": 80}]}, "ports[0].hostPort"),
    "hostProcess": (
        HOST_NAMESPACES,
        security(windowsOptions={"hostProcess": True}),
        "securityContext.windowsOptions.hostProcess",
    ),
}
"""A rule, what in a container breaks it, and where."""

IN_PODS: Mapping[str, tuple[Rule, Made, str]] = {
    "hostPath": (HOST_PATH, {"volumes": [{"name": "h", "hostPath": {"path": "/"}}]}, "volumes[0].hostPath"),
    "hostNetwork": (HOST_NAMESPACES, {"hostNetwork": True}, "hostNetwork"),
    "hostPID": (HOST_NAMESPACES, {"hostPID": True}, "hostPID"),
    "hostIPC": (HOST_NAMESPACES, {"hostIPC": True}, "hostIPC"),
    "nodeName": (NODE_NAME, {"nodeName": "cp"}, "nodeName"),
    "serviceAccountName": (SERVICE_ACCOUNTS, {"serviceAccountName": "admin"}, "serviceAccountName"),
    "serviceAccount": (SERVICE_ACCOUNTS, {"serviceAccount": "admin"}, "serviceAccount"),
    "AppArmor": (
        CONFINEMENT,
        security(appArmorProfile={"type": "Unconfined"}),
        "securityContext.appArmorProfile.type",
    ),
    "hostProcess": (
        HOST_NAMESPACES,
        security(windowsOptions={"hostProcess": True}),
        "securityContext.windowsOptions.hostProcess",
    ),
}
"""A rule, what in a pod breaks it, and where."""


def broken(thing: Made) -> list[tuple[str, str]]:
    """Rule and path of everything that any mandatory rule says of an object."""
    found = []
    for rule in (rule for rule in RULES if rule.level == "mandatory"):
        sentences = said(rule, thing) if isinstance(rule, ObjectRule) else said_of_all(_stack(rule), [thing], {})
        found += [(rule.name, sentence.split(": ")[1]) for sentence in sentences]
    return found


def _stack(rule: Rule) -> StackRule:
    assert isinstance(rule, StackRule)
    return rule


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_without_any_of_it_is_clean(kind: str) -> None:
    make, _ = KINDS[kind]
    assert broken(make(template(container(), initContainers=[container("fetch")], serviceAccountName="default"))) == []


@pytest.mark.parametrize("place", ["containers", "initContainers", "ephemeralContainers"])
@pytest.mark.parametrize("wrong", IN_CONTAINERS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_container_may_not(kind: str, wrong: str, place: str) -> None:
    make, path = KINDS[kind]
    rule, body, field = IN_CONTAINERS[wrong]
    spec = {"containers": [container()], place: [container("bad", **body)]}
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": spec}
    assert broken(make(pod)) == [(rule.name, f"{path}.{place}[0].{field}")]


@pytest.mark.parametrize("wrong", IN_PODS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_pod_may_not(kind: str, wrong: str) -> None:
    make, path = KINDS[kind]
    rule, body, field = IN_PODS[wrong]
    assert broken(make(template(container(), **body))) == [(rule.name, f"{path}.{field}")]


CLEAN = [
    security(privileged=False, procMount="Default", seccompProfile={"type": "RuntimeDefault"}),
    security(capabilities={"drop": ["ALL"], "add": ["CHOWN", "CAP_FOWNER", "net_bind_service"]}),
    security(capabilities={"drop": ["SYS_ADMIN"]}),
    security(seLinuxOptions={"type": "container_kvm_t", "level": "s0:c1,c2"}),
    security(capabilities=None, privileged=None),
    {"ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 0}]},
    {"ports": [{"containerPort": 80, "hostPort": Opaque(None)}], **security(privileged=Opaque(None))},
]


@pytest.mark.parametrize("body", CLEAN, ids=str)
def test_what_a_container_may(body: Made) -> None:
    assert broken(workload(container(**body))) == []


@pytest.mark.parametrize("name", ["SYS_ADMIN", "sys_admin", "CAP_SYS_ADMIN", "ALL", "all", "BPF"])
def test_capabilities_in_any_spelling(name: str) -> None:
    thing = workload(container(**security(capabilities={"add": ["CHOWN", name]})))
    assert said(CAPABILITIES, thing) == [
        f"Deployment n/web: {MAIN}.securityContext.capabilities.add: adds {name}: remove it, or let the platform list "
        "it under capabilities.add"
    ]
    assert said(CAPABILITIES, thing, {"add": [name.upper().removeprefix("CAP_")]}) == []


def test_a_privileged_container() -> None:
    assert said(PRIVILEGED, workload(container(**security(privileged=True)))) == [
        f"Deployment n/web: {MAIN}.securityContext.privileged: the container is privileged, so it can do anything on "
        "its node; remove privileged, and request devices by resources.limits"
    ]


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("/models", True),
        ("/models/", True),
        ("/models/llama/8b", True),
        ("/models/../etc", False),
        ("/models-2", False),
        ("/", False),
        ("models", False),
        ("/dev/infiniband", True),
        ("/dev", False),
    ],
)
def test_folders_of_nodes_that_may_be_mounted(folder: str, allowed: bool) -> None:
    thing = pod_of(volumes=[{"name": "h", "hostPath": {"path": folder}}])
    sentence = (
        f"Deployment n/web: spec.template.spec.volumes[0].hostPath: mounts {folder} of the node; use a claim, a "
        "ConfigMap or an emptyDir, or let the platform list it under host-path.paths"
    )
    assert said(HOST_PATH, thing) == [sentence]
    assert said(HOST_PATH, thing, {"paths": ["/models", "/dev/infiniband/"]}) == ([] if allowed else [sentence])


def test_folders_of_nodes_by_way_of_a_volume() -> None:
    volume = {"metadata": {"name": "v"}, "apiVersion": "v1", "kind": "PersistentVolume"}
    paths = [
        sentence.split(": ")[1]
        for spec in ({"hostPath": {"path": "/"}}, {"local": {"path": "/mnt"}}, {"nfs": {"path": "/"}})
        for sentence in said(HOST_PATH, {**volume, "spec": spec})
    ]
    assert paths == ["spec.hostPath", "spec.local.path"]


def test_a_kind_of_containers_without_a_pod() -> None:
    """An Argo Workflow has single containers; a node is a node there too."""
    step = {"container": {"image": "a:1", **security(privileged=True)}, "volumes": [{"hostPath": {"path": "/"}}]}
    thing = obj("Workflow", api_version="argoproj.io/v1alpha1", templates=[step], hostNetwork=True)
    assert broken(thing) == [
        ("privileged", "spec.templates[0].container.securityContext.privileged"),
        ("host-path", "spec.templates[0].volumes[0].hostPath"),
        ("host-namespaces", "spec.hostNetwork"),
    ]


def test_what_only_describes_fields_has_none() -> None:
    schema = {"properties": {"hostPath": {"type": "object"}, "hostPort": {"type": "integer"}}}
    assert broken(obj("CustomResourceDefinition", versions=[{"schema": schema}])) == []


def test_each_rule_has_its_own_way_out() -> None:
    thing = pod_of(hostNetwork=True, hostPID=True, nodeName="gpu-1")
    assert len(said(HOST_NAMESPACES, thing, {"allowed": ["hostNetwork"]})) == 1
    assert said(NODE_NAME, thing, {"nodes": ["gpu-1"]}) == []
    ports = workload(container(ports=[{"containerPort": 1, "hostPort": 9100}, {"containerPort": 2, "hostPort": 22}]))
    assert [sentence.split(": ")[1] for sentence in said(HOST_PORT, ports, {"ports": [9100]})] == [
        f"{MAIN}.ports[1].hostPort"
    ]


def test_an_account_that_the_stack_does_not_make() -> None:
    pod = pod_of(serviceAccountName="runner")
    own = obj("ServiceAccount", "runner")
    elsewhere = {**own, "metadata": {"name": "runner", "namespace": "other"}}
    sentence = "Deployment n/web: spec.template.spec.serviceAccountName: runs as the account n/runner, which the stack does not make; leave it out, or let the platform list it under service-accounts.accounts"  # noqa: E501
    assert said_of_all(SERVICE_ACCOUNTS, [pod], {}) == [sentence]
    assert said_of_all(SERVICE_ACCOUNTS, [pod_of(serviceAccountName="runner", serviceAccount="runner")], {}) == [
        sentence
    ]
    assert said_of_all(SERVICE_ACCOUNTS, [pod, elsewhere], {}) == [sentence]
    assert said_of_all(SERVICE_ACCOUNTS, [own, pod], {}) == []
    assert said_of_all(SERVICE_ACCOUNTS, [pod], {"accounts": ["*/run*"]}) == []
    assert said_of_all(SERVICE_ACCOUNTS, [pod], {"accounts": ["other/*", "runner"]}) == [sentence]


def test_namespaces_that_a_stack_may_write_into() -> None:
    allowed = {"allowed": ["team-a", "n-*"]}
    assert said(NAMESPACES, obj("Job")) == []
    assert said(NAMESPACES, obj("Job"), allowed) == [
        "Job n/web: metadata.namespace: n is not among the allowed namespaces (team-a, n-*); choose one of them"
    ]
    assert said(NAMESPACES, {**obj("Job"), "metadata": {"name": "a", "namespace": "n-1"}}, allowed) == []
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    assert [sentence.split(": ")[1] for sentence in said(NAMESPACES, namespace, allowed)] == ["metadata.name"]
    assert said(NAMESPACES, {**obj("ClusterRole"), "metadata": {"name": "c"}}, allowed) == []
