"""The guide of docs/migration.md with the operators' real controllers (`make operators`).

Controllers run as processes with cluster-admin's rights; nodes and pods are simulated, webhooks are not installed. Not
proven here: what an installation's roles forbid its controller, and that real servers keep answering.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.live import edit_live
from tests.integration.operators import Object
from tests.integration.real_operators.controller import NAMESPACE, RealOperator
from tests.integration.real_operators.team import Team, lost
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

pytestmark = pytest.mark.operators

CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "llmkube": (
        ("llmkube.yaml", "autoscaling-default-metric", "vllm-full", "name-with-dots"),
        ("llamacpp-all-tuning", "endpoint-loadbalancer", "gpu-single-nvidia", "gpu-multi-even-split"),
    ),
    "otterscale": (
        ("otterscale.yaml", "decode-minimal", "epp-explicit-full"),
        ("pd-defaults", "monitoring-pd-custom", "engine-overrides"),
    ),
    "kserve": (
        ("kserve.yaml", "p60-baseref-spec-labels-merge", "s16-pd-single-router", "p64-v1alpha1-input"),
        ("s02-single-router-defaults", "s17-mn-dp-ep-router", "s22-scheduler-ha-inline-config"),
    ),
    "ome": (
        ("ome.yaml", "raw-default", "keda-annotations", "component-overrides", "base-model-namespaced"),
        ("multinode-lws", "pd-disaggregated", "service-loadbalancer", "autoscaler-external"),
    ),
}
"""Two teams' reference cases of each family, and richer services of files beside this one."""
CHANGES: dict[str, Callable[[int], Object]] = {
    "llmkube": lambda number: {"spec": {"contextSize": 4096 + number}},
    "otterscale": lambda number: {"spec": {"engine": {"args": [f"--max-model-len={4096 + number}"]}}},
    "kserve": lambda number: {"spec": {"labels": {"example.com/number": str(number)}}},
    "ome": lambda number: {"spec": {"engine": {"annotations": {"example.com/number": str(number)}}}},
}
"""A change of a service's pods, another for each number."""
_ORPHANED = 30
_COLLECTION_SECONDS = 5
"""The garbage collector needs less."""


@pytest.fixture(params=CASES)
def family(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def teams(family: str, new_team: Callable[..., Team]) -> tuple[Team, Team]:
    """The second team's manifests are dumped from the cluster."""
    first, second = CASES[family]
    return new_team(*first), new_team(*second, dumped=True)


def test_two_teams_are_taken_over(operator: RealOperator, teams: tuple[Team, Team], api: DynamicClient) -> None:
    with operator.running():
        for team in teams:
            team.apply()
        serving = _serving(teams)
        refused = command(teams[0].stack, "adopt", "--yes")
        assert refused.returncode == 1
        assert f"is still reconciled by the holder of Lease {NAMESPACE}/" in refused.stderr
    eventually(lambda: command(teams[0].stack, "adopt").returncode == 0, "the end of the controller's lease")

    made = [obj for team in teams for obj in team.backed_up(team.made())]
    assert "run `modelservices adopt" in teams[0].stack.up(fails=True).text
    said = [team.adopt() for team in teams]
    for team in teams:
        team.take_over()
    assert _serving(teams) == serving
    assert lost(api, made) == []

    ours = [obj for team in teams for obj in team.registered()]
    assert len(ours) > sum(len(team.services) for team in teams)
    for team, text in zip(teams, said, strict=True):
        team.remove_finalizers(text)
        team.delete_custom_resources()
    operator.delete_definitions()
    time.sleep(_COLLECTION_SECONDS)
    assert _serving(teams) == serving
    assert lost(api, ours) == []
    for team in teams:
        team.stack.preview("--refresh", "--expect-no-changes")


def _serving(teams: Iterable[Team]) -> dict[str, Any]:
    return {name: one for team in teams for name, one in team.serving().items()}


def _orphan(operator: RealOperator, team: Team) -> None:
    """Deletes the team's custom resources and keeps their objects. Meanwhile OME's controller, which could make itself
    their owner again, is stopped."""
    with operator.paused() if operator.family == "ome" else contextlib.nullcontext():
        for custom in team.documents:
            team.delete(custom, "Orphan")
    team.wait_until_deleted(team.documents)


def test_one_team_leaves_a_running_operator(
    operator: RealOperator, teams: tuple[Team, Team], api: DynamicClient
) -> None:
    leaving, staying = teams
    with operator.running():
        for team in teams:
            team.apply()
        serving, theirs = leaving.serving(), staying.state()
        made = leaving.made()
        _orphan(operator, leaving)
        assert lost(api, made) == []
        made = leaving.backed_up(made)
        leaving.take_over()
        assert leaving.serving() == serving
        assert lost(api, made) == []
        assert leaving.made() == []
        assert staying.state() == theirs
        leaving.stack.preview("--refresh", "--expect-no-changes")


def test_an_operator_comes_back(operator: RealOperator, teams: tuple[Team, Team]) -> None:
    team, _ = teams
    with operator.running():
        team.apply()
        serving = team.serving()
    eventually(lambda: command(team.stack, "adopt").returncode == 0, "the end of the controller's lease")
    team.take_over()

    with operator.running():
        said = "reconciles them and puts its own objects back"
        eventually(lambda: said in command(team.stack, "status").stderr, "the operator's lease")
        if operator.family != "kserve":  # KServe's controller updates only what it owns
            eventually(lambda: "written by manager" in command(team.stack, "status").stderr, "what the operator writes")
            refuses = operator.family == "ome"
            shown = team.stack.preview(fails=refuses).text
            assert ("run `modelservices adopt" if refuses else "written by manager") in shown
        assert bool(team.made()) == (operator.family == "ome"), "only OME's controller owns what it updates"
        _orphan(operator, team)
        assert "spec.replicas" not in team.adopt("--yes") + team.stack.up("--refresh").text
        assert team.serving() == serving
        team.stack.preview("--refresh", "--expect-no-changes")


def test_orphans_stay_whatever_the_controller_is_doing(
    operator: RealOperator, new_team: Callable[..., Team], api: DynamicClient
) -> None:
    """Each custom resource is deleted shortly after a change, while the controller reconciles it and its neighbours."""
    team = new_team(CASES[operator.family][0][1])
    team.multiply(_ORPHANED)
    pause = random.Random(0)
    with operator.running():
        team.apply()
        made = team.made()
        assert len(made) >= 2 * _ORPHANED
        for number, custom in enumerate(team.services):
            edit_live(api, custom, CHANGES[operator.family](number), "kubectl-edit")
            time.sleep(pause.uniform(0, 0.3))
            if operator.family != "ome":
                team.delete(custom, "Orphan")
        if operator.family == "ome":
            _orphan(operator, team)
        team.wait_until_deleted(team.services)
        time.sleep(_COLLECTION_SECONDS)
    assert lost(api, made) == []
    assert team.made() == []
