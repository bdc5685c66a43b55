"""What a server needs in order to start, in any family: complete options, and a device that its image supports.

Paths are those of :mod:`.server`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..findings import Problem
from ..kubernetes.images import parse
from ..kubernetes.resources import is_accelerator, is_share
from ..kubernetes.values import mapping
from .command_line import positionals
from .engine import Engine
from .vllm import VLLM

_NEEDED = {
    "--enable-auto-tool-choice": ("--tool-call-parser", "whose value depends on the model"),
    "--lora-modules": ("--enable-lora", "without which it takes no adapters"),
    "--enable-log-outputs": ("--enable-log-requests", "to whose lines it adds"),
}
"""vLLM options that need another one, and why. Without it, the server exits."""
_PARSERS = {
    "--tool-call-parser": {
        "deepseekv3": "deepseek_v3",
        "deepseekv31": "deepseek_v31",
        "deepseekv32": "deepseek_v32",
        "glm": "glm45",
        "gpt-oss": "openai",
        "llama3": "llama3_json",
        "minimax-m2": "minimax_m2",
        "qwen": "hermes",
        "qwen25": "hermes",
    },
    "--reasoning-parser": {
        "deepseek-r1": "deepseek_r1",
        "deepseek-v3": "deepseek_v3",
        "gpt-oss": "openai_gptoss",
        "kimi": "kimi_k2",
        "minimax": "minimax_m2",
        "minimax-append-think": "minimax_m2_append_think",
        "qwen3-thinking": "qwen3",
    },
}
"""SGLang's names of parsers, with which vLLM exits, and vLLM's own. vLLM's argument parser accepts any, for plugins."""
_SEAT = ".shared"
"""What NVIDIA's device plugin appends to the resource name of a GPU that several pods share."""
_BUILDS = {
    "amd": r"rocm\w*|hip",
    "intel": r"xpu|intel|sycl",
    "habana": r"gaudi\w*|hpu|habana",
    "google": r"tpu",
    "neuron": r"neuron\w*",
    "ascend": r"ascend\w*|npu|cann\w*",
    "cambricon": r"mlu\w*|cambricon",
    "metax": r"maca\w*|metax",
    "mthreads": r"musa\w*|mthreads",
    "any": r"vulkan|openvino",
    "nvidia": r"cuda\w*|cu1[0-9]{2}",
    "no": r"cpu",
}
"""Parts of an image's name or tag that tell for which devices it is built."""
_ENGINE_BUILDS = {
    "vllm/vllm-openai": "nvidia",
    "huggingface/text-generation-inference": "nvidia",
    "lmsysorg/sglang": "nvidia",
    "ggml-org/llama.cpp": "no",
}
"""For which devices the engines' images are built, if their names don't tell."""
_MAKERS = {
    "amd.com": "amd",
    "intel.com": "intel",
    "habana.ai": "habana",
    "google.com": "google",
    "nvidia.com": "nvidia",
    "aws.amazon.com": "neuron",
    "cambricon.com": "cambricon",
    "huawei.com": "ascend",
    "metax-tech.com": "metax",
    "mthreads.com": "mthreads",
}


def precondition_problems(
    engine: Engine, words: Sequence[Any], flags: Mapping[str, Any], container: Mapping[str, Any]
) -> Iterator[Problem]:
    """What keeps a container's server from starting; ``words`` and ``flags`` are those of its command line."""
    yield from _device_problems(container)
    if any(name.endswith(_SEAT) for name in _devices(container)):
        yield from shared_gpu_problems(engine, flags)
    if engine is not VLLM:
        return
    for flag, (needed, why) in _NEEDED.items():
        if flag in flags and needed not in flags:
            message = f"{flag} needs {needed}, {why}, so the server exits at start; add {needed}"
            yield Problem("args", message, "warning", "missing-flag")
    for flag, names in _PARSERS.items():
        instead = names.get(str(flags.get(flag)))
        if instead and not any(name.endswith("-parser-plugin") for name in flags):
            message = f"{flag} {flags[flag]} is a parser of SGLang, which vLLM does not have; write {instead}"
            yield Problem("args", message, "warning", "unknown-value")
    yield from _model_problems(words, flags, container)
    resident, loaded = (str(flags.get(flag, "")) for flag in ("--max-cpu-loras", "--max-loras"))
    if resident.isdecimal() and loaded.isdecimal() and int(resident) < int(loaded):
        message = (
            f"--max-cpu-loras is {resident}, less than --max-loras, {loaded}, so the server exits at start; raise "
            "--max-cpu-loras"
        )
        yield Problem("args", message, "warning", "bad-value")


