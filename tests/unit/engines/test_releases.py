"""The tables of releases, which release an image has, and what is said of command lines by them.

Not proved here: that the tables are what the programs parse; ``tools/engine_releases.py`` reads it from them.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.command_line import generated_problems, user_problems
from modelservices.engines.companions import COMPANIONS, ENDPOINT_PICKER, ROUTING_SIDECAR
from modelservices.engines.known import ENGINES
from modelservices.engines.llama_cpp import LLAMA_CPP
from modelservices.engines.releases import Fact, program
from modelservices.engines.sglang import SGLANG
from modelservices.engines.tgi import TGI
from modelservices.engines.tool import Tool
from modelservices.engines.vllm import VLLM
from modelservices.kubernetes.args import Argument
from modelservices.kubernetes.scalars import Opaque

TOOLS = [*ENGINES, *COMPANIONS]


def release(tool: Tool, image: Any) -> Any:
    found = tool.release_of(image)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("tool", "image", "number", "asked"),
    [
        (VLLM, "vllm/vllm-openai:v0.25.1", "0.25.1", ""),
        (VLLM, "registry:5000/vllm-openai:v0.25.1-cu129@sha256:0", "0.25.1", ""),
        (VLLM, "vllm/vllm-openai:v0.24.0", "0.23.0", ""),
        (VLLM, "vllm/vllm-openai:latest", "0.33.0", ""),
        (VLLM, "vllm/vllm-openai@sha256:0", "0.33.0", ""),
        (VLLM, "vllm/vllm-openai", "0.33.0", ""),
        (VLLM, Opaque("image"), "0.33.0", ""),
        (VLLM, "vllm/vllm-openai:nightly", "0.33.0", "nightly"),
        (VLLM, "vllm/vllm-openai:v0.6.0", "0.14.1", "v0.6.0"),
        (VLLM, "vllm/vllm-openai:v9.0.0", "0.33.0", "v9.0.0"),
        (VLLM, "ghcr.io/llm-d/llm-d-cuda:v0.9.0", "0.26.0", ""),
        (VLLM, "ghcr.io/llm-d/llm-d-cuda:v0.5.1", "0.15.1", ""),
        (VLLM, "ghcr.io/llm-d/llm-d-cuda:v0.7.0", "0.15.1", "v0.7.0"),
        (SGLANG, "lmsysorg/sglang:v0.5.23-cu129", "0.5.23", ""),
        (LLAMA_CPP, "ghcr.io/ggml-org/llama.cpp:server-cuda12-b10068", "b10068", ""),
        (LLAMA_CPP, "ghcr.io/ggml-org/llama.cpp:server", "b11434", "server"),
        (TGI, "ghcr.io/huggingface/text-generation-inference:3.3.7", "3.3.7", ""),
        (ENDPOINT_PICKER, "ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0", "0.6.0", ""),
    ],
)
def test_the_release_of_an_image(tool: Tool, image: Any, number: str, asked: str) -> None:
    found = release(tool, image)
    assert (found.number, found.asked) == (number, asked)


def test_between_two_releases_what_either_has_is_known() -> None:
    between = release(VLLM, "vllm/vllm-openai:v0.16.0")
    assert between.fact("--shutdown-timeout") is not None
    assert release(VLLM, "vllm/vllm-openai:v0.15.1").fact("--shutdown-timeout") is None
    assert between.fact("--kv-cache-dtype").takes("turboquant_k8v4")  # of 0.23.0
    assert not between.fact("--kv-cache-dtype").takes("int4_per_token_head")  # of 0.25.1
    old, new = Fact("--x", ("--x",), "1", ("a",), "deprecated"), Fact("--x", ("--x",), "*", ("b",))
    assert new.or_as(old) == Fact("--x", ("--x",), "?", ("a", "b"))
    assert new.or_as(old._replace(state="gone")) == new
    assert new._replace(state="gone").or_as(old) == old
    assert new.or_as(old._replace(choices=())).choices == ()


@pytest.mark.parametrize("tool", TOOLS)
def test_what_took_a_flag_s_place_is_said_of_flags_that_the_newest_release_lacks(tool: Tool) -> None:
    table = program(tool.table)
    newest = table.release(table.releases[-1])
    assert [flag for flag in tool.replaced if newest.fact(flag)] == []
    words = [word.rstrip(",").partition("=")[0] for advice in tool.replaced.values() for word in advice.split()]
    new = [word for word in words if word.startswith("--")]
    assert [word for word in new if not (newest.fact(word) or newest.fact(word.partition(".")[0]))] == []


@pytest.mark.parametrize("engine", ENGINES)
def test_settings_queries_and_own_flags_are_the_newest_release_s(engine: Any) -> None:
    newest = release(engine, "latest:latest")
    flags = [flag for flag, _ in engine.settings.values()]
    flags += engine.bounds
    flags += [flag for flag in (engine.tensor_parallel, *engine.slots[:1]) if flag]
    assert set(engine.slots[1:]) <= newest.env or not newest.env
    assert [flag for flag in flags if newest.fact(flag) is None] == []
    wanted = {name.rpartition("(")[2].split("{")[0] for text in engine.queries.values() for name in text.split(" ")}
    names = {name for name in wanted if ":" in name or name.startswith("tgi_")} | {engine.metric}
    assert {name for name in names if not _exports(newest.metrics, name)} == set()


def _exports(metrics: frozenset[str], name: str) -> bool:
    """The Python client adds ``_total`` to a counter's name, Prometheus ``_sum`` and others to a histogram's."""
    return name in metrics or any(name.removesuffix(end) in metrics for end in ("_total", "_sum", "_count", "_bucket"))


@pytest.mark.parametrize(
    ("tool", "image", "words", "found"),
    [
        (VLLM, "v:v0.25.1", ["--max-model-len", "8", "--max_num_seqs=4", "-tp", "2", "-tp4", "-O3"], {}),
        (VLLM, "v:v0.25.1", ["-O", "3", "-O3", "-O.level=3", "-tp4", "--zzz"], {5: "does not have"}),
        (VLLM, "v:v0.25.1", ["--speculative-config.model", "x", "--hf-overrides", "--strange"], {}),
        (VLLM, "v:v0.25.1", ["--max-model-le", "8"], {}),
        (VLLM, "v:v0.25.1", ["--max-modle-len", "8"], {0: "did you mean --max-model-len?"}),
        (VLLM, "v:v0.25.1", ["--speculative-model", "x"], {0: "write --speculative-config with JSON"}),
        (VLLM, "v:v0.25.1", [Opaque("x"), 5, "--zzz"], {2: "vLLM 0.25.1 does not have"}),
        (VLLM, "v:v0.15.1", ["--shutdown-timeout", "5"], {0: "vLLM 0.15.1 does not have"}),
        (VLLM, "v:v0.25.1", ["--shutdown-timeout", "5"], {}),
        (LLAMA_CPP, "l:b10068", ["--ctx-size", "8", "-c", "8", "--seed", "-1", "--no-jinja"], {}),
        (LLAMA_CPP, "l:b10068", ["--ctx-size=8"], {0: "must be two items, --ctx-size and its value"}),
        (
            VLLM,
            "v:v0.25.1",
            ["--max-model-len 8", "--dtype", "auto"],
            {0: "must be two items, --max-model-len and its"},
        ),
        (VLLM, "v:v0.25.1", ['--hf-overrides={"a": 1}', "--chat-template", "--x {{ y }}"], {}),
        (VLLM, "v:v0.25.1", ["'--enforce-eager'"], {0: "has quotes inside the item"}),
        (VLLM, "v:v0.25.1", ["\u2014max-model-len", "8"], {0: "which does not start a flag; write --max-model-len"}),
        (VLLM, "v:v0.25.1", ["--enforce-eager ", " --dtype"], {0: "blanks around", 1: "blanks around it"}),
        (
            VLLM,
            "v:v0.25.1",
            ["--hf-overrides='{}'", "--dtype", '"auto"'],
            {0: "in quotes", 1: "in quotes"},
        ),
        (VLLM, "v:v0.25.1", ["--generation-config", "— x", "--served-model-name", "'it'"], {}),
        (
            VLLM,
            "v:v0.25.1",
            ["--gpu-memory-utilization", "95"],
            {0: "'95', but vLLM 0.25.1 expects a number above 0 and"},
        ),
        (VLLM, "v:v0.25.1", ["--gpu-memory-util=0", "-tp", "0"], {0: "up to 1", 1: "a whole number, 1 or more"}),
        (VLLM, "v:v0.25.1", ["--gpu-memory-utilization", "1.0", "--max-num-batched-tokens", "8k"], {}),
        (VLLM, "v:v0.25.1", ["--max-model-len", "-1", "--port", "$(PORT)", "--seed=-3"], {}),
        (VLLM, "v:v0.25.1", ["--max-model-len", "-2", "--port", "0"], {0: "-1 or more", 2: "from 1 to 65535"}),
        (SGLANG, "s:v0.5.23", ["--mem-fraction-static", "90", "--tp", "two"], {0: "up to 1", 2: "1 or more"}),
        (SGLANG, "s:v0.5.23", ["--context-length", "8k"], {0: "'8k', but SGLang 0.5.23 expects a whole number"}),
        (SGLANG, "s:v0.5.23", ["--chunked-prefill-size", "-1", "--mem-fraction-static", ".9"], {}),
        (LLAMA_CPP, "l:b10068", ["-c", "8k", "-np", "-1"], {0: "'8k', but llama-server b10068 expects a whole"}),
        (TGI, "t:3.3.7", ["--port", "80800", "--num-shard", "2"], {0: "from 1 to 65535"}),
        (TGI, "t:3.3.7", ["--num-shard", "0", "--max-batch-size", "-1"], {0: "1 or more", 2: "0 or more"}),
        (LLAMA_CPP, "l:b10068", ["-np", "0"], {0: "expects a whole number other than 0"}),
        (LLAMA_CPP, "l:b10068", ["-c 8", "--jinja"], {0: "must be two items, -c and its value"}),
        (LLAMA_CPP, "l:b10068", ["-fa", "1", "--reasoning", "-1", "--fit", "disabled"], {}),
        (LLAMA_CPP, "l:b10068", ["-fa", "yes"], {0: "does not take, 'yes'"}),
        (LLAMA_CPP, "l:b10068", ["-c8192", "-ngl99"], {0: "does not have", 1: "does not have"}),
        (LLAMA_CPP, "l:b10068", ["--draft-max", "8"], {0: "write --spec-draft-n-max"}),
        (LLAMA_CPP, "l:b10068", ["--ctx-siz", "8"], {0: "did you mean --ctx-size?"}),
        (SGLANG, "s:v0.5.23", ["--tp", "2", "--enable-prefix-caching"], {2: "prefixes are cached"}),
        (TGI, "t:3.3.7", ["--json-output", "--max-input-tokens=5"], {}),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--pool-name", "x", "-pool-name=x"], {}),
        (VLLM, "v:v0.25.1", ["--dtype", "bfloat16", "--dtype=HALF", "--kv-cache-dtype", "$(DTYPE)"], {}),
        (VLLM, "v:v0.25.1", ["--dtype", "bf16"], {0: "gives --dtype a value that vLLM 0.25.1 does not take, 'bf16'"}),
        (VLLM, "v:v0.25.1", ["--quantization=squeezellm"], {0: "does not take, 'squeezellm'"}),
        (VLLM, "v:v0.25.1", ["--max-num-seqs", "--dtype", "auto"], {0: "has --max-num-seqs without the value"}),
        (
            VLLM,
            "v:v0.25.1",
            ["--max-model-len"],
            {0: "has --max-model-len without the value that it needs; add the value"},
        ),
        (
            VLLM,
            "v:v0.25.1",
            ["--enforce-eager=true"],
            {0: "gives --enforce-eager a value, but --enforce-eager of vLLM 0.25.1 takes no value"},
        ),
        (
            VLLM,
            "v:v0.25.1",
            ["--hf-overrides", '{"a": 1}', "--hf-overrides={'a': 1}"],
            {2: "begins like JSON"},
        ),
        (SGLANG, "s:v0.5.23", ["--attention-backend", "flash_attn"], {0: "does not take, 'flash_attn'"}),
        (LLAMA_CPP, "l:b10068", ["--cache-type-k", "q8_0", "--cache-type-v", "q9"], {}),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--secure-serving=false"], {}),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--secure-serving", "false"], {0: "write --secure-serving=false"}),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--poolName", "x"], {0: "did you mean --pool-name?"}),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--lora-info-metric", "x"], {0: "name it in the configuration"}),
        (ROUTING_SIDECAR, "s:v0.6.0", ["--connector", "nixlv2"], {}),
        (ROUTING_SIDECAR, "s:v0.6.0", ["--connector=nixl2"], {0: "did you mean nixlv2?"}),
        (ROUTING_SIDECAR, "s:v0.10.0", ["--connector", "x"], {0: "write --kv-connector"}),
        (ROUTING_SIDECAR, "s:v0.10.0", ["--enable-tls=decoder,prefiller"], {}),
        (
            ROUTING_SIDECAR,
            "s:v0.10.0",
            ["--enable-tls", "decoder,prefil"],
            {0: "does not take, 'prefil'; did you mean"},
        ),
        (ENDPOINT_PICKER, "e:v0.10.0", ["--config-text", "{plugins: []}"], {}),
        (VLLM, "v:v0.25.1", ["--max-lora-rank=48"], {0: "does not take, '48'; it takes 1, 8, 16"}),
    ],
)
def test_a_user_s_words(tool: Tool, image: str, words: list[Any], found: dict[int, str]) -> None:
    said = {index: message for index, message, _ in user_problems(words, tool, release(tool, image))}
    assert said.keys() == found.keys()
    assert all(text in said[index] for index, text in found.items())


@pytest.mark.parametrize(
    ("tool", "words", "found"),
    [
        (VLLM, ("--quantization", "fp8"), []),
        (VLLM, ("--quantization", "squeezellm"), ["must be a value that vLLM 0.25.1 takes for --quantization, got"]),
        (VLLM, ("--attention-backend", "flash_attn"), []),
        (VLLM, ("--attention-backend", "XFORMERS"), ["must be a value that vLLM 0.25.1 takes for --attention-backend"]),
        (VLLM, ("--speculative-model", "x"), ["asks for --speculative-model, which vLLM 0.25.1 does not have: write"]),
        (
            VLLM,
            ("--max-model-len", "-5"),
            ["must be a whole number, -1 or more, for --max-model-len of vLLM 0.25.1, got"],
        ),
        (VLLM, ("--max-model-len", "8192"), []),
        (VLLM, ("org/model",), []),
        (VLLM, ("--quantization", Opaque("x")), []),
    ],
)
def test_generated_arguments(tool: Tool, words: tuple[Any, ...], found: list[str]) -> None:
    said = list(generated_problems(Argument(words), tool, release(tool, "v:v0.25.1")))
    assert len(said) == len(found)
    assert all(text in message for text, message in zip(found, said, strict=True))
