"""Two stacks on one cluster: neither changes, takes over or removes objects that the other one uses.

Not proven here: two stacks with the same name, project and organization, which the cluster can't tell apart.
"""

from collections.abc import Callable
from pathlib import Path

from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import edit, objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack, changes
from tests.integration.waiting import eventually

SCHEDULING = "scheduling.k8s.io/v1"


# No other test may use the priority `critical`: its class must be gone after these two stacks.


def test_a_stack_goes_without_touching_the_other(
    cluster: SharedCluster, api: DynamicClient, new_namespace: Callable[[], str], tmp_path: Path
) -> None:
    stacks = [Stack(tmp_path / name, cluster, new_namespace()) for name in ("a", "b")]
    for stack in stacks:
        stack.write(model() + service(priority="critical"))
        stack.up()
    first, second = stacks
    first.preview("--refresh", "--expect-no-changes")
    assert len(owner_objects(api, "llmkube-critical")) == 2

    first.destroy()

    assert objects(api, first.namespace) == set()
    second.preview("--refresh", "--expect-no-changes")
    restart(api, second.namespace, "web")
    second.destroy()
    assert owner_objects(api, "llmkube-critical") == []
    assert read(api, SCHEDULING, "PriorityClass", "llmkube-critical") is None


def test_an_owner_object_under_its_earlier_pulumi_name_stays_as_it_is(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service())
    stack.up()
    stack.rename_in_state("llmkube-normal-owner-object", "llmkube-normal-keeper")
    assert owner_resources(stack) == ["llmkube-normal-keeper"]

    stack.preview("--refresh", "--expect-no-changes")
    stack.up("--expect-no-changes")

    assert owner_resources(stack) == ["llmkube-normal-owner-object"]
    stack.destroy()


def owner_resources(stack: Stack) -> list[str]:
    """The Pulumi names of a stack's owner objects."""
    names = [resource["urn"].rpartition("::")[2] for resource in stack.state()]
    return [name for name in names if name.startswith("llmkube-normal-")]


def test_a_renamed_stack_keeps_its_objects(stack: Stack, api: DynamicClient) -> None:
    stack.write(model() + service())
    stack.up()
    uid = read(api, "apps/v1", "Deployment", "web", stack.namespace)["metadata"]["uid"]
    old = stack.stack
    stack.rename(f"{old}-renamed")

    assert f"belongs to stack organization/modelservices/{old}" in stack.up(fails=True).text
    stack.config({"adopt": True})
    done = changes(stack.up())
    stack.config({"adopt": False})

    assert {op for op, _, _ in done} == {"update"}
    assert read(api, "apps/v1", "Deployment", "web", stack.namespace)["metadata"]["uid"] == uid
    stack.up("--refresh", "--expect-no-changes")
    assert any(old in owner for owner in owner_objects(api, "llmkube-normal"))
    stack.destroy()
    assert objects(api, stack.namespace) == set()
    assert not any(old in owner for owner in owner_objects(api, "llmkube-normal"))


def owner_objects(api: DynamicClient, name: str) -> list[str]:
    found = read(api, SCHEDULING, "PriorityClass", name)
    return [owner["name"] for owner in found["metadata"].get("ownerReferences", [])] if found else []


def restart(api: DynamicClient, namespace: str, name: str) -> None:
    """A rolling restart; new pods are admitted only if their PriorityClass exists."""
    template = {"metadata": {"annotations": {"restarted": "now"}}}
    edit(api, "apps/v1", "Deployment", name, namespace, {"spec": {"template": template}}, "kubectl-rollout")

    def is_done() -> bool:
        status = read(api, "apps/v1", "Deployment", name, namespace)["status"]
        return (
            status["observedGeneration"] > 1 and status.get("updatedReplicas") == status.get("availableReplicas") == 1
        )

    eventually(is_done, "the restarted pods")
