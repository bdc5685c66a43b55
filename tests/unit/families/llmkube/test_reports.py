"""Faults that users of such operators reported, with their inputs: none of them happens here.

Not proved here: what an update does in a cluster (tests/integration).
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.manifests.documents import parse
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.unit.records import shared

from .render import brief, deployment, error_paths, manifest, plan, pod, rendered, server

REPOSITORY = {"source": "hf://example-org/demo-8b", "format": "safetensors"}
GPU = {"hardware": {"gpu": {"enabled": True, "count": 1, "vendor": "nvidia"}}}


def test_a_new_model_changes_the_pods_and_no_selector() -> None:
    """LLMKube 301, 606: the selector named the model, so that every update was refused."""
    other = manifest("Model", "chat-q5", spec={"source": "https://models.example.com/q5.gguf"})
    before, after = rendered(others=[other]).objects, rendered({"modelRef": "chat-q5"}, others=[other]).objects
    for role, path in (("deployment", ("selector", "matchLabels")), ("service", ("selector",))):
        old, new = before[role]["spec"], after[role]["spec"]
        for name in path:
            old, new = old[name], new[name]
        assert old == new
        assert not {"chat-q4", "chat-q5"} & set(old.values())
        labels = before["deployment"]["spec"]["template"]["metadata"]["labels"]
        assert old and old.items() <= labels.items()
    assert before["deployment"]["spec"]["template"] != after["deployment"]["spec"]["template"]


def test_the_autoscaler_owns_the_replicas() -> None:
    """LLMKube 484, 1881: two owners of one field."""
    metrics = [{"type": "Pods", "name": "llamacpp:requests_deferred", "targetAverageValue": "2"}]
    scaled = {"replicas": 3, "autoscaling": {"minReplicas": 2, "maxReplicas": 6, "metrics": metrics}}
    objects = rendered({**scaled, "resources": {"gpu": 1}}, GPU).objects
    assert "replicas" not in objects["deployment"]["spec"]
    spec = objects["autoscaler"]["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat"}
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 6)
    assert deployment({"replicas": 3})["spec"]["replicas"] == 3
    assert error_paths(plan({"autoscaling": {"minReplicas": 3, "maxReplicas": 2}})) == ["spec.autoscaling.minReplicas"]


@pytest.mark.parametrize(
    ("gpu", "resource"),
    [
        ({"enabled": True, "count": 2, "vendor": "amd"}, "amd.com/gpu"),
        ({"enabled": True, "count": 2, "vendor": "intel"}, "gpu.intel.com/i915"),
        (
            {"enabled": True, "count": 2, "vendor": "amd", "resourceName": "nvidia.com/mig-3g.40gb"},
            "nvidia.com/mig-3g.40gb",
        ),
    ],
)
def test_the_vendors_resource_and_taint(gpu: Any, resource: str) -> None:
    """LLMKube 395: everything was NVIDIA's."""
    template = pod({"runtime": "vllm"}, {**REPOSITORY, "hardware": {"gpu": gpu}})
    assert template["containers"][0]["resources"]["limits"] == {resource: "2"}
    assert [item["key"] for item in template["tolerations"]] == [resource]
    assert ("nvidia.com/gpu" in str(template)) is False


def test_no_gpu_by_default() -> None:
    """LLMKube 395: a GPU that is not enabled is not asked for."""
    template = pod({"runtime": "vllm"}, {**REPOSITORY, "hardware": {"gpu": {"enabled": False}}})
    assert "resources" not in template["containers"][0] and "tolerations" not in template


def test_a_flag_is_there_once_with_the_users_value() -> None:
    """LLMKube 1384, 1305: repeated flags, and everything four times for one runtime."""
    extra = ["--metrics", "--ctx-size", "8192", "--api-key-file=/keys/k"]
    words = server({"contextSize": 4096, "extraArgs": extra, "resources": {"gpu": 1}}, GPU)["args"]
    assert [words.count(word) for word in ("--metrics", "--ctx-size", "--api-key-file=/keys/k", "4096")] == [1, 1, 1, 0]
    assert words[words.index("--ctx-size") + 1] == "8192"
    for runtime in ("vllm", "tgi"):
        words = server({"runtime": runtime, "extraArgs": ["--x", "1", "--y"]}, REPOSITORY)["args"]
        assert words[-3:] == ["--x", "1", "--y"] and words.count("--x") == 1


