"""The manifests of services for all measures, in the same mix at every size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

NAMESPACE = "bench"


def manifests(count: int) -> list[dict[str, Any]]:
    """``count`` services, with the kinds in rotation."""
    kinds = list(KINDS.values())
    return [manifest for index in range(count) for manifest in kinds[index % len(kinds)](f"svc-{index:04}")]


def write_manifests(count: int, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "services.yaml").write_text(yaml.dump_all(manifests(count), Dumper=yaml.CSafeDumper))


def write_each(count: int, folder: Path) -> None:
    """Writes a file for each service."""
    folder.mkdir(parents=True, exist_ok=True)
    by_name: dict[str, list[dict[str, Any]]] = {}
    for manifest in manifests(count):
        by_name.setdefault(manifest["metadata"]["name"], []).append(manifest)
    for name, found in by_name.items():
        (folder / f"{name}.yaml").write_text(yaml.dump_all(found, Dumper=yaml.CSafeDumper))


def _llmkube(name: str, model: dict[str, Any], spec: dict[str, Any]) -> list[dict[str, Any]]:
    api_version = "inference.llmkube.dev/v1alpha1"
    metadata = {"name": name, "namespace": NAMESPACE}
    return [
        {"apiVersion": api_version, "kind": "Model", "metadata": metadata, "spec": model},
        {
            "apiVersion": api_version,
            "kind": "InferenceService",
            "metadata": metadata,
            "spec": {"modelRef": name, **spec},
        },
    ]


def _llama_cpp(name: str) -> list[dict[str, Any]]:
    model = {"source": f"https://models.example.com/{name}.gguf"}
    return _llmkube(name, model, {"contextSize": 8192, "resources": {"cpu": "4", "memory": "8Gi"}})


def _vllm(name: str) -> list[dict[str, Any]]:
    model = {
        "source": "example-org/demo-8b",
        "format": "safetensors",
        "hardware": {"gpu": {"enabled": True, "count": 2}},
    }
    scaling = {"minReplicas": 1, "maxReplicas": 4}
    spec = {"runtime": "vllm", "skipModelInit": True, "autoscaling": scaling, "vllmConfig": {"maxModelLen": 8192}}
    return _llmkube(name, model, spec)


def _tgi(name: str) -> list[dict[str, Any]]:
    model = {
        "source": "example-org/demo-8b",
        "format": "safetensors",
        "hardware": {"gpu": {"enabled": True, "count": 1}},
    }
    return _llmkube(name, model, {"runtime": "tgi", "skipModelInit": True, "tgiConfig": {"dtype": "bfloat16"}})


def _prefill_decode(name: str) -> list[dict[str, Any]]:
    role = {"replicas": 1, "parallelism": {"tensor": 2}, "resources": {"requests": {"cpu": "8", "memory": "64Gi"}}}
    spec = {
        "model": {"name": "demo/model", "image": "registry.example.com/models/demo:1"},
        "engine": {"args": ["--kv-transfer-config", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}']},
        "accelerator": {"type": "nvidia"},
        "decode": role,
        "prefill": role,
        "routingProxy": {},
        "inferencePool": {"endpointPicker": {}},
    }
    metadata = {"name": name, "namespace": NAMESPACE}
    return [{"apiVersion": "model.otterscale.io/v1alpha1", "kind": "ModelService", "metadata": metadata, "spec": spec}]


KINDS: Mapping[str, Callable[[str], list[dict[str, Any]]]] = {
    "llama.cpp": _llama_cpp,
    "vllm": _vllm,
    "tgi": _tgi,
    "prefill-decode": _prefill_decode,
}
"""Maps each kind's name to the manifests of a service: llama.cpp on CPU, vLLM with autoscaling, TGI, prefill/decode
with a picker."""
