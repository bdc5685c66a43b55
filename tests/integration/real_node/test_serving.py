"""What LLMKube's services do in containers: pods download their model, serve it, and are replaced without a gap.

llama.cpp's server is the real one, built for CPUs; GPUs are a number in the node's capacity. Not proven here: that the
registries' images work, and several nodes.
"""

from __future__ import annotations

import json

from kubernetes.client import AppsV1Api
from kubernetes.dynamic import DynamicClient

from tests.integration.live import read
from tests.integration.real_node.pods import answers, core, log, model, pods, service, start_asking
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.waiting import eventually


def test_from_download_to_answer(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service(resources={"gpu": 2}))

    stack.up()

    (pod,) = pods(api, stack.namespace)
    assert "downloading http://" in log(api, stack.namespace, pod.metadata.name, "model-downloader")
    (asked,) = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert (asked["answered"], asked["call"]) == (True, "chat"), asked
    assert [row.split()[2:4] for row in command(stack, "status").stdout.splitlines()[1:]] == [["Ready", "1/1"]]
    stack.destroy()
    eventually(lambda: not pods(api, stack.namespace), "the end of the pods")


def test_a_rolling_update_and_another_replica_without_a_lost_question(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service(contextSize=1024))
    stack.up()
    (old,) = pods(api, stack.namespace)
    start_asking(api, stack.namespace)

    stack.write(model() + service(contextSize=2048, replicas=2))
    stack.up()

    eventually(lambda: len(pods(api, stack.namespace)) == 2, "two pods")
    assert old.metadata.name not in {pod.metadata.name for pod in pods(api, stack.namespace)}
    before = len(answers(api, stack.namespace))
    eventually(lambda: len(answers(api, stack.namespace)) > before + 5, "answers of the new pods")
    assert set(answers(api, stack.namespace)) == {"200"}


def test_a_cache_claim_keeps_the_model_for_the_next_pod(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service(modelCache={"persistence": "Cached"}))
    stack.up()
    (first,) = pods(api, stack.namespace)

    AppsV1Api(api.client).delete_namespaced_deployment("chat", stack.namespace, propagation_policy="Foreground")
    eventually(lambda: read(api, "apps/v1", "Deployment", "chat", stack.namespace) is None, "the end of the pods")
    stack.up("--refresh")

    (second,) = pods(api, stack.namespace)
    assert first.metadata.name != second.metadata.name
    assert " is there" in log(api, stack.namespace, second.metadata.name, "model-downloader")


def test_restricted_pods_of_any_user_with_a_file_system_for_reading(stack: Stack, api: DynamicClient) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    core(api).patch_namespace(stack.namespace, {"metadata": {"labels": labels}})
    user = {"runAsNonRoot": True, "runAsUser": 1000650000, "fsGroup": 1000650000}
    seccomp = {"seccompProfile": {"type": "RuntimeDefault"}}
    container = {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    stack.write(model() + service(podSecurityContext={**user, **seccomp}, securityContext=container))

    stack.up()

    (asked,) = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert asked["answered"], asked


def test_a_service_of_high_priority_takes_the_gpus_of_a_low_one(stack: Stack, api: DynamicClient) -> None:
    low = service("low", resources={"gpu": 8}, priority="low")
    stack.write(model() + low)
    stack.up()

    stack.write(model() + low + service("high", resources={"gpu": 8}, priority="high"))
    stack.up()

    (waiting,) = pods(api, stack.namespace, "low")
    assert waiting.status.phase == "Pending"
    assert "Insufficient nvidia.com/gpu" in waiting.status.conditions[0].message
    assert [pod.status.phase for pod in pods(api, stack.namespace, "high")] == ["Running"]


def test_drained_pods_lose_no_question(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service(replicas=2))
    stack.up()
    (first, second) = pods(api, stack.namespace)
    start_asking(api, stack.namespace)

    for pod in (first, second):
        before = len(answers(api, stack.namespace))
        eviction = {"metadata": {"name": pod.metadata.name, "namespace": stack.namespace}}
        core(api).create_namespaced_pod_eviction(pod.metadata.name, stack.namespace, eviction)
        eventually(lambda: ready(api, stack.namespace) == 2, "another pod in its place")
        eventually(lambda: len(answers(api, stack.namespace)) > before + 5, "more answers")  # noqa: B023

    assert set(answers(api, stack.namespace)) == {"200"}


def ready(api: DynamicClient, namespace: str) -> int:
    """How many pods of the service are ready."""
    statuses = [pod.status.conditions or [] for pod in pods(api, namespace)]
    return sum(any(item.type == "Ready" and item.status == "True" for item in each) for each in statuses)
