"""LLM model services on Kubernetes as Pulumi components.

Public names are loaded when they are first used, so that ``python -m components render`` and editors' schema need
neither Pulumi nor a cluster.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .families.registry import COMPONENTS, arguments_of

if TYPE_CHECKING:
    from .endpoint_picker import EPPArgs, EPPComponent
    from .findings import Finding, InvalidManifests
    from .inference_service import InferenceServiceArgs, InferenceServiceComponent
    from .llm_inference_service import LLMInferenceServiceArgs, LLMInferenceServiceComponent
    from .ome import (
        BenchmarkJobArgs,
        BenchmarkJobComponent,
        OMEInferenceServiceArgs,
        OMEInferenceServiceComponent,
        TrainingJobArgs,
        TrainingJobComponent,
    )
    from .planning.settings import Settings
    from .prefill_decode import PrefillDecodeArgs, PrefillDecodeComponent
    from .registration.arguments import InvalidArguments
    from .stack import register_plan, run

_MODULES = {
    **COMPONENTS,
    **{arguments_of(component): module for component, module in COMPONENTS.items()},
    "Finding": "findings",
    "InvalidArguments": "registration.arguments",
    "InvalidManifests": "findings",
    "Settings": "planning.settings",
    "register_plan": "stack",
    "run": "stack",
}
"""Public name to the module that has it. Editors and type checkers read the imports above: a test compares the two."""

__all__ = [
    "BenchmarkJobArgs",
    "BenchmarkJobComponent",
    "EPPArgs",
    "EPPComponent",
    "Finding",
    "InferenceServiceArgs",
    "InferenceServiceComponent",
    "InvalidArguments",
    "InvalidManifests",
    "LLMInferenceServiceArgs",
    "LLMInferenceServiceComponent",
    "OMEInferenceServiceArgs",
    "OMEInferenceServiceComponent",
    "PrefillDecodeArgs",
    "PrefillDecodeComponent",
    "Settings",
    "TrainingJobArgs",
    "TrainingJobComponent",
    "register_plan",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
