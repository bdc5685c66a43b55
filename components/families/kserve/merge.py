"""Merging specs: base configs, presets and the service's, as Kubernetes' strategic merge does it.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/config_merge.go at v0.20.0-rc0.
"""

from ...kubernetes.strategic_merge import ONE_OF, Merge

_EITHER = frozenset(["replicas", "scaling"])
_ONE_OF = {
    "": _EITHER,
    "config": frozenset(["inline", "ref"]),
    "http": frozenset(["refs", "spec"]),
    "pool": frozenset(["ref", "spec"]),
    "prefill": _EITHER,
    "scaling": frozenset(["keda", "wva"]),
    "wva": frozenset(["hpa", "keda"]),
}

# An EndpointPickerConfig (inline) is one document.
merge = Merge({**ONE_OF, **_ONE_OF}, whole=frozenset(["inline"]))
