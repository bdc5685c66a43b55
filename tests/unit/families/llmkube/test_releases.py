"""What the release of the engine in the image can't do: refused, rendered otherwise, or said.

Not proved here: what the releases parse (tests/unit/engines/test_releases.py).
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from .render import plan, rendered, server

REPOSITORY = {"source": "org/model", "format": "safetensors"}
OLD_VLLM = "vllm/vllm-openai:v0.23.0"
SELF_LOADED = {"runtime": "vllm", "skipModelInit": True}
SCALED = {"minReplicas": 1, "maxReplicas": 3}


def findings(spec: dict[str, Any], model: dict[str, Any] | None = None, settings: Any = None) -> list[tuple[str, str]]:
    """Path and code of what is said about the engine's release."""
    codes = (
        "not-in-release",
        "unknown-flag",
        "unknown-release",
        "no-gguf",
        "no-reach",
        "metrics-need-a-key",
        "no-home",
    )
    found = plan(spec, model, settings=settings).findings
    return [(finding.path, finding.code) for finding in found if finding.code in codes]


@pytest.mark.parametrize(
    ("spec", "model", "expected"),
    [
        ({**SELF_LOADED, "vllmConfig": {"quantization": "squeezellm"}}, REPOSITORY,
         [("spec.vllmConfig.quantization", "not-in-release")]),
        ({**SELF_LOADED, "vllmConfig": {"attentionBackend": "XFORMERS"}}, REPOSITORY,
         [("spec.vllmConfig.attentionBackend", "not-in-release")]),
        ({**SELF_LOADED, "vllmConfig": {"attentionBackend": "flash_attn", "quantization": "nvfp4"}}, REPOSITORY, []),
        ({**SELF_LOADED, "vllmConfig": {"kvCacheCustomDtype": "turbo2"}}, REPOSITORY,
         [("spec.vllmConfig.kvCacheCustomDtype", "not-in-release")]),
        ({**SELF_LOADED, "extraArgs": ["--max-modle-len", "8"]}, REPOSITORY, [("spec.extraArgs[0]", "unknown-flag")]),
        ({**SELF_LOADED, "image": "vllm/vllm-openai:mine"}, REPOSITORY, [("spec.image", "unknown-release")]),
        ({**SELF_LOADED, "image": OLD_VLLM}, {"source": "org/m.gguf"}, []),
        ({"runtime": "vllm"}, {"source": "https://x.example/m.gguf"}, [("spec.modelRef", "no-gguf")]),
        ({"runtime": "vllm", "image": OLD_VLLM}, {"source": "https://x.example/m.gguf"}, []),
        ({"extraArgs": ["--ctx-size=8192"]}, None, [("spec.extraArgs[0]", "unknown-flag")]),
        ({"extraArgs": ["--ctx-size", "8192", "--seed", "-1"]}, None, []),
        ({"runtime": "tgi", "extraArgs": ["--strange"]}, REPOSITORY, [("spec.extraArgs[0]", "unknown-flag")]),
        ({"runtime": "generic", "image": "i:1", "args": ["--strange"]}, None, []),
    ],
)  # fmt: skip
def test_what_the_release_does_not_have(
    spec: dict[str, Any], model: dict[str, Any] | None, expected: list[tuple[str, str]]
) -> None:
    assert findings({"resources": {"gpu": 1}, **spec}, model) == expected


def words(spec: dict[str, Any], model: dict[str, Any]) -> list[Any]:
    return server({**SELF_LOADED, **spec}, model)["args"]


def test_nvfp4_is_what_vllm_calls_it() -> None:
    made = words({"vllmConfig": {"quantization": "nvfp4"}}, REPOSITORY)
    assert made[made.index("--quantization") + 1] == "modelopt_fp4"


@pytest.mark.parametrize("runtime", ["vllm", "tgi", "sglang"])
def test_a_revision_is_a_flag_of_its_own(runtime: str) -> None:
    made = words({"runtime": runtime}, {**REPOSITORY, "source": "hf://org/model@v2"})
    assert "org/model" in made and made[made.index("--revision") + 1] == "v2"
    assert "--revision" not in words({"runtime": runtime}, REPOSITORY)


