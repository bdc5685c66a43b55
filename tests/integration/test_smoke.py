"""`smoke` with llama.cpp's real server and a real API server.

The pod is simulated; the server runs on this machine, and the pod's status has its address. Not proven here: a kubelet,
other engines, and services that only a pod can reach.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from modelservices.cluster.openai import TOKENS
from tests.integration.live import read
from tests.integration.local_pod import LocalPod
from tests.integration.ports import free_port
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.waiting import eventually
from tools import llama_server
from tools.tiny_model import write_tiny_model

MANIFESTS = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {{name: tiny}}
spec: {{source: https://models.example.com/tiny.gguf}}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {{name: tiny}}
spec: {{modelRef: tiny, containerPort: {port}, skipModelInit: true, extraArgs: [--model, {model}]}}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {{name: silent}}
spec: {{modelRef: tiny, containerPort: {silent}, skipModelInit: true}}
"""


def own_address() -> str:
    """A non-loopback address of this machine, as a pod can't have a loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return probe.getsockname()[0]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """The server's executable and its model."""
    reason = llama_server.missing_compiler()
    if reason:
        pytest.skip(reason)
    model = tmp_path / "tiny.gguf"
    write_tiny_model(model)
    yield llama_server.ensure(print), model


def test_it_says_what_each_service_answered(
    server: tuple[Path, Path], stack: Stack, api: DynamicClient, tmp_path: Path
) -> None:
    executable, model = server
    stack.write(MANIFESTS.format(port=free_port(), silent=free_port(), model=model))
    stack.up()
    deployment = read(api, "apps/v1", "Deployment", "tiny", stack.namespace)
    pod = LocalPod(deployment["spec"]["template"]["spec"], tmp_path / "pod", [str(executable)])
    pod.start()
    try:
        for name in ("tiny", "silent"):
            give_address(api, stack.namespace, name)
        eventually(lambda: pod.probe("readinessProbe").status == 200, "a ready server")
        done = command(stack, "smoke", "--format", "json")
        table = command(stack, "smoke")
    finally:
        pod.kill()

    answered = {entry["service"].rpartition("/")[2]: entry for entry in json.loads(done.stdout)}
    tiny, silent = answered["tiny"], answered["silent"]
    assert (tiny["answered"], tiny["call"], tiny["model"], tiny["tokens"]) == (True, "chat", str(model), TOKENS)
    assert tiny["firstTokenSeconds"] > 0
    assert tiny["tokensPerSecond"] > 0
    assert silent["answered"] is False
    assert "503" in silent["reason"]
    assert done.returncode == 1
    assert table.returncode == 1
    assert [line.split()[0] for line in table.stdout.splitlines()[1:]] == [
        entry["service"] for entry in answered.values()
    ]


def give_address(api: DynamicClient, namespace: str, name: str) -> None:
    """Gives a service's simulated pod this machine's address, and waits until its Service has it as an endpoint."""
    pods = api.resources.get(api_version="v1", kind="Pod")
    slices = api.resources.get(api_version="discovery.k8s.io/v1", kind="EndpointSlice")
    address = own_address()
    (pod,) = pods.get(namespace=namespace, label_selector=f"app={name}").items
    pods.status.patch(
        name=pod.metadata.name,
        namespace=namespace,
        body={"status": {"podIP": address, "podIPs": [{"ip": address}]}},
        content_type="application/merge-patch+json",
    )

    def leads_here() -> bool:
        found = slices.get(namespace=namespace, label_selector=f"kubernetes.io/service-name={name}").items
        return any(address in endpoint.addresses for entry in found for endpoint in entry.endpoints or [])

    eventually(leads_here, "an endpoint at this machine's address")
