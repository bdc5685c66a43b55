"""Which objects must be there before another one can work: the only dependencies that registration makes.

A pod can't start without its claim, ConfigMap, Secret, ServiceAccount and PriorityClass; a binding needs its role. All
else (routes, pools, autoscalers, Services) may come in any order.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .objects import Key, Object
from .pod_templates import containers_of, pods
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


_OPTION = re.compile(r"(?:^|\s)--?((?:inference-)?pool(?:-[a-z]+)?)[= ]\s*[\"']?([^\s\"']+)")
_OLD_POOLS = "inference.networking.x-k8s.io"
_POOLS = ("inference.networking.k8s.io/v1", f"{_OLD_POOLS}/v1alpha2")


def references(obj: Object) -> set[Reference]:
    """What the object needs. Names that are not known yet (Outputs) are left out."""
    namespace = obj["metadata"].get("namespace", "")
    needed = {*_of_role(obj, namespace), *_of_token(obj, namespace)}
    for pod in pods(obj):
        both = {**pod.spec, "containers": [*pod.spec.get("initContainers", []), *pod.spec.get("containers", [])]}
        for kind, paths in _OF_PODS.items():
            where = "" if kind == "PriorityClass" else namespace
            needed.update(Reference(kind, where, name) for path in paths for name in values_at(both, path.split(".")))
    return {reference for reference in needed if isinstance(reference.name, str) and reference.name}


def named_pools(obj: Object) -> Iterator[Key]:
    """The InferencePools that the programs in an object's pods watch: the routing sidecar and the endpoint picker name
    theirs in their arguments."""
    for container in containers_of(obj):
        words = [str(word) for field in ("command", "args") for word in container.body.get(field) or []]
        options = dict(_OPTION.findall(" ".join(words)))
        name = options.get("inference-pool") or options.get("inference-pool-name") or options.get("pool-name")
        if name:
            where, _, pool = name.rpartition("/")
            named = options.get("inference-pool-namespace") or options.get("pool-namespace")
            namespace = where or (named if named and "$" not in named else obj["metadata"].get("namespace", ""))
            yield Key(_POOLS[options.get("pool-group") == _OLD_POOLS], "InferencePool", namespace, pool)


def _of_role(obj: Object, namespace: str) -> Iterator[Reference]:
    role = obj.get("roleRef")
    if role:
        yield Reference(role["kind"], "" if role["kind"] == "ClusterRole" else namespace, role["name"])


def _of_token(obj: Object, namespace: str) -> Iterator[Reference]:
    if obj["kind"] == "Secret":
        account = obj["metadata"].get("annotations", {}).get("kubernetes.io/service-account.name", "")
        yield Reference("ServiceAccount", namespace, account)
