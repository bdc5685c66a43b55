"""The models against the published reference of LLMKube's older fields: every field, its type, bounds and values.

``test_crd_fields.py`` has those of its newest release.

Not proved here: that descriptions say the right thing.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, TypeAdapter

from modelservices.families.llmkube.kinds import InferenceService, Model
from modelservices.families.llmkube.model_spec import ModelSpec
from modelservices.families.llmkube.settings import LLMKubeSettings
from modelservices.families.llmkube.spec import InferenceServiceSpec
from modelservices.kubernetes.model import read

from .render import API, SOURCE, brief, manifest, plan_of

DOCUMENT = yaml.safe_load((Path(__file__).parent / "document_fields.yaml").read_text())
INT32 = -(2**31)

# Where ours is narrower than the document: what the API server refuses in the rendered object anyway.
NARROWER = {
    "autoscaling.metrics.targetAverageUtilization": {"minimum": 1},
    **{
        f"probeOverrides.{kind}.grpc.port": {"minimum": 1, "maximum": 65535}
        for kind in ("liveness", "readiness", "startup")
    },
}
QUANTITIES = ("cpu", "memory", "hostMemory", "targetAverageValue", "divisor")
CHOICES = {
    "appArmorProfile.type": ["Localhost", "RuntimeDefault", "Unconfined"],
    "seccompProfile.type": ["Localhost", "RuntimeDefault", "Unconfined"],
    "fsGroupChangePolicy": ["OnRootMismatch", "Always"],
    "seLinuxChangePolicy": ["MountOption", "Recursive"],
    "supplementalGroupsPolicy": ["Merge", "Strict"],
    "procMount": ["Default", "Unmasked"],
    "httpGet.scheme": ["HTTP", "HTTPS"],
    "tolerations.effect": ["NoSchedule", "PreferNoSchedule", "NoExecute"],
    "tolerations.operator": ["Exists", "Equal", "Lt", "Gt"],
}
"""Values that the document has only in its prose."""
NEWER_CHOICES = {
    "runtime": ["llamacpp", "llamacpp-router", "personaplex", "vllm", "tgi", "sglang", "generic"],
    "vllmConfig.quantization": ["awq", "gptq", "squeezellm", "fp8", "nvfp4", "mxfp4", "compressed-tensors"],
}


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, bool, dict[str, Any]]]:
    """Path, whether required, and JSON schema of every field below a model, in the order of the names."""
    for name, field in sorted(model.model_fields.items()):
        annotation: Any = field.annotation
        if field.metadata:
            annotation = typing.Annotated[annotation, *field.metadata]
        yield f"{prefix}{name}", field.is_required(), simple(TypeAdapter(annotation).json_schema())
        inner = next(iter(models_in(field.annotation)), None)
        if inner:
            yield from fields(inner, f"{prefix}{name}.")


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from models_in(argument)


def simple(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without what makes it optional, its bounds under JSON Schema's names."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1:
        return simple(options[0])
    names = {"ge": "minimum", "le": "maximum"}
    return {
        **{names.get(name, name): value for name, value in schema.items()},
        **({"anyOf": options} if options else {}),
    }


OURS = {path: (required, schema) for path, required, schema in fields(InferenceServiceSpec)}


def test_every_field_of_the_document_is_there() -> None:
    assert [row["path"] for row in DOCUMENT if row["path"] not in OURS] == []


@pytest.mark.parametrize("row", DOCUMENT, ids=lambda row: row["path"])
def test_field(row: dict[str, Any]) -> None:
    path = row["path"]
    required, schema = OURS[path]
    assert required == row.get("required", False)
    assert kind_of(schema) == ("quantity" if path.endswith(QUANTITIES) else row["type"])
    choices = next((values for end, values in CHOICES.items() if path.endswith(end)), None)
    assert schema.get("enum") == (NEWER_CHOICES.get(path) or row.get("enum", choices))
    bounds = {name: row[name] for name in ("minimum", "maximum") if name in row} or NARROWER.get(path, {})
    given = {name: schema[name] for name in ("minimum", "maximum") if schema.get(name) not in (None, INT32)}
    assert given == bounds


@pytest.mark.parametrize("factor", ["", "abc", "-1", "1.", ".5", "1e3"])
def test_the_one_pattern_of_the_document(factor: str) -> None:
    spec = {"modelRef": "m", "ropeScaling": {"type": "yarn", "factor": factor}}
    _, (problem,) = read(InferenceService, manifest("InferenceService", "x", spec=spec))
    assert problem.path == "spec.ropeScaling.factor"


def kind_of(schema: dict[str, Any]) -> str:
    """The type in the document's words."""
    if "anyOf" in schema:
        kinds = sorted(str(option["type"]) for option in schema["anyOf"])
        return {"['integer', 'string']": "string | integer", "['number', 'string']": "quantity"}[str(kinds)]
    if "$ref" in schema or schema.get("type") == "object":
        return "object"
    if schema.get("type") == "array":
        inner = kind_of(schema["items"])
        return f"[]{inner}"
    return str(schema.get("type", "string"))


