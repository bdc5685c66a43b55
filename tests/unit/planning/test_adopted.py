"""Workloads that keep the pods they were taken over with: when the live template is used, which entries are stale."""

from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import InvalidManifests
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.rendered import RenderedComponent, owned_records
from modelservices.planning.adopted import (
    AdoptedFile,
    adopted_workload,
    dump_adopted,
    keep_pods,
    load_adopted,
    template_hash,
    with_adopted,
)
from modelservices.planning.plan import StackPlan


def workload(image: str = "ours:1", *, labels: dict[str, str] | None = None, kind: str = "Deployment") -> Object:
    labels = labels or {"app": "chat"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "server", "image": image}]}}
    spec: dict[str, Any] = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "chat", "namespace": "n"}, "spec": spec}


def plan(*objects: Object) -> StackPlan:
    services = [
        RenderedComponent("C", "InferenceService", "n", str(i), owned_records({"deployment": obj}))
        for i, obj in enumerate(objects)
    ]
    return StackPlan(services=tuple(services), single=(), secrets=(), existing=(), findings=())


LIVE = workload("theirs:1", labels={"app": "chat", "queue": "gpu"})


def test_the_live_template_is_used_as_long_as_the_same_is_rendered():
    entry = adopted_workload(workload(), LIVE)
    kept = keep_pods({**workload(), "spec": {**workload()["spec"], "replicas": 5}}, entry)
    assert kept["spec"] == {**LIVE["spec"], "replicas": 5}


def test_after_a_change_what_is_rendered_is_used_but_for_the_selector_and_its_labels():
    entry = adopted_workload(workload(), LIVE)
    kept = keep_pods(workload("ours:2"), entry)
    assert kept["spec"]["selector"] == {"matchLabels": {"app": "chat", "queue": "gpu"}}
    assert kept["spec"]["template"] == workload("ours:2", labels={"app": "chat", "queue": "gpu"})["spec"]["template"]


def test_groups_of_pods_keep_leader_and_workers():
    group = {"size": 2, "workerTemplate": {"spec": {"containers": [{"name": "w", "image": "theirs"}]}}}
    live = {**workload(), "kind": "LeaderWorkerSet", "spec": {"replicas": 1, "leaderWorkerTemplate": group}}
    ours = {**live, "spec": {"replicas": 3, "leaderWorkerTemplate": {**group, "size": 4}}}
    assert keep_pods(ours, adopted_workload(ours, live))["spec"] == {"replicas": 3, "leaderWorkerTemplate": group}


def test_what_nobody_can_apply_is_left_out():
    live = workload()
    live["spec"]["template"]["spec"]["containers"][0]["env"] = [
        {"name": "A", "value": "1"},
        {"name": "B", "value": "2"},
        {"name": "A", "value": "3"},
    ]
    live["spec"]["template"]["metadata"]["creationTimestamp"] = None
    entry = adopted_workload(workload(), live)
    assert entry.spec["template"]["spec"]["containers"][0]["env"] == [{"name": "B", "value": "2"}]
    assert entry.spec["template"]["metadata"] == {"labels": {"app": "chat"}}


def test_a_file_is_read_as_it_was_written(tmp_path: Path):
    entry = adopted_workload(workload(), LIVE)
    file = tmp_path / "dev.adopted.yaml"
    file.write_text(dump_adopted([entry]))
    assert load_adopted(file).workloads == [entry]
    assert file.read_text().startswith("# Written by `modelservices adopt`")
    assert load_adopted(tmp_path / "none.yaml") == AdoptedFile()


def test_a_broken_file_is_an_error_with_its_path(tmp_path: Path):
    file = tmp_path / "dev.adopted.yaml"
    file.write_text("workloads:\n- {apiVersion: apps/v1, kind: Deployment, name: chat, spec: {}}\n")
    with pytest.raises(InvalidManifests) as caught:
        load_adopted(file)
    assert str(caught.value) == f"{file}: adopted workloads: workloads[0].rendered: is required"


def test_the_plan_says_which_entries_are_out_of_use():
    entries = AdoptedFile(workloads=[adopted_workload(workload(), LIVE)])
    used = with_adopted(plan(workload()), entries, "dev.adopted.yaml")
    assert used.services[0].objects["deployment"]["spec"] == LIVE["spec"]
    assert used.findings == ()
    (changed,) = with_adopted(plan(workload("ours:2")), entries, "dev.adopted.yaml").findings
    assert (changed.severity, str(changed)) == (
        "info",
        "dev.adopted.yaml: Deployment n/chat: rendered: the model service has changed since it was taken over, so the "
        "manifest's template is used; its selector is needed as long as the workload is there",
    )
    (gone,) = with_adopted(plan(), entries, "dev.adopted.yaml").findings
    assert gone.severity == "warning"
    assert str(gone) == "dev.adopted.yaml: Deployment n/chat: is no longer rendered; remove the entry"
    same_selector = AdoptedFile(workloads=[adopted_workload(workload(), workload("theirs:1"))])
    (spent,) = with_adopted(plan(workload("ours:2")), same_selector, "dev.adopted.yaml").findings
    assert spent.severity == "warning"
    assert spent.message.endswith("so the manifest's template is used: remove the entry")


def test_the_hash_is_of_the_template_only():
    assert template_hash(workload()) == template_hash({**workload(), "spec": {**workload()["spec"], "replicas": 9}})
    assert template_hash(workload()) != template_hash(workload("ours:2"))


def test_a_change_that_kept_pods_hide_is_said_until_it_acts():
    entry = adopted_workload(workload(), workload("theirs:1")).model_copy(update={"due": ["spec.image"]})
    (hidden,) = with_adopted(plan(workload()), AdoptedFile(workloads=[entry]), "dev.adopted.yaml").findings
    assert (hidden.severity, hidden.path) == ("warning", "due")
    assert hidden.message.startswith("the manifests have another spec.image, but the pods keep what they were taken")
    (acts,) = with_adopted(plan(workload("ours:2")), AdoptedFile(workloads=[entry]), "dev.adopted.yaml").findings
    assert acts.path == "rendered"
