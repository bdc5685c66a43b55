"""A stack with everything converges, stays unchanged, and is removed completely; its secret appears nowhere.

Not proven here: that real servers start with their arguments, and that the autoscaler's metrics exist.
"""

import base64
from collections.abc import Iterator
from pathlib import Path

from kubernetes.dynamic import DynamicClient

from modelservices.cluster.ownership import owners
from tests.integration.live import cluster_scoped, everything, objects, read
from tests.integration.stacks import Stack, changes
from tests.integration.waiting import eventually

MIXED = (Path(__file__).parent / "mixed.yaml").read_text()
TOKEN = "hf_not-a-real-token-4711"
ROTATED = "hf_the-next-unreal-token"


def test_a_mixed_stack(stack: Stack, api: DynamicClient) -> None:
    stack.write(MIXED)
    stack.secret("huggingFaceToken", TOKEN)

    printed = [stack.up("--debug").text]

    assert_all_ready(stack)
    assert objects(api, stack.namespace) == EXPECTED
    assert read(api, "v1", "Secret", "hugging-face", stack.namespace)["data"] == {"token": encoded(TOKEN)}
    printed += [stack.up("--expect-no-changes").text, stack.preview("--refresh", "--expect-no-changes", "--diff").text]
    stack.secret("huggingFaceToken", ROTATED)
    assert changes(stack.up("--refresh")) == {("update", "Secret", f"{stack.namespace}/hugging-face")}
    assert read(api, "v1", "Secret", "hugging-face", stack.namespace)["data"] == {"token": encoded(ROTATED)}
    printed += [stack.destroy().text]
    for place, text in [*enumerate(printed), *files(stack.folder), *files(stack.backend)]:
        assert not [value for value in (TOKEN, encoded(TOKEN), ROTATED, encoded(ROTATED)) if value in text], place
    assert objects(api, stack.namespace) == {CACHE}, "downloaded models outlive the stack"
    eventually(lambda: len(everything(api, stack.namespace)) == 1, "the controllers' objects gone")
    assert [item for item in cluster_scoped(api) if stack.mark in owners(item["metadata"])] == []


CACHE = ("PersistentVolumeClaim", "llmkube-model-cache")
EXPECTED = {
    ("Deployment", "chat"),
    ("Service", "chat"),
    CACHE,
    ("Deployment", "code"),
    ("Service", "code"),
    ("HorizontalPodAutoscaler", "code"),
    ("Secret", "hugging-face"),
    ("Deployment", "gated"),
    ("Service", "gated"),
    ("Deployment", "voice"),
    ("Service", "voice"),
    ("Deployment", "own"),
    ("Service", "own"),
}


def assert_all_ready(stack: Stack) -> None:
    services = stack.outputs()["services"]
    assert {name.rpartition("/")[2] for name in services} == {"chat", "code", "gated", "voice", "own"}
    assert {service["phase"] for service in services.values()} == {"Ready"}
    own = services[f"{stack.namespace}/own"]
    assert own["endpoint"] == f"http://own.{stack.namespace}.svc.cluster.local:80/v1/embeddings"
    assert (own["kind"], own["readyReplicas"], own["desiredReplicas"]) == ("InferenceService", 2, 2)
    first = own["conditions"][0]
    assert (first["type"], first["status"], first["reason"]) == ("Available", "True", "InferenceReady")


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def files(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes().decode(errors="replace")
