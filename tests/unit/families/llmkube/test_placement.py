"""Where pods run and what they get: placement, volumes, shared and partitioned GPUs, resource claims, caches.

Not proved here: that a scheduler or a device plugin acts on it.
"""

from __future__ import annotations

from typing import Any

import pytest

from .render import (
    KEY,
    NVIDIA,
    REPOSITORY,
    SOURCE,
    brief,
    deployment,
    found,
    manifest,
    plan,
    plan_of,
    pod,
    rendered,
    server,
)

SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}


def test_placement_is_handed_on() -> None:
    template = pod({"affinity": AFFINITY, "topologySpreadConstraints": [SPREAD]})
    assert (template["affinity"], template["topologySpreadConstraints"]) == (AFFINITY, [SPREAD])


def test_history_and_disruption() -> None:
    found = deployment({"revisionHistoryLimit": 0, "disruption": {"protectAlways": True}})["spec"]
    assert found["revisionHistoryLimit"] == 0
    assert found["template"]["metadata"]["annotations"] == {"karpenter.sh/do-not-disrupt": "true"}
    assert "annotations" not in deployment()["spec"]["template"]["metadata"]


def test_the_user_s_annotation_against_disruption_wins() -> None:
    own = {"karpenter.sh/do-not-disrupt": "false"}
    spec = {"disruption": {"protectAlways": True}, "podAnnotations": own}
    assert deployment(spec)["spec"]["template"]["metadata"]["annotations"] == own


def test_a_suspended_service_has_no_pods_and_no_autoscaler() -> None:
    found = rendered({"suspend": True, "replicas": 3, "autoscaling": {"maxReplicas": 5}})
    assert found.objects["deployment"]["spec"]["replicas"] == 0
    assert "autoscaler" not in found.objects
    assert found.observe
    status = found.observe({})
    assert (status.phase, status.reason, status.desired) == ("Suspended", "Suspended", 0)
    assert [(c.type, c.status) for c in status.conditions] == [("Available", "False"), ("Suspended", "True")]


CHAT = {"name": "templates", "configMap": {"name": "chat-templates"}}
MOUNT = {"name": "templates", "mountPath": "/templates", "readOnly": True}


def test_volumes_follow_the_generated_ones() -> None:
    template = pod({"extraVolumes": [CHAT], "extraVolumeMounts": [MOUNT]})
    assert template["volumes"] == [
        {"name": "model-cache", "persistentVolumeClaim": {"claimName": "llmkube-model-cache"}},
        CHAT,
    ]
    assert template["containers"][0]["volumeMounts"] == [
        {"name": "model-cache", "mountPath": "/models", "readOnly": True},
        MOUNT,
    ]
    assert MOUNT not in template["initContainers"][1]["volumeMounts"]


def test_a_slash_ends_no_other_path() -> None:
    found = server({"extraVolumes": [CHAT], "extraVolumeMounts": [{**MOUNT, "mountPath": "/models/"}]})
    assert [mount["mountPath"] for mount in found["volumeMounts"]] == ["/models/"]


