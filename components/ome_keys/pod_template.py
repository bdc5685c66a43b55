"""How OME's documented keys change pod templates of any family: as functions, and as data for the docs.

``effective`` are the documented keys in effect; the profile ``upstream`` has none.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes import pod_edits
from ..kubernetes.metadata import is_label_value
from ..kubernetes.pod_edits import with_env, with_mounts
from ..kubernetes.security import CONTAINER, merged
from . import keys, names
from .flags import SETTINGS, flag_problems, overridden, with_flags
from .settings import KeySettings

Effective = Mapping[str, Any]
Template = Mapping[str, Any]
"""``{metadata: {labels, annotations}, spec}``; a change gives a new one."""

PATH = "/mnt/storage"
"""Where the claim of the storage keys is mounted."""
_CLAIM = "storage"
"""Its volume."""
MODEL_CLAIM_PATH = "/mnt/model"
"""Where the claim of a ``pvc://`` storage URI is mounted."""
NETWORK_POLICY_LABEL = "network-policy"
"""Pod label with a NetworkPolicy's name, by which the policy can select pods."""
ZONE = "topology.kubernetes.io/zone"

MONITORING = {
    keys.MONITORING_SCRAPE: "prometheus.io/scrape",
    keys.MONITORING_PORT: "prometheus.io/port",
    keys.MONITORING_PATH: "prometheus.io/path",
}
"""For each key, the pod annotation with its value."""
_OCI = {
    keys.OCI_COMPARTMENT_ID: "OCI_COMPARTMENT_ID",
    keys.OCI_REGION: "OCI_REGION",
    keys.OCI_AVAILABILITY_DOMAIN: "OCI_AVAILABILITY_DOMAIN",
}
_STORAGE_URI = "MODEL_STORAGE_URI"

VARIABLES = {**{key: name for key, (name, _) in SETTINGS.items()}, **_OCI, keys.MODEL_STORAGE_URI: _STORAGE_URI}
"""For each key, the variable of the main container with its value."""


def monitoring(effective: Effective) -> dict[str, Any]:
    """Annotations by which Prometheus finds the pods."""
    return {annotation: effective[key] for key, annotation in MONITORING.items() if key in effective}


def change_template(template: Template, effective: Effective, settings: KeySettings, owner: str = "") -> dict[str, Any]:
    """A pod template with everything that the keys ask of pods. What the template says itself stays. ``owner`` is the
    service or job whose claim the pods have."""
    result = dict(template)
    if owner and keys.STORAGE_SIZE in effective:
        claim = {"claimName": names.claim(owner)}
        result = with_volumes(result, [{"name": _CLAIM, "persistentVolumeClaim": claim}])
    for effect, acts_for in ON_PODS:
        if not acts_for.isdisjoint(effective):
            result = effect(result, effective, settings)
    return result


def contradictions(template: Template, effective: Effective, settings: KeySettings) -> Iterator[Problem]:
    """Keys that a finished pod template contradicts; the template takes precedence."""
    container, selector = main(template), template["spec"].get("nodeSelector", {})
    yield from flag_problems(container, effective)
    for key, name in VARIABLES.items():
        stated = variable(container, name)
        if key in effective and stated is not None and stated != effective[key]:
            yield overridden(key, f"{container['name']} sets the variable {name} to another value")
    for key, labels in _node_labels(effective, settings).items():
        if any(selector.get(label) != value for label, value in labels.items()):
            yield overridden(key, f"the pods' nodeSelector asks for nodes other than {' and '.join(labels.values())}")


