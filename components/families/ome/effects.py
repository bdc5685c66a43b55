"""What OME's documented keys change: as data for the docs, and as functions on pod templates of any family.

``acting`` are the keys that act: the documented labels and annotations of a service's manifest, in the profile
``document``; none in the profile ``upstream``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engines import tuning
from ...findings import Problem
from ...kubernetes.metadata import is_label_value
from ...kubernetes.security import CONTAINER, merged
from . import keys, storage
from .pods import (
    Template,
    main,
    with_label,
    with_main,
    with_missing_env,
    with_node_labels,
    with_volume,
)
from .settings import OMESettings
from .vocabulary import vocabulary

Acting = Mapping[str, Any]

MODEL_CLAIM_PATH = "/mnt/model"
"""Where the claim of a ``pvc://`` storage URI is mounted."""
NETWORK_POLICY_LABEL = "network-policy"
"""Label of the pods that a NetworkPolicy can select by its own name."""
ZONE = "topology.kubernetes.io/zone"

_MONITORING = {
    keys.MONITORING_SCRAPE: "prometheus.io/scrape",
    keys.MONITORING_PORT: "prometheus.io/port",
    keys.MONITORING_PATH: "prometheus.io/path",
}
_OCI = {
    keys.OCI_COMPARTMENT_ID: "OCI_COMPARTMENT_ID",
    keys.OCI_REGION: "OCI_REGION",
    keys.OCI_AVAILABILITY_DOMAIN: "OCI_AVAILABILITY_DOMAIN",
}

# Key to the variable that tells it to any program, and to the setting that some engines have a flag for.
_TUNING = {
    keys.MODEL_CONTEXT_LENGTH: ("MODEL_CONTEXT_LENGTH", tuning.CONTEXT_LENGTH),
    keys.MODEL_MAX_TOKENS: ("MODEL_MAX_TOKENS", tuning.MAX_TOKENS),
    keys.MODEL_QUANTIZATION: ("MODEL_QUANTIZATION", ""),
    keys.PERFORMANCE_GPU_MEMORY_FRACTION: ("GPU_MEMORY_FRACTION", tuning.GPU_FRACTION),
    keys.PERFORMANCE_BATCH_SIZE: ("BATCH_SIZE", tuning.BATCH_SIZE),
    keys.PERFORMANCE_MAX_BATCH_DELAY: ("MAX_BATCH_DELAY", ""),
}
_QUANTIZATION = {
    "fp16": (tuning.PRECISION, "float16"),
    "fp8": (tuning.QUANTIZATION, "fp8"),
    "fbgemm_fp8": (tuning.QUANTIZATION, "fbgemm_fp8"),
}


def acting_keys(labels: Mapping[str, Any], annotations: Mapping[str, Any], settings: OMESettings) -> dict[str, Any]:
    """The documented keys of a manifest that act: those in their place, in the profile ``document``."""
    if settings.profile != "document":
        return {}
    places = {"label": labels, "annotation": annotations}
    entries = vocabulary().entries.values()
    return {entry.key: places[entry.place][entry.key] for entry in entries if entry.key in places[entry.place]}


def monitoring(acting: Acting) -> dict[str, Any]:
    """Annotations by which Prometheus finds the pods."""
    return {annotation: acting[key] for key, annotation in _MONITORING.items() if key in acting}


def on_template(template: Template, acting: Acting, settings: OMESettings) -> dict[str, Any]:
    """A pod template with everything that the keys ask of pods. What the template says itself stays."""
    result = dict(template)
    for effect in dict.fromkeys(effect for key, effect in ON_PODS.items() if key in acting):
        result = effect(result, acting, settings)
    return result