def test_a_volume_of_a_generated_name_and_a_mount_at_its_path_take_its_place() -> None:
    disk = {"name": "model-cache", "hostPath": {"path": "/disk"}}
    mount = {"name": "model-cache", "mountPath": "/models"}
    template = pod({"extraVolumes": [disk], "extraVolumeMounts": [mount]})
    assert (template["volumes"], template["containers"][0]["volumeMounts"]) == ([disk], [mount])


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"extraVolumes": [CHAT, CHAT]}, ["error spec.extraVolumes[1].name duplicate"]),
        ({"extraVolumes": [{"name": "x"}]}, ["error spec.extraVolumes[0] invalid"]),
        ({"extraVolumes": [{"name": "x", "emptydir": {}}]}, ["error spec.extraVolumes[0].emptydir unknown-field"]),
        (
            {"extraVolumes": [CHAT], "extraVolumeMounts": [MOUNT, MOUNT]},
            ["error spec.extraVolumeMounts[1].mountPath duplicate"],
        ),
        ({"extraVolumeMounts": [MOUNT]}, ["error spec.extraVolumeMounts[0].name unknown-volume"]),
        ({"extraVolumeMounts": [{"name": "model-cache", "mountPath": "/also"}]}, []),
        ({"affinity": {"nodeaffinity": {}}}, ["error spec.affinity.nodeaffinity unknown-field"]),
        (
            {"topologySpreadConstraints": [{**SPREAD, "maxSkew": 0}]},
            ["error spec.topologySpreadConstraints[0].maxSkew bad-value"],
        ),
    ],
)
def test_what_the_api_server_would_refuse(spec: Any, expected: list[str]) -> None:
    assert brief(plan(spec).findings) == expected


def test_disk_is_requested_and_limited() -> None:
    assert server({"resources": {"ephemeralStorage": "40Gi", "cpu": "2"}})["resources"] == {
        "limits": {"ephemeral-storage": "40Gi"},
        "requests": {"cpu": "2", "ephemeral-storage": "40Gi"},
    }


def test_an_ephemeral_cache_is_the_pod_s_own_and_bounded() -> None:
    spec = {"modelCache": {"persistence": "Ephemeral"}, "resources": {"ephemeralStorage": "40Gi"}}
    found = plan(spec).raise_for_errors()
    template = found.services[0].objects["deployment"]["spec"]["template"]["spec"]
    assert template["volumes"] == [{"name": "model-storage", "emptyDir": {"sizeLimit": "40Gi"}}]
    assert found.shared == ()
    assert brief(plan({"modelCache": {"persistence": "Ephemeral"}}).findings) == [
        "warning spec.resources.ephemeralStorage UnboundedEphemeralCache"
    ]


def test_a_claim_of_one_s_own_holds_the_cache_and_is_never_made() -> None:
    found = plan({"modelCache": {"claimName": "fast"}}, {}, {"existingClaims": ["ai/fast"]}).raise_for_errors()
    template = found.services[0].objects["deployment"]["spec"]["template"]["spec"]
    assert template["volumes"] == [{"name": "model-cache", "persistentVolumeClaim": {"claimName": "fast"}}]
    assert template["containers"][0]["args"][1] == f"/models/{KEY}/chat-q4.gguf"
    assert found.shared == ()


@pytest.mark.parametrize(
    ("cache", "model", "settings", "expected"),
    [
        ({"claimName": "fast"}, {}, {}, ["error spec.modelCache.claimName unknown-claim"]),
        ({"claimName": "fast", "persistence": "Ephemeral"}, {}, {}, ["error spec.modelCache.claimName invalid"]),
        (
            {"claimName": "fast"},
            {},
            {"modelCachePath": ""},
            ["warning spec.modelCache.claimName ModelCacheClaimIgnored"],
        ),
        (
            {"claimName": "fast"},
            {"source": "pvc://weights/m.gguf"},
            {"existingClaims": ["ai/weights"]},
            ["warning spec.modelCache.claimName ModelCacheClaimIgnored"],
        ),
    ],
)
def test_findings_about_caches(cache: Any, model: Any, settings: Any, expected: list[str]) -> None:
    found = brief(plan({"modelCache": cache, "resources": {"ephemeralStorage": "9Gi"}}, model, settings).findings)
    assert [line for line in found if "modelCache" in line] == expected


SHARED = {"resources": {"gpu": 1, "gpuSharing": {"mode": "shared"}}}
SLICE = {"resources": {"gpu": 1, "gpuSharing": {"mode": "partitioned", "profile": "1g.24gb"}}}
POOL = {"gpuSharingSharedPoolSelector": {"gpu": "shared", "zone": "a"}}


