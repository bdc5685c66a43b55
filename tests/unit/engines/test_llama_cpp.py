"""llama.cpp: images, arguments, splitting over GPUs.

Not proved here: that the pinned images understand the flags.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.engines.flag import Launch
from modelservices.engines.llama_cpp import (
    AMD_IMAGES,
    CPU_IMAGE,
    CUDA_IMAGE,
    DIALECT,
    INTEL_IMAGE,
    LLAMA_CPP,
    gpu_arguments,
    image,
    tensor_split,
)


@pytest.mark.parametrize(
    ("gpu", "count", "expected"),
    [
        ({}, 0, CPU_IMAGE),
        ({}, 1, CUDA_IMAGE),
        ({"enabled": True}, 0, CUDA_IMAGE),
        ({"enabled": False}, 0, CPU_IMAGE),
        ({"vendor": "nvidia"}, 2, CUDA_IMAGE),
        ({"vendor": "amd", "enabled": True}, 1, AMD_IMAGES["rocm"]),
        ({"vendor": "amd", "enabled": False}, 0, CPU_IMAGE),
        ({"vendor": "amd", "runtime": "vulkan"}, 0, AMD_IMAGES["vulkan"]),
        ({"vendor": "amd", "runtime": "rocm"}, 1, AMD_IMAGES["rocm"]),
        ({"vendor": "intel", "enabled": True}, 1, INTEL_IMAGE),
        ({"vendor": "nvidia", "runtime": "vulkan", "enabled": True}, 1, CUDA_IMAGE),
    ],
)
def test_image(gpu: dict[str, Any], count: int, expected: str) -> None:
    assert image(Launch({}, port=8080, gpus=count, gpu=gpu)) == expected


@pytest.mark.parametrize(
    ("gpu", "count", "expected"),
    [
        ({}, 0, ""),
        ({"layers": 24}, 0, ""),
        ({}, 1, "--n-gpu-layers 99"),
        ({"layers": -1}, 1, "--n-gpu-layers 99"),
        ({"layers": 24}, 1, "--n-gpu-layers 24"),
        ({}, 2, "--n-gpu-layers 99 --split-mode layer --tensor-split 1,1"),
        ({"sharding": {"strategy": "pipeline"}}, 2, "--n-gpu-layers 99 --split-mode layer --tensor-split 1,1"),
        ({"sharding": {"strategy": "tensor"}}, 2, "--n-gpu-layers 99 --split-mode row --tensor-split 1,1"),
        ({"sharding": {"strategy": "row"}}, 2, "--n-gpu-layers 99 --split-mode row --tensor-split 1,1"),
        ({"sharding": {"strategy": "none"}}, 2, "--n-gpu-layers 99 --split-mode none"),
        ({"sharding": {"layerSplit": ["0-9", "10-39"]}}, 2, "--n-gpu-layers 99 --split-mode layer --tensor-split 1,3"),
        ({"sharding": {"layerSplit": ["0-9"]}}, 2, "--n-gpu-layers 99 --split-mode layer --tensor-split 1,1"),
    ],
)
def test_gpu_arguments(gpu: dict[str, Any], count: int, expected: str) -> None:
    assert [word for argument in gpu_arguments(gpu, count) for word in argument.words] == expected.split()


@pytest.mark.parametrize(
    ("ranges", "count", "expected"),
    [
        (["0-19", "20-39", "40-49"], 3, [2, 2, 1]),
        ([" 0 - 19 ", "20-39"], 2, [1, 1]),
        (["0-0", "1-2"], 2, [1, 2]),
        (["5-4", "0-1"], 2, None),
        (["0-19", "20-39"], 3, None),
        (["0-19", "x"], 2, None),
        (["-1-5", "6-7"], 2, None),
        ([], 0, []),
    ],
)
def test_tensor_split(ranges: list[str], count: int, expected: list[int] | None) -> None:
    assert tensor_split(ranges, count) == expected


def test_arguments_in_order() -> None:
    values = {
        "contextSize": 8192,
        "ropeScaling": {"type": "yarn", "factor": "2.0", "originalContext": 4096},
        "parallelSlots": 4,
        "flashAttention": True,
        "jinja": True,
        "cacheTypeK": "q8_0",
        "cacheTypeCustomV": "turbo3",
        "moeCPUOffload": True,
        "moeCPULayers": 2,
        "noKvOffload": True,
        "tensorOverrides": ["a=CPU", "b=CPU"],
        "batchSize": 512,
        "uBatchSize": 128,
        "noWarmup": True,
        "reasoningBudget": 0,
        "reasoningBudgetMessage": "now",
        "metadataOverrides": ["k=int:1"],
    }
    launch = Launch(values, port=9000, gpus=1, path="/models/m.gguf", projector="/models/p.gguf")
    words = [word for argument in LLAMA_CPP.arguments(launch) for word in argument.words]
    assert " ".join(words) == (
        "--model /models/m.gguf --port 9000 --host :: --n-gpu-layers 99 --ctx-size 8192 --rope-scaling yarn "
        "--rope-scale 2.0 --yarn-orig-ctx 4096 --parallel 4 --flash-attn on --jinja --cache-type-k q8_0 "
        "--cache-type-v turbo3 --cpu-moe --n-cpu-moe 2 --no-kv-offload --override-tensor a=CPU "
        "--override-tensor b=CPU --batch-size 512 --ubatch-size 128 --no-warmup --reasoning-budget 0 "
        "--reasoning-budget-message now --mmproj /models/p.gguf --override-kv k=int:1"
    )


def test_without_a_path_there_is_no_model_flag() -> None:
    words = [word for argument in LLAMA_CPP.arguments(Launch({}, port=8080)) for word in argument.words]
    assert words == ["--port", "8080", "--host", "::"]


def test_aliases_lead_to_main_names() -> None:
    assert not set(DIALECT.aliases) & set(DIALECT.aliases.values())
