"""What LLMKube's services do in containers: pods download their model and serve it, as any user, beside each other.

llama.cpp's server is the real one, built for CPUs; GPUs are a number in the node's capacity. Not proven here: that the
registries' images work, and several nodes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kubernetes.client import DiscoveryV1Api
from kubernetes.dynamic import DynamicClient
from kubernetes.watch import Watch

from tests.integration.live import read
from tests.integration.real_node.pods import QUICK_DRAIN, core, log, model, pods, quick_service, service
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.waiting import eventually


def test_from_download_to_answer(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": QUICK_DRAIN})
    stack.write(model() + service(resources={"gpu": 2}))

    stack.up()

    (pod,) = pods(api, stack.namespace)
    assert "downloading http://" in log(api, stack.namespace, pod.metadata.name, "model-downloader")
    (asked,) = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert (asked["answered"], asked["call"]) == (True, "chat"), asked
    assert [row.split()[2:4] for row in command(stack, "status").stdout.splitlines()[1:]] == [["Ready", "1/1"]]
    stack.destroy()
    eventually(lambda: not pods(api, stack.namespace), "the end of the pods")


def test_a_second_replica_leaves_the_first_one_alone(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + quick_service())
    stack.up()
    (first,) = pods(api, stack.namespace)

    stack.write(model() + quick_service(replicas=2))
    stack.up()

    both = {pod.metadata.uid: pod.status for pod in pods(api, stack.namespace)}
    assert len(both) == 2
    assert both[first.metadata.uid].container_statuses[0].state.running == running(first)
    assert [row.split()[2:4] for row in command(stack, "status").stdout.splitlines()[1:]] == [["Ready", "2/2"]]
    wanted = {status.pod_ip for status in both.values()}
    eventually(lambda: addresses(api, stack.namespace) == wanted, "both pods behind the Service")


def running(pod: Any) -> Any:
    """Since when the server of a pod runs."""
    return pod.status.container_statuses[0].state.running


def addresses(api: DynamicClient, namespace: str) -> set[str]:
    """The pods to which the Service leads."""
    label = "kubernetes.io/service-name=chat"
    discovery: Any = DiscoveryV1Api(api.client)
    slices = discovery.list_namespaced_endpoint_slice(namespace, label_selector=label).items
    endpoints = [endpoint for each in slices for endpoint in each.endpoints or []]
    return {address for endpoint in endpoints if endpoint.conditions.ready for address in endpoint.addresses}


def test_a_cache_claim_keeps_the_model_for_the_next_pod_which_waits_for_the_first(
    stack: Stack, api: DynamicClient
) -> None:
    stack.config({"settings": QUICK_DRAIN})
    cached = {"persistence": "Cached"}
    stack.write(model() + quick_service(contextSize=1024, modelCache=cached))
    stack.up()
    (claim,) = core(api).list_namespaced_persistent_volume_claim(stack.namespace).items
    assert (claim.spec.access_modes, claim.status.phase) == (["ReadWriteOnce"], "Bound")
    deployment = read(api, "apps/v1", "Deployment", "chat", stack.namespace)
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    (first,) = pods(api, stack.namespace)
    since = core(api).list_namespaced_pod(stack.namespace).metadata.resource_version

    stack.write(model() + quick_service(contextSize=2048, modelCache=cached))
    stack.up()

    (second,) = pods(api, stack.namespace)
    assert " is there" in log(api, stack.namespace, second.metadata.name, "model-downloader")
    watch: Any = Watch()
    seen = core(api).list_namespaced_pod
    events = watch.stream(seen, stack.namespace, resource_version=since, timeout_seconds=1)
    happened = [(event["type"], event["object"].metadata.name, event["object"].status.phase) for event in events]
    begin = happened.index(("ADDED", second.metadata.name, "Pending"))
    of_first = [(kind, phase) for kind, name, phase in happened[:begin] if name == first.metadata.name]
    assert of_first and (of_first[-1][0] == "DELETED" or of_first[-1][1] in ("Succeeded", "Failed"))


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
    stack.write(model() + quick_service(podSecurityContext={**user, **seccomp}, securityContext=container))

    stack.up()

    (asked,) = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert asked["answered"], asked
    (pod,) = pods(api, stack.namespace)
    process = process_of(pod, "llama-server")
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines())
    assert status["Uid"].split() == ["1000650000"] * 4
    assert "1000650000" in status["Groups"].split()
    assert (int(status["CapEff"], 16), status["NoNewPrivs"]) == (0, "1")
    mounts = [line.split() for line in (process / "mountinfo").read_text().splitlines()]
    assert ["ro" in options.split(",") for _, _, _, _, place, options, *_ in mounts if place == "/"] == [True]


def process_of(pod: Any, program: str) -> Path:
    """A program of a pod: what runs on the node is seen by the machine, too."""
    found = [
        process.parent
        for process in Path("/proc").glob("[0-9]*/comm")
        if text(process).strip() == program and pod.metadata.uid in text(process.parent / "cgroup")
    ]
    return found[0]


def text(file: Path) -> str:
    """What a file of a process says; nothing once that has ended."""
    try:
        return file.read_text()
    except OSError:
        return ""
