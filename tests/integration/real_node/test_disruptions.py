"""Pods of LLMKube's services that are replaced, drained or pushed out, while somebody asks: no question is lost.

llama.cpp's server is the real one, built for CPUs; GPUs are a number in the node's capacity. Not proven here: what
happens to a pod's clients when its node goes away.
"""

from __future__ import annotations

from kubernetes.dynamic import DynamicClient

from tests.integration.real_node.pods import (
    QUICK_DRAIN,
    answers,
    ask_at_once,
    core,
    model,
    pods,
    quick_service,
    start_asking,
)
from tests.integration.stacks import Stack
from tests.integration.waiting import eventually


def test_a_rolling_update_and_another_replica_without_a_lost_question(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + quick_service(contextSize=1024))
    stack.up()
    (old,) = pods(api, stack.namespace)
    start_asking(api, stack.namespace)

    stack.write(model() + quick_service(contextSize=2048, replicas=2))
    stack.up()

    eventually(lambda: len(pods(api, stack.namespace)) == 2, "two pods")
    assert old.metadata.name not in {pod.metadata.name for pod in pods(api, stack.namespace)}
    before = len(answers(api, stack.namespace))
    eventually(lambda: len(answers(api, stack.namespace)) > before + 5, "answers of the new pods")
    assert set(answers(api, stack.namespace)) == {"200"}


def test_a_service_of_high_priority_takes_the_gpus_of_a_low_one(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": QUICK_DRAIN})
    low = quick_service("low", resources={"gpu": 8}, priority="low")
    stack.write(model() + low)
    stack.up()

    stack.write(model() + low + quick_service("high", resources={"gpu": 8}, priority="high"))
    stack.up()

    (waiting,) = pods(api, stack.namespace, "low")
    assert waiting.status.phase == "Pending"
    assert "Insufficient nvidia.com/gpu" in waiting.status.conditions[0].message
    assert [pod.status.phase for pod in pods(api, stack.namespace, "high")] == ["Running"]


def test_drained_pods_lose_no_question(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + quick_service(replicas=2))
    stack.up()
    first, second = (pod.metadata.name for pod in pods(api, stack.namespace))
    start_asking(api, stack.namespace)

    for pod in (first, second):
        before = len(answers(api, stack.namespace))
        eviction = {"metadata": {"name": pod, "namespace": stack.namespace}}
        core(api).create_namespaced_pod_eviction(pod, stack.namespace, eviction)
        eventually(lambda: ready(api, stack.namespace) == 2, "another pod in its place")
        eventually(lambda: len(answers(api, stack.namespace)) > before + 5, "more answers")  # noqa: B023

    assert set(answers(api, stack.namespace)) == {"200"}


def test_a_server_ends_when_it_has_answered_everything(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": QUICK_DRAIN})
    stack.write(model() + quick_service(contextSize=4096, parallelSlots=1))
    stack.up()
    (pod,) = pods(api, stack.namespace)
    ask_at_once(api, stack.namespace, 12)

    core(api).delete_namespaced_pod(pod.metadata.name, stack.namespace)

    assert len(answers(api, stack.namespace)) < 12
    eventually(lambda: len(answers(api, stack.namespace)) == 12, "all answers")
    assert set(answers(api, stack.namespace)) == {"200"}


def ready(api: DynamicClient, namespace: str) -> int:
    """The number of the service's ready pods."""
    statuses = [pod.status.conditions or [] for pod in pods(api, namespace)]
    return sum(any(item.type == "Ready" and item.status == "True" for item in each) for each in statuses)
