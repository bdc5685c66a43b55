"""LLM model services on Kubernetes as Pulumi components.

Public names are loaded at first use, so that ``python -m modelservices render`` and the schema for editors need neither
Pulumi nor a cluster.
"""

import importlib
from typing import TYPE_CHECKING, Any

from .families.registry import COMPONENTS, arguments_of

if TYPE_CHECKING:
    from .args.index import (
        BenchmarkJobArgs,
        EPPArgs,
        InferenceServiceArgs,
        LLMInferenceServiceArgs,
        OMEInferenceServiceArgs,
        PrefillDecodeArgs,
        TrainingJobArgs,
    )
    from .endpoint_picker import EPPComponent
    from .findings import Finding, InvalidManifests
    from .inference_service import InferenceServiceComponent
    from .llm_inference_service import LLMInferenceServiceComponent
    from .ome import BenchmarkJobComponent, OMEInferenceServiceComponent, TrainingJobComponent
    from .planning.settings import Settings
    from .prefill_decode import PrefillDecodeComponent
    from .registration.arguments import InvalidArguments
    from .stack import register_plan, run

_MODULES = {
    **COMPONENTS,
    **{arguments_of(component): "args.index" for component in COMPONENTS},
    "Finding": "findings",
    "InvalidArguments": "registration.arguments",
    "InvalidManifests": "findings",
    "Settings": "planning.settings",
    "register_plan": "stack",
    "run": "stack",
}
"""Public name to its module. Editors and type checkers read the imports above; a test compares the two."""

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