def test_pods_suit_the_restricted_profile() -> None:
    """LLMKube 239, 422: seccomp and group; the user's context is merged, not put in its place."""
    template = pod({"podSecurityContext": {"fsGroup": 1000680000}, "resources": {"cpu": "2", "memory": "4Gi"}})
    assert template["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}, "fsGroup": 1000680000}
    for container in [*template["initContainers"], *template["containers"]]:
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
    restricted = pod({}, {}, {"defaultFSGroup": 0, "prepareModelCache": False})
    for place in (restricted, *restricted["containers"], *restricted["initContainers"]):
        assert not {"runAsUser", "runAsGroup", "runAsNonRoot", "fsGroup"} & set(place["securityContext"])
    user = {"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}
    assert server(user)["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK"]}


def test_a_claim_of_one_node() -> None:
    """production-stack 107: two pods, one node's claim; one pod, a rolling update that waits for ever."""
    found = plan({"replicas": 2, "resources": {"gpu": 1}}, GPU)
    assert brief(found.findings) == ["warning spec.replicas claim-of-one-node"]
    assert deployment({"replicas": 1})["spec"]["strategy"] == {"type": "Recreate"}
    one, two = shared(rendered({"replicas": 1})), shared(rendered({"replicas": 2}))
    assert one == two, "the number of pods does not touch the claim"


def test_service_links_do_not_reach_vllm() -> None:
    """vLLM 34199: a Service called vllm sets VLLM_PORT."""
    template = pod(
        {"runtime": "vllm", "endpoint": {"port": 8000, "type": "ClusterIP"}}, {**REPOSITORY, **GPU}, name="vllm"
    )
    assert template["enableServiceLinks"] is False
    assert "VLLM_PORT" not in str(template)


def test_a_claim_does_not_wait_for_its_pod() -> None:
    """pulumi-kubernetes 895: what Pulumi needs for that is added at registration, so nothing is rendered for it."""
    (claim,) = shared(rendered({"resources": {"cpu": "4", "memory": "8Gi"}}))
    assert "annotations" not in claim["metadata"]


def test_zero_pods() -> None:
    """pulumi-kubernetes 248: the zero stays."""
    objects = rendered({"replicas": 0}).objects
    assert objects["deployment"]["spec"]["replicas"] == 0 and "autoscaler" not in objects


def test_quantities_in_their_one_form() -> None:
    """pulumi-kubernetes 644: 1000m came back as 1, and the next preview was not empty."""
    given = {"cpu": "1000m", "memory": "2048Mi", "gpu": 1}
    assert server({"resources": given})["resources"] == {
        "limits": {"nvidia.com/gpu": "1"},
        "requests": {"cpu": "1", "memory": "2Gi"},
    }
    for field, value in (("gpu", 0.5), ("gpu", "1500m"), ("memory", "2gb"), ("memory", "16 Gi")):
        assert error_paths(plan({"resources": {field: value}})) == [f"spec.resources.{field}"]


LITERAL = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: chat-q4, namespace: ai}
spec: {source: "org/name", format: safetensors}
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: chat, namespace: ai}
spec:
  modelRef: chat-q4
  runtime: vllm
  skipModelInit: true
  podAnnotations:
    {expiry: 2026-03-25T13:37:11Z, day: 2026-03-25, scrape: true, port: 8000, ratio: 1e3, empty: "", nothing: null}
  podLabels: {rev: 0010, on: "x", version: 1.10, feature: yes}
  extraArgs: ["--max-model-len", 8192, "--trust-remote-code", true]
  env: [{name: FLAG, value: on}, {name: N, value: 08}]
"""


def test_what_was_written_stays_text() -> None:
    """pulumi-kubernetes 501, kubernetes 60843: dates, booleans and numbers where text is meant."""
    documents, _ = parse(LITERAL, "test.yaml")
    (service,) = make_plan(documents, Settings()).raise_for_errors().services
    template = service.objects["deployment"]["spec"]["template"]
    assert template["metadata"]["annotations"] == {
        "expiry": "2026-03-25T13:37:11Z",
        "day": "2026-03-25",
        "scrape": "true",
        "port": "8000",
        "ratio": "1e3",
        "empty": "",
    }
    labels = template["metadata"]["labels"]
    assert [labels[key] for key in ("rev", "on", "version", "feature")] == ["0010", "x", "1.10", "yes"]
    container = template["spec"]["containers"][0]
    assert container["args"][-4:] == ["--max-model-len", "8192", "--trust-remote-code", "true"]
    assert container["env"] == [{"name": "FLAG", "value": "on"}, {"name": "N", "value": "08"}]
