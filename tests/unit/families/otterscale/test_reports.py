"""Faults that users of similar operators have reported, as a ModelService would meet them.

The numbers are those of the reports. Two are about KServe's format; the ModelService here asks for the same.
"""

from __future__ import annotations

import re

import pytest

from modelservices.findings import errors

from .services import PICKER, PREFILL, container, manifest, objects, plan, pod

HA = {"inferencePool": {"endpointPicker": {"replicas": 2}}}


def test_06_several_pickers_may_take_the_lease_and_record_the_event() -> None:
    made = objects(HA, {"epp": {"flags": {"ha-enable-leader-election": "true"}}})
    args = container(made["epp/deployment"], "epp")["args"]
    assert made["epp/deployment"]["spec"]["replicas"] == 2
    assert [item for item in args if item.startswith("--ha-enable-leader-election")] == [
        "--ha-enable-leader-election=true"
    ]
    rules = {(rule["apiGroups"][0], rule["resources"][0]): set(rule["verbs"]) for rule in made["epp/role"]["rules"]}
    assert {"get", "create", "update"} <= rules["coordination.k8s.io", "leases"]
    assert {"create", "patch"} <= rules["", "events"]
    (subject,) = made["epp/role-binding"]["subjects"]
    assert (subject["name"], subject["namespace"]) == (pod(made["epp/deployment"])["serviceAccountName"], "models")


@pytest.mark.parametrize("spec", [{}, PICKER])
def test_06_one_picker_elects_no_leader(spec: dict[str, object]) -> None:
    made = objects(spec)
    assert "--ha-enable-leader-election" not in container(made["epp/deployment"], "epp")["args"]
    assert len(made["epp/role"]["rules"]) == 3


def test_07_timeouts_are_absent_or_text() -> None:
    """Upstream's route has none, so the gateway's own hold unless the stack says otherwise."""
    (rule,) = objects()["route"]["spec"]["rules"]
    assert "timeouts" not in rule
    (rule,) = objects(settings={"routeTimeout": "0s"})["route"]["spec"]["rules"]
    assert rule["timeouts"] == {"request": "0s", "backendRequest": "0s"}


def test_24_names_with_dots_and_digits_are_legal_and_agree() -> None:
    (service,) = plan(manifest(PICKER, name="3.2-chat.large")).raise_for_errors().services
    picker = service.parts["epp"].objects
    name = picker["service"]["metadata"]["name"]
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name) and len(name) <= 63
    assert service.objects["pool"]["spec"]["endpointPickerRef"]["name"] == name
    (backend,) = service.objects["route"]["spec"]["rules"][0]["backendRefs"]
    assert backend["name"] == service.objects["pool"]["metadata"]["name"] == "3.2-chat.large"
    assert "--pool-name=3.2-chat.large" in container(picker["deployment"], "epp")["args"]
    decode = service.objects["decode-deployment"]
    parts = [*pod(decode)["containers"], *pod(decode)["initContainers"], *pod(decode)["volumes"]]
    assert all(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", part["name"]) for part in parts)
    assert container(decode, "vllm")["args"][3:5] == ["--served-model-name", "org/model"]


def test_24_names_that_become_equal_are_an_error() -> None:
    assert errors(plan(manifest(name="a.b"), manifest(name="a-b")).findings)


def test_27_the_picker_has_its_own_account_and_a_role_in_its_namespace() -> None:
    made = objects(PICKER)
    account = pod(made["epp/deployment"])["serviceAccountName"]
    assert made["epp/service-account"]["metadata"]["name"] == account != "default"
    watched = {
        (group, resource): {"get", "list", "watch"} == set(rule["verbs"])
        for rule in made["epp/role"]["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert made["epp/role"]["metadata"]["namespace"] == "models"
    for needed in [
        ("", "pods"),
        ("inference.networking.k8s.io", "inferencepools"),
        ("inference.networking.x-k8s.io", "inferenceobjectives"),
    ]:
        assert watched[needed]
    cluster_wide = [rule.get("resources", []) for rule in made["epp/cluster-role"]["rules"]]
    assert cluster_wide == [["tokenreviews"], ["subjectaccessreviews"], []]
    assert made["epp/cluster-role"]["metadata"]["name"] == "models-chat-epp"


def test_27_the_picker_knows_its_pool_and_the_pool_its_picker() -> None:
    made = objects(PICKER)
    args = container(made["epp/deployment"], "epp")["args"]
    assert {"--pool-name=chat", "--pool-namespace=models"} <= set(args)
    reference = made["pool"]["spec"]["endpointPickerRef"]
    assert (reference["kind"], reference["name"], reference["port"]) == ("Service", "chat-epp", {"number": 9002})
    assert 9002 in [port["port"] for port in made["epp/service"]["spec"]["ports"]]


@pytest.mark.parametrize("role", ["decode", "prefill"])
def test_34_tensor_parallelism_gets_shared_memory_once(role: str) -> None:
    parallelism = {"parallelism": {"tensor": 4, "data": 1, "dataLocal": 1}}
    made = objects({**PREFILL, "decode": parallelism, "prefill": parallelism})[f"{role}-deployment"]
    (volume,) = [volume for volume in pod(made)["volumes"] if volume.get("emptyDir", {}).get("medium") == "Memory"]
    mounts = {
        item["name"]: [mount["name"] for mount in item.get("volumeMounts", []) if mount["mountPath"] == "/dev/shm"]
        for item in [*pod(made)["containers"], *pod(made)["initContainers"]]
    }
    assert mounts.pop("vllm") == [volume["name"]]
    assert not any(mounts.values())
    vllm = container(made, "vllm")
    assert vllm["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert vllm["args"][vllm["args"].index("--tensor-parallel-size") + 1] == "4"


def test_38_no_service_of_the_namespace_reaches_the_engine() -> None:
    made = objects()["decode-deployment"]
    assert pod(made)["enableServiceLinks"] is False
    assert "VLLM_PORT" not in [entry["name"] for entry in container(made, "vllm")["env"]]
