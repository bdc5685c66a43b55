"""The operators whose objects can be taken over, and whether one of them still reconciles.

A running operator would undo a take-over. An operator is identified by the API group of the custom resource that owns
an object. It has stopped when its CRD is gone, or when no workload that runs its controller has pods and nobody renews
its lease.
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
"""Program name, and so field manager, of every controller that is built as kubebuilder proposes."""


@dataclass(frozen=True)
class Operator:
    """``managers`` are the field managers of its controllers (the names of their programs), ``controller`` matches the
    names and images of their workloads, ``lease`` is the name of the lease that its leader renews."""

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

MANAGERS = frozenset(name for operator in OPERATORS.values() for name in operator.managers)

_ROLE = re.compile(r"controller|operator|manager")
_WORKLOADS = ("/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets")
_LEASES = "/apis/coordination.k8s.io/v1/leases"
_SECONDS = 15
"""Duration of a lease that does not state one."""


def operator_of(api_version: str) -> Operator:
    """The operator of an API group, or one derived from the first part of an unknown group."""
    group = api_version.partition("/")[0]
    first = group.partition(".")[0]
    return OPERATORS.get(group) or Operator(first, frozenset([BUILT_BY_KUBEBUILDER]), re.compile(re.escape(first)))


def running_controllers(api_version: str, cluster: Cluster) -> list[str]:
    """The workloads that run an API group's controller, as ``Deployment namespace/name``; empty when it stopped.

    If no workload looks like it, the holder of its lease. Raises ClusterError when the cluster can't be read.
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
    """Scaling to zero is not enough: the last pods must be gone as well."""
    return bool(item["spec"].get("replicas", 1) or item.get("status", {}).get("replicas", 0))


def _is_controller(item: Mapping[str, Any], operator: Operator, group: str) -> bool:
    """Whether a workload runs the operator's controller: by a name like ``llmkube-controller-manager``, an image like
    ``…/llmkube-controller:1``, its labels or its service account.

    A workload that a custom resource of the group owns, or that a stack made, is not a controller. Other owners are
    installers (OLM, an operator of the platform).
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
    """Texts that tell what a workload runs: names, images without their digests, and kubebuilder's labels."""
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
    """The current holder of the operator's lease, whatever its workload is called. Empty if leases can't be listed."""
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
