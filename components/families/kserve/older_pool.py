"""A pool in the older form of v1alpha1 (``extensionRef``, ``targetPortNumber``, a flat selector), as the later one.

It is rewritten before specs are merged, so that a service's port takes the place of the preset's.
"""

from collections.abc import Mapping
from typing import Any

from ...kubernetes.values import value_at

_DEFAULTED = {"failureMode": "FailClose"}
"""What the API server gives a picker of the user's own, which has nothing of the preset's."""


def current_selector(selector: Any) -> Any:
    """A selector in the later form."""
    if not isinstance(selector, Mapping) or not selector or {"matchLabels", "matchExpressions"} & {*selector}:
        return selector
    return {"matchLabels": dict(selector)}


def _current(pool: Mapping[str, Any]) -> dict[str, Any]:
    """A pool's spec in the later form."""
    result = {key: value for key, value in pool.items() if key not in ("extensionRef", "targetPortNumber")}
    extension = pool.get("extensionRef")
    if isinstance(extension, Mapping) and "endpointPickerRef" not in pool:
        port = {"port": {"number": extension["portNumber"]}} if "portNumber" in extension else {}
        result["endpointPickerRef"] = {k: v for k, v in extension.items() if k != "portNumber"} | port
    if isinstance(result.get("endpointPickerRef"), Mapping):
        result["endpointPickerRef"] = _DEFAULTED | result["endpointPickerRef"]
    if "targetPortNumber" in pool and "targetPorts" not in pool:
        result["targetPorts"] = [{"number": pool["targetPortNumber"]}]
    if "selector" in pool:
        result["selector"] = current_selector(pool["selector"])
    return result


def with_current_pool(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A (raw) service spec whose pool is in the later form."""
    pool = value_at(spec, "router", "scheduler", "pool", "spec")
    if not isinstance(pool, Mapping):
        return spec
    router = spec["router"]
    scheduler = router["scheduler"]
    changed = {**scheduler, "pool": {**scheduler["pool"], "spec": _current(pool)}}
    return {**spec, "router": {**router, "scheduler": changed}}
