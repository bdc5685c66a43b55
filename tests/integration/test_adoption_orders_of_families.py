"""The orders of ``test_adoption_orders`` for the other families: what others have set stays, drift before and after
the take-over, a custom resource that is deleted first, an operator that writes again; manifests as in Git and as dumped
from the cluster, groups of pods, and workloads that an autoscaler has scaled.

The reference's objects stand for the operators'. Not proven here: real controllers, and a real autoscaler.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.live import edit_live, read_live, scale
from tests.integration.operators import MANAGER, Object, Operator
from tests.integration.stacks import Stack
from tests.integration.take_over import Case, addresses_of, first, has_fields, operated, orphan
from tests.integration.test_adoption import WORKLOADS, are_ready, pods
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

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
    operator = operated(case, stack, api, tmp_path)
    workload, entry = first(operator, *WORKLOADS), first(operator, "Service")
    edit_live(api, entry, BALANCER, "balancer")
    edit_live(api, entry, AFFINITY, "kubectl-patch")
    for obj in _made(operator):
        edit_live(api, obj, BACKUP, "backup")
    edit_live(api, workload, DRIFT[workload["kind"]], "k9s")
    if workload["kind"] == "Deployment":
        edit_live(api, workload, {"spec": {"template": EDITED}}, "kubectl-edit")
        eventually(lambda: are_ready(api, stack.namespace), "the edited pods")
    if case.scaled:
        scale(api, workload["apiVersion"], workload["kind"], workload["metadata"]["name"], stack.namespace, case.scaled)
        eventually(lambda: are_ready(api, stack.namespace), "the autoscaler's pods")
    before, addresses = pods(api, stack.namespace), addresses_of(api, stack.namespace)
    orphan(api, operator.resources[0], workload)

    done = command(stack, "adopt", "--yes")
    stack.up()

    assert done.returncode == 0, done.stderr
    name = f"{stack.namespace}/{entry['metadata']['name']}"
    assert f"Service {name}: these fields stay with those who set them: " in done.stdout
    _assert_nothing_lost(case, operator, before, addresses)
    stack.up("--expect-no-changes")
    assert not has_fields(read_live(api, workload), DRIFT[workload["kind"]])

    edit_live(api, workload, DRIFT[workload["kind"]], "k9s")
    stack.up("--refresh")
    assert not has_fields(read_live(api, workload), DRIFT[workload["kind"]])
    _assert_nothing_lost(case, operator, before, addresses)
    assert "unchanged" in command(stack, "adopt").stdout

    time.sleep(1)  # the API server stores whole seconds, so a write within the same second doesn't count as later
    edit_live(api, workload, DRIFT[workload["kind"]], MANAGER)
    assert f"written by {MANAGER} since the stack's last update" in stack.preview().text
    edit_live(api, entry, {"metadata": {"finalizers": None}}, "balancer")


def _assert_nothing_lost(
    case: Case, operator: Operator, before: Mapping[str, str], addresses: Mapping[str, Object]
) -> None:
    """Every pod, every Service's address, and every field of somebody else's is as it was."""
    api, workload, entry = operator.api, first(operator, *WORKLOADS), first(operator, "Service")
    assert pods(api, operator.namespace) == before
    there = addresses_of(api, operator.namespace)
    assert {name: there.get(name) for name in addresses} == addresses
    assert has_fields(read_live(api, entry), BALANCER) and has_fields(read_live(api, entry), AFFINITY)
    assert [obj["metadata"]["name"] for obj in _made(operator) if not has_fields(read_live(api, obj), BACKUP)] == []
    if case.scaled:
        assert read_live(api, workload)["spec"]["replicas"] == case.scaled


def _made(operator: Operator) -> Iterator[Object]:
    """What the operator made in its namespace."""
    return (obj for obj in operator.made if "namespace" in obj["metadata"])
