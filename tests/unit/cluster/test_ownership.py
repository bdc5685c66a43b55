"""Marks of a stack on its objects. That API server and garbage collector act on them is shown in integration."""

from modelservices.cluster.ownership import (
    PREFIX,
    is_kept,
    is_owner_object,
    manager,
    owner_object,
    owner_reference,
    owners,
)

CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "llmkube-high"},
    "value": 1,
}


def test_manager_names_the_stack():
    assert manager("acme", "models", "dev") == "modelservices:acme/models/dev"


def test_long_managers_fit_the_servers_limit_and_stay_distinct():
    found = {manager("acme", "p" * 100, "s" * 60 + end) for end in "ab"}
    assert len(found) == 2
    assert all(len(name) == 128 and name.startswith(f"{PREFIX}acme/ppp") for name in found)


def test_owners_are_the_managers_of_stacks():
    fields = [{"manager": "kubectl-edit"}, {"manager": "modelservices:acme/models/dev"}, {}]
    assert owners({"managedFields": fields}) == ["modelservices:acme/models/dev"]
    assert owners({}) == []


def test_owner_objects_are_legal_and_one_for_each_stack():
    found = [owner_object(CLASS, manager("Acme", "m_models", stack)) for stack in ("dev", "Dev")]
    assert [obj["metadata"]["name"] for obj in found] == [
        "llmkube-high.acme-m-models-dev-74626d7b",
        "llmkube-high.acme-m-models-dev-347f7a3a",
    ]
    assert all(is_owner_object(obj) and obj["value"] == 1 for obj in found)
    assert not is_owner_object(CLASS)


def test_kept_objects_are_owned_by_an_owner_object():
    own = owner_object(CLASS, manager("acme", "models", "dev"))
    reference = owner_reference(own, {**own["metadata"], "uid": "uid-1"})
    assert (reference["kind"], reference["uid"], reference["blockOwnerDeletion"]) == ("PriorityClass", "uid-1", True)
    assert is_kept({"name": "llmkube-high", "ownerReferences": [reference]})
    assert not is_kept({"name": "llmkube-high"})
    assert not is_kept({"name": "llmkube-high", "ownerReferences": [{"name": "something-else"}]})