def _secret(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    name = acting.get(keys.SECURITY_SECRET_REF)
    container = main(template)
    sources = container.get("envFrom", [])
    if name is None or any(source.get("secretRef", {}).get("name") == name for source in sources):
        return dict(template)
    return with_main(template, {**container, "envFrom": [*sources, {"secretRef": {"name": name}}]})


def _network_policy(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    name = acting.get(keys.SECURITY_NETWORK_POLICY)
    return with_label(template, NETWORK_POLICY_LABEL, name) if name and is_label_value(name) else dict(template)


def _oci(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    entries = [{"name": name, "value": acting[key]} for key, name in _OCI.items() if key in acting]
    result = with_main(template, with_missing_env(main(template), entries))
    domain = acting.get(keys.OCI_AVAILABILITY_DOMAIN)
    return with_node_labels(result, {ZONE: str(domain).rpartition(":")[2]} if domain else {})


def _hardware(template: Template, acting: Acting, settings: OMESettings) -> dict[str, Any]:
    profile = settings.profiles.get(str(acting.get(keys.INFRASTRUCTURE_PROFILE, "")))
    return with_node_labels(template, profile.nodeSelector if profile else {})


def _model_source(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    uri = acting.get(keys.MODEL_STORAGE_URI)
    if uri is None:
        return dict(template)
    scheme, _, place = str(uri).partition("://")
    entries = [{"name": "MODEL_STORAGE_URI", "value": uri}]
    result = dict(template)
    if scheme == "hf":
        entries.append({"name": "MODEL_PATH", "value": place})
    if scheme == "pvc":
        claim, _, path = place.partition("/")
        volume = {"name": "model-source", "persistentVolumeClaim": {"claimName": claim.rpartition(":")[2]}}
        mount = {"name": "model-source", "mountPath": MODEL_CLAIM_PATH, "readOnly": True}
        result = with_volume(template, volume, mount)
        entries.append({"name": "MODEL_PATH", "value": f"{MODEL_CLAIM_PATH}/{path}".rstrip("/")})
    return with_main(result, with_missing_env(main(result), entries))


def _tuned(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    entries = [{"name": name, "value": acting[key]} for key, (name, _) in _TUNING.items() if key in acting]
    container = with_missing_env(main(template), entries)
    words = _words(container)
    flags = [] if _is_script(container) else [f for f in _flags(container, acting) if not _has(words, f[0])]
    if flags:
        container["args"] = [*container.get("args", []), *(word for pair in flags for word in pair)]
    return with_main(template, container)


def _flags(container: Mapping[str, Any], acting: Acting) -> Iterator[tuple[str, str]]:
    engine = tuning.engine_of(container.get("image"))
    for key, (_, setting) in _TUNING.items():
        if key in acting:
            value = str(acting[key])
            name, value = _QUANTIZATION.get(value, ("", value)) if key == keys.MODEL_QUANTIZATION else (setting, value)
            found = tuning.flag(engine, name, value)
            if found:
                yield found


def _words(container: Mapping[str, Any]) -> list[Any]:
    return [*container.get("command", []), *container.get("args", [])]


def _has(words: list[Any], name: str) -> bool:
    return tuning.value_of(words, name) is not None


def _is_script(container: Mapping[str, Any]) -> bool:
    """Whether a shell runs the command, so that further arguments would not reach the engine."""
    return any(isinstance(word, str) and word in ("-c", "-lc", "-ec") for word in container.get("command", []))


def tuning_problems(container: Mapping[str, Any], acting: Acting, path: str) -> Iterator[Problem]:
    """Flags of a command line that say something else than a key; the command line counts."""
    words = _words(container)
    for name, value in _flags(container, acting):
        given = tuning.value_of(words, name)
        if given is not None and given != value:
            message = f"has {name} {given}, but a key asks for {value}: the command line counts"
            yield Problem(path, message, "warning", "overridden")


def _storage(template: Template, acting: Acting, settings: OMESettings) -> dict[str, Any]:
    """The mount only: the claim's volume is the renderer's, who knows the claim's name."""
    volumes = template["spec"].get("volumes", [])
    if storage.storage_size(acting) is None or not any(volume["name"] == "storage" for volume in volumes):
        return dict(template)
    mount = {"name": "storage", "mountPath": storage.PATH}
    result = with_volume(template, {"name": "storage"}, mount)
    cache = [{"name": "HF_HOME", "value": f"{storage.PATH}/huggingface"}]
    return with_main(result, with_missing_env(main(result), cache))


def _secured(template: Template, acting: Acting, _settings: OMESettings) -> dict[str, Any]:
    """Security contexts that satisfy the level ``restricted``; the others ask for nothing."""
    if acting.get(keys.SECURITY_POD_SECURITY_POLICY) != "restricted":
        return dict(template)
    spec = template["spec"]
    pod = merged({"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}, spec.get("securityContext", {}))
    fields = [field for field in ("initContainers", "containers") if field in spec]
    contained = {field: [_contained(container) for container in spec[field]] for field in fields}
    return {**template, "spec": {**spec, "securityContext": pod, **contained}}


def _contained(container: Mapping[str, Any]) -> dict[str, Any]:
    return {**container, "securityContext": merged(CONTAINER, container.get("securityContext", {}))}


PodEffect = Callable[[Template, Acting, OMESettings], dict[str, Any]]

ON_PODS: Mapping[str, PodEffect] = {
    keys.SECURITY_SECRET_REF: _secret,
    keys.SECURITY_NETWORK_POLICY: _network_policy,
    **dict.fromkeys(_OCI, _oci),
    keys.INFRASTRUCTURE_PROFILE: _hardware,
    keys.MODEL_STORAGE_URI: _model_source,
    **dict.fromkeys(_TUNING, _tuned),
    keys.STORAGE_SIZE: _storage,
    keys.SECURITY_POD_SECURITY_POLICY: _secured,
}
"""What keys do to a pod template, in the order in which it is done. Others act elsewhere: on fields (``documented``),
on metadata (``monitoring``, ``metadata``), on objects of their own (``storage``, ``pod_security``)."""
