"""An operator's services are adopted: no pod restarts, none of its fields remain, and removing it deletes nothing.

The objects are the reference's, created as the operator creates them. Not proven here: what a running operator does
meanwhile (it must have stopped, which the test shows), and that real servers keep answering.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from modelservices.cluster.differences import changed_paths
from modelservices.kubernetes.objects import Key, key
from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.integration import ome_operator
from tests.integration.adopted_families import FAMILIES, Edit, Family
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.operators import Object, Operator, create, install_definitions
from tests.integration.stacks import Stack, changes
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

WORKLOADS = {"Deployment": "apps/v1", "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1"}


@pytest.mark.parametrize("family", FAMILIES)
def test_services_are_taken_over(family: str, stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    wanted = FAMILIES[family]
    install_definitions(api)
    stack.config({"settings": {family: dict(wanted.settings)}, "adopted": str(tmp_path / "adopted.yaml")})
    stack.write(model() + "".join(service(f"own-{level}", priority=level) for level in ("normal", "high", "low")))
    stack.up()
    if family == "ome":
        ome_operator.mark_nodes(api, stack.namespace)
        stack.write(yaml.safe_dump_all(ome_operator.environment(stack.namespace)), "runtimes.yaml")
    operator = Operator(api, stack.namespace)
    manifests = {case: run_case(wanted, case, operator) for case in wanted.cases}
    for case, documents in manifests.items():
        stack.write(yaml.safe_dump_all(documents), f"{case}.yaml")
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before = pods(api, stack.namespace)

    refused = stack.up(fails=True)
    assert f"run `modelservices adopt --stack {stack.stack}`" in refused.text
    looked = command(stack, "adopt")
    assert looked.returncode == 0, looked.stderr
    assert all(obj["metadata"].get("ownerReferences") for obj in _live(api, operator.made) if _is_owned(obj))
    done = command(stack, "adopt", "--yes")
    assert done.returncode == 0, done.stderr
    stack.up()

    assert pods(api, stack.namespace) == before
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes")

    rendered = {key(obj) for obj in yaml.safe_load_all(command(stack, "render").stdout)}
    ours = [obj for obj in operator.made if key(obj) in rendered]
    uids = [obj["metadata"]["uid"] for obj in _live(api, ours)]
    assert len(uids) == len(ours) > len(wanted.cases)
    operator.delete_resources()
    eventually(lambda: _live(api, operator.resources) == [], "the custom resources gone")
    create(api, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": stack.namespace}})
    time.sleep(5)  # the garbage collector would need less time
    assert [obj["metadata"]["uid"] for obj in _live(api, ours)] == uids
    assert pods(api, stack.namespace) == before

    edited = [document for case in wanted.edits for document in manifests[case]]
    removed = [field for edit in wanted.edits.values() for field in edit.removed]
    assert [_field(api, stack.namespace, *field) for field in removed].count(None) == 0
    for case, edit in wanted.edits.items():
        _edit(wanted, edit, manifests[case])
        stack.write(yaml.safe_dump_all(manifests[case]), f"{case}.yaml")
    result = stack.up()
    updated = {name for _, kind, name in changes(result) if kind in WORKLOADS}
    assert updated and all(_of_case(name, edited) for name in updated)
    eventually(lambda: are_ready(api, stack.namespace), "the changed services' pods")
    after = pods(api, stack.namespace)
    gone = {name for name, uid in before.items() if after.get(name) != uid}
    assert gone and all(_of_case(f"{stack.namespace}/{name}", edited) for name in gone)
    assert [_field(api, stack.namespace, *field) for field in removed] == [None] * len(removed)
    _assert_as_rendered(stack, api, edited)
    stack.preview("--refresh", "--expect-no-changes")


def run_case(family: Family, case: str, operator: Operator) -> list[Object]:
    """Creates the operator's objects for a case; returns its manifests."""
    documents = family.manifests(case, operator.namespace)
    services = [document for document in documents if document["kind"] == family.kind]
    objects = family.children(case, operator.namespace)
    for index, one in enumerate(services):
        operator.reconcile(one, objects if index == 0 else [])
    return documents


def _edit(family: Family, edit: Edit, documents: list[Object]) -> None:
    edit.change(next(document for document in documents if document["kind"] == family.kind))


def _field(api: DynamicClient, namespace: str, kind: str, name: str, path: Iterable[str]) -> Any:
    """The value at a path in a live workload, or None."""
    found = read(api, WORKLOADS[kind], kind, name, namespace)
    for part in path:
        items = {item["name"]: item for item in found} if isinstance(found, list) else found
        found = (items or {}).get(part)
    return found


