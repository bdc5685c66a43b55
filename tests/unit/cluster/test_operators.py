"""Whether an operator's controller runs, on a cluster that answers from a table."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster
from modelservices.cluster.operators import running_controllers
from modelservices.kubernetes.objects import Object

LLMKUBE, KSERVE = "inference.llmkube.dev/v1alpha1", "serving.kserve.io/v1alpha2"


def workload(name: str, image: str = "example/x:1", **metadata: Any) -> Object:
    pod = {"serviceAccountName": metadata.pop("account", ""), "containers": [{"name": "manager", "image": image}]}
    return {
        "metadata": {"name": name, "namespace": "system", **metadata},
        "spec": {"replicas": 1, "template": {"spec": pod}},
    }


def found(api_version: str, *workloads: Object, leases: tuple[Object, ...] = ()) -> list[str]:
    class Table:
        def get(self, path: str) -> Object:
            kind = path.rpartition("/")[2]
            return {"items": {"deployments": list(workloads), "leases": list(leases)}.get(kind, [])}

    return running_controllers(api_version, cast(Cluster, Table()))


def lease(name: str, seconds_ago: int, holder: str = "pod_1") -> Object:
    renewed = datetime.now(UTC) - timedelta(seconds=seconds_ago)
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": renewed.isoformat()}
    return {"metadata": {"name": name, "namespace": "system"}, "spec": spec}


@pytest.mark.parametrize(
    "controller",
    [
        workload("llmkube-controller-manager"),
        workload("models", "registry.example/llmkube-controller:1"),
        workload("models", "registry.example/mirror@sha256:1", account="llmkube-controller-manager"),
        workload("models", labels={"control-plane": "controller-manager", "app.kubernetes.io/name": "llmkube"}),
        workload("llmkube-controller-manager", ownerReferences=[{"apiVersion": "operators.coreos.com/v1alpha1"}]),
    ],
)
def test_a_controller_is_known_by_what_it_says(controller: Object):
    assert found(LLMKUBE, controller) == [f"Deployment system/{controller['metadata']['name']}"]


@pytest.mark.parametrize(
    "other",
    [
        workload("llmkube-manager", ownerReferences=[{"apiVersion": LLMKUBE}]),
        workload("llmkube-manager", managedFields=[{"manager": "modelservices:o/p/s"}]),
        workload("chat", labels={"app.kubernetes.io/managed-by": "llmkube-controller"}),
        workload("cert-manager"),
    ],
)
def test_what_a_controller_made_is_none(other: Object):
    assert found(LLMKUBE, other) == []


def test_kserves_controllers_are_told_apart():
    assert found(KSERVE, workload("kserve-controller-manager")) == []
    assert found(KSERVE, workload("llmisvc-controller-manager")) == ["Deployment system/llmisvc-controller-manager"]


def test_a_lease_that_is_renewed_gives_a_renamed_controller_away():
    name = "882d6afe.llmkube.dev"
    assert found(LLMKUBE, workload("models"), leases=(lease(name, 3),)) == [
        f"the holder of Lease system/{name} (pod_1)"
    ]
    assert found(LLMKUBE, leases=(lease(name, 60), lease("another", 3), lease(name, 3, holder=""))) == []
