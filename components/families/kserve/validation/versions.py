"""Fields that only one of KServe's two API versions has: the other one's API server leaves them out."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....findings import Problem
from ....kubernetes.values import mappings, value_at

_POOL = "router.scheduler.pool.spec"
_OLDER = {f"{_POOL}.extensionRef": "endpointPickerRef", f"{_POOL}.targetPortNumber": "targetPorts"}
"""Fields of v1alpha1, and what v1alpha2 calls them."""
_NEWER = (
    "kvCacheOffloading",
    "prefill.kvCacheOffloading",
    "model.confidential",
    f"{_POOL}.appProtocol",
    f"{_POOL}.endpointPickerRef",
    f"{_POOL}.targetPorts",
)
"""Fields of v1alpha2."""


def version_problems(api_version: str, spec: Mapping[str, Any]) -> Iterator[Problem]:
    """``spec`` is that of a service or of a config, as it was written."""
    older = api_version.endswith("/v1alpha1")
    yield from _criticality_problems(spec, older=older)
    if older:
        for path in _NEWER:
            if value_at(spec, *path.split(".")) is not None:
                message = "is a field of v1alpha2, which KServe drops from a v1alpha1 object; write v1alpha2"
                yield Problem(f"spec.{path}", message, "warning", "other-version")
        return
    for path, newer in _OLDER.items():
        if value_at(spec, *path.split(".")) is not None:
            message = f"is a field of v1alpha1, which KServe drops from a v1alpha2 object; write {newer}"
            yield Problem(f"spec.{path}", message, "warning", "other-version")


def _criticality_problems(spec: Mapping[str, Any], *, older: bool) -> Iterator[Problem]:
    adapters = mappings(value_at(spec, "model", "lora", "adapters"))
    fields = [("spec.model.criticality", value_at(spec, "model", "criticality"))]
    fields += [(f"spec.model.lora.adapters[{i}].criticality", a.get("criticality")) for i, a in enumerate(adapters)]
    for path, value in fields:
        if value is None:
            continue
        if older:
            yield Problem(
                path,
                "has no effect, because the InferenceModel that it belonged to no longer exists",
                "warning",
                "no-effect",
            )
        else:
            yield Problem(
                path, "is not a known field of this version, only of v1alpha1; remove it", code="unknown-field"
            )
