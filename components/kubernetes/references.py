"""Which objects must be there before another one can work: the only dependencies that registration makes.

A pod can't start without its claim, ConfigMap, Secret, ServiceAccount and PriorityClass; a binding needs its role. All
else (routes, pools, autoscalers, Services) may come in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .objects import Object
from .pod_templates import pods


class Reference(NamedTuple):
    kind: str
    namespace: str
    name: str


def references(obj: Object) -> set[Reference]:
    """What the object needs. Names that are not known yet (Outputs) are left out."""
    namespace = obj["metadata"].get("namespace", "")
    found = set(_of_role(obj, namespace)) | set(_of_token(obj, namespace))
    for pod in pods(obj):
        found.update(_of_pod(pod.spec, namespace))
    return {reference for reference in found if isinstance(reference.name, str) and reference.name}


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
    for container in [*pod.get("initContainers", []), *pod.get("containers", [])]:
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
