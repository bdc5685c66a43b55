"""Which objects must be there before another one can work: the only dependencies that registration makes.

A pod can't start without its claim, ConfigMap, Secret, ServiceAccount and PriorityClass; a binding needs its role. All
else (routes, pools, autoscalers, Services) may come in any order.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .objects import Object
from .pod_templates import pods
from .values import values_at


class Reference(NamedTuple):
    kind: str
    namespace: str
    name: str


_OF_PODS: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": (
        "volumes.configMap.name",
        "volumes.projected.sources.configMap.name",
        "containers.envFrom.configMapRef.name",
        "containers.env.valueFrom.configMapKeyRef.name",
    ),
    "PersistentVolumeClaim": ("volumes.persistentVolumeClaim.claimName",),
    "PriorityClass": ("priorityClassName",),
    "ResourceClaimTemplate": ("resourceClaims.resourceClaimTemplateName",),
    "Secret": (
        "volumes.secret.secretName",
        "volumes.projected.sources.secret.name",
        "imagePullSecrets.name",
        "containers.envFrom.secretRef.name",
        "containers.env.valueFrom.secretKeyRef.name",
    ),
    "ServiceAccount": ("serviceAccountName",),
}
"""Kind to where a pod names objects of it; of init containers as of containers."""


def references(obj: Object) -> set[Reference]:
    """What the object needs. Names that are not known yet (Outputs) are left out."""
    namespace = obj["metadata"].get("namespace", "")
    found = {*_of_role(obj, namespace), *_of_token(obj, namespace)}
    for pod in pods(obj):
        both = {**pod.spec, "containers": [*pod.spec.get("initContainers", []), *pod.spec.get("containers", [])]}
        for kind, paths in _OF_PODS.items():
            where = "" if kind == "PriorityClass" else namespace
            found.update(Reference(kind, where, name) for path in paths for name in values_at(both, path.split(".")))
    return {reference for reference in found if isinstance(reference.name, str) and reference.name}


def _of_role(obj: Object, namespace: str) -> Iterator[Reference]:
    role = obj.get("roleRef")
    if role:
        yield Reference(role["kind"], "" if role["kind"] == "ClusterRole" else namespace, role["name"])


def _of_token(obj: Object, namespace: str) -> Iterator[Reference]:
    if obj["kind"] == "Secret":
        account = obj["metadata"].get("annotations", {}).get("kubernetes.io/service-account.name", "")
        yield Reference("ServiceAccount", namespace, account)