def security_problems(template: Template, effective: Effective, path: str) -> Iterator[Problem]:
    """Warns about parts of a pod that break the security level of a key."""
    level = effective.get(keys.SECURITY_POD_SECURITY_POLICY)
    if level not in ("restricted", "baseline"):
        return
    spec = template["spec"]
    broken = [name for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    broken += [f"the hostPath volume {v['name']}" for v in spec.get("volumes", []) if "hostPath" in v]
    broken += [
        f"privileged in {c['name']}" for c in spec["containers"] if c.get("securityContext", {}).get("privileged")
    ]
    for what in broken:
        message = f"has {what}, which the level {level} of {keys.SECURITY_POD_SECURITY_POLICY} forbids"
        yield Problem(path, message, "warning", "security-level")


def _secret(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    name = effective.get(keys.SECURITY_SECRET_REF)
    container = main(template)
    sources = container.get("envFrom", [])
    if name is None or any(source.get("secretRef", {}).get("name") == name for source in sources):
        return dict(template)
    return with_main(template, {**container, "envFrom": [*sources, {"secretRef": {"name": name}}]})


def _network_policy(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    name = effective.get(keys.SECURITY_NETWORK_POLICY)
    if not name or not is_label_value(name):
        return dict(template)
    metadata = template.get("metadata", {})
    return {**template, "metadata": {**metadata, "labels": {**metadata.get("labels", {}), NETWORK_POLICY_LABEL: name}}}


def _oci(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    entries = [{"name": name, "value": effective[key]} for key, name in _OCI.items() if key in effective]
    return with_main(template, with_env(main(template), entries))


def _nodes(template: Template, effective: Effective, settings: KeySettings) -> dict[str, Any]:
    wanted = {label: value for labels in _node_labels(effective, settings).values() for label, value in labels.items()}
    return with_node_labels(template, wanted)


def _node_labels(effective: Effective, settings: KeySettings) -> dict[str, dict[str, Any]]:
    """For each key, the node labels that it requires."""
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
    if not any(volume["name"] == _CLAIM for volume in template["spec"].get("volumes", [])):
        return dict(template)
    result = with_volume(template, {"name": _CLAIM}, {"name": _CLAIM, "mountPath": PATH})
    cache = [{"name": "HF_HOME", "value": f"{PATH}/huggingface"}]
    return with_main(result, with_env(main(result), cache))


def _secured(template: Template, effective: Effective, _settings: KeySettings) -> dict[str, Any]:
    """Security contexts that satisfy the level ``restricted``; other levels require none."""
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


ON_PODS: tuple[tuple[Callable[[Template, Effective, KeySettings], dict[str, Any]], frozenset[str]], ...] = (
    (_secret, frozenset([keys.SECURITY_SECRET_REF])),
    (_network_policy, frozenset([keys.SECURITY_NETWORK_POLICY])),
    (_oci, frozenset(_OCI)),
    (_nodes, frozenset([keys.INFRASTRUCTURE_PROFILE, keys.OCI_AVAILABILITY_DOMAIN])),
    (_model_source, frozenset([keys.MODEL_STORAGE_URI])),
    (_tuned, frozenset(SETTINGS)),
    (_storage, frozenset([keys.STORAGE_SIZE])),
    (_secured, frozenset([keys.SECURITY_POD_SECURITY_POLICY])),
)
"""Effects of keys on a pod template, in the order in which they apply. Other keys act on fields (``complete``), on
labels and annotations (``labels``), or make objects (``objects``)."""

POD_KEYS = tuple(sorted(frozenset(key for _, acts_for in ON_PODS for key in acts_for) - VARIABLES.keys()))
"""Keys that change more of a pod than its main container's variables."""


def main(template: Template) -> Mapping[str, Any]:
    """The container that serves: the first one."""
    return template["spec"]["containers"][0]


def with_main(template: Template, container: Mapping[str, Any]) -> dict[str, Any]:
    return with_containers(template, [container, *template["spec"]["containers"][1:]])


def with_containers(template: Template, containers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {**template, "spec": {**template["spec"], "containers": list(containers)}}


def variable(container: Mapping[str, Any], name: str) -> Any:
    """Value of a container's variable; None if it has none, an empty string for a reference."""
    return next((entry.get("value", "") for entry in container.get("env", []) if entry["name"] == name), None)


def with_volume(template: Template, volume: Mapping[str, Any], mount: Mapping[str, Any]) -> dict[str, Any]:
    """The template with a volume that its main container mounts, unless something is mounted at that path."""
    if any(there.get("mountPath") == mount["mountPath"] for there in main(template).get("volumeMounts", [])):
        return dict(template)
    return with_main(with_volumes(template, [volume]), with_mounts(main(template), [mount]))


def with_node_labels(template: Template, labels: Mapping[str, Any]) -> dict[str, Any]:
    """The template with additional required node labels; its own take precedence."""
    if not labels:
        return dict(template)
    spec = template["spec"]
    return {**template, "spec": {**spec, "nodeSelector": {**labels, **spec.get("nodeSelector", {})}}}


def with_volumes(template: Template, volumes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {**template, "spec": pod_edits.with_volumes(template["spec"], volumes)}
