"""The orders of ``test_adoption_orders`` for the other families: what others have set stays, drift before and after
the take-over, a custom resource that is deleted first, an operator that writes again; manifests as in Git and as dumped
from the cluster, groups of pods, and workloads that an autoscaler has scaled.

The reference's objects stand for the operators'. Not proven here: real controllers, and a real autoscaler.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES
from tests.integration.live import edit, read, scale
from tests.integration.manifests import model, service
from tests.integration.operators import MANAGER, Object, Operator, install_definitions
from tests.integration.stacks import Stack
from tests.integration.test_adoption import WORKLOADS, are_ready, pods, run_case
from tests.integration.test_commands import command
from tests.integration.waiting import eventually


@dataclass(frozen=True)
class Case:
    """A reference case. ``dumped``: its manifest is what the cluster has, not what is in Git; ``scaled``: an autoscaler
    has set other replicas than anybody states."""

    family: str
    name: str
    dumped: bool = False
    scaled: int | None = None


CASES = (
    Case("llmkube", "autoscaling-default-metric", dumped=True, scaled=3),
    Case("otterscale", "pd-defaults"),
    Case("otterscale", "decode-minimal", dumped=True),
    Case("kserve", "s02-single-router-defaults"),
    Case("kserve", "p33-mn-spec", dumped=True),
    Case("kserve", "s27-scaling-direct-keda-mn", scaled=2),
    Case("ome", "raw-default"),
    Case("ome", "multinode-lws", dumped=True),
    Case("ome", "keda-annotations", scaled=3),
)
BALANCER = {"metadata": {"annotations": {"example.com/balancer": "true"}, "finalizers": ["example.com/balancer"]}}
AFFINITY = {"spec": {"sessionAffinity": "ClientIP"}}
BACKUP = {"metadata": {"labels": {"example.com/backup": "weekly"}}}
DRIFT: Mapping[str, Object] = {
    "Deployment": {"spec": {"progressDeadlineSeconds": 77}},
    "LeaderWorkerSet": {"spec": {"startupPolicy": "LeaderReady"}},
}
EDITED = {
    "metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"}},
    "spec": {
        "containers": [{"name": "debugger", "image": "example/debugger:1", "env": [{"name": "EMPTY", "value": ""}]}],
        "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["registry"]}],
    },
}
"""What somebody has changed by hand in a pod template, which restarted the pods then."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.family}-{case.name}")
def test_what_others_have_set_stays(case: Case, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    operator = _operated(case, stack, api, tmp_path)
    workload, entry = _first(operator, *WORKLOADS), _first(operator, "Service")
    _edit(api, entry, BALANCER, "balancer")
    _edit(api, entry, AFFINITY, "kubectl-patch")
    for obj in _made(operator):
        _edit(api, obj, BACKUP, "backup")
    _edit(api, workload, DRIFT[workload["kind"]], "k9s")
    if workload["kind"] == "Deployment":
        _edit(api, workload, {"spec": {"template": EDITED}}, "kubectl-edit")
        eventually(lambda: are_ready(api, stack.namespace), "the edited pods")
    if case.scaled:
        scale(api, workload["apiVersion"], workload["kind"], _name(workload), stack.namespace, case.scaled)
        eventually(lambda: are_ready(api, stack.namespace), "the autoscaler's pods")
    before, addresses = pods(api, stack.namespace), _addresses(api, stack.namespace)
    _orphan(api, operator.resources[0], workload)

    done = command(stack, "adopt", "--yes")
    stack.up()

    assert done.returncode == 0, done.stderr
    assert f"Service {stack.namespace}/{_name(entry)}: these fields stay with those who set them: " in done.stdout
    _assert_nothing_lost(case, operator, before, addresses)
    stack.up("--expect-no-changes")
    assert not _has(_live(api, workload), DRIFT[workload["kind"]])

    _edit(api, workload, DRIFT[workload["kind"]], "k9s")
    stack.up("--refresh")
    assert not _has(_live(api, workload), DRIFT[workload["kind"]])
    _assert_nothing_lost(case, operator, before, addresses)
    assert "unchanged" in command(stack, "adopt").stdout

    time.sleep(1)  # the API server stores whole seconds, so a write within the same second doesn't count as later
    _edit(api, workload, DRIFT[workload["kind"]], MANAGER)
    assert f"written by {MANAGER} since the stack's last update" in stack.preview().text
    _edit(api, entry, {"metadata": {"finalizers": None}}, "balancer")


def _operated(case: Case, stack: Stack, api: DynamicClient, tmp_path: Path) -> Operator:
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
    live = [_live(operator.api, custom) | {"status": {"phase": "Ready"}} for custom in operator.resources]
    kinds = {custom["kind"] for custom in operator.resources}
    beside = [document for document in documents if document["kind"] not in kinds]
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [*live, *beside], "metadata": {}})


def _assert_nothing_lost(
    case: Case, operator: Operator, before: Mapping[str, str], addresses: Mapping[str, Object]
) -> None:
    """Every pod, every Service's address, and every field of somebody else's is as it was."""
    api, workload, entry = operator.api, _first(operator, *WORKLOADS), _first(operator, "Service")
    assert pods(api, operator.namespace) == before
    there = _addresses(api, operator.namespace)
    assert {name: there.get(name) for name in addresses} == addresses
    assert _has(_live(api, entry), BALANCER) and _has(_live(api, entry), AFFINITY)
    assert [key for obj in _made(operator) if not _has(_live(api, obj), BACKUP) for key in [_name(obj)]] == []
    if case.scaled:
        assert _live(api, workload)["spec"]["replicas"] == case.scaled


def _addresses(api: DynamicClient, namespace: str) -> dict[str, Object]:
    """Cluster addresses and ports of every Service."""
    services = api.resources.get(api_version="v1", kind="Service").get(namespace=namespace).items
    return {
        item.metadata.name: {name: item.to_dict()["spec"].get(name) for name in ("clusterIPs", "ports")}
        for item in services
    }


def _has(live: Any, patch: Any) -> bool:
    """Whether an object has what somebody has set."""
    if isinstance(patch, Mapping):
        return isinstance(live, Mapping) and all(_has(live.get(name), value) for name, value in patch.items())
    return live == patch


def _made(operator: Operator) -> Iterator[Object]:
    """What the operator made in its namespace."""
    return (obj for obj in operator.made if "namespace" in obj["metadata"])


def _first(operator: Operator, *kinds: str) -> Object:
    return next(obj for obj in operator.made if obj["kind"] in kinds)


def _name(obj: Object) -> str:
    return obj["metadata"]["name"]


def _live(api: DynamicClient, obj: Object) -> Any:
    return read(api, obj["apiVersion"], obj["kind"], _name(obj), obj["metadata"]["namespace"])


def _edit(api: DynamicClient, obj: Object, change: Object, manager: str) -> None:
    edit(api, obj["apiVersion"], obj["kind"], _name(obj), obj["metadata"]["namespace"], change, manager)


def _orphan(api: DynamicClient, custom: Object, workload: Object) -> None:
    """Deletes the custom resource like `kubectl delete --cascade=orphan`."""
    resource = api.resources.get(api_version=custom["apiVersion"], kind=custom["kind"])
    namespace = custom["metadata"]["namespace"]
    resource.delete(name=_name(custom), namespace=namespace, body={"propagationPolicy": "Orphan"})
    eventually(
        lambda: _live(api, custom) is None and not _live(api, workload)["metadata"].get("ownerReferences"),
        "the custom resource gone, its objects there",
    )
