"""One fault in several families, fields and engines: what is said of it, and where.

Each was met in one family first; the rule holds in all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.kubernetes.model import read
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings

META = {"name": "chat", "namespace": "inference"}
ONE = {"limits": {"nvidia.com/gpu": "1"}}
TWO_IN_ONE = ["--tensor-parallel-size", "2"]


def llmkube(runtime: str, gpus: int = 1, **spec: Any) -> list[dict[str, Any]]:
    version = "inference.llmkube.dev/v1alpha1"
    model = {"source": "org/model", "format": "safetensors"}
    service = {"modelRef": "chat", "runtime": runtime, "skipModelInit": True, "resources": {"gpu": gpus}, **spec}
    return [
        {"apiVersion": version, "kind": "Model", "metadata": META, "spec": model},
        {"apiVersion": version, "kind": "InferenceService", "metadata": META, "spec": service},
    ]


def otterscale(args: list[str], **spec: Any) -> list[dict[str, Any]]:
    role = {"replicas": 1}
    body = {
        "model": {"name": "m", "image": "registry.example.com/m:1"},
        "engine": {"args": args},
        "accelerator": {"type": "nvidia"},
        "decode": role,
        **spec,
    }
    return [{"apiVersion": "model.otterscale.io/v1alpha1", "kind": "ModelService", "metadata": META, "spec": body}]


def kserve(main: dict[str, Any] | None = None, **spec: Any) -> list[dict[str, Any]]:
    template = {"template": {"containers": [{"name": "main", **main}]}} if main else {}
    body = {"model": {"uri": "hf://org/model", "name": "m"}, **template, **spec}
    version = "serving.kserve.io/v1alpha2"
    return [{"apiVersion": version, "kind": "LLMInferenceService", "metadata": META, "spec": body}]


def ome(image: str = "vllm/vllm-openai:v0.25.1", **runner: Any) -> list[dict[str, Any]]:
    engine = {"runner": {"name": "ome-container", "image": image, **runner}}
    return [{"apiVersion": "ome.io/v1beta1", "kind": "InferenceService", "metadata": META, "spec": {"engine": engine}}]


def said(tmp_path: Path, manifests: list[dict[str, Any]], **settings: Any) -> set[tuple[str, str]]:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all(manifests))
    model, problems = read(Settings, settings)
    assert model is not None, problems
    plan = plan_paths([tmp_path / "a.yaml"], model)
    return {(finding.code, finding.path) for finding in plan.findings}


TOO_FEW = {
    "LLMKube, vLLM's field": (
        llmkube("vllm", vllmConfig={"tensorParallelSize": 2}),
        "spec.vllmConfig.tensorParallelSize",
    ),
    "LLMKube, SGLang's field": (
        llmkube("sglang", sglangConfig={"tensorParallelSize": 2}),
        "spec.sglangConfig.tensorParallelSize",
    ),
    "LLMKube, own arguments": (llmkube("sglang", extraArgs=["--tp=2"]), "spec.extraArgs"),
    "LLMKube, TGI": (llmkube("tgi", extraArgs=["--num-shard", "2"]), "spec.extraArgs"),
    "KServe": (kserve({"args": TWO_IN_ONE, "resources": ONE}), "spec.template.containers[main].args"),
    "OME, vLLM": (ome(args=TWO_IN_ONE, resources=ONE), "spec.engine.runner.args"),
    "OME, SGLang": (ome("lmsysorg/sglang:v0.5.15", args=["--tp", "2"], resources=ONE), "spec.engine.runner.args"),
}


@pytest.mark.parametrize("case", TOO_FEW)
def test_more_parallel_than_gpus(case: str, tmp_path: Path) -> None:
    manifests, path = TOO_FEW[case]
    assert path in {where for _, where in said(tmp_path, manifests)}


@pytest.mark.parametrize(
    "manifests",
    [
        llmkube("sglang", gpus=2, sglangConfig={"tensorParallelSize": 2}),
        llmkube("vllm", gpus=2, extraArgs=TWO_IN_ONE),
        ome(args=[*TWO_IN_ONE, "--nnodes", "2"], resources=ONE),
        ome(args=TWO_IN_ONE, resources={"limits": {"nvidia.com/gpu": "2"}}),
        ome(args=TWO_IN_ONE),
    ],
)
def test_as_parallel_as_gpus(manifests: list[dict[str, Any]], tmp_path: Path) -> None:
    found = said(tmp_path, manifests)
    assert not {path for code, path in found if code == "too-few-accelerators" or "tensorParallelSize" in path}


CONNECTOR = '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}'
ROLE = {"prefill": {"replicas": 1}, "routingProxy": {}}
PREFILL = {"replicas": 1, "template": {"containers": [{"name": "main", "args": [CONNECTOR]}]}}


@pytest.mark.parametrize(
    ("manifests", "found"),
    [
        (otterscale([], **ROLE), {("no-kv-transfer", "spec.engine.args")}),
        (otterscale([CONNECTOR], **ROLE), set()),
        (otterscale([]), set()),
        (kserve(prefill={"replicas": 1}), {("no-kv-transfer", "spec.template.containers[main].args")}),
        (kserve({"args": [CONNECTOR]}, prefill=PREFILL), set()),
        (kserve(prefill=PREFILL), {("kv-transfer-on-one-side", "spec.template.containers[main].args")}),
    ],
)
def test_prefill_and_decode_need_a_connector(
    manifests: list[dict[str, Any]], found: set[tuple[str, str]], tmp_path: Path
) -> None:
    assert {(code, path) for code, path in said(tmp_path, manifests) if "kv-transfer" in code} == found


BAD_VALUES = {
    "LLMKube": (llmkube("vllm", extraArgs=["--dtype=bf16"]), "spec.extraArgs[0]"),
    "LLMKube, SGLang": (llmkube("sglang", extraArgs=["--attention-backend", "XFORMERS"]), "spec.extraArgs[0]"),
    "OtterScale": (otterscale(["--kv-cache-dtype", "int3"]), "spec.engine.args[0]"),
    "KServe": (kserve({"args": ["--quantization=squeezellm"]}), "spec.template.containers[0].args[0]"),
    "KServe, a script": (
        kserve({"command": ["bash", "-c", "vllm serve /mnt/models --dtype bf16"]}),
        "spec.template.containers[0].command[2]",
    ),
    "OME": (ome(args=["--model", "m", "--dtype", "bf16"]), "spec.engine.runner.args[2]"),
    "OME, a script": (
        ome(command=["sh", "-c", "vllm serve m --dtype bf16"]),
        "spec.engine.runner.command[2]",
    ),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_values_that_the_release_does_not_take(case: str, tmp_path: Path) -> None:
    manifests, path = BAD_VALUES[case]
    assert ("unknown-value", path) in said(tmp_path, manifests)


def variable(name: str) -> dict[str, Any]:
    return {"env": [{"name": name, "value": "1"}]}


UNREAD = {
    "LLMKube, vLLM": (llmkube("vllm", **variable("VLLM_LOGING_LEVEL")), "spec.env"),
    "LLMKube, SGLang": (llmkube("sglang", **variable("SGLANG_NO_SUCH_THING")), "spec.env"),
    "LLMKube, llama.cpp": (llmkube("llamacpp", **variable("LLAMA_ARG_CTX")), "spec.env"),
    "OtterScale": (otterscale([], engine=variable("VLLM_NO_SUCH_THING")), "spec.engine.env"),
    "KServe": (kserve(variable("VLLM_NO_SUCH_THING")), "spec.template.containers[0].env"),
    "OME": (ome(**variable("VLLM_NO_SUCH_THING")), "spec.engine.runner.env"),
}


@pytest.mark.parametrize("case", UNREAD)
def test_variables_that_the_release_does_not_read(case: str, tmp_path: Path) -> None:
    manifests, path = UNREAD[case]
    assert ("unknown-variable", path) in said(tmp_path, manifests)


@pytest.mark.parametrize(
    "manifests",
    [
        llmkube("vllm", **variable("VLLM_LOGGING_LEVEL")),
        llmkube("llamacpp", **variable("LLAMA_ARG_CTX_SIZE")),
        llmkube("llamacpp", **variable("LLAMA_ARG_NO_MMAP")),
        ome(**variable("HF_HOME")),
        ome(command=["sh", "-c", 'vllm serve m --seed "$VLLM_SEED"'], **variable("VLLM_SEED")),
        kserve(variable("VLLM_ADDITIONAL_ARGS")),
        ome("vllm/vllm-openai:v0.14.1", **variable("VLLM_NOT_KNOWN_OF_THAT_RELEASE")),
    ],
)
def test_variables_that_are_read_or_not_known(manifests: list[dict[str, Any]], tmp_path: Path) -> None:
    assert "unknown-variable" not in {code for code, _ in said(tmp_path, manifests)}


@pytest.mark.parametrize(
    ("provider", "tls", "warned"), [("istio", True, True), ("istio", False, False), (None, True, False)]
)
def test_tls_behind_an_istio_gateway(provider: str | None, tls: bool, warned: bool, tmp_path: Path) -> None:
    settings = {"gatewayProvider": provider, "ingress": {"enableLLMInferenceServiceTLS": tls}}
    found = said(tmp_path, kserve(router={"gateway": {}, "route": {}}), kserve=settings)
    assert (("tls-behind-istio", "spec.router") in found) is warned


VLLM_TLS = ["--ssl-certfile=/tls/tls.crt", "--ssl-keyfile=/tls/tls.key"]
LLAMA_TLS = ["--ssl-cert-file", "/tls/tls.crt", "--ssl-key-file", "/tls/tls.key"]
WITH_TLS = {
    "LLMKube, vLLM": llmkube("vllm", extraArgs=VLLM_TLS),
    "LLMKube, SGLang": llmkube("sglang", extraArgs=VLLM_TLS),
    "LLMKube, llama.cpp": llmkube("llamacpp", extraArgs=LLAMA_TLS),
    "LLMKube, llama.cpp by variables": llmkube(
        "llamacpp", env=[{"name": f"LLAMA_ARG_SSL_{what}_FILE", "value": "/tls/x"} for what in ("CERT", "KEY")]
    ),
    "OtterScale": otterscale(VLLM_TLS),
    "KServe": kserve({"args": VLLM_TLS}),
    "OME": ome(command=["vllm", "serve", "m"], args=VLLM_TLS),
    "OME, a script": ome(command=["sh", "-c", f"vllm serve m {' '.join(VLLM_TLS)}"]),
}


def schemes(manifests: list[dict[str, Any]], tmp_path: Path) -> list[str]:
    """Those of the server's three probes."""
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all(manifests))
    objects = [obj for service in plan_paths([tmp_path], Settings()).services for obj in service.objects.values()]
    (deployment,) = [obj for obj in objects if obj["kind"] == "Deployment"]
    (server,) = deployment["spec"]["template"]["spec"]["containers"]
    probes = [server[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")]
    return [action.get("scheme", "HTTP") for action in probes]


@pytest.mark.parametrize("case", WITH_TLS)
def test_probes_speak_to_a_server_with_its_own_certificate(case: str, tmp_path: Path) -> None:
    assert schemes(WITH_TLS[case], tmp_path) == ["HTTPS"] * 3


@pytest.mark.parametrize("manifests", [llmkube("vllm"), otterscale([]), kserve(), ome(command=["vllm", "serve", "m"])])
def test_probes_speak_http_else(manifests: list[dict[str, Any]], tmp_path: Path) -> None:
    assert schemes(manifests, tmp_path) == ["HTTP"] * 3
