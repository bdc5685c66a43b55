"""What previews and updates report before any change, on simulated nodes, and what remains after the stack is
destroyed.

Not proven here: that a scheduler agrees, which also considers taints and other pods' requests.
"""

import re

from kubernetes.dynamic import DynamicClient

from modelservices.cluster.applied import is_applied
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from tests.integration.live import objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack
from tests.integration.test_adoption import pods

CACHE = "llmkube-model-cache"
GGUF = {"runtime": "llamacpp", "skipModelInit": False, "resources": {"gpu": 1}}


def test_what_an_update_says_beforehand(stack: Stack, api: DynamicClient) -> None:
    def write(**spec: object) -> None:
        cached = model("gguf", source="https://models.example.com/m.gguf", format="gguf")
        stack.write(model() + cached + service("other") + service("chat", model="gguf", **GGUF, **spec))

    namespace = stack.namespace
    write(nodeSelector={"nvidia.com/gpu.present": "true"})
    first = stack.up()
    count = r"\d+ nodes have the labels that its pods ask for"
    assert re.search(rf"Deployment {namespace}/chat: new, 1 pod with 1 GPU; {count}", first.text)
    assert "GPUs of the stack: 0 → 1; free in the cluster now: " in first.text
    assert f"PersistentVolumeClaim {namespace}/{CACHE}: made, 100Gi" in first.text
    assert not_applied(stack, api) == [], "a workload that stays as it is costs a request of its own"
    before = pods(api, namespace)

    write(nodeSelector={"nvidia.com/gpu.product": "B300"}, replicas=2)
    assert not_applied(stack, api) == ["chat"]
    line = (
        f"Deployment {namespace}/chat: no node has the labels nvidia.com/gpu.product=B300 that its pods ask for: "
        "they will not start"
    )
    preview = stack.preview("--suppress-outputs")
    assert line in preview.messages
    assert (
        "replicas 1 → 2; 1 pod with 1 GPU restarts, and no pod serves meanwhile (Recreate); changed: " in preview.text
    )
    assert "GPUs of the stack: 1 → 2" in preview.text
    assert f"kept with what is in them: PersistentVolumeClaim {namespace}/{CACHE}" in preview.text
    assert "Outputs:" in first.stdout and "Outputs:" not in preview.stdout
    stack.config({"settings": {"requireNodes": True}})
    refused = stack.up(fails=True)
    assert f"nothing was changed:\n      {line}" in refused.text
    assert pods(api, namespace) == before

    stack.write(model() + service("other"))
    removed = stack.preview()
    assert f"InferenceService {namespace}/chat: removed, and its 1 pod stops" in removed.text

    claim = read(api, "v1", "PersistentVolumeClaim", CACHE, namespace)["metadata"]["uid"]
    stack.destroy()
    assert objects(api, namespace) == {("PersistentVolumeClaim", CACHE)}
    assert read(api, "v1", "PersistentVolumeClaim", CACHE, namespace)["metadata"]["uid"] == claim


def not_applied(stack: Stack, api: DynamicClient) -> list[str]:
    """The Deployments whose state in the cluster differs from the current manifests."""
    planned = plan_paths([stack.manifests], Settings(), namespace=stack.namespace).raise_for_errors().all_objects()
    names = {obj["metadata"]["name"]: obj for obj in planned if obj["kind"] == "Deployment"}
    live = {name: read(api, "apps/v1", "Deployment", name, stack.namespace) for name in names}
    return [name for name, obj in names.items() if not is_applied(obj, live[name], stack.mark)]
