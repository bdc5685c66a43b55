"""References of an object: to objects that must exist before it can work, and others by name or by labels.

A pod can't start without its claim, ConfigMap, Secret, ServiceAccount and PriorityClass, and a binding needs its role.
Only these are dependencies of registration. All others (routes, pools, autoscalers, Services) may come in any order.

Objects may have any shape (a kind that is passed through); what doesn't follow the API's schema is not a reference.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from .objects import Key, Object
from .pod_templates import containers_of, pod_templates, pods
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
"""For each kind, where a pod names such objects. Paths of containers also apply to init containers."""


_OPTION = re.compile(r"(?:^|\s)--?((?:inference-)?pool(?:-[a-z]+)?)[= ]\s*[\"']?([^\s\"']+)")
_OLD_POOLS = "inference.networking.x-k8s.io"
_POOLS = ("inference.networking.k8s.io/v1", f"{_OLD_POOLS}/v1alpha2")


def references(obj: Object) -> set[Reference]:
    """What the object needs. Names not known yet (Outputs) are left out."""
    namespace = obj["metadata"].get("namespace", "")
    needed: set[Reference] = set()
    if role := obj.get("roleRef"):
        needed.add(Reference(role["kind"], "" if role["kind"] == "ClusterRole" else namespace, role["name"]))
    if obj["kind"] == "Secret":
        account = obj["metadata"].get("annotations", {}).get("kubernetes.io/service-account.name", "")
        needed.add(Reference("ServiceAccount", namespace, account))
    for pod in pods(obj):
        both = {**pod.spec, "containers": [*pod.spec.get("initContainers", []), *pod.spec.get("containers", [])]}
        for kind, paths in _OF_PODS.items():
            where = "" if kind == "PriorityClass" else namespace
            needed.update(Reference(kind, where, name) for path in paths for name in values_at(both, path.split(".")))
    return {reference for reference in needed if isinstance(reference.name, str) and reference.name}


def named_pools(obj: Object) -> Iterator[Key]:
    """The InferencePools that programs in an object's pods watch. The routing sidecar and the endpoint picker name
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


class Link(NamedTuple):
    """References by name. ``label`` says how the object uses the other one. ``path`` leads to the references, through
    lists. ``kind`` is the other object's kind, unless the reference states it."""

    label: str
    path: str
    kind: str


_BINDING = (Link("grants", "roleRef", "Role"), Link("to", "subjects", "ServiceAccount"))
_SCALES = Link("scales", "spec.scaleTargetRef", "Deployment")

LINKS: Mapping[str, tuple[Link, ...]] = {
    "ClusterRoleBinding": _BINDING,
    "DestinationRule": (Link("sets TLS of", "spec", "Service"),),
    "HTTPRoute": (
        Link("through", "spec.parentRefs", "Gateway"),
        Link("routes to", "spec.rules.backendRefs", "Service"),
    ),
    "HorizontalPodAutoscaler": (_SCALES,),
    "InferenceObjective": (Link("ranks requests to", "spec.poolRef", "InferencePool"),),
    "InferencePool": (
        Link("asks", "spec.endpointPickerRef", "Service"),
        Link("asks", "spec.extensionRef", "Service"),
    ),
    "Ingress": (
        Link("routes to", "spec.defaultBackend.service", "Service"),
        Link("routes to", "spec.rules.http.paths.backend.service", "Service"),
    ),
    "RoleBinding": _BINDING,
    "ScaledObject": (_SCALES, Link("uses", "spec.triggers.authenticationRef", "TriggerAuthentication")),
    "ServiceMonitor": (Link("reads with", "spec.endpoints.authorization.credentials", "Secret"),),
    "VirtualService": (Link("routes to", "spec.http.route.destination", "Service"),),
}

CLUSTER_SCOPED = ("ClusterRole", "ClusterTriggerAuthentication")


def links(obj: Object) -> Iterator[tuple[Reference, str]]:
    """What the object refers to by name, with each link's label. Names not known yet (Outputs) are left out."""
    for link in LINKS.get(obj["kind"], ()):
        for value in at(obj, link.path):
            reference = _reference(value, link.kind, obj)
            if all(isinstance(part, str) for part in reference) and reference.name:
                yield reference, link.label


def at(value: Any, path: str) -> Iterator[Mapping[str, Any]]:
    """The mappings at a path such as ``spec.rules.backendRefs``, including those in lists."""
    return (inner for inner in values_at(value, path.split(".")) if isinstance(inner, Mapping))


def _reference(value: Mapping[str, Any], kind: str, obj: Object) -> Reference:
    """A reference as the API writes it: kind and namespace are optional, and Istio's has a host instead of a name."""
    kind = value.get("kind", kind)
    namespace = value.get("namespace", obj["metadata"].get("namespace", ""))
    name = value.get("name", "")
    if isinstance(value.get("host"), str):
        name, _, rest = value["host"].partition(".")
        namespace = rest.partition(".")[0] or namespace
    return Reference(kind, "" if kind in CLUSTER_SCOPED else namespace, name)


class Selector(NamedTuple):
    """Path of a kind's selector, and the kind whose labels it matches (``Pod``: labels of pod templates)."""

    path: str
    kind: str


SELECTORS: Mapping[str, Selector] = {
    "InferencePool": Selector("spec.selector", "Pod"),
    "NetworkPolicy": Selector("spec.podSelector", "Pod"),
    "PodDisruptionBudget": Selector("spec.selector", "Pod"),
    "PodMonitor": Selector("spec.selector", "Pod"),
    "Service": Selector("spec.selector", "Pod"),
    "ServiceMonitor": Selector("spec.selector", "Service"),
}
"""For each kind, its selector of objects in the same namespace."""


def selector(obj: Object) -> tuple[str, Mapping[str, Any]]:
    """The kind whose labels the object's selector matches, and the labels; empty without a selector."""
    path, kind = SELECTORS.get(obj["kind"], Selector("", ""))
    return kind, next(chain(at(obj, f"{path}.matchLabels"), at(obj, path)), {})


def labels(obj: Object) -> list[tuple[str, Mapping[str, Any]]]:
    """The labels by which an object can be selected: those of each pod template, and its own."""
    labelled = [("Pod", template) for _, template in pod_templates(obj)] + [(obj["kind"], obj)]
    return [(kind, values) for kind, item in labelled for values in at(item, "metadata.labels")]
