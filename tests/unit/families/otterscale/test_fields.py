"""Every field of a ModelService acts: another value of it renders something else, or it stands in one list.

Not proved: that these are all fields of the operator's CRD; the conformance tests hold what they do against it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from modelservices.families.otterscale.spec import ModelServiceSpec

from .services import objects

FULL: dict[str, Any] = {
    "model": {"name": "m", "image": "r/m:1", "mountPath": "/models", "imagePullSecrets": [{"name": "login"}]},
    "engine": {
        "image": "r/vllm:1",
        "imagePullPolicy": "Always",
        "args": ["--max-model-len=1"],
        "env": [{"name": "A", "value": "1"}],
        "port": 8000,
    },
    "accelerator": {"type": "nvidia"},
    "decode": {
        "replicas": 1,
        "parallelism": {"tensor": 2, "data": 4, "dataLocal": 2},
        "resources": {"limits": {"memory": "1Gi"}},
        "nodeSelector": {"a": "b"},
        "tolerations": [{"key": "k", "operator": "Exists"}],
    },
    "routingProxy": {
        "image": "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0",
        "connector": "nixlv2",
        "targetPort": 8200,
        "zapEncoder": "json",
        "zapLogLevel": "info",
        "secureProxy": False,
        "prefillerUseTLS": False,
        "certPath": "/certs",
    },
    "inferencePool": {
        "endpointPicker": {
            "image": "r/epp:1",
            "replicas": 1,
            "resources": {"limits": {"memory": "1Gi"}},
            "port": 9002,
            "failureMode": "FailOpen",
        }
    },
    "httpRoute": {"gatewayRef": {"name": "gw", "namespace": "gateways"}, "hostnames": ["a.example.com"]},
    "monitoring": {
        "podMonitor": {"enabled": True, "portName": "http", "path": "/metrics", "interval": "30s"},
    },
}
FULL["prefill"] = copy.deepcopy(FULL["decode"])

OTHER: dict[str | int, Any] = {
    "FailOpen": "FailClose",
    "nvidia": "amd",
    "Always": "Never",
    "nixlv2": "sglang",
    "30s": "60s",
    "json": "console",
    "info": "debug",
    9002: 9010,
}
"""Another value for those of which only some are allowed."""


def fields(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """The fields of a ModelService that are its own; those of Kubernetes' types end the path."""
    for name, field in model.model_fields.items():
        where = f"{path}.{name}" if path else name
        own = [found for found in _models(field.annotation) if found.__module__ == ModelServiceSpec.__module__]
        yield from fields(own[0], where) if own else (where,)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


FIELDS = tuple(fields(ModelServiceSpec))


def changed(spec: dict[str, Any], path: list[str]) -> dict[str, Any]:
    name, *rest = path
    return {**spec, name: changed(spec[name], rest) if rest else another(spec[name])}


def another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return OTHER.get(value, value + 1)
    if isinstance(value, str):
        return OTHER.get(value, f"{value}x")
    return [] if isinstance(value, list) else {}


def test_all_fields_are_here() -> None:
    assert len(FIELDS) == 44


@pytest.mark.parametrize("path", FIELDS)
def test_every_field_acts(path: str) -> None:
    assert objects(changed(FULL, path.split("."))) != objects(FULL)
