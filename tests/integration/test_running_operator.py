"""A take-over while the operator runs for other teams, and an operator that comes back after one.

The control plane is this file's own: a running controller would stop every other test's take-over. The operator is
simulated (``running_operator``); its objects are the reference's. What real controllers do beyond that is shown by
``real_operators``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from tests.integration.adopted_families import FAMILIES
from tests.integration.conftest import SharedCluster
from tests.integration.live import edit_live, read_live
from tests.integration.operators import Operator
from tests.integration.running_operator import RunningOperator
from tests.integration.stacks import Stack
from tests.integration.take_over import Case, addresses_of, first, has_fields, operated, orphan, stated
from tests.integration.test_adoption import are_ready, pods, run_case
from tests.integration.test_commands import command
from tests.integration.waiting import eventually
from tools.control_plane import ControlPlane

CASES = (
    Case("llmkube", "autoscaling-default-metric"),
    Case("otterscale", "epp-explicit-full"),
    Case("kserve", "s02-single-router-defaults"),
    Case("ome", "raw-default"),
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCluster]:
    with ControlPlane.start(tmp_path_factory.mktemp("plane")) as plane:
        yield SharedCluster(plane.kubeconfig)


@pytest.fixture(scope="module")
def api(cluster: SharedCluster, tmp_path_factory: pytest.TempPathFactory) -> DynamicClient:
    client = config.new_client_from_config(str(cluster.kubeconfig))
    return DynamicClient(client, cache_file=str(tmp_path_factory.mktemp("discovery") / "cache.json"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.family)
def test_one_team_leaves_a_running_operator(
    case: Case, stack: Stack, new_namespace: Callable[[], str], api: DynamicClient, tmp_path: Path
) -> None:
    operator = operated(case, stack, api, tmp_path)
    others = Operator(api, new_namespace())
    run_case(FAMILIES[case.family], case.name, others)
    eventually(lambda: are_ready(api, others.namespace), "the other team's pods")
    custom, workload = operator.resources[0], first(operator, "Deployment")
    before, served = pods(api, stack.namespace), addresses_of(api, stack.namespace)
    running = RunningOperator(operator, others)

    with running.running() as reconcile:
        reconcile()
        theirs = _state(api, others)
        label = {"metadata": {"labels": {next(iter(workload["metadata"]["labels"])): "edited"}}}
        edit_live(api, workload, label, "k9s")
        eventually(lambda: not has_fields(read_live(api, workload), label), "the operator's own label")
        made = _state(api, operator)
        refused = command(stack, "adopt", "--yes")
        assert refused.returncode == 1
        assert f"is still reconciled by {running.controller}" in refused.stderr
        assert "run `modelservices adopt" in stack.up(fails=True).text
        assert _state(api, operator) == made

        orphan(api, custom, workload)
        done = command(stack, "adopt", "--yes")
        assert done.returncode == 0, done.stderr
        stack.up()
        reconcile()
        stack.preview("--refresh", "--expect-no-changes")

    assert pods(api, stack.namespace) == before
    there = addresses_of(api, stack.namespace)
    assert {name: there.get(name) for name in served} == served
    assert _belongs_to_nobody_else(api, operator)
    assert _state(api, others) == theirs


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.family)
def test_an_operator_comes_back(case: Case, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    operator = operated(case, stack, api, tmp_path)
    custom, workload = operator.resources[0], first(operator, "Deployment")
    before = pods(api, stack.namespace)
    done = command(stack, "adopt", "--yes")
    assert done.returncode == 0, done.stderr
    stack.up()
    assert _belongs_to_nobody_else(api, operator)
    running = RunningOperator(operator)

    with running.running() as reconcile:
        reconcile()
        assert f"still in the cluster, where {running.controller} reconciles them" in command(stack, "status").stderr
        refused = stack.up(fails=True)
        assert f"{workload['kind']} {stack.namespace}/{workload['metadata']['name']}" in refused.text
        assert "run `modelservices adopt" in refused.text
        orphan(api, custom, workload)
        done = command(stack, "adopt", "--yes")
        assert done.returncode == 0, done.stderr
        stack.up("--refresh")
        reconcile()
        stack.preview("--refresh", "--expect-no-changes")

    assert pods(api, stack.namespace) == before
    assert _belongs_to_nobody_else(api, operator)


def _state(api: DynamicClient, operator: Operator) -> Mapping[str, Any]:
    """What each object of an operator says, without its status and what Kubernetes counts."""
    return {f"{obj['kind']} {obj['metadata']['name']}": stated(read_live(api, obj)) for obj in operator.made} | pods(
        api, operator.namespace
    )


def _belongs_to_nobody_else(api: DynamicClient, operator: Operator) -> bool:
    """Whether everything that the operator made is there, cluster roles too, and goes with no custom resource."""
    there = [read_live(api, obj) for obj in operator.made]
    return all(there) and not any(obj["metadata"].get("ownerReferences") for obj in there)
