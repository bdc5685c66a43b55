"""What OME's documented keys change: as data for the docs, and as functions on pod templates of any family.

``effective`` are the keys that act: the documented labels and annotations of a service's manifest, in the profile
``document``; none in the profile ``upstream``.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.metadata import is_label_value
from ..kubernetes.pod_edits import with_env
from ..kubernetes.security import CONTAINER, merged
from . import keys
from .flags import SETTINGS, flag_problems, overridden, with_flags
from .persistent_volume_claim import PATH, storage_size
from .pods import (
    Template,
    main,
    variable,
    with_label,
    with_main,
    with_node_labels,
    with_volume,
)
from .settings import KeySettings

Effective = Mapping[str, Any]

MODEL_CLAIM_PATH = "/mnt/model"
"""Where the claim of a ``pvc://`` storage URI is mounted."""
NETWORK_POLICY_LABEL = "network-policy"
"""Label of the pods that a NetworkPolicy can select by name."""
ZONE = "topology.kubernetes.io/zone"

MONITORING = {
    keys.MONITORING_SCRAPE: "prometheus.io/scrape",
    keys.MONITORING_PORT: "prometheus.io/port",
    keys.MONITORING_PATH: "prometheus.io/path",
}
"""Key to the annotation of the pods that has its value."""
_OCI = {
    keys.OCI_COMPARTMENT_ID: "OCI_COMPARTMENT_ID",
    keys.OCI_REGION: "OCI_REGION",
    keys.OCI_AVAILABILITY_DOMAIN: "OCI_AVAILABILITY_DOMAIN",
}
_STORAGE_URI = "MODEL_STORAGE_URI"

VARIABLES = {**{key: name for key, (name, _) in SETTINGS.items()}, **_OCI, keys.MODEL_STORAGE_URI: _STORAGE_URI}
"""Key to the variable of the main container that has its value."""


def monitoring(effective: Effective) -> dict[str, Any]:
    """Annotations by which Prometheus finds the pods."""
    return {annotation: effective[key] for key, annotation in MONITORING.items() if key in effective}


def change_template(template: Template, effective: Effective, settings: KeySettings) -> dict[str, Any]:
    """A pod template with everything that the keys ask of pods. What the template says itself stays."""
    result = dict(template)
    for effect, acts_for in ON_PODS:
        if not acts_for.isdisjoint(effective):
            result = effect(result, effective, settings)
    return result


def contradictions(template: Template, effective: Effective, settings: KeySettings) -> Iterator[Problem]:
    """Where a finished pod template says something else than a key; the template takes precedence."""
    container, selector = main(template), template["spec"].get("nodeSelector", {})
    yield from flag_problems(container, effective)
    for key, name in VARIABLES.items():
        stated = variable(container, name)
        if key in effective and stated is not None and stated != effective[key]:
            yield overridden(key, f"{container['name']} sets the variable {name} to another value")
    for key, labels in _node_labels(effective, settings).items():
        if any(selector.get(label) != value for label, value in labels.items()):
            yield overridden(key, f"the pods' nodeSelector asks for nodes other than {' and '.join(labels.values())}")


