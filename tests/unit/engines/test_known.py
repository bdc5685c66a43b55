"""Which engine a container runs, and what is asked of Prometheus about it, in every family.

Not proved here: that the servers export these metrics.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.engine import Engine
from modelservices.engines.generic import GENERIC
from modelservices.engines.known import (
    ENGINES,
    argument_problems,
    engine_of,
    model_of,
    query,
    served_names,
)
from modelservices.engines.llama_cpp import LLAMA_CPP
from modelservices.engines.sglang import SGLANG
from modelservices.engines.tgi import TGI
from modelservices.engines.vllm import VLLM

from ..families.ome import helpers as ome
from ..ome_keys.helpers import LLMKUBE, MAIN, SERVICES, rendered, with_keys

IMAGE = "docker.io/lmsysorg/sglang:v0.5.5"
KEYS = {"ome.io/max-replicas": "4", "autoscaling.ome.io/enable-keda": "true"}


@pytest.mark.parametrize(
    ("image", "command", "engine"),
    [
        ("vllm/vllm-openai:v1", [], VLLM),
        (IMAGE, ["vllm"], SGLANG),
        ("ghcr.io/huggingface/text-generation-inference:3.3.7", [], TGI),
        ("ghcr.io/defilantech/llmkube-llama-rocm@sha256:0", [], LLAMA_CPP),
        ("mine:1", ["python3", "-m", "sglang.launch_server"], SGLANG),
        ("mine:1", ["/app/llama-server"], LLAMA_CPP),
        ("mine:1", ["vllm.entrypoints.openai.api_server"], VLLM),
        ("mine:1", ["vllm-proxy", 7, "tgi"], TGI),
        ("mine:1", ["serve"], GENERIC),
        (None, [], GENERIC),
    ],
)
def test_the_engine_of_a_container(image: Any, command: list[Any], engine: Engine) -> None:
    assert engine_of(image, command) is engine


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "load", ["concurrency", "rps", "tps", "waiting", "generated", "prompt", "first token", "KV cache"]
)
def test_queries_have_the_selector_at_every_metric(engine: Engine, load: str) -> None:
    made = query(load, engine, '{pod="a"}')
    assert "{}" not in made
    assert made.count('{pod="a"}') == engine.queries.get(load, "").count("{}")
    assert bool(made) == (load in engine.queries)


def query_of_ome(runner: dict[str, Any], **keys: str) -> str:
    spec = {"model": {"name": "llama"}, "engine": {"runner": {"name": "ome-container", **runner}}}
    made = ome.objects(
        ome.with_platform(ome.service(spec, annotations={"autoscaling.ome.io/enable-keda": "true", **keys}))
    )
    return made["ScaledObject scaledobject-chat-engine"]["spec"]["triggers"][0]["metadata"]["query"]


@pytest.mark.parametrize(
    ("runner", "metric", "expected"),
    [
        ({"image": IMAGE}, "concurrency", 'sum(sglang:num_running_reqs{ome_io_inferenceservice="chat"})'),
        ({"image": IMAGE}, "rps", 'sum(rate(sglang:num_requests_total{ome_io_inferenceservice="chat"}[1m]))'),
        ({}, "concurrency", 'sum(vllm:num_requests_running{ome_io_inferenceservice="chat"})'),
        ({"image": "mine:1"}, "concurrency", 'sum(vllm:num_requests_running{ome_io_inferenceservice="chat"})'),
        ({"image": "mine:1"}, "gpu-utilization", 'avg(DCGM_FI_DEV_GPU_UTIL{pod=~"chat-engine-.*"})'),
    ],
)
def test_ome_asks_for_the_metrics_of_the_engine(runner: dict[str, Any], metric: str, expected: str) -> None:
    assert query_of_ome(runner, **{"autoscaling.ome.io/metric": metric}) == expected


def test_ome_says_that_llama_cpp_counts_no_requests() -> None:
    keys = {"autoscaling.ome.io/enable-keda": "true", "autoscaling.ome.io/metric": "rps"}
    runner = {"name": "ome-container", "image": "ghcr.io/ggml-org/llama.cpp:server-b10068"}
    spec = {"model": {"name": "llama"}, "engine": {"runner": runner}}
    plan = ome.with_platform(ome.service(spec, annotations=keys))
    path = 'metadata.annotations["autoscaling.ome.io/metric"]'
    assert [(f.path, f.severity) for f in plan.findings if f.code == "unknown-metric"] == [(path, "warning")]
    made = ome.objects(plan)["ScaledObject scaledobject-chat-engine"]
    assert "llamacpp:tokens_predicted_total" in made["spec"]["triggers"][0]["metadata"]["query"]


def test_the_other_families_ask_for_the_metrics_of_the_engine() -> None:
    """By the image, whatever the family; KServe's server has its preset's image, which is vLLM."""
    with_image = {
        "llmkube": with_keys(LLMKUBE, KEYS, runtime="generic", image=IMAGE),
        "otterscale": with_keys(SERVICES["otterscale"], KEYS, engine={"image": IMAGE}),
        "kserve": with_keys(
            SERVICES["kserve"],
            KEYS,
            template={"containers": [{"name": "main", "image": IMAGE, "resources": {"requests": {"cpu": "1"}}}]},
        ),
    }
    for family, manifest in with_image.items():
        made = rendered({**manifest})
        workload = made.objects[MAIN[family]]["metadata"]["name"]
        trigger = made.objects["scaled-object"]["spec"]["triggers"][0]["metadata"]
        assert trigger["query"] == f'sum(sglang:num_running_reqs{{namespace="llm",pod=~"{workload}-.*"}})'


@pytest.mark.parametrize(
    ("engine", "words", "model", "names"),
    [
        (VLLM, ["vllm", "serve", "/m", "--served-model-name", "a", "b", "--port", "1"], "/m", ["a", "b"]),
        (VLLM, ["vllm", "serve", "--model=/m", "--served-model-name=a"], "/m", ["a"]),
        (VLLM, ["vllm", "serve", "/m", "--served-model-name", "a", "b", "--served-model-name", "c"], "/m", ["c"]),
        (SGLANG, ["--model", "org/m"], "org/m", []),
        (LLAMA_CPP, ["--model", "/m.gguf", "--alias", "a"], "/m.gguf", ["a"]),
        (GENERIC, ["serve"], None, []),
    ],
)
def test_the_model_and_its_names(engine: Engine, words: list[str], model: str | None, names: list[str]) -> None:
    assert (model_of(engine, words), served_names(engine, words)) == (model, names)


@pytest.mark.parametrize(
    ("command", "args", "found"),
    [
        (["vllm", "serve", "m", "--dtypo", "half"], ["--max-num-sqs", "4"], ["c.command[3]", "c.args[0]"]),
        (["sh", "-c", "vllm serve m --max-num-sqs 4 --dtype half"], [], ["c.command[2]"]),
        (
            ["/bin/bash", "-lc"],
            ["set -e\nexport A=b\nexec vllm serve m \\\n  --dtype bf16 | tee /tmp/log"],
            ["c.args[0]"],
        ),
        (["bash", "-lc", "--"], ["ulimit -n 65536; vllm serve m --zzz"], ["c.args[0]"]),
        (["sh", "-c"], ["echo --zzz; vllm serve $MODEL --dtype $DTYPE"], []),
        (["sh", "-c"], ["vllm serve 'm"], []),
        (["sh"], ["/scripts/start.sh", "--zzz"], []),
        (["sh", "-c"], ["v=$(vllm --version 2>/dev/null); vllm serve m --dtype half"], []),
        (["bash", "-c"], ['eval "exec vllm serve \\\n  m --zzz $@"', "--"], ["c.args[0]"]),
        ([], ["sh", "-c", "python3 -m vllm.entrypoints.openai.api_server --zzz && true"], ["c.args[2]"]),
        (["python3", "-m", "mine"], ["--zzz"], []),
    ],
)
def test_every_form_of_a_command_line_is_read(command: list[str], args: list[str], found: list[str]) -> None:
    image = "mine/server:1" if "mine" in command else "vllm/vllm-openai:v0.25.1"
    said = [problem.path for problem in argument_problems(args, command, image, "c")]
    assert said == found


@pytest.mark.parametrize(
    ("command", "args", "found"),
    [
        (["vllm", "serve", "m"], ["--max-num-seqs=$(SEQS)"], ["c.args[0]"]),
        (["vllm", "serve", "m"], ["--max-num-seqs=$$(SEQS)", "--max-model-len", "$(FROM_A_SECRET)"], []),
        (["sh", "-c", 'vllm serve m --max-num-seqs ${SEQS:-8} "$@"', "--"], ["--dtypo=$(SEQS)"], ["c.command[2]"] * 2),
        (["sh", "-c", "vllm serve m --max-num-seqs ${FROM_A_SECRET:-0}"], [], []),
        (["sh", "-c", "vllm serve m --max-num-seqs ${UNSET:-0}"], [], ["c.command[2]"]),
    ],
)
def test_values_in_variables_are_read(command: list[str], args: list[str], found: list[str]) -> None:
    env = [{"name": "SEQS", "value": "0"}, {"name": "FROM_A_SECRET", "valueFrom": {"secretKeyRef": {"name": "s"}}}]
    image = "vllm/vllm-openai:v0.25.1"
    assert [problem.path for problem in argument_problems(args, command, image, "c", env)] == found


def test_a_start_script_fills_variables_into_its_arguments() -> None:
    env = [{"name": "SEQS", "value": "0"}]
    found = argument_problems(["--max-num-seqs $SEQS"], ["vllm"], "vllm/vllm-openai:v0.25.1", "c", env, as_text=True)
    assert [problem.path for problem in found] == ["c.args[0]"]


def test_arguments_that_a_start_script_reads_as_a_shell_s_text() -> None:
    args = ['--kv-transfer-config=\'{"kv_connector":"NixlConnector"}\'', "--dtype half --zzz", "--max-num-seqs", "4"]
    for as_text, expected in ((True, ["c.args[1]"]), (False, ["c.args[0]", "c.args[1]"])):
        found = argument_problems(args, ["vllm"], "vllm/vllm-openai:v0.25.1", "c", as_text=as_text)
        assert [problem.path for problem in found] == expected
    bare = ["--kv-transfer-config", '{"kv_connector":"NixlConnector"}', '--hf-overrides={"a":{}}', "--hf-overrides={a}"]
    found = list(argument_problems(bare, ["vllm"], "vllm/vllm-openai:v0.25.1", "c", as_text=True))
    assert [problem.path for problem in found] == ["c.args[1]", "c.args[2]", "c.args[3]"]
    assert "put the JSON in single quotes" in found[0].message