def _assert_as_rendered(stack: Stack, api: DynamicClient, documents: list[Object]) -> None:
    """The changed workloads have exactly a new object's fields and nothing from the operator."""
    for obj in yaml.safe_load_all(command(stack, "render").stdout):
        kind, name = obj["kind"], obj["metadata"]["name"]
        if kind not in WORKLOADS or not _of_case(f"{stack.namespace}/{name}", documents):
            continue
        live = read(api, WORKLOADS[kind], kind, name, stack.namespace)
        fresh = dict(obj, metadata={**obj["metadata"], "name": f"{name}-fresh"})
        resource = api.resources.get(api_version=WORKLOADS[kind], kind=kind)
        new = resource.create(body=fresh, namespace=stack.namespace, dry_run="All").to_dict()
        # List items keep their order, which is irrelevant for items with names.
        assert [path for path in changed_paths(new, live) if path.startswith("spec.")] == []


def _of_case(name: str, documents: list[Object]) -> bool:
    services = [document["metadata"]["name"].replace(".", "-") for document in documents]
    return any(name.partition("/")[2].replace(".", "-").startswith(one) for one in services)


def pods(api: DynamicClient, namespace: str) -> dict[str, str]:
    """Maps each pod's name to its uid."""
    items = api.resources.get(api_version="v1", kind="Pod").get(namespace=namespace).items
    return {item.metadata.name: item.metadata.uid for item in items if not item.metadata.deletionTimestamp}


def are_ready(api: DynamicClient, namespace: str) -> bool:
    return all(_is_ready(workload) for workload in _workloads(api, namespace))


def _workloads(api: DynamicClient, namespace: str) -> Iterator[Object]:
    for kind, api_version in WORKLOADS.items():
        yield from (
            w.to_dict() for w in api.resources.get(api_version=api_version, kind=kind).get(namespace=namespace).items
        )


def _is_ready(workload: Object) -> bool:
    status, replicas = workload.get("status", {}), workload["spec"].get("replicas", 1)
    current = (
        status.get("observedGeneration", 0) >= workload["metadata"]["generation"] or workload["kind"] != "Deployment"
    )
    counts = [status.get(name, 0) for name in ("replicas", "readyReplicas", "updatedReplicas")]
    return current and counts == [replicas] * 3


def _is_owned(obj: Object) -> bool:
    return "namespace" in obj["metadata"] and obj["metadata"]["name"] != "llmkube-model-cache"


def _live(api: DynamicClient, objects: list[Object]) -> list[Object]:
    found = (_read(api, key(obj)) for obj in objects)
    return [obj for obj in found if obj]


def _read(api: DynamicClient, identity: Key) -> Object | None:
    return read(api, identity.api_version, identity.kind, identity.name, identity.namespace or None)


def test_a_change_that_is_due_already_is_made_with_the_take_over(
    stack: Stack, api: DynamicClient, tmp_path: Path
) -> None:
    """The manifest's image differs from the custom resource's in the cluster: reported, and changed on request."""
    install_definitions(api)
    adopted = tmp_path / "adopted.yaml"
    stack.config({"settings": {}, "adopted": str(adopted)})
    # The stack's own service has the priority class that all pods name, which operators' charts install.
    own = model() + service("own")
    stack.write(own)
    stack.up()
    old = list(yaml.safe_load_all(model() + service("chat") + service("other")))
    made = make_plan(
        [Document("x.yaml", i, 1, doc) for i, doc in enumerate(old)], Settings(), namespace=stack.namespace
    )
    operator = Operator(api, stack.namespace)
    for custom in old[1:]:
        name = custom["metadata"]["name"]
        operator.reconcile(custom, [obj for obj in made.all_objects() if obj["metadata"]["name"] == name])
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before = pods(api, stack.namespace)
    stack.write(own + service("chat", image="example/server:2") + service("other"))

    looked = command(stack, "adopt")
    done = command(stack, "adopt", "--yes", "--with-changes")
    stack.up()

    workload = f"Deployment {stack.namespace}/chat"
    (row, said) = [line for line in looked.stdout.splitlines() if line.startswith(workload)]
    assert "stay" in row and "take over, live pod template kept" in row
    assert said.startswith(f"{workload}: InferenceService chat (manager) in the cluster has another spec.image")
    assert said.endswith(", which its pods keep: --with-changes makes the manifest's, and restarts them")
    (row, _) = [line for line in done.stdout.splitlines() if line.startswith(workload)]
    assert "restart" in row and "take over, with the manifest's change" in row
    assert done.returncode == 0, done.stderr
    deployment = read(api, "apps/v1", "Deployment", "chat", stack.namespace)
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "example/server:2"
    kept = {name: uid for name, uid in before.items() if name.startswith("other-")}
    assert kept and kept.items() <= pods(api, stack.namespace).items()
    stack.preview("--refresh", "--expect-no-changes")
