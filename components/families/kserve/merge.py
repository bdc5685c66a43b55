"""Merges the specs of presets, base configs and the service like Kubernetes' strategic merge.

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

# An inline EndpointPickerConfig is replaced as a whole.
merge = Merge({**ONE_OF, **_ONE_OF}, whole=frozenset(["inline"]))
