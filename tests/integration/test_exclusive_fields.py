"""Mutually exclusive fields, set by anybody: the API server rejects an apply until the other field is released.

Covers every group of components/kubernetes/exclusive.py with the API server's own checks. test_drift.py proves that
previews and updates release fields.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from modelservices.cluster.connection import Cluster, Refused
from modelservices.cluster.released import after_update, release, to_release
from modelservices.kubernetes.api_fields import fields
from modelservices.kubernetes.exclusive import EXCLUDED_BY, ONE_OF, volume_sources
from modelservices.kubernetes.objects import Object, key
from tests.integration.conftest import SharedCluster
from tests.integration.live import edit, read

MARK = "modelservices:organization/test/test"
HTTP = {"httpGet": {"path": "/x", "port": 80}}
COMMAND = {"exec": {"command": ["x"]}}
FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}
LOCAL = {"type": "Localhost", "localhostProfile": "x"}

Side = Mapping[str, Any]


def container(**stated: Any) -> Side:
    return {"template": {"spec": {"containers": [{"name": "s", **stated}]}}}


def pod(**stated: Any) -> Side:
    return {"template": {"spec": stated}}


def env(**stated: Any) -> Side:
    return container(env=[{"name": "A", **stated}])


def resources(**stated: Mapping[str, str]) -> Side:
    return container(resources=stated)


GROUPS: dict[str, tuple[Side, Side]] = {
    "DeploymentStrategy": ({"strategy": {"type": "Recreate"}}, {"strategy": {"type": "RollingUpdate"}}),
    "DeploymentStrategy-type": (
        {"strategy": {"rollingUpdate": {"maxSurge": 1}}},
        {"strategy": {"type": "Recreate", "rollingUpdate": None}},
    ),
    "EnvVar": (env(value="1"), env(value=None, valueFrom=FIELD)),
    "EnvVar-source": (env(valueFrom=FIELD), env(value="1", valueFrom=None)),
    **{
        f"EnvVarSource-{source}": (env(valueFrom=FIELD), env(valueFrom={"fieldRef": None, source: body}))
        for source, body in {
            "configMapKeyRef": {"name": "x", "key": "y"},
            "resourceFieldRef": {"resource": "limits.cpu"},
            "secretKeyRef": {"name": "x", "key": "y"},
        }.items()
    },
    **{
        f"Volume-{source}": (
            pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}]),
            pod(volumes=[{"name": "v", "persistentVolumeClaim": None, source: body}]),
        )
        for source, body in {
            "configMap": {"name": "x"},
            "csi": {"driver": "d", "volumeAttributes": {"a": "b"}},
            "emptyDir": {},
            "hostPath": {"path": "/x"},
            "image": {"reference": "x"},
            "nfs": {"server": "x", "path": "/x"},
            "projected": {"sources": [{"secret": {"name": "x"}}]},
            "secret": {"secretName": "x"},
        }.items()
    },
    "PodResourceClaim": (
        pod(resourceClaims=[{"name": "g", "resourceClaimTemplateName": "t"}]),
        pod(resourceClaims=[{"name": "g", "resourceClaimTemplateName": None, "resourceClaimName": "c"}]),
    ),
    **{
        f"Probe-{probe}-{handler}": (container(**{probe: HTTP}), container(**{probe: {"httpGet": None, handler: body}}))
        for probe in ("livenessProbe", "readinessProbe", "startupProbe")
        for handler, body in {**COMMAND, "tcpSocket": {"port": 1}, "grpc": {"port": 1}}.items()
    },
    **{
        f"LifecycleHandler-{hook}-{handler}": (
            container(lifecycle={hook: COMMAND}),
            container(lifecycle={hook: {"exec": None, handler: body}}),
        )
        for hook in ("preStop", "postStart")
        for handler, body in {"httpGet": {"port": 1}, "sleep": {"seconds": 1}}.items()
    },
    "SeccompProfile": (
        container(securityContext={"seccompProfile": {"type": "RuntimeDefault"}}),
        container(securityContext={"seccompProfile": LOCAL}),
    ),
    "SeccompProfile-of-a-pod": (
        pod(securityContext={"seccompProfile": {"type": "RuntimeDefault"}}),
        pod(securityContext={"seccompProfile": LOCAL}),
    ),
    "AppArmorProfile": (
        container(securityContext={"appArmorProfile": {"type": "Unconfined"}}),
        container(securityContext={"appArmorProfile": LOCAL}),
    ),
    "SecurityContext": (
        container(securityContext={"allowPrivilegeEscalation": False}),
        container(securityContext={"privileged": True, "allowPrivilegeEscalation": None}),
    ),
    "SecurityContext-privileged": (
        container(securityContext={"privileged": True}),
        container(securityContext={"privileged": False, "allowPrivilegeEscalation": False}),
    ),
    "PodSpec": (pod(hostPID=True), pod(hostPID=None, shareProcessNamespace=True)),
    "PodSpec-shared": (pod(shareProcessNamespace=True), pod(hostPID=True, shareProcessNamespace=None)),
    "limits": (resources(requests={"cpu": "4"}), resources(requests={"cpu": "1"}, limits={"cpu": "2"})),
    "requests": (resources(limits={"cpu": "1"}), resources(requests={"cpu": "2"}, limits={"cpu": "3"})),
    "accelerators": (
        resources(limits={"nvidia.com/gpu": "2"}),
        resources(limits={"nvidia.com/gpu": "1"}, requests={"nvidia.com/gpu": "1"}),
    ),
}


def deployment(name: str, namespace: str, stated: Side) -> Object:
    labels = {"app": name}
    template = stated.get("template", {}).get("spec", {})
    (server,) = template.get("containers", [{"name": "s"}])
    spec = {**template, "containers": [{**server, "image": "example/x"}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": labels},
            **{field: value for field, value in stated.items() if field != "template"},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def test_there_is_a_case_for_every_group():
    named = {name.partition("-")[0] for name in GROUPS}
    assert {*ONE_OF, *EXCLUDED_BY, "Volume"} <= named
    assert all(set(group) <= fields(kind).keys() for kind, group in ONE_OF.items())
    assert {"emptyDir", "ephemeral", "image", "persistentVolumeClaim"} < set(volume_sources())


@pytest.mark.parametrize("manager", ["k9s", "kubectl-edit"])
def test_a_field_that_excludes_the_stacks_is_released(
    manager: str, cluster: SharedCluster, api: DynamicClient, namespace: str
) -> None:
    connection = Cluster.connect(str(cluster.kubeconfig))
    for name, (ours, theirs) in GROUPS.items():
        obj = deployment(name.lower(), namespace, ours)
        first = connection.apply(obj, MARK, dry_run=False)
        edit(api, "apps/v1", "Deployment", name.lower(), namespace, {"spec": theirs}, manager)
        with pytest.raises(Refused):
            connection.apply(obj, MARK, dry_run=True)
        live = read(api, "apps/v1", "Deployment", name.lower(), namespace)
        assert len(to_release(obj, live, MARK)) == 1, name
        assert after_update(obj, live, connection, MARK)["spec"] == first["spec"], name

        release(obj, connection, MARK)

        released = connection.read(key(obj))
        assert released and released["spec"] == live["spec"], name
        repaired = connection.apply(obj, MARK, dry_run=False)
        assert repaired["spec"] == first["spec"], name
        assert to_release(obj, repaired, MARK) == [], name


def test_what_nobody_owns_is_released(cluster: SharedCluster, namespace: str) -> None:
    """The API server's default and a value that excludes it."""
    connection = Cluster.connect(str(cluster.kubeconfig))
    connection.apply(deployment("x", namespace, {"strategy": {"type": "RollingUpdate"}}), MARK, dry_run=False)
    changed = deployment("x", namespace, {"strategy": {"type": "Recreate"}})
    release(changed, connection, MARK)
    assert connection.apply(changed, MARK, dry_run=False)["spec"]["strategy"] == {"type": "Recreate"}


def test_replicas_of_an_autoscaler_stay(cluster: SharedCluster, api: DynamicClient, namespace: str) -> None:
    connection = Cluster.connect(str(cluster.kubeconfig))
    obj = deployment("x", namespace, {"strategy": {"type": "Recreate"}})
    del obj["spec"]["replicas"]
    connection.apply(obj, MARK, dry_run=False)
    edit(api, "apps/v1", "Deployment", "x", namespace, {"spec": {"replicas": 0}}, "autoscaler")
    operators = {"strategy": {"type": "RollingUpdate"}, "progressDeadlineSeconds": 9}
    edit(api, "apps/v1", "Deployment", "x", namespace, {"spec": operators}, "manager")
    live = read(api, "apps/v1", "Deployment", "x", namespace)
    assert to_release(obj, live, MARK) != []
    after = after_update(obj, live, connection, MARK)["spec"]
    assert (after["replicas"], after["strategy"]) == (0, {"type": "Recreate"})
