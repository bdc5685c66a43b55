"""A pool in the older form of v1alpha1 (``extensionRef``, ``targetPortNumber``, a flat selector), as the later one.

It is rewritten before specs are merged, so that a service's own port takes the place of the preset's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kubernetes.values import value_at


def current(pool: Any) -> Any:
    """A pool's spec in the later form; anything else as it is."""
    if not isinstance(pool, Mapping):
        return pool
    result = {key: value for key, value in pool.items() if key not in ("extensionRef", "targetPortNumber")}
    extension, selector = pool.get("extensionRef"), pool.get("selector")
    if isinstance(extension, Mapping) and "endpointPickerRef" not in pool:
        port = {"port": {"number": extension["portNumber"]}} if "portNumber" in extension else {}
        result["endpointPickerRef"] = {k: v for k, v in extension.items() if k != "portNumber"} | port
    if "targetPortNumber" in pool and "targetPorts" not in pool:
        result["targetPorts"] = [{"number": pool["targetPortNumber"]}]
    if isinstance(selector, Mapping) and not {"matchLabels", "matchExpressions"} & {*selector}:
        result["selector"] = {"matchLabels": dict(selector)} if selector else {}
    return result


def with_current_pool(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """A (raw) service spec whose pool is in the later form."""
    pool = value_at(spec, "router", "scheduler", "pool", "spec")
    if not isinstance(pool, Mapping):
        return spec
    router = spec["router"]
    scheduler = router["scheduler"]
    changed = {**scheduler, "pool": {**scheduler["pool"], "spec": current(pool)}}
    return {**spec, "router": {**router, "scheduler": changed}}
