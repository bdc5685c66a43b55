"""The operators that are taken over from, and whether one of them still reconciles.

What an operator would put back must not be taken over while it runs. An operator is known by the API group of the
custom resource that owns an object. It has stopped when its CRD is gone, or when nothing that runs its controller has
pods and nobody renews its lease.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..kubernetes.values import mapping, mappings, value_at
from .connection import Cluster, Refused
from .ownership import owners

BUILT_BY_KUBEBUILDER = "manager"
"""The name of every controller's program that is built as kubebuilder proposes, and so of its field manager."""


@dataclass(frozen=True)
class Operator:
    """``managers`` are the field managers of its controllers (the names of their programs), ``controller`` is what the
    names and images of their workloads have, ``lease`` the one that its leader renews."""

    name: str
    managers: frozenset[str]
    controller: re.Pattern[str]
    lease: str = ""


OPERATORS: Mapping[str, Operator] = {
    "inference.llmkube.dev": Operator(
        "LLMKube",
        frozenset(["llmkube-controller", BUILT_BY_KUBEBUILDER]),
        re.compile(r"llmkube"),
        "882d6afe.llmkube.dev",
    ),
    "model.otterscale.io": Operator(
        "OtterScale",
        frozenset(["model-operator", BUILT_BY_KUBEBUILDER]),
        re.compile(r"otterscale|model-operator|modelservice"),
        "model-operator-leader-election",
    ),
    # KServe's other controller reconciles InferenceServices only.
    "serving.kserve.io": Operator(
        "KServe",
        frozenset(["llmisvc", "llmisvc-controller", BUILT_BY_KUBEBUILDER]),
        re.compile(r"llmisvc|llminferenceservice"),
        "llminferenceservice-kserve-controller-manager",
    ),
    "ome.io": Operator(
        "OME",
        frozenset(["ome-controller-manager", "ome-manager", BUILT_BY_KUBEBUILDER]),
        re.compile(r"(^|[-/])ome([-/:]|$)"),
        "ome-controller-manager-leader-lock",
    ),
}
"""By API group of its custom resources."""

MANAGERS = frozenset(name for operator in OPERATORS.values() for name in operator.managers)
"""The field managers of all operators."""

_ROLE = re.compile(r"controller|operator|manager")
_WORKLOADS = ("/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets")
_LEASES = "/apis/coordination.k8s.io/v1/leases"
_SECONDS = 15
"""How long a leader keeps its lease when the lease doesn't say."""


def operator_of(api_version: str) -> Operator:
    """The operator of an API group; of another group what its first part says."""
    group = api_version.partition("/")[0]
    first = group.partition(".")[0]
    return OPERATORS.get(group) or Operator(first, frozenset([BUILT_BY_KUBEBUILDER]), re.compile(re.escape(first)))


def running_controllers(api_version: str, cluster: Cluster) -> list[str]:
    """What runs the controller of an API group, as ``Deployment namespace/name``; empty when it stopped.

    Where no workload looks like it, the holder of its lease. Raises ClusterError when that can't be seen.
    """
    operator, group = operator_of(api_version), api_version.partition("/")[0]
    controllers: list[str] = []
    for path in _WORKLOADS:
        kind = "Deployment" if path.endswith("deployments") else "StatefulSet"
        items = mappings((cluster.get(path) or {}).get("items"))
        controllers += [
            f"{kind} {_place(item)}" for item in items if _runs(item) and _is_controller(item, operator, group)
        ]
    return controllers or list(_lease_holders(operator, cluster))


def _place(item: Mapping[str, Any]) -> str:
    return f"{item['metadata'].get('namespace', '')}/{item['metadata']['name']}"


def _runs(item: Mapping[str, Any]) -> bool:
    """Scaled to zero is not enough: its last pods must be gone, too."""
    return bool(item["spec"].get("replicas", 1) or item.get("status", {}).get("replicas", 0))


def _is_controller(item: Mapping[str, Any], operator: Operator, group: str) -> bool:
    """Controllers have a name like ``llmkube-controller-manager``, an image like ``…/llmkube-controller:1``, or labels
    and an account that say so.

    What a custom resource of the group owns was made by a controller, and what a stack made is not one. Other owners
    are those of installers (OLM, an operator of the platform).
    """
    metadata = item["metadata"]
    made = any(
        owner.get("apiVersion", "").partition("/")[0] == group for owner in mappings(metadata.get("ownerReferences"))
    )
    if made or owners(metadata):
        return False
    texts = list(_texts(item))
    return any(map(operator.controller.search, texts)) and any(map(_ROLE.search, texts))


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    """What says what a workload runs: names, images without their registries' digests, and kubebuilder's labels."""
    yield item["metadata"]["name"]
    pod = mapping(value_at(item, "spec", "template", "spec"))
    yield str(pod.get("serviceAccountName", ""))
    for container in mappings(pod.get("containers")):
        yield container.get("image", "").rpartition("@")[0] or container.get("image", "")
        yield " ".join(str(word) for word in (container.get("command") or [])[:1])
    labels = mapping(item["metadata"].get("labels"))
    if "control-plane" in labels:
        yield from (str(labels.get(name, "")) for name in ("control-plane", "app.kubernetes.io/name"))


def _lease_holders(operator: Operator, cluster: Cluster) -> Iterator[str]:
    """Who renews the operator's lease, whatever its workload is called. Nobody is known who may not list leases."""
    try:
        items = mappings((cluster.get(_LEASES) or {}).get("items")) if operator.lease else ()
    except Refused:
        return
    for lease in items:
        spec = mapping(lease.get("spec"))
        if lease["metadata"]["name"] == operator.lease and spec.get("holderIdentity") and _is_renewed(spec):
            yield f"the holder of Lease {_place(lease)} ({spec['holderIdentity']})"


def _is_renewed(spec: Mapping[str, Any]) -> bool:
    try:
        renewed = datetime.fromisoformat(str(spec.get("renewTime")))
    except ValueError:
        return False
    seconds = spec.get("leaseDurationSeconds") or _SECONDS
    return datetime.now(UTC) - renewed.replace(tzinfo=renewed.tzinfo or UTC) < timedelta(seconds=float(seconds))