def test_a_partition_is_asked_for_in_place_of_a_gpu() -> None:
    template = pod(SLICE)
    assert template["containers"][0]["resources"] == {"limits": {"nvidia.com/mig-1g.24gb": "1"}}
    assert template["tolerations"][0]["key"] == "nvidia.com/mig-1g.24gb"


def test_a_shared_gpu_is_one_of_the_pool() -> None:
    template = pod({**SHARED, "nodeSelector": {"zone": "b"}}, {}, POOL)
    assert template["nodeSelector"] == {"gpu": "shared", "zone": "b"}
    assert template["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    amd = {"hardware": {"gpu": {"count": 1, "vendor": "amd", "runtime": "vulkan"}}}
    assert "nodeSelector" not in pod(SHARED, amd)


SAID = "warning {} missing-flag"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"runtime": "vllm"}, SAID.format("spec.vllmConfig.gpuMemoryUtilization")),
        ({"runtime": "vllm", "vllmConfig": {"gpuMemoryUtilization": 0.4}}, ""),
        ({"runtime": "vllm", "extraArgs": ["--kv-cache-memory-bytes", "8G"]}, ""),
        ({"runtime": "sglang"}, SAID.format("spec.sglangConfig.memFractionStatic")),
        ({"runtime": "tgi"}, SAID.format("spec.extraArgs")),
        ({"runtime": "generic", "image": "vllm/vllm-openai:v0.25.1"}, SAID.format("spec.args")),
        ({"runtime": "llamacpp"}, ""),
    ],
)
def test_a_seat_on_a_gpu_takes_its_share_of_the_memory(spec: Any, said: str) -> None:
    lines = [line for line in found({**SHARED, **spec}, REPOSITORY, POOL) if "missing-flag" in line]
    assert lines == ([said] if said else [])
    assert not [line for line in found({**spec, "resources": {"gpu": 1}}, REPOSITORY) if "missing-flag" in line]


CLAIMS = {"hardware": {"gpu": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]}}}


