"""The orders of ``test_adoption_orders`` for the other families: what others have set stays, drift before and after
the take-over, a custom resource that is deleted first, an operator that writes again.

The reference's objects stand for the operators'. Not proven here: real controllers, and an active autoscaler.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES
from tests.integration.live import edit, read
from tests.integration.manifests import model, service
from tests.integration.operators import MANAGER, Object, Operator, install_definitions
from tests.integration.stacks import Stack
from tests.integration.test_adoption import are_ready, pods, run_case
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

CASES = {"otterscale": "pd-defaults", "kserve": "s02-single-router-defaults", "ome": "raw-default"}
BALANCER = {"metadata": {"annotations": {"example.com/balancer": "true"}, "finalizers": ["example.com/balancer"]}}
DRIFT = {"spec": {"progressDeadlineSeconds": 77}}


@pytest.mark.parametrize("family", CASES)
def test_what_others_have_set_stays(family: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    operator = _operated(family, stack, api, tmp_path)
    workload, entry = (_first(operator, kind) for kind in ("Deployment", "Service"))
    before, address = pods(api, stack.namespace), _live(api, entry)["spec"]["clusterIP"]
    _edit(api, entry, BALANCER, "balancer")
    _edit(api, entry, {"spec": {"sessionAffinity": "ClientIP"}}, "kubectl-patch")
    _edit(api, workload, DRIFT, "k9s")
    _orphan(api, operator.resources[0], workload)

    done = command(stack, "adopt", "--yes")
    stack.up()

    assert done.returncode == 0, done.stderr
    assert f"Service {stack.namespace}/{_name(entry)}: these fields stay with those who set them: " in done.stdout
    assert pods(api, stack.namespace) == before
    kept = _live(api, entry)
    assert kept["spec"]["clusterIP"] == address
    assert kept["spec"]["sessionAffinity"] == "ClientIP"
    assert kept["metadata"]["finalizers"] == ["example.com/balancer"]
    assert kept["metadata"]["annotations"]["example.com/balancer"] == "true"
    stack.up("--expect-no-changes")
    deadline = _live(api, workload)["spec"]["progressDeadlineSeconds"]
    assert deadline != 77

    _edit(api, workload, DRIFT, "k9s")
    stack.up("--refresh")
    assert _live(api, workload)["spec"]["progressDeadlineSeconds"] == deadline
    assert pods(api, stack.namespace) == before
    assert "unchanged" in command(stack, "adopt").stdout

    time.sleep(1)  # the API server notes whole seconds, and a write in the same one is not known to be later
    _edit(api, workload, {"spec": {"revisionHistoryLimit": 3}}, MANAGER)
    assert f"written by {MANAGER} since the stack's last update" in stack.preview().text
    _edit(api, entry, {"metadata": {"finalizers": None}}, "balancer")


def _operated(family: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> Operator:
    """An operator's service whose manifests are the stack's, before the take-over."""
    wanted = FAMILIES[family]
    install_definitions(api)
    stack.config({"settings": {family: dict(wanted.settings)}, "adopted": str(tmp_path / "adopted.yaml")})
    stack.write(model() + service("own"))
    stack.up()
    if family == "ome":
        ome_operator.mark_nodes(api, stack.namespace)
        stack.write(yaml.safe_dump_all(ome_operator.environment(stack.namespace)), "runtimes.yaml")
    operator = Operator(api, stack.namespace)
    stack.write(yaml.safe_dump_all(run_case(wanted, CASES[family], operator)), "case.yaml")
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    return operator


def _first(operator: Operator, kind: str) -> Object:
    return next(obj for obj in operator.made if obj["kind"] == kind)


def _name(obj: Object) -> str:
    return obj["metadata"]["name"]


def _live(api: DynamicClient, obj: Object) -> Any:
    return read(api, obj["apiVersion"], obj["kind"], _name(obj), obj["metadata"]["namespace"])


def _edit(api: DynamicClient, obj: Object, change: Object, manager: str) -> None:
    edit(api, obj["apiVersion"], obj["kind"], _name(obj), obj["metadata"]["namespace"], change, manager)


def _orphan(api: DynamicClient, custom: Object, workload: Object) -> None:
    """As `kubectl delete --cascade=orphan` does."""
    resource = api.resources.get(api_version=custom["apiVersion"], kind=custom["kind"])
    namespace = custom["metadata"]["namespace"]
    resource.delete(name=_name(custom), namespace=namespace, body={"propagationPolicy": "Orphan"})
    eventually(
        lambda: _live(api, custom) is None and not _live(api, workload)["metadata"].get("ownerReferences"),
        "the custom resource gone, its objects there",
    )