@pytest.mark.parametrize("own", [["--speculative-config", "{}"], ["-sc", "{}"], ["--speculative-config.model", "m"]])
def test_an_own_speculative_configuration_takes_precedence(own: list[str]) -> None:
    spec = {**SELF_LOADED, "vllmConfig": {"speculative": {"enabled": True, "model": "org/draft@v1"}}}
    made = words(spec, REPOSITORY)
    config = json.loads(made[made.index("--speculative-config") + 1])
    assert config == {"model": "org/draft", "revision": "v1", "num_speculative_tokens": 4}
    made = words({**spec, "extraArgs": own}, REPOSITORY)
    assert made[-2:] == own and sum("--speculative-config" in word or word == "-sc" for word in made) == 1
    paths = [f.path for f in plan({**spec, "extraArgs": own}, REPOSITORY).findings if f.code == "overridden"]
    assert paths == ["spec.vllmConfig.speculative"]


def test_long_rope_gives_llama_cpp_no_flag() -> None:
    made = server({"ropeScaling": {"type": "longrope", "factor": "4", "originalContext": 4096}})["args"]
    assert not [word for word in made if "rope" in word or "yarn" in word]
    found = plan({"ropeScaling": {"type": "longrope"}}).findings
    assert [f.path for f in found if f.code == "no-effect"] == ["spec.ropeScaling.type"]


@pytest.mark.parametrize(
    ("spec", "target"),
    [
        ({}, "2"),
        ({"parallelSlots": 1}, "500m"),
        ({"parallelSlots": 2}, "1"),
        ({"parallelSlots": 3}, "2"),
        ({"parallelSlots": 8, "extraArgs": ["-np", "1"]}, "500m"),
        ({"env": [{"name": "LLAMA_ARG_N_PARALLEL", "value": "1"}]}, "500m"),
        ({"parallelSlots": 8, "env": [{"name": "LLAMA_ARG_N_PARALLEL", "value": "1"}]}, "2"),
    ],
)
def test_the_default_target_can_be_passed(spec: dict[str, Any], target: str) -> None:
    made = rendered({**spec, "autoscaling": SCALED}).objects["autoscaler"]
    assert made["spec"]["metrics"][0]["pods"]["target"]["averageValue"] == target


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("4", "llamacpp:requests_processing", [("spec.autoscaling.metrics[0].targetAverageValue", "no-reach")]),
        ("3500m", "llamacpp:requests_processing", []),
        ("9", "llamacpp:requests_deferred", []),
    ],
)
def test_a_target_that_slots_never_pass(value: str, name: str, expected: list[tuple[str, str]]) -> None:
    metric = {"type": "Pods", "name": name, "targetAverageValue": value}
    assert findings({"parallelSlots": 4, "autoscaling": {**SCALED, "metrics": [metric]}}) == expected


GENERIC = {"runtime": "generic", "image": "ghcr.io/ggml-org/llama.cpp:server-b10068", "skipModelInit": True}


def scaled_by(name: str, value: str) -> dict[str, Any]:
    return {"autoscaling": {**SCALED, "metrics": [{"type": "Pods", "name": name, "targetAverageValue": value}]}}


@pytest.mark.parametrize(
    ("spec", "value", "out_of_reach"),
    [
        ({}, "4", True),  # llama-server has four slots by itself
        ({}, "3", False),
        ({"extraArgs": ["-np", "-1"]}, "4", False),  # it is not known here what it makes of that
        ({"env": [{"name": "LLAMA_ARG_N_PARALLEL", "value": "1"}]}, "1", True),
        ({**GENERIC, "args": ["-hf", "a/b", "--metrics", "-np", "2"]}, "2", True),
        ({**GENERIC, "args": ["-hf", "a/b", "--metrics", "-np", "3"]}, "2", False),
        ({**GENERIC, "image": "mine:1", "command": ["my-server"]}, "9", False),
    ],
)
def test_slots_wherever_they_are_said(spec: dict[str, Any], value: str, out_of_reach: bool) -> None:
    expected = [("spec.autoscaling.metrics[0].targetAverageValue", "no-reach")] if out_of_reach else []
    assert findings({**spec, **scaled_by("llamacpp:requests_processing", value)}) == expected


KEY = {"name": "LLAMA_API_KEY", "valueFrom": {"secretKeyRef": {"name": "k", "key": "k"}}}