def test_resource_claims_take_the_place_of_a_count() -> None:
    spec = deployment({"flashAttention": True}, CLAIMS)["spec"]
    template = spec["template"]["spec"]
    container = template["containers"][0]
    assert template["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}]
    assert container["resources"] == {"claims": [{"name": "gpu"}]}
    assert (spec["strategy"], "tolerations" in template) == ({"type": "Recreate"}, False)
    assert container["image"] == "ghcr.io/ggml-org/llama.cpp:server-cuda-b10068"
    assert {"--n-gpu-layers", "--flash-attn"} <= set(container["args"])
    assert "--split-mode" not in container["args"]


GPU_SHARING = "spec.resources.gpuSharing"


@pytest.mark.parametrize(
    ("sharing", "model", "expected"),
    [
        ({"mode": "partitioned"}, {}, [f"error {GPU_SHARING}.profile bad-value"]),
        ({"mode": "partitioned", "profile": "half"}, {}, [f"error {GPU_SHARING}.profile bad-value"]),
        ({"profile": "1g.24gb"}, {}, [f"error {GPU_SHARING}.profile invalid"]),
        ({"mode": "shared"}, {}, [f"error {GPU_SHARING}.mode invalid"]),
        (
            {"mode": "shared"},
            {"hardware": {"gpu": {"count": 2, "vendor": "amd"}}},
            [f"error {GPU_SHARING}.mode invalid"],
        ),
        (
            {"mode": "partitioned", "profile": "1g.24gb"},
            {"hardware": {"gpu": {"vendor": "amd"}}},
            [f"error {GPU_SHARING}.mode invalid"],
        ),
        (
            {"mode": "partitioned", "profile": "1g.24gb"},
            {"hardware": {"gpu": {"resourceName": "example.com/gpu"}}},
            [f"error {GPU_SHARING}.profile invalid"],
        ),
        ({"mode": "exclusive"}, {}, []),
    ],
)
def test_findings_about_shared_gpus(sharing: Any, model: Any, expected: list[str]) -> None:
    found = brief(plan({"resources": {"gpu": 1, "gpuSharing": sharing}}, model).findings)
    assert [line for line in found if "gpuSharing" in line] == expected


@pytest.mark.parametrize(
    ("gpu", "expected"),
    [
        ({"resourceName": "example.com/gpu"}, ["error spec.hardware.gpu.resourceClaims invalid"]),
        ({"resourceClaims": [{"name": "a"}]}, ["error spec.hardware.gpu.resourceClaims[0] invalid"]),
        (
            {"resourceClaims": [{"name": "a", "resourceClaimName": "x"}, {"name": "a", "resourceClaimName": "y"}]},
            ["error spec.hardware.gpu.resourceClaims[1].name duplicate"],
        ),
    ],
)
def test_findings_about_resource_claims(gpu: Any, expected: list[str]) -> None:
    model = {"hardware": {"gpu": {**CLAIMS["hardware"]["gpu"], **gpu}}}
    assert brief(plan({}, model).findings) == expected


@pytest.mark.parametrize(
    ("spec", "mounts"),
    [
        ({"runtime": "vllm", "resources": {"gpu": 2}}, True),
        ({"runtime": "sglang", "resources": {"gpu": 2}}, True),
        ({"runtime": "tgi", "resources": {"gpu": 2}}, True),
        ({"runtime": "vllm", "resources": {"gpu": 1}}, False),
        ({"resources": {"gpu": 2}}, False),
        ({"runtime": "vllm", "vllmConfig": {"tensorParallelSize": 2}}, True),  # devices by claims have no number
        ({"runtime": "vllm", "extraArgs": ["-tp", "2"]}, True),
        ({"runtime": "generic", "image": "vllm/vllm-openai:v0.25.1", "args": ["m"], "resources": {"gpu": 2}}, True),
        ({"runtime": "generic", "image": "mine:1", "resources": {"gpu": 2}}, False),
    ],
)
def test_several_gpus_get_shared_memory(spec: Any, mounts: bool) -> None:
    template = pod(spec, {"source": "org/name", "files": ["a.gguf"]})
    assert ({"name": "shm", "emptyDir": {"medium": "Memory"}} in template.get("volumes", [])) == mounts
    assert ({"name": "shm", "mountPath": "/dev/shm"} in template["containers"][0].get("volumeMounts", [])) == mounts


def test_shared_memory_of_one_s_own_is_kept() -> None:
    own = {"name": "mine", "mountPath": "/dev/shm"}
    spec = {"runtime": "vllm", "resources": {"gpu": 2}, "extraVolumeMounts": [own]}
    volume = {"name": "mine", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}
    template = pod({**spec, "extraVolumes": [volume]}, {"source": "org/name"})
    assert (template["volumes"], template["containers"][0]["volumeMounts"]) == ([volume], [own])


def test_the_router_serves_the_folder_that_is_mounted() -> None:
    models = {"name": "models", "persistentVolumeClaim": {"claimName": "gguf"}}
    mount = {"name": "models", "mountPath": "/models"}
    spec = {
        "runtime": "llamacpp-router",
        "extraVolumes": [models],
        "extraVolumeMounts": [mount],
        "extraArgs": ["-c", "9"],
    }
    template = pod(spec, NVIDIA)
    assert template["containers"][0]["args"] == (
        ["--models-dir", "/models", "--port", "8080", "--host", "::", "--metrics", "-c", "9"]
    )
    assert (template["volumes"], "initContainers" in template) == ([models], False)
    assert brief(plan({"runtime": "llamacpp-router"}).findings) == ["warning spec.extraVolumeMounts no-models"]


@pytest.mark.parametrize(
    ("mode", "flags"),
    [
        ("chat", []),
        ("embedding", ["--embedding", "--pooling", "last", "--cache-ram", "0"]),
        ("rerank", ["--reranking", "--embedding", "--pooling", "rank", "--cache-ram", "0"]),
    ],
)
def test_what_a_model_is_served_for(mode: str, flags: list[str]) -> None:
    found = rendered({"mode": mode})
    words = found.objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert words[words.index("::") + 1 : -1] == flags
    assert found.observe and found.observe({}).details["mode"] == mode


def test_the_user_s_flags_of_a_mode_are_kept_and_nothing_is_there_twice() -> None:
    words = server({"mode": "embedding", "extraArgs": ["--embeddings", "--pooling", "mean"]})["args"]
    assert words[words.index("::") + 1 :] == ["--cache-ram", "0", "--embeddings", "--pooling", "mean", "--metrics"]


@pytest.mark.parametrize("kind", ["ModelRouter", "ModelPool", "LoRAAdapter", "GPUQuota"])
def test_kinds_that_take_the_operator_are_said(kind: str) -> None:
    (finding,) = plan_of([manifest(kind, "x", spec={"anything": 1})]).findings
    assert (finding.severity, finding.code, "not covered here" in finding.message) == ("warning", "not-covered", True)


@pytest.mark.parametrize(
    ("runtime", "gpu", "image"),
    [
        ("vllm", {"resourceName": "amd.com/gpu"}, "vllm/vllm-openai-rocm:v0.25.1"),
        ("vllm", {"resourceName": "gpu.intel.com/xe"}, "vllm/vllm-openai-xpu:v0.26.0"),
        ("vllm", {"resourceName": "nvidia.com/gpu", "vendor": "amd"}, "vllm/vllm-openai:v0.25.1"),
        ("vllm", {"resourceName": "example.com/gpu", "vendor": "amd"}, "vllm/vllm-openai-rocm:v0.25.1"),
        ("llamacpp", {"resourceName": "gpu.intel.com/i915"}, "ghcr.io/ggml-org/llama.cpp:server-intel-b10068"),
    ],
)
def test_the_image_is_for_the_device_that_is_requested(runtime: str, gpu: dict[str, str], image: str) -> None:
    model = {"hardware": {"gpu": {"count": 1, **gpu}}, **({} if runtime == "llamacpp" else REPOSITORY)}
    assert server({"runtime": runtime}, model)["image"] == image


@pytest.mark.parametrize(
    ("hardware", "said"),
    [
        ({"accelerator": "rocm", "gpu": {"count": 1}}, True),
        ({"accelerator": "cuda", "gpu": {"count": 1, "vendor": "amd"}}, True),
        ({"accelerator": "rocm", "gpu": {"count": 1, "vendor": "amd"}}, False),
        ({"accelerator": "rocm", "gpu": {"count": 1, "resourceName": "amd.com/gpu"}}, False),
        ({"accelerator": "vulkan", "gpu": {"count": 1}}, False),
        ({"accelerator": "rocm"}, False),
    ],
)
def test_an_accelerator_of_another_vendor(hardware: dict[str, Any], *, said: bool) -> None:
    expected = ["warning spec.hardware.accelerator no-effect"] if said else []
    assert [line for line in brief(plan({}, {"hardware": hardware}).findings) if "accelerator" in line] == expected


@pytest.mark.parametrize(
    ("queue", "replicas", "said"),
    [("team-a", 1, ["info spec.suspend no-effect"]), ("", 0, []), ("A b", 1, ["error metadata.labels invalid"])],
)
def test_only_a_queue_with_a_name_is_kueue_s(queue: str, replicas: int, said: list[str]) -> None:
    service = manifest("InferenceService", "chat", spec={"modelRef": "chat-q4", "suspend": True})
    service["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    made = plan_of([manifest("Model", "chat-q4", spec={"source": SOURCE}), service])
    assert set(said) <= set(brief(made.findings))
    if queue != "A b":
        assert made.services[0].objects["deployment"]["spec"]["replicas"] == replicas
