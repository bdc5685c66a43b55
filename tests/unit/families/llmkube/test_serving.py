"""What renders and would not serve: each is a finding with severity, path and code.

Not proved here: that the engines behave as the rules say; their flags are the engines' tests.
"""

from __future__ import annotations

from typing import Any

import pytest

from .render import REPOSITORY, found, plan

PAIR = {"hardware": {"gpu": {"enabled": True, "count": 2}}}
VLLM = {"runtime": "vllm", "skipModelInit": True}
SGLANG = {"runtime": "sglang", "skipModelInit": True}
ROUTER = {"runtime": "llamacpp-router", "skipModelInit": True, "extraVolumes": [{"name": "m", "emptyDir": {}}]}
ROUTER |= {"extraVolumeMounts": [{"name": "m", "mountPath": "/models"}]}

LLAMA = {"runtime": "generic", "image": "ghcr.io/ggml-org/llama.cpp:server-cuda-b10068", "args": ["-hf", "a/b"]}
LLAMA |= {"skipModelInit": True}
METRICS = {"name": "LLAMA_ARG_ENDPOINT_METRICS", "value": "1"}


def scaled_by(metric: str) -> dict[str, Any]:
    given = {"type": "Pods", "name": metric, "targetAverageValue": "1"}
    return {**VLLM, "autoscaling": {"maxReplicas": 2, "metrics": [given]}}


def drafting(**fields: Any) -> dict[str, Any]:
    given = {"enabled": True, "algorithm": "EAGLE", "draftModelPath": "a/b", **fields}
    return {**SGLANG, "sglangConfig": {"speculative": given}}


def sharing(**sizes: int) -> dict[str, Any]:
    return {**SGLANG, "sglangConfig": sizes}


def asked_at(port: int) -> dict[str, Any]:
    return {**VLLM, "probeOverrides": {"readiness": {"httpGet": {"path": "/health", "port": port}}}}