@pytest.mark.parametrize(
    ("spec", "settings", "expected"),
    [
        ({"env": [KEY]}, None, []),
        ({"env": [{"name": "LLAMA_API_KEY", "value": ""}], "autoscaling": SCALED}, None, []),
        ({"env": [KEY], "autoscaling": SCALED}, None, [("spec.autoscaling", "metrics-need-a-key")]),
        ({"env": [KEY]}, {"podMonitor": {"enabled": True}}, [("spec.env", "metrics-need-a-key")]),
        ({"extraArgs": ["--api-key-file", "/k"]}, {"emitScrapeAnnotations": True},
         [("spec.extraArgs", "metrics-need-a-key")]),
        ({"env": [KEY], "podAnnotations": {"prometheus.io/scrape": "true"}}, None,
         [("spec.env", "metrics-need-a-key")]),
        ({"env": [KEY], "podAnnotations": {"prometheus.io/scrape": "false"}}, {"emitScrapeAnnotations": True}, []),
        ({**GENERIC, "args": ["--metrics", "--api-key-file", "/k"]}, {"podMonitor": {"enabled": True}},
         [("spec.args", "metrics-need-a-key")]),
        ({"env": [{**KEY, "name": "VLLM_API_KEY"}], "runtime": "vllm", "skipModelInit": True, "autoscaling": SCALED},
         None, []),
    ],
)  # fmt: skip
def test_a_key_closes_the_metrics(spec: dict[str, Any], settings: Any, expected: list[tuple[str, str]]) -> None:
    model = REPOSITORY if spec.get("runtime") else None
    assert findings(spec, model, settings) == expected


@pytest.mark.parametrize(
    ("spec", "home"),
    [
        ({}, None),
        ({"podSecurityContext": {"runAsUser": 1000}}, "/tmp"),
        ({"podSecurityContext": {"runAsNonRoot": True}}, "/tmp"),
        ({"podSecurityContext": {"runAsUser": 1000}, "securityContext": {"runAsUser": 0}}, None),
        ({"podSecurityContext": {"runAsUser": 1000}, "env": [{"name": "HOME", "value": "/mine"}]}, "/mine"),
        ({"podSecurityContext": {"runAsUser": 1000}, "runtime": "llamacpp", "skipModelInit": True}, None),
        ({"podSecurityContext": {"runAsUser": 1000}, "runtime": "llamacpp", "extraArgs": ["-hf", "org/name"]}, "/tmp"),
        ({"runtime": "llamacpp", "extraArgs": ["-hf", "org/name"]}, None),
        ({"podSecurityContext": {"runAsUser": 1000}, "runtime": "personaplex", "image": "x:1"}, "/tmp"),
    ],
)
def test_home_of_a_user_whom_the_image_does_not_know(spec: dict[str, Any], home: str | None) -> None:
    model = REPOSITORY if spec.get("runtime") is None else None
    made = server({**SELF_LOADED, **spec}, model).get("env", [])
    assert {variable["name"]: variable["value"] for variable in made}.get("HOME") == home


def test_a_file_system_that_can_t_be_written() -> None:
    spec = {**SELF_LOADED, "securityContext": {"readOnlyRootFilesystem": True}}
    no_home = [("spec.securityContext.readOnlyRootFilesystem", "no-home")]
    assert findings(spec, REPOSITORY) == no_home
    at_cache = {**spec, "env": [{"name": "HOME", "value": "/cache/me"}]}
    assert findings(at_cache, REPOSITORY) == no_home
    assert findings({**at_cache, **mounted("/cache")}, REPOSITORY) == []
    assert findings({**spec, **mounted("/root/.cache")}, REPOSITORY) == []
    assert findings({**spec, **mounted("/rootless")}, REPOSITORY) == no_home
    assert findings({**spec, **mounted("/tmp"), "podSecurityContext": {"runAsUser": 1000}}, REPOSITORY) == []
    assert findings({**spec, "env": [{"name": "XDG_CACHE_HOME", "valueFrom": FIELD}]}, REPOSITORY) == []


FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}


def mounted(path: str) -> dict[str, Any]:
    volume = {"name": "caches", "emptyDir": {}}
    return {"extraVolumes": [volume], "extraVolumeMounts": [{"name": "caches", "mountPath": path}]}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [("spec.env", "no-home")]),
        ({"env": [{"name": "HOME", "value": "/tmp"}]}, []),
        ({"podSecurityContext": {"runAsUser": 0}}, []),
        ({"image": "mine:1", "command": ["my-server"]}, []),
    ],
)
def test_a_generic_server_s_home_is_the_user_s_to_say(more: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    spec = {"runtime": "generic", "image": "vllm/vllm-openai:v0.25.1", "args": ["org/model"], "skipModelInit": True}
    assert findings({**spec, "podSecurityContext": {"runAsUser": 1000}, **more}, REPOSITORY) == expected


def test_an_image_of_an_unknown_release_is_given_the_benefit_of_the_doubt() -> None:
    """A fork may have more: said, not refused."""
    spec = {**SELF_LOADED, "image": "vllm/vllm-openai:fork", "vllmConfig": {"quantization": "squeezellm"}}
    found = [(f.path, f.severity) for f in plan(spec, REPOSITORY).findings if f.code == "not-in-release"]
    assert found == [("spec.vllmConfig.quantization", "warning")]
