"""The tables of releases: made from what was read, and complete for the default images.

Not proved here: the packages themselves, which only the tool downloads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tools import default_images
from tools.default_images import images_without_data
from tools.engine_releases import (
    _click_options,
    _llama_options,
    _sglang_options,
    choices,
    metrics,
    variables,
    with_release,
)

OLD = {
    "version": "v1.0.0",
    "provenance": "read",
    "flags": [
        {"name": "--port", "aliases": ["-p"], "takes_value": True},
        {"name": "--mode", "takes_value": True, "choices": ["b", "a"]},
        {"name": "--gone", "takes_value": False},
        {"name": "model", "takes_value": True},
    ],
    "metrics": ["x:running", "x:"],
    "env": ["X_OLD", "X_BOTH"],
}
NEW = {
    "version": "1.1.0",
    "provenance": "read too",
    "flags": [
        {"name": "--port", "aliases": ["-p"], "takes_value": True},
        {"name": "--mode", "takes_value": True, "choices": ["a"], "deprecated": True},
        {"name": "--gone", "takes_value": False, "removed": True},
        {"name": "--list", "takes_value": True, "nargs": "+"},
    ],
    "metrics": ["x:running"],
    "env": ["X_BOTH"],
}
TABLE = """\
release	1.0.0	read
release	1.1.0	read too
flag	--gone		0			1.0.0-1.0.0
flag	--gone		0		gone	1.1.0-1.1.0
flag	--list		*			1.1.0-1.1.0
flag	--mode		1	a	deprecated	1.1.0-1.1.0
flag	--mode		1	a b		1.0.0-1.0.0
flag	--port	-p	1			1.0.0-1.1.0
metric	x:running	1.0.0-1.1.0
env	X_BOTH	1.0.0-1.1.0
env	X_OLD	1.0.0-1.0.0
image	own	9	1.0.0
"""


def test_a_table_of_two_releases() -> None:
    image = "image\town\t9\t1.0.0\n"
    assert with_release(with_release(image, OLD), NEW) == TABLE
    assert with_release(with_release(image, NEW), OLD) == TABLE
    assert with_release(TABLE, NEW) == TABLE


def test_default_images_have_their_data(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(images_without_data()) == []
    moved = ["ghcr.io/ggml-org/llama.cpp:server", "ghcr.io/ggml-org/llama.cpp:server-b99999"]
    monkeypatch.setattr(default_images, "default_images", lambda: iter(moved))
    assert [line.partition(": add")[0] for line in images_without_data()] == moved


def names(flags: Any) -> dict[str, Any]:
    return {flag["name"]: (flag.get("aliases"), flag["takes_value"], flag.get("choices")) for flag in flags}


def written(folder: Path, path: str, text: str) -> Path:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return folder


LLAMA = """
    add_opt(common_arg({"-c", "--ctx-size"}, "N", "size", [](common_params & params, int value) {}));
    add_opt(common_arg({"--jinja"}, {"--no-jinja"}, "template", [](common_params & params, bool value) {})
        .set_examples({LLAMA_EXAMPLE_SERVER}));
    add_opt(common_arg({"--rope-scaling"}, "{none,linear}", "rope", [](common_params & params, const std::string & v) {}));
    add_opt(common_arg({"--old"}, "N", "the argument has been removed. use --new", [](common_params & /*p*/, int /*v*/) {}));
    add_opt(common_arg({"--other"}, "N", "x", [](common_params & p, int v) {}).set_examples({LLAMA_EXAMPLE_TTS}));
"""  # noqa: E501


def test_llama_cpp_s_options_are_read_from_its_source(tmp_path: Path) -> None:
    source = written(tmp_path, "llama.cpp/common/arg.cpp", LLAMA)
    found = {flag["name"]: flag for flag in _llama_options(source)}
    assert list(found) == ["--ctx-size", "--jinja", "--rope-scaling", "--old"]
    assert found["--ctx-size"]["aliases"] == ["-c", "--ctx-size"]
    assert found["--jinja"]["negated"] == ["--no-jinja"] and not found["--jinja"]["takes_value"]
    assert found["--rope-scaling"]["choices"] == ["none", "linear"]
    assert [flag for flag in found if found[flag]["removed"]] == ["--old"]
    written(
        tmp_path, "server/server-context.cpp", '{"name",  "requests_processing"},\n {"help", "x"}\n{"name", "n_ctx"}'
    )
    assert metrics("llama.cpp", tmp_path) == {"llamacpp:requests_processing"}


SGLANG = """
BACKENDS = ["triton", "fa3"]
class ServerArgs:
    tp_size: A[int, Arg(help="x", aliases=["--tensor-parallel-size"])] = 1
    attention_backend: A[Optional[str], Arg(help="x", choices=BACKENDS)] = None
    enable_metrics: A[bool, "x"] = False
    hidden: A[int, Arg(no_cli=True)] = 1
    lora_paths: A[List[str], "x"] = None
def add(parser):
    parser.add_argument("--model-path", "--model", type=str)
    parser.add_argument("--skip", action="store_true")
"""


def test_sglang_s_options_are_read_from_its_source(tmp_path: Path) -> None:
    assert names(_sglang_options(written(tmp_path, "sglang/srt/server_args.py", SGLANG))) == {
        "--tp-size": (["--tensor-parallel-size"], True, None),
        "--attention-backend": ([], True, ["triton", "fa3"]),
        "--enable-metrics": ([], False, None),
        "--lora-paths": ([], True, None),
        "--model-path": (["--model"], True, None),
        "--skip": ([], False, None),
    }


def test_genai_bench_s_options_are_read_from_its_source(tmp_path: Path) -> None:
    text = 'click.option("--task", type=click.Choice(["a", "b"]))\nclick.option("--upload", is_flag=True)\n'
    source = written(tmp_path, "genai_bench/cli/option_groups.py", text)
    assert names(_click_options(source)) == {"--task": ([], True, ["a", "b"]), "--upload": ([], False, None)}


def test_values_that_vllm_s_configuration_takes(tmp_path: Path) -> None:
    written(tmp_path, "vllm/quantization.py", 'QuantizationMethods = Literal["awq", "fp8"]\n')
    written(
        tmp_path, "vllm/registry.py", "class AttentionBackendEnum(Enum):\n    FLASH_ATTN = 'a'\n    FLASHINFER = 'b'\n"
    )
    found = choices(tmp_path)
    assert found == {"--quantization": ["awq", "fp8"], "--attention-backend": ["auto", "FLASH_ATTN", "FLASHINFER"]}


@pytest.mark.parametrize(
    ("program", "file", "text", "names"),
    [
        ("vllm", "vllm/envs.py", 'environment_variables = {"VLLM_PORT": 1, "CUDA_HOME": 2}', {"VLLM_PORT"}),
        ("vllm", "vllm/other.py", 'os.environ["VLLM_OTHER"]', set()),
        ("sglang", "srt/environ.py", "SGLANG_TEST = EnvBool(False)", {"SGLANG_TEST"}),
        ("llama.cpp", "common/arg.cpp", 'set_env("LLAMA_ARG_MMAP"); "LLAMA_ARG_NO_"', {"LLAMA_ARG_MMAP"}),
        ("tgi", "main.rs", "X", set()),
    ],
)
def test_variables_stand_in_the_source(program: str, file: str, text: str, names: set[str], tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    assert variables(program, tmp_path) == names
