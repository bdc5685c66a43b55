"""Services whose model the node serves, and the output of their pods."""

from __future__ import annotations

from typing import Any

from kubernetes.client import CoreV1Api
from kubernetes.dynamic import DynamicClient

from tests.integration.manifests import manifest
from tests.integration.real_node.stand_ins import SITE
from tests.integration.waiting import eventually

CURL = "docker.io/curlimages/curl:8.18.0"
QUESTION = '{"messages": [{"role": "user", "content": "Is it?"}], "max_tokens": 8}'
LONG_QUESTION = '{"messages": [{"role": "user", "content": "Why?"}], "max_tokens": 3000, "ignore_eos": true}'
QUICK_DRAIN = {"drain": {"preStopSeconds": 1, "terminationGracePeriodSeconds": 150}}
"""Settings for tests that wait for the end of pods."""
_ASK = "curl --silent --output /dev/null --write-out '%{{http_code}}\\n' '{url}' --data '{question}' || echo failed"


def model(name: str = "tiny", source: str = f"{SITE}/tiny.gguf", **spec: Any) -> str:
    """A Model whose file the node serves."""
    return manifest("Model", name, {"source": source, **spec})


def service(name: str = "chat", model: str = "tiny", **spec: Any) -> str:
    """An InferenceService with llama.cpp's server; each pod downloads its model."""
    fields = {"modelRef": model, "modelCache": {"persistence": "Ephemeral"}, **spec}
    return manifest("InferenceService", name, fields)


def quick_service(name: str = "chat", model: str = "tiny", **spec: Any) -> str:
    """The same, probed for its start every second: the default, every ten seconds, makes each start of a test wait."""
    startup = {"httpGet": {"path": "/health", "port": 8080}, "periodSeconds": 1, "failureThreshold": 600}
    return service(name, model, probeOverrides={"startup": startup}, **spec)


def core(api: DynamicClient) -> Any:
    """The client with a method for each call of the core group, which accepts mappings as objects."""
    return CoreV1Api(api.client)


def pods(api: DynamicClient, namespace: str, name: str = "chat") -> list[Any]:
    """The pods of a service, except terminating ones."""
    found = core(api).list_namespaced_pod(namespace, label_selector=f"inference.llmkube.dev/service={name}").items
    return [pod for pod in found if pod.metadata.deletion_timestamp is None]


def log(api: DynamicClient, namespace: str, pod: str, container: str) -> str:
    """A container's log."""
    return core(api).read_namespaced_pod_log(pod, namespace, container=container)


def start_asking(api: DynamicClient, namespace: str, name: str = "chat") -> None:
    """Starts a pod `asking` that sends a service one question after the other, without retries; returns after a first
    answer."""
    _start(api, namespace, f"while :; do {_ask(name, QUESTION)}; done")


def ask_at_once(api: DynamicClient, namespace: str, count: int, name: str = "chat") -> None:
    """Starts a pod `asking` that sends a service many questions with long answers; returns after a first answer."""
    _start(api, namespace, f"for number in $(seq {count}); do ( {_ask(name, LONG_QUESTION)} ) & done; sleep infinity")


def _ask(name: str, question: str) -> str:
    return _ASK.format(url=f"http://{name}:8080/v1/chat/completions", question=question)


def _start(api: DynamicClient, namespace: str, script: str) -> None:
    container = {"name": "curl", "image": CURL, "command": ["sh", "-c", script]}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0}
    core(api).create_namespaced_pod(namespace, {"metadata": {"name": "asking"}, "spec": spec})
    eventually(lambda: is_running(api, namespace, "asking") and "200" in answers(api, namespace), "a first answer")


def answers(api: DynamicClient, namespace: str) -> list[str]:
    """The outcome of each question so far: a status, or `failed`."""
    return log(api, namespace, "asking", "curl").split()


def is_running(api: DynamicClient, namespace: str, pod: str) -> bool:
    return core(api).read_namespaced_pod(pod, namespace).status.phase == "Running"
