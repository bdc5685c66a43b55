"""The basic objects of every local cluster: simulated nodes, a default storage class with volumes, a GPU runtime
class."""

import json
from collections.abc import Iterator

from tools.cluster.commands import PLAYED

STORAGE_CLASS = "standard"
SIMULATED = "/simulated"
"""The volumes' folder on simulated nodes; it doesn't exist."""

# (kind of node, count, its extended resources, labels of such nodes in real clusters)
NODES: tuple[tuple[str, int, dict[str, str], dict[str, str]], ...] = (
    ("cpu", 3, {}, {}),
    (
        "nvidia",
        4,
        {"nvidia.com/gpu": "64"},
        {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"},
    ),
    ("mig", 2, {"nvidia.com/mig-3g.40gb": "64"}, {"nvidia.com/mig.strategy": "mixed"}),
    ("amd", 2, {"amd.com/gpu": "64", "devic.es/dri-render": "64"}, {"amd.com/gpu.product-name": "MI300X"}),
    ("intel", 2, {"gpu.intel.com/i915": "64", "habana.ai/gaudi": "64"}, {"gpu.intel.com/product": "Max_1550"}),
    ("tpu", 2, {"google.com/tpu": "64"}, {"cloud.google.com/gke-tpu-topology": "2x4"}),
)

_BASIC = {"cpu": "256", "memory": "4Ti", "ephemeral-storage": "16Ti", "pods": "1000"}


def nodes(*, cordoned: bool = False) -> Iterator[tuple[str, str]]:
    """(path, object) of each simulated node, large enough for many services and without taints.

    ``cordoned`` makes the nodes unschedulable, so that a real node gets all pods.
    """
    for kind, count, _, labels in NODES:
        for index in range(count):
            name = f"{kind}-{index}"
            common = {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "node.kubernetes.io/instance-type": kind,
                "topology.kubernetes.io/region": "local",
                "topology.kubernetes.io/zone": f"local-{'abc'[index % 3]}",
            }
            metadata = {"name": name, "labels": common | labels, "annotations": dict([PLAYED])}
            spec = {"spec": {"unschedulable": True}} if cordoned else {}
            yield _node_path(name), json.dumps(_node(name) | {"metadata": metadata} | spec)


def node_statuses() -> Iterator[tuple[str, str]]:
    """(path, object) of each node's capacity, which its kubelet would report."""
    for kind, count, resources, _ in NODES:
        status = {"capacity": _BASIC | resources, "allocatable": _BASIC | resources}
        for index in range(count):
            name = f"{kind}-{index}"
            yield f"{_node_path(name)}/status", json.dumps(_node(name) | {"status": status})


def _node(name: str) -> dict:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def _node_path(name: str) -> str:
    return f"/api/v1/nodes/{name}"


def storage(volumes: int, folder: str) -> Iterator[tuple[str, str]]:
    """(path, object) of a default storage class and of its volumes, as no provisioner would create them.

    ``folder`` is the volumes' folder on the node.
    """
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": STORAGE_CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "kubernetes.io/no-provisioner",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    yield f"/apis/storage.k8s.io/v1/storageclasses/{STORAGE_CLASS}", json.dumps(storage_class)
    for index in range(volumes):
        name = f"volume-{index:03}"
        yield f"/api/v1/persistentvolumes/{name}", json.dumps(_volume(name, index, f"{folder}/{name}"))


def _volume(name: str, index: int, path: str) -> dict:
    exclusive = index % 10 == 9  # the API server doesn't allow this mode together with others
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "4Ti"},
            "accessModes": ["ReadWriteOncePod"] if exclusive else ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"],
            "storageClassName": STORAGE_CLASS,
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": path},
        },
    }


def runtime_class() -> tuple[str, str]:
    """The GPU runtime class: the API server rejects pods that name a missing one."""
    item = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }
    return "/apis/node.k8s.io/v1/runtimeclasses/nvidia", json.dumps(item)