def test_any_unknown_field_is_told_with_the_releases() -> None:
    _, (problem,) = read(InferenceService, manifest("InferenceService", "x", spec={"modelRef": "m", "modelref": "m"}))
    assert problem.message == "is not a known field of LLMKube 0.8.1 to 0.9.19; did you mean modelRef?"


def test_a_dumped_model_loads() -> None:
    """With everything that its API has, and what the cluster adds."""
    spec = {
        "source": "hf://example-org/demo@main",
        "files": ["a.gguf"],
        "mmproj": "p.gguf",
        "format": "gguf",
        "quantization": "Q4_K_M",
        "refreshPolicy": "OnChange",
        "sha256": "A" * 64,
        "sourceSecretRef": {"name": "hub"},
        "resources": {"cpu": "2", "memory": "4Gi"},
        "hardware": {
            "accelerator": "cuda",
            "memoryBudget": "24Gi",
            "memoryFraction": 0.5,
            "gpu": {
                "enabled": True,
                "count": 2,
                "memory": "16Gi",
                "vendor": "nvidia",
                "runtime": "rocm",
                "layers": -1,
                "resourceName": "nvidia.com/mig-3g.40gb",
                "tolerationKey": "nvidia.com/gpu",
                "sharding": {"strategy": "layer", "layerSplit": ["0-1", "2-3"]},
            },
        },
    }
    metadata = {"name": "m", "uid": "1", "managedFields": [], "finalizers": ["x"], "generation": 3}
    status = {"phase": "Ready", "path": "/models/x/y.gguf", "cacheKey": "x", "gguf": {"layerCount": 32}}
    model, problems = read(
        Model, {"apiVersion": API, "kind": "Model", "metadata": metadata, "spec": spec, "status": status}
    )
    assert problems == []
    assert model is not None and model.observed("path") == "/models/x/y.gguf"


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hardware": {"gpu": {"vendor": "acme"}}}, "spec.hardware.gpu.vendor"),
        ({"hardware": {"gpu": {"count": 9}}}, "spec.hardware.gpu.count"),
        ({"hardware": {"gpu": {"resourceName": "gpu"}}}, "spec.hardware.gpu.resourceName"),
        ({"hardware": {"accelerator": "tpu"}}, "spec.hardware.accelerator"),
        ({"sha256": "abc"}, "spec.sha256"),
        ({"refreshPolicy": "Always"}, "spec.refreshPolicy"),
        ({"format": "onnx"}, "spec.format"),
        ({"source": "org/name@rev"}, "spec.source"),
        ({"source": "ftp://host/m.gguf"}, "spec.source"),
    ],
)
def test_values_that_a_model_may_not_have(spec: dict[str, Any], path: str) -> None:
    _, (problem,) = read(Model, manifest("Model", "m", spec={"source": SOURCE, **spec}))
    assert (problem.path, problem.code) == (path, "bad-value")


def test_an_unknown_vendor_names_the_known_ones() -> None:
    spec = {"source": SOURCE, "hardware": {"gpu": {"vendor": "acme"}}}
    (finding,) = plan_of([manifest("Model", "m", spec=spec)]).findings
    assert finding.message == "must be one of nvidia, amd, intel, got acme"
    assert brief([finding]) == ["error spec.hardware.gpu.vendor bad-value"]


def test_the_document_of_the_family_names_every_field() -> None:
    text = (Path(__file__).parents[4] / "docs" / "llmkube.md").read_text()
    own = [path.split(".") for path in OURS]
    names = {path[0] for path in own} | {path[1] for path in own if path[0].endswith("Config") and len(path) > 1}
    names |= {path.split(".")[-1] for path, _, _ in fields(ModelSpec) if "sourceSecretRef." not in path}
    names |= set(LLMKubeSettings.model_fields)
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"modelCacheSize": "0"}, "must be more than 0, got 0"),
        ({"modelCacheSize": "-1Gi"}, "must be more than 0, got -1Gi"),
        ({"modelCacheStorageClass": "Fast SSD"}, "must be the name of a StorageClass, got 'Fast SSD'"),
        ({"podMonitor": {"interval": "30"}}, "must match ^[0-9]+(ms|[smhdwy])([0-9]+(ms|[smhdwy]))*$, got '30'"),
        ({"modelCacheSize": 10, "modelCacheStorageClass": "", "podMonitor": {"interval": "1m30s"}}, ""),
    ],
)
def test_settings_that_the_api_server_would_refuse(given: dict[str, Any], message: str) -> None:
    _, problems = read(LLMKubeSettings, given)
    assert [problem.message for problem in problems] == ([message] if message else [])
