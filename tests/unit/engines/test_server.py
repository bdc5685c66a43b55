"""What keeps a server's container from starting or from being reached: each rule with the field that it names.

Not proved here: that servers and kubelets behave so; llama-server does in ``tests/integration/test_llama_server.py``.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.server import default_port, server_problems
from modelservices.kubernetes.probes import http, tcp
from modelservices.kubernetes.scalars import Opaque

VLLM, SGLANG, LLAMA = "vllm/vllm-openai:v0.25.1", "lmsysorg/sglang:v0.5.15", "ghcr.io/ggml-org/llama.cpp:server-b10068"
TGI = "ghcr.io/huggingface/text-generation-inference:3.3.7"
LAUNCH = ["python3", "-m", "sglang.launch_server"]
SCRIPT = """# isn't read
version=$(vllm --version)
exec vllm serve /mnt/models \\
  --port 8000 "$@"
"""
MORE = 'eval "exec vllm serve /mnt/models ${VLLM_ADDITIONAL_ARGS} $@"'


def problems(pod: dict[str, Any] | None = None, **container: Any) -> list[tuple[str, str]]:
    found = list(server_problems({"name": "main", **container}, pod or {}))
    assert all(problem.severity == "warning" for problem in found)
    return [(problem.path, problem.code) for problem in found]


def env(**values: str) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in values.items()]


SERVED = ["--max-model-len", "8192", "/mnt/models"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ([*SERVED, "--model=a"], "duplicate"),
        (["/mnt/models", "--max-model-len", "8192", "--model", "a"], "duplicate"),
        (["--served-model-name", "a", "b", "--model", "a"], ""),
        (["--max-model-len", "8192", "--model", "a"], ""),
        (SERVED, ""),
        (["/mnt/models", "--max-cpu-loras=2", "--max-loras", "4"], "bad-value"),
        (["/mnt/models", "--max-cpu-loras=4", "--max-loras", "4"], ""),
        (["/mnt/models", "--max-cpu-loras=2"], ""),
    ],
)
def test_options_with_which_vllm_exits(args: list[str], code: str) -> None:
    found = problems(image="registry.example.com/vllm:v0.25.1", command=["vllm", "serve"], args=args)
    assert [(path, kind) for path, kind in found if path == "args"] == ([("args", code)] if code else [])


@pytest.mark.parametrize(
    ("image", "resource", "count", "found"),
    [
        ("vllm-cuda:1", "aws.amazon.com/neuron", "1", ["other-engine"]),
        ("vllm-cuda:1", "huawei.com/Ascend910", "1", ["other-engine"]),
        ("vllm-ascend:1", "huawei.com/Ascend910", "1", []),
        ("vllm-cuda:1", "amd.com/gpu", "0", []),
        ("vllm-cuda:1", "volcano.sh/vgpu-number", "1", []),
        ("vllm-cpu:1", "nvidia.com/gpu", "1", ["other-engine"]),
        ("vllm-cpu:1", "cpu", "1", []),
    ],
)
def test_devices_that_an_image_is_not_built_for(image: str, resource: str, count: str, found: list[str]) -> None:
    container = {"image": f"registry.example.com/{image}", "resources": {"limits": {resource: count}}}
    assert [code for path, code in problems(**container, command=["vllm", "serve", "m"]) if path == "image"] == found


@pytest.mark.parametrize(
    ("container", "found"),
    [
        ({"image": VLLM, "args": ["--host", "127.0.0.1"]}, [("host", "unreachable")]),
        ({"image": VLLM, "args": ["--host=localhost"]}, [("host", "unreachable")]),
        ({"image": VLLM, "args": ["--host", "::1"]}, [("host", "unreachable")]),
        ({"image": VLLM, "args": ["--host", "::"]}, []),
        ({"image": VLLM, "args": ["--host", "$(HOST)"], "env": env(HOST="127.0.0.1")}, [("host", "unreachable")]),
        ({"image": VLLM, "args": ["--host", "$(POD_IP)"]}, []),
        ({"image": VLLM, "args": ["--uds", "/tmp/x"]}, [("args", "unreachable")]),
        ({"image": VLLM, "command": ["sh", "-c", "vllm serve m --host 127.0.0.1"]}, [("host", "unreachable")]),
        ({"image": VLLM, "command": ["sh", "-c", SCRIPT, "--"], "args": ["--uds", "x"]}, [("args", "unreachable")]),
        (
            {"image": VLLM, "command": ["bash", "-c", MORE, "--"], "env": env(VLLM_ADDITIONAL_ARGS="--host ::1")},
            [("host", "unreachable")],
        ),
        ({"image": SGLANG, "command": LAUNCH}, [("host", "unreachable")]),
        ({"image": SGLANG, "command": LAUNCH, "args": ["--host", "0.0.0.0"]}, []),
        ({"image": SGLANG}, []),
        ({"image": LLAMA, "args": ["--host", "/tmp/llama.sock"]}, [("host", "unreachable")]),
        ({"image": LLAMA}, []),
        ({"image": LLAMA, "env": env(LLAMA_ARG_HOST="127.0.0.1")}, [("host", "unreachable")]),
        ({"image": LLAMA, "env": env(LLAMA_ARG_HOST="127.0.0.1"), "args": ["--host", "::"]}, []),
        ({"image": "mine:1", "args": ["--host", "127.0.0.1"]}, []),
    ],
)
def test_addresses(container: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert problems(**container) == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["vllm", "serve", "m", "--model", "m"], "--model repeats the model of vllm serve, m"),
        (["vllm", "serve", "--port", "1", "m", "--model=m"], "--model repeats the model of vllm serve, m"),
        (["vllm", "serve", "m", "-tp", "2", "n"], "has n beside the model of vllm serve, m"),
        (["m", "--model", "m"], "--model repeats the model of vllm serve, m"),
        (["sh", "-c", "exec vllm serve m --model m"], "--model repeats the model of vllm serve, m"),
        (["vllm", "serve", "--model", "m"], ""),
        (["vllm", "serve", "m", "--enable-prefix-caching", "-O3", "-tp2", "--lora-modules", "a=b", "c=d"], ""),
        (["sh", "-c", "exec vllm serve m $EXTRA"], ""),
        (["vllm", "serve", "--a-flag-that-nobody-knows", "m", "--model", "m"], ""),
        (["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"], ""),
    ],
)
def test_one_model_for_each_server(words: list[str], said: str) -> None:
    field = "args" if words[0] == "m" else "command"
    container = {"name": "c", "image": VLLM, field: words}
    found = [problem.message for problem in server_problems(container, {}) if problem.code == "duplicate"]
    assert [message.partition(":")[0] for message in found] == ([said] if said else [])


HEALTH = {"livenessProbe": http("/health", 8000), "readinessProbe": http("/health", 8000)}
SERVE = ["vllm", "serve", "m"]
READY = "readinessProbe.httpGet.port"


@pytest.mark.parametrize(
    ("container", "found"),
    [
        ({"command": SERVE, **HEALTH}, []),
        ({"command": SERVE, "args": ["--port", "8001"], **HEALTH}, [("args", "other-port")]),
        ({"command": SERVE, "args": ["--port=$(PORT)"], "env": env(PORT="8001"), **HEALTH}, [("args", "other-port")]),
        ({"command": SERVE, "args": ["--port=$(PORT)"], **HEALTH}, []),
        ({"command": SERVE, **HEALTH, "readinessProbe": http("/health", 9000)}, [(READY, "other-port")]),
        (
            {"command": SERVE, "livenessProbe": tcp(8000), "readinessProbe": {"tcpSocket": {"port": "web"}}}
            | {"ports": [{"name": "web", "containerPort": 9000}]},
            [("readinessProbe.tcpSocket.port", "other-port")],
        ),
        (
            {"command": SERVE, "readinessProbe": {"httpGet": {"port": "web"}}}
            | {"ports": [{"name": "web", "containerPort": 8000}]},
            [],
        ),
        ({"command": SERVE, "ports": [{"containerPort": 8080}]}, [("args", "other-port")]),
        ({"command": SERVE, "readinessProbe": http("/health", "metrics")}, []),  # said with the probe
        ({"command": SERVE, "ports": [{"containerPort": 9}, {"containerPort": 8000}]}, []),
        ({"command": SERVE}, []),
        ({"image": "mine/vllm:1", **HEALTH, "readinessProbe": tcp(1)}, []),
        ({"command": [*LAUNCH, "--host", "::"], **HEALTH}, [("args", "other-port")]),
        (
            {"command": ["text-generation-launcher"], "env": env(PORT="3000"), "livenessProbe": tcp(80)},
            [("args", "other-port")],
        ),
    ],
)
def test_ports(container: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert problems(**container) == found


@pytest.mark.parametrize(
    ("image", "command", "found"),
    [
        (SGLANG, SERVE, [("image", "other-engine")]),
        (VLLM, [*LAUNCH, "--host", "::"], [("image", "other-engine")]),
        (LLAMA, ["sh", "-c", "exec vllm serve m"], [("image", "other-engine")]),
        (VLLM, SERVE, []),
        ("mirror.example.com/vllm-and-sglang:1", SERVE, []),
        ("mine:1", SERVE, []),
        (SGLANG, ["/start.sh"], []),
    ],
)
def test_an_image_of_another_engine(image: str, command: list[str], found: list[tuple[str, str]]) -> None:
    assert problems(image=image, command=command) == found


def test_what_is_known_later_is_not_judged() -> None:
    """An Output in place of an address, a port or an image."""
    later: Any = Opaque("later")
    assert problems(command=[*SERVE, "--host", later, "--port", later], image=later, **HEALTH) == []


def test_probes_beside_a_prefix() -> None:
    container = {"image": LLAMA, "args": ["--api-prefix", "/v9/"], "livenessProbe": http("/health", 8080)}
    assert problems(**container) == [("args", "unreachable")]
    assert problems(**{**container, "livenessProbe": http("/v9/health", 8080)}) == []


def test_a_health_check_by_a_name_that_other_programs_give_it() -> None:
    found = problems(command=SERVE, readinessProbe=http("/healthz", 8000), livenessProbe=http("/health", 8000))
    assert found == [("readinessProbe.httpGet.path", "probe-path")]


def test_a_certificate_where_nothing_is_mounted() -> None:
    container = {"image": VLLM, "args": ["--ssl-certfile=/certs/tls.crt", "--ssl-keyfile", "/certs/tls.key"]}
    assert problems(**container) == [("args", "no-file"), ("args", "no-file")]
    assert problems(**container, volumeMounts=[{"name": "c", "mountPath": "/certs/"}]) == []
    assert problems(**{**container, "image": "mine/vllm-with-certificates:1"}) == []


REPOSITORY = {"command": ["vllm", "serve", "org/model"]}


@pytest.mark.parametrize(
    ("container", "pod", "found"),
    [
        ({**REPOSITORY, "env": env(HF_HUB_OFFLINE="1")}, {}, [("env", "offline")]),
        ({**REPOSITORY, "env": env(TRANSFORMERS_OFFLINE="true")}, {}, [("env", "offline")]),
        (
            {**REPOSITORY, "env": env(HF_HUB_OFFLINE="1")},
            {"volumes": [{"name": "a", "emptyDir": {}}]},
            [("env", "offline")],
        ),
        ({**REPOSITORY, "env": env(HF_HUB_OFFLINE="1")}, {"volumes": [{"name": "a", "persistentVolumeClaim": {}}]}, []),
        ({**REPOSITORY, "env": env(HF_HUB_OFFLINE="0")}, {}, []),
        ({"command": ["vllm", "serve", "/mnt/models"], "env": env(HF_HUB_OFFLINE="1")}, {}, []),
        ({"command": ["vllm", "serve", "$(MODEL)"], "env": env(HF_HUB_OFFLINE="1")}, {}, []),
    ],
)
def test_offline(container: dict[str, Any], pod: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert problems(pod, **container) == found


NON_ROOT = {"securityContext": {"runAsNonRoot": True}}


@pytest.mark.parametrize(
    ("image", "context", "pod", "found"),
    [
        (VLLM, {}, NON_ROOT, [("image", "no-user")]),
        (f"mirror.example.com:5000/{VLLM}", {"runAsNonRoot": True}, {}, [("image", "no-user")]),
        (f"{VLLM.partition(':')[0]}@sha256:{'0' * 64}", {}, NON_ROOT, [("image", "no-user")]),
        (SGLANG, {}, NON_ROOT, [("image", "no-user")]),
        (LLAMA, {}, NON_ROOT, [("image", "no-user")]),
        (VLLM, {"runAsUser": 1000}, NON_ROOT, []),
        (VLLM, {}, {"securityContext": {"runAsNonRoot": True, "runAsUser": 1000}}, []),
        (VLLM, {"runAsNonRoot": False}, NON_ROOT, []),
        ("ghcr.io/llm-d/llm-d-cuda:v0.9.0", {}, NON_ROOT, []),
        ("mirror.example.com/my-vllm/vllm-openai:v0.25.1", {}, NON_ROOT, []),
    ],
)
def test_images_of_root(image: str, context: Any, pod: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert problems(pod, image=image, securityContext=context) == found


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["--enable-auto-tool-choice"], [("args", "missing-flag")]),
        (["--enable-auto-tool-choice", "--tool-call-parser", "hermes"], []),
        (["--enable-log-outputs"], [("args", "missing-flag")]),
        (["--enable-log-outputs", "--enable-log-requests"], []),
        (["--lora-modules", "a=/a"], [("args", "missing-flag")]),
        (["--tool-call-parser=qwen25"], [("args", "unknown-value")]),
        (["--tool-call-parser", "qwen25", "--tool-parser-plugin", "/p.py"], []),
        (["--reasoning-parser", "deepseek-r1"], [("args", "unknown-value")]),
        (["--reasoning-parser", "deepseek_r1"], []),
    ],
)
def test_what_vllm_wants_of_its_arguments(args: list[str], found: list[tuple[str, str]]) -> None:
    gpu = {"limits": {"nvidia.com/gpu": "1"}}
    assert problems(image=VLLM, args=["--model", "/m", *args], resources=gpu) == found
    if "parser" not in args[0]:
        launch = [*LAUNCH, "--model-path", "/m", "--host", "0.0.0.0", *args]
        assert problems(image=SGLANG, command=launch, resources=gpu) == []


@pytest.mark.parametrize(
    ("resource", "args", "found"),
    [
        ("nvidia.com/gpu.shared", [], [("args", "missing-flag")]),
        ("nvidia.com/gpu.shared", ["--gpu-memory-utilization=0.3"], []),
        ("nvidia.com/gpu", [], []),
    ],
)
def test_a_gpu_that_several_pods_get(resource: str, args: list[str], found: list[tuple[str, str]]) -> None:
    assert problems(image=VLLM, args=["--model", "/m", *args], resources={"limits": {resource: "1"}}) == found


@pytest.mark.parametrize(
    ("image", "name", "value", "said"),
    [
        (LLAMA, "LLAMA_ARG_CTX_SIZE", "8k", True),
        (LLAMA, "LLAMA_ARG_CTX_SIZE", "8192", False),
        (LLAMA, "LLAMA_ARG_THREADS", "$(CPUS)", False),
        (LLAMA, "LLAMA_ARG_THREADS", "all", False),
        (LLAMA, "THREADS", "all", False),
        (LLAMA, "LLAMA_ARG_BATCH", "2k", True),
        (LLAMA, "LLAMA_ARG_UBATCH", "512", False),
        (LLAMA, "LLAMA_ARG_N_PARALLEL", "0", True),
        (LLAMA, "LLAMA_ARG_N_PARALLEL", "-1", False),
        (TGI, "CUDA_MEMORY_FRACTION", "90", True),
        (TGI, "NUM_SHARD", "2", False),
        (TGI, "VALIDATION_WORKERS", "0", True),
        (VLLM, "PORT", "none", False),
    ],
)
def test_numbers_in_variables(image: str, name: str, value: str, said: bool) -> None:
    args = ["--threads", "4"] if name == "LLAMA_ARG_THREADS" else []
    found = problems(image=image, args=args, env=[{"name": name, "value": value}])
    assert (("env", "unknown-value") in found) is said


@pytest.mark.parametrize(
    ("container", "port"),
    [
        ({"command": LAUNCH}, 30000),
        ({"command": ["/app/llama-server"]}, 8080),
        ({"command": ["vllm", "serve"]}, 8000),
        ({"command": ["vllm", "serve", "--port", "1"]}, None),
        ({"image": SGLANG, "command": ["/start.sh"]}, None),
    ],
)
def test_default_ports(container: dict[str, Any], port: int | None) -> None:
    assert default_port(container) == port