SPECULATIVE = "spec.sglangConfig.speculative"
NON_ROOT = {"runAsNonRoot": True}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({**VLLM, "extraArgs": ["--uds", "/x"]}, ["warning spec.extraArgs unreachable"]),
        ({**VLLM, "extraArgs": ["--host", "127.0.0.1"]}, ["warning spec.extraArgs unreachable"]),
        ({**VLLM, "bindAddress": "127.0.0.1"}, ["warning spec.bindAddress unreachable"]),
        ({**VLLM, "extraArgs": ["-pp", "2"]}, ["warning spec.extraArgs too-few-accelerators"]),
        ({**VLLM, "extraArgs": ["-tp", "1", "-dp", "2"]}, []),
        (sharing(dataParallelSize=2), ["warning spec.sglangConfig.dataParallelSize too-few-accelerators"]),
        (sharing(tensorParallelSize=1, dataParallelSize=2), []),
        ({**VLLM, "env": [{"name": "HF_HUB_OFFLINE", "value": "1"}]}, ["warning spec.env offline"]),
        (asked_at(8080), ["warning spec.probeOverrides.readiness.httpGet.port other-port"]),
        (asked_at(8000), []),
        ({**VLLM, "podSecurityContext": NON_ROOT}, ["warning spec.podSecurityContext.runAsUser no-user"]),
        ({**VLLM, "podSecurityContext": {**NON_ROOT, "runAsUser": 1000}}, []),
        (drafting(), []),
        (drafting(numSteps=3), [f"warning {SPECULATIVE}.eagleTopK required"]),
        (drafting(numSteps=3, eagleTopK=1, numDraftTokens=4), []),
        (drafting(draftModelPath=None), [f"warning {SPECULATIVE}.draftModelPath SpeculativeMissingModel"]),
        (drafting(enabled=False, draftModelPath=None), []),
        (drafting(algorithm="Medusa"), [f"warning {SPECULATIVE}.algorithm not-in-release"]),
        (
            {"runtime": "tgi", "skipModelInit": True, "tgiConfig": {"maxInputLength": 4096, "maxTotalTokens": 4096}},
            ["warning spec.tgiConfig.maxInputLength bad-value"],
        ),
        (scaled_by("vllm:gpu_cache_usage_perc"), ["warning spec.autoscaling.metrics[0].name unknown-metric"]),
        (scaled_by("vllm:kv_cache_usage_perc"), []),
        (scaled_by("requests_per_second"), []),
        (scaled_by("vllm_num_requests_running"), []),  # as an adapter may call it
        (scaled_by("llamacpp:requests_processing"), ["warning spec.autoscaling.metrics[0].name unknown-metric"]),
        (
            {**scaled_by("tgi:queue_size"), "runtime": "tgi"},
            ["warning spec.autoscaling.metrics[0].name unknown-metric"],
        ),
        ({**scaled_by("tgi_queue_size"), "runtime": "tgi"}, []),
        ({**scaled_by("llamacpp:requests_processing"), **LLAMA}, ["warning spec.args no-metrics"]),
        ({**scaled_by("llamacpp:requests_processing"), **LLAMA, "env": [METRICS]}, []),
        (
            {**scaled_by("sglang:num_running_reqs"), **LLAMA},
            ["warning spec.args no-metrics", "warning spec.autoscaling.metrics[0].name unknown-metric"],
        ),
        (
            {**scaled_by("vllm:num_requests_running"), "extraArgs": ["--disable-log-stats"]},
            ["warning spec.extraArgs no-metrics"],
        ),
        (
            {
                **scaled_by("vllm:num_requests_running"),
                "image": "mine/vllm:v0.25.1",
                "extraArgs": ["--ssl-certfile", "/c"],
            },
            ["warning spec.extraArgs not-scraped"],
        ),
        ({**ROUTER, "autoscaling": {"maxReplicas": 2}}, ["error spec.autoscaling.metrics required"]),
        (
            {"runtime": "generic", "skipModelInit": True, "image": "vllm/vllm-openai:v0.25.1", "args": ["--bogus"]},
            ["warning spec.args other-port", "warning spec.args[0] unknown-flag"],
        ),
        ({**LLAMA, "args": ["-hf", "a/b", "--host", "127.0.0.1"]}, ["warning spec.args unreachable"]),
        ({"skipModelInit": True}, ["warning spec.skipModelInit no-model"]),
        ({**VLLM, "image": "lmsysorg/sglang:v0.5.15"}, ["warning spec.image other-engine"]),
        (
            {"runtime": "tgi", "skipModelInit": True, "image": "vllm/vllm-openai:v0.25.1"},
            ["warning spec.image other-engine"],
        ),
        ({"skipModelInit": True, "extraArgs": ["-hf", "a/b:Q4_K_M"]}, []),
        ({"skipModelInit": True, "image": "mine/llama.cpp-with-model:1"}, []),
    ],
)
def test_what_keeps_a_server_from_serving(spec: Any, expected: list[str]) -> None:
    notes = {"unknown-release"}
    assert [line for line in found(spec, {**REPOSITORY, **PAIR}) if line.split()[2] not in notes] == expected


def test_a_prefix_keeps_probes_away() -> None:
    assert found({"extraArgs": ["--api-prefix", "/v9"]}) == ["warning spec.extraArgs unreachable"]


def test_a_module_takes_the_model_by_its_flag_and_nixl_announces_the_pod() -> None:
    command = ["python3", "-m", "vllm.entrypoints.openai.api_server"]
    nixl = ["--kv-transfer-config", '{"kv_connector":"NixlConnector"}']
    (made,) = plan({**VLLM, "command": command, "extraArgs": nixl}, {**REPOSITORY, **PAIR}).raise_for_errors().services
    container = made.objects["deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert container["args"][:2] == ["--model", "org/name"]
    address = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}
    assert container["env"] == [{"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "valueFrom": address}]


def test_nixl_announces_the_pod_of_a_generic_server() -> None:
    served = ["org/name", "--kv-transfer-config", '{"kv_connector":"NixlConnector"}']
    generic = {"runtime": "generic", "image": "vllm/vllm-openai:v0.25.1", "args": served, "skipModelInit": True}
    (made,) = plan(generic, {**REPOSITORY, **PAIR}).raise_for_errors().services
    (container,) = made.objects["deployment"]["spec"]["template"]["spec"]["containers"]
    address = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}
    assert {"name": "VLLM_NIXL_SIDE_CHANNEL_HOST", "valueFrom": address} in container["env"]
