"""An operator's service and its stack before a take-over, and what tests compare before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES
from tests.integration.live import read_live
from tests.integration.manifests import model, service
from tests.integration.operators import Object, Operator, install_definitions
from tests.integration.stacks import Stack
from tests.integration.test_adoption import are_ready, run_case
from tests.integration.waiting import eventually


@dataclass(frozen=True)
class Case:
    """A reference case. ``dumped``: its manifest is what the cluster has, not what is in Git; ``scaled``: an autoscaler
    has set other replicas than anybody states."""

    family: str
    name: str
    dumped: bool = False
    scaled: int | None = None


def operated(case: Case, stack: Stack, api: DynamicClient, tmp_path: Path) -> Operator:
    """An operator's service with the stack's manifests, before adoption."""
    wanted = FAMILIES[case.family]
    install_definitions(api)
    stack.config({"settings": {case.family: dict(wanted.settings)}, "adopted": str(tmp_path / "adopted.yaml")})
    stack.write(model() + service("own"))
    stack.up()
    if case.family == "ome":
        ome_operator.mark_nodes(api, stack.namespace)
        stack.write(yaml.safe_dump_all(ome_operator.environment(stack.namespace)), "runtimes.yaml")
    operator = Operator(api, stack.namespace)
    documents = run_case(wanted, case.name, operator)
    stack.write(_dump(operator, documents) if case.dumped else yaml.safe_dump_all(documents), "case.yaml")
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    return operator


def _dump(operator: Operator, documents: list[Object]) -> str:
    """As `kubectl get -o yaml` writes it, with what the API server and the operator have added."""
    live = [read_live(operator.api, custom) | {"status": {"phase": "Ready"}} for custom in operator.resources]
    kinds = {custom["kind"] for custom in operator.resources}
    beside = [document for document in documents if document["kind"] not in kinds]
    return listed([*live, *beside])


def listed(items: list[Object]) -> str:
    """Objects as `kubectl get -o yaml` writes them."""
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items, "metadata": {}})


def stated(obj: Any) -> Any:
    """What an object says, without its status and what Kubernetes counts."""
    kept = {name: value for name, value in obj.items() if name not in ("status", "metadata")}
    metadata = obj["metadata"]
    return kept | {name: metadata.get(name) for name in ("uid", "labels", "ownerReferences", "finalizers")}


def addresses_of(api: DynamicClient, namespace: str) -> dict[str, Object]:
    """Cluster addresses and ports of every Service."""
    services = api.resources.get(api_version="v1", kind="Service").get(namespace=namespace).items
    return {
        item.metadata.name: {name: item.to_dict()["spec"].get(name) for name in ("clusterIPs", "ports")}
        for item in services
    }


def has_fields(live: Any, patch: Any) -> bool:
    """Whether an object has what somebody has set."""
    if isinstance(patch, Mapping):
        return isinstance(live, Mapping) and all(has_fields(live.get(name), value) for name, value in patch.items())
    return live == patch


def first(operator: Operator, *kinds: str) -> Object:
    return next(obj for obj in operator.made if obj["kind"] in kinds)


def orphan(api: DynamicClient, custom: Object, workload: Object) -> None:
    """Deletes the custom resource like `kubectl delete --cascade=orphan`."""
    resource = api.resources.get(api_version=custom["apiVersion"], kind=custom["kind"])
    namespace = custom["metadata"]["namespace"]
    resource.delete(name=custom["metadata"]["name"], namespace=namespace, body={"propagationPolicy": "Orphan"})
    eventually(
        lambda: read_live(api, custom) is None and not read_live(api, workload)["metadata"].get("ownerReferences"),
        "the custom resource gone, its objects there",
    )
