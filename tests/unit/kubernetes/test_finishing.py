"""What every rendered object gets at the end. Not proved here: that KEDA and kubelets read it so."""

from typing import Any

import pytest

from modelservices.kubernetes.finishing import OWNERSHIP, finished, in_order


def var(name: str, value: str = "x") -> dict[str, Any]:
    return {"name": name, "value": value}


@pytest.mark.parametrize(
    ("env", "names"),
    [
        ([var("HOME", "$(SCRATCH)/home"), var("SCRATCH", "/tmp")], "SCRATCH HOME"),
        ([var("A", "$(B)"), var("B", "$(C)"), var("C")], "C B A"),
        ([var("A", "$$(B)"), var("B")], "A B"),
        ([var("A", "$(NOBODY)"), var("B")], "A B"),
        ([var("A", "$(B)"), var("B", "$(A)")], "B A"),
        ([var("A", "$(A)/x")], "A"),
        ([var("A"), var("A", "$(B)"), var("B")], "A A B"),
    ],
)
def test_variables_stand_after_those_that_they_name(env: list[dict[str, Any]], names: str) -> None:
    assert " ".join(entry["name"] for entry in in_order(env)) == names


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        ({"hostNetwork": True}, "ClusterFirstWithHostNet"),
        ({"hostNetwork": True, "dnsPolicy": "Default"}, "Default"),
        ({}, None),
    ],
)
def test_pods_of_the_node_s_network_know_the_cluster_s_names(given: dict[str, Any], policy: str | None) -> None:
    pod = {**given, "containers": [{"name": "main"}]}
    group = {"leaderTemplate": {"spec": pod}, "workerTemplate": {"spec": pod}}
    obj = finished({"kind": "LeaderWorkerSet", "metadata": {}, "spec": {"leaderWorkerTemplate": group}})
    made = obj["spec"]["leaderWorkerTemplate"]
    assert [made[name]["spec"].get("dnsPolicy") for name in group] == [policy, policy]


def test_an_hpa_can_be_handed_to_keda() -> None:
    metadata = {"name": "a", "annotations": {"b": "c"}}
    hpa = finished({"kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": {}})
    assert hpa["metadata"]["annotations"] == {OWNERSHIP: "false", "b": "c"}


def test_the_hpa_of_a_scaled_object_has_a_name_that_a_label_takes() -> None:
    long = finished({"kind": "ScaledObject", "metadata": {"name": "m" * 60}, "spec": {"advanced": {"x": 1}}})
    name = long["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["name"]
    assert len(name) == 63 and long["spec"]["advanced"]["x"] == 1
    short = {"kind": "ScaledObject", "metadata": {"name": "m" * 54}, "spec": {}}
    assert finished(short) == short
