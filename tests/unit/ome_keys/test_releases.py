"""Keys whose flags an engine's release does not take as they stand, and engines that export no metrics unasked.

Not proved here: what the releases parse (tests/unit/engines/test_releases.py).
"""

from __future__ import annotations

from typing import Any

import pytest

from ..families.ome import helpers as ome
from .helpers import LLMKUBE, MAIN, OTTERSCALE, planned, rendered, with_keys

QUANTIZATION = "model.ome.io/quantization"
KEDA = {"ome.io/max-replicas": "4", "autoscaling.ome.io/enable-keda": "true"}


def args(manifest: dict[str, Any], family: str) -> list[Any]:
    return rendered(manifest).objects[MAIN[family]]["spec"]["template"]["spec"]["containers"][0]["args"]


@pytest.mark.parametrize(
    ("value", "flags"),
    [
        ("fbgemm_fp8", ["--quantization", "fbgemm_fp8", "--allow-deprecated-quantization"]),
        ("fp8", ["--quantization", "fp8"]),
        ("fp16", ["--dtype", "float16"]),
    ],
)
def test_vllm_takes_a_deprecated_quantization_with_a_word_beside_it(value: str, flags: list[str]) -> None:
    assert args(with_keys(OTTERSCALE, {QUANTIZATION: value}), "otterscale")[-len(flags) :] == flags


def test_sglang_has_no_such_quantization() -> None:
    manifest = with_keys(LLMKUBE, {QUANTIZATION: "fbgemm_fp8"}, runtime="sglang", vllmConfig=None)
    assert "--quantization" not in args(manifest, "llmkube")
    found = [
        (f.path, f.severity) for f in planned(manifest).findings if f.code == "no-effect" and f.path.endswith('"]')
    ]
    assert found == [(f'metadata.annotations["{QUANTIZATION}"]', "warning")]


@pytest.mark.parametrize(
    ("image", "args", "keys", "expected"),
    [
        ("lmsysorg/sglang:v0.5.23", ["--model-path", "/m"], {}, ["spec.engine.runner.args"]),
        ("lmsysorg/sglang:v0.5.23", ["--enable-metrics"], {}, []),
        ("lmsysorg/sglang:v0.5.23", [], {"autoscaling.ome.io/metric": "gpu-utilization"}, []),
        ("lmsysorg/sglang:v0.5.23", [], {"autoscaling.keda.sh/prometheus.query": "up"}, []),
        ("ghcr.io/ggml-org/llama.cpp:server-b10068", [], {}, ["spec.engine.runner.args"]),
        ("vllm/vllm-openai:v0.25.1", [], {}, []),
    ],
)
def test_metrics_that_are_off(image: str, args: list[str], keys: dict[str, str], expected: list[str]) -> None:
    runner = {"name": "ome-container", "image": image, "args": args}
    spec = {"model": {"name": "llama"}, "engine": {"runner": runner}}
    annotations = {"autoscaling.ome.io/enable-keda": "true", **keys}
    found = ome.with_platform(ome.service(spec, annotations=annotations)).findings
    assert [finding.path for finding in found if finding.code == "no-metrics"] == expected


def test_metrics_that_are_off_in_another_family() -> None:
    server = {"runtime": "generic", "image": "lmsysorg/sglang:v0.5.23", "vllmConfig": None}
    for args, count in (([], 1), (["--enable-metrics"], 0)):
        found = planned(with_keys(LLMKUBE, KEDA, **server, args=args)).findings
        assert len([finding for finding in found if finding.code == "no-metrics"]) == count


def test_unknown_flags_of_a_runner_are_named() -> None:
    runner = {"name": "ome-container", "args": ["serve", "--max-modle-len", "8"]}
    found = ome.with_platform(ome.service({"model": {"name": "llama"}, "engine": {"runner": runner}})).findings
    (finding,) = [finding for finding in found if finding.code == "unknown-flag"]
    assert (finding.path, finding.severity) == ("spec.engine.runner.args[1]", "warning")
    assert finding.message.endswith("did you mean --max-model-len?")