def _secret(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    name = effective.get(keys.SECURITY_SECRET_REF)
    container = main(template)
    sources = container.get("envFrom", [])
    if name is None or any(source.get("secretRef", {}).get("name") == name for source in sources):
        return dict(template)
    return with_main(template, {**container, "envFrom": [*sources, {"secretRef": {"name": name}}]})


def _network_policy(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    name = effective.get(keys.SECURITY_NETWORK_POLICY)
    return with_label(template, NETWORK_POLICY_LABEL, name) if name and is_label_value(name) else dict(template)


def _oci(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    entries = [{"name": name, "value": effective[key]} for key, name in _OCI.items() if key in effective]
    return with_main(template, with_env(main(template), entries))


def _nodes(template: Template, effective: Effective, settings: KeySettings) -> dict[str, Any]:
    wanted = {label: value for labels in _node_labels(effective, settings).values() for label, value in labels.items()}
    return with_node_labels(template, wanted)


def _node_labels(effective: Effective, settings: KeySettings) -> dict[str, dict[str, Any]]:
    """Key to the labels of the nodes that it asks for."""
    profile = settings.profiles.get(str(effective.get(keys.INFRASTRUCTURE_PROFILE, "")))
    domain = effective.get(keys.OCI_AVAILABILITY_DOMAIN)
    labels = {keys.INFRASTRUCTURE_PROFILE: profile.nodeSelector} if profile else {}
    return {**labels, **({keys.OCI_AVAILABILITY_DOMAIN: {ZONE: domain.rpartition(":")[2]}} if domain else {})}


def _model_source(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    uri = effective.get(keys.MODEL_STORAGE_URI)
    if uri is None:
        return dict(template)
    scheme, _, place = str(uri).partition("://")
    entries = [{"name": _STORAGE_URI, "value": uri}]
    result = dict(template)
    if scheme == "hf":
        entries.append({"name": "MODEL_PATH", "value": place})
    if scheme == "pvc":
        claim, _, path = place.partition("/")
        volume = {"name": "model-source", "persistentVolumeClaim": {"claimName": claim.rpartition(":")[2]}}
        mount = {"name": "model-source", "mountPath": MODEL_CLAIM_PATH, "readOnly": True}
        result = with_volume(template, volume, mount)
        entries.append({"name": "MODEL_PATH", "value": f"{MODEL_CLAIM_PATH}/{path}".rstrip("/")})
    return with_main(result, with_env(main(result), entries))


def _tuned(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    entries = [{"name": name, "value": effective[key]} for key, (name, _) in SETTINGS.items() if key in effective]
    return with_main(template, with_flags(with_env(main(template), entries), effective))


def _storage(template: Template, effective: Effective, settings: KeySettings) -> dict[str, Any]:
    """The mount only: the claim's volume is the renderer's, who knows the claim's name."""
    volumes = template["spec"].get("volumes", [])
    if storage_size(effective) is None or not any(volume["name"] == "storage" for volume in volumes):
        return dict(template)
    mount = {"name": "storage", "mountPath": PATH}
    result = with_volume(template, {"name": "storage"}, mount)
    cache = [{"name": "HF_HOME", "value": f"{PATH}/huggingface"}]
    return with_main(result, with_env(main(result), cache))


def _secured(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    """Security contexts that satisfy the level ``restricted``; the others ask for nothing."""
    if effective.get(keys.SECURITY_POD_SECURITY_POLICY) != "restricted":
        return dict(template)
    spec = template["spec"]
    pod = merged({"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}, spec.get("securityContext", {}))
    fields = [field for field in ("initContainers", "containers") if field in spec]
    contained = {
        field: [{**one, "securityContext": merged(CONTAINER, one.get("securityContext", {}))} for one in spec[field]]
        for field in fields
    }
    return {**template, "spec": {**spec, "securityContext": pod, **contained}}


PodEffect = Callable[[Template, Effective, KeySettings], dict[str, Any]]

ON_PODS: tuple[tuple[PodEffect, frozenset[str]], ...] = (
    (_secret, frozenset([keys.SECURITY_SECRET_REF])),
    (_network_policy, frozenset([keys.SECURITY_NETWORK_POLICY])),
    (_oci, frozenset(_OCI)),
    (_nodes, frozenset([keys.INFRASTRUCTURE_PROFILE, keys.OCI_AVAILABILITY_DOMAIN])),
    (_model_source, frozenset([keys.MODEL_STORAGE_URI])),
    (_tuned, frozenset(SETTINGS)),
    (_storage, frozenset([keys.STORAGE_SIZE])),
    (_secured, frozenset([keys.SECURITY_POD_SECURITY_POLICY])),
)
"""What keys do to a pod template, in the order in which it is done. Others act on fields (``complete``),
on labels and annotations (``labels``), or make objects (``objects``)."""

POD_KEYS = tuple(sorted(frozenset(key for _, acts_for in ON_PODS for key in acts_for) - VARIABLES.keys()))
"""Keys that change more of a pod than the variables of its main container."""
