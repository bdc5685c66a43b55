"""Which objects must be there before another one can work: the only dependencies that registration makes.

A pod can't start without its claim, ConfigMap, Secret, ServiceAccount and PriorityClass; a binding needs its role. All
else (routes, pools, autoscalers, Services) may come in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .objects import Object


class Reference(NamedTuple):
    kind: str
    namespace: str
    name: str


def references(obj: Object) -> set[Reference]:
    """What the object needs. Names that are not known yet (Outputs) are left out."""
    namespace = obj["metadata"].get("namespace", "")
    found = set(_of_role(obj, namespace)) | set(_of_token(obj, namespace))
    for pod in pod_specs(obj.get("spec")):
        found.update(_of_pod(pod, namespace))
    return {reference for reference in found if isinstance(reference.name, str) and reference.name}


def pod_specs(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every pod spec within a workload's spec: whatever is a mapping with a list of containers."""
    if isinstance(value, Mapping):
        if isinstance(value.get("containers"), list):
            yield value
            return
        for item in value.values():
            yield from pod_specs(item)
    elif isinstance(value, list):
        for item in value:
            yield from pod_specs(item)


def pod_templates(value: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every pod template within an object, with its path (``spec.template``; empty for a Pod itself)."""
    if isinstance(value, Mapping):
        spec = value.get("spec")
        if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list):
            yield path, value
            return
        for name, item in value.items():
            yield from pod_templates(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from pod_templates(item, f"{path}[{index}]")


def _of_pod(pod: Mapping[str, Any], namespace: str) -> Iterator[Reference]:
    yield Reference("ServiceAccount", namespace, pod.get("serviceAccountName", ""))
    yield Reference("PriorityClass", "", pod.get("priorityClassName", ""))
    for volume in pod.get("volumes", []):
        yield Reference(
            "PersistentVolumeClaim", namespace, volume.get("persistentVolumeClaim", {}).get("claimName", "")
        )
        yield Reference("ConfigMap", namespace, volume.get("configMap", {}).get("name", ""))
        yield Reference("Secret", namespace, volume.get("secret", {}).get("secretName", ""))
        for source in volume.get("projected", {}).get("sources", []):
            yield Reference("ConfigMap", namespace, source.get("configMap", {}).get("name", ""))
            yield Reference("Secret", namespace, source.get("secret", {}).get("name", ""))
    for claim in pod.get("resourceClaims", []):
        yield Reference("ResourceClaimTemplate", namespace, claim.get("resourceClaimTemplateName", ""))
    for secret in pod.get("imagePullSecrets", []):
        yield Reference("Secret", namespace, secret.get("name", ""))
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        yield from _of_container(container, namespace)


def _of_container(container: Mapping[str, Any], namespace: str) -> Iterator[Reference]:
    for source in container.get("envFrom", []):
        yield Reference("Secret", namespace, source.get("secretRef", {}).get("name", ""))
        yield Reference("ConfigMap", namespace, source.get("configMapRef", {}).get("name", ""))
    for variable in container.get("env", []):
        source = variable.get("valueFrom", {})
        yield Reference("Secret", namespace, source.get("secretKeyRef", {}).get("name", ""))
        yield Reference("ConfigMap", namespace, source.get("configMapKeyRef", {}).get("name", ""))


def _of_role(obj: Object, namespace: str) -> Iterator[Reference]:
    role = obj.get("roleRef")
    if role:
        yield Reference(role["kind"], "" if role["kind"] == "ClusterRole" else namespace, role["name"])


def _of_token(obj: Object, namespace: str) -> Iterator[Reference]:
    if obj["kind"] == "Secret":
        account = obj["metadata"].get("annotations", {}).get("kubernetes.io/service-account.name", "")
        yield Reference("ServiceAccount", namespace, account)
