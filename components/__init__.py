"""LLM model services on Kubernetes as Pulumi components.

Public names are loaded when they are first used, so that ``python -m components render`` and editors' schema need
neither Pulumi nor a cluster.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arguments import InvalidArguments
    from .findings import Finding, InvalidManifests
    from .inference_service import InferenceServiceArgs, InferenceServiceComponent
    from .settings import Settings
    from .stack import register_plan, run

_MODULES = {
    "Finding": "findings",
    "InferenceServiceArgs": "inference_service",
    "InferenceServiceComponent": "inference_service",
    "InvalidArguments": "arguments",
    "InvalidManifests": "findings",
    "Settings": "settings",
    "register_plan": "stack",
    "run": "stack",
}

__all__ = [
    "Finding",
    "InferenceServiceArgs",
    "InferenceServiceComponent",
    "InvalidArguments",
    "InvalidManifests",
    "Settings",
    "register_plan",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
