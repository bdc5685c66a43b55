"""A service over several nodes, as KServe's LeaderWorkerSet, in containers: the worker finds its leader by the rendered
command line, and the leader serves.

The engine has a stand-in that knows how the pods of a group meet, not how they share a model. Not proven here: RDMA,
and pods on different nodes.
"""

from __future__ import annotations

import json
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.real_node.pods import core, log
from tests.integration.real_node.stand_ins import SITE
from tests.integration.stacks import Stack
from tests.integration.test_commands import command

_POD = {"initContainers": [{"name": "storage-initializer", "env": [{"name": "HF_ENDPOINT", "value": SITE}]}]}
GROUP = {
    "apiVersion": "serving.kserve.io/v1alpha2",
    "kind": "LLMInferenceService",
    "metadata": {"name": "group"},
    "spec": {
        "model": {"uri": "hf://example/group", "name": "example/group"},
        "parallelism": {"data": 2, "dataLocal": 1, "tensor": 1},
        "template": _POD,
        "worker": _POD,
    },
}


def test_a_worker_joins_its_leader_which_then_serves(stack: Stack, api: DynamicClient) -> None:
    stack.write(yaml.safe_dump(GROUP))

    stack.up()

    (leader,) = members(api, stack.namespace, "leader")
    (worker,) = members(api, stack.namespace, "worker")
    said = log(api, stack.namespace, worker.metadata.name, "main")
    assert said == f"has joined {leader.status.pod_ip}:5555 as rank 1 of 2\n"
    said = log(api, stack.namespace, leader.metadata.name, "main").splitlines()
    assert said[:2] == [
        f"{worker.status.pod_ip} has joined as rank 1 of 2",
        "serves /mnt/models/group.gguf on port 8000",
    ]
    assert [pod.status.container_statuses[0].restart_count for pod in (leader, worker)] == [0, 0]
    (asked,) = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert (asked["answered"], asked["model"]) == (True, "/mnt/models/group.gguf"), asked


def members(api: DynamicClient, namespace: str, role: str) -> list[Any]:
    """The group's pods in a role."""
    label = f"app.kubernetes.io/component=llminferenceservice-workload-{role}"
    return core(api).list_namespaced_pod(namespace, label_selector=label).items