def _model_problems(words: Sequence[Any], flags: Mapping[str, Any], container: Mapping[str, Any]) -> Iterator[Problem]:
    """A second model of ``vllm serve``, which moves ``--model`` to the front, before the model that is there."""
    serves, image = "serve" in words, container.get("image")
    repository = parse(image).repository if isinstance(image, str) and not container.get("command") else ""
    release = VLLM.release_of(image)
    if release is None or not (serves or repository.endswith(f"/{VLLM.root_image}")):
        return
    after = words[words.index("serve") + 1 :] if serves else words
    left = positionals(after, VLLM, release)
    models = [word for word in left if word is after[0] or (isinstance(word, str) and "$" not in word)]
    if models and "--model" in flags:
        message = (
            f"--model repeats the model of vllm serve, {models[0]}: the server takes one and ends with "
            "an argument too many; remove --model"
        )
        yield Problem("args", message, "warning", "duplicate")
    elif len(models) > 1:
        message = (
            f"has {models[1] or 'an empty word'} beside the model of vllm serve, {models[0]}: the server takes one and "
            "ends with an argument too many; remove one"
        )
        yield Problem("args", message, "warning", "duplicate")


def shared_gpu_problems(engine: Engine, flags: Mapping[str, Any], path: str = "args") -> Iterator[Problem]:
    """A server that takes nearly all memory of a GPU that other pods share; ``path`` is where to set a lower share."""
    flag, _ = engine.settings.get("gpu-memory-fraction", ("", ""))
    if flag and not {flag, *engine.memory_flags} & flags.keys():
        message = (
            f"the GPU is shared, but without {flag} {engine.title} takes nearly all of its memory, so the pods that "
            f"start later exit for lack of it; set {flag} to this pod's share"
        )
        yield Problem(path, message, "warning", "missing-flag")


def _device_problems(container: Mapping[str, Any]) -> Iterator[Problem]:
    """An image that supports none of the devices that its container requests."""
    built = built_for(container.get("image"))
    devices = {name: maker for name in _devices(container) if (maker := maker_of(name))}
    others = {name: maker for name, maker in devices.items() if maker != built}
    if built and others and len(others) == len(devices):
        name = next(iter(others))
        what = "built without support for any GPU" if built == "no" else f"built for devices of {built}"
        message = f"is {what}, and the container asks for {name}: the server would not use it or end; take an image of "
        yield Problem("image", f"{message}the engine for that device", "warning", "other-engine")


def _devices(container: Mapping[str, Any]) -> list[str]:
    return list(filter(is_accelerator, _counts(container)))


def _counts(container: Mapping[str, Any]) -> list[str]:
    """Names of the resources of which a container requests any."""
    resources = mapping(container.get("resources"))
    counts = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
    return [str(name) for name, count in counts.items() if str(count) != "0"]


def maker_of(resource: str) -> str:
    """The maker of an extended resource's devices; empty if it is not known."""
    domain = resource.partition("/")[0]
    return next((maker for end, maker in _MAKERS.items() if domain == end or domain.endswith(f".{end}")), "")


def built_for(image: Any) -> str:
    """The maker for whose devices an image is built, or ``no`` for none; empty if its name doesn't tell."""
    if not isinstance(image, str):
        return ""
    reference = parse(image)
    repository = reference.repository
    parts = re.split(r"[^a-z0-9]+", f"{repository.partition('/')[2]} {reference.tag}".lower())
    said = next((maker for maker, pattern in _BUILDS.items() if any(re.fullmatch(pattern, part) for part in parts)), "")
    if said:
        return "" if said == "any" else said
    return next(
        (maker for name, maker in _ENGINE_BUILDS.items() if repository == name or repository.endswith(f"/{name}")),
        "",
    )


def needs_device(container: Mapping[str, Any]) -> str:
    """The maker of the devices that a container's image needs, but the container does not request; otherwise empty."""
    built = built_for(container.get("image"))
    claims = mapping(container.get("resources")).get("claims")
    shares = any(map(is_share, _counts(container)))
    return built if built and built != "no" and not claims and not shares and not _devices(container) else ""
