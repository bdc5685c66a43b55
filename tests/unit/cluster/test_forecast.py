"""What is said of an update's pods, with an API server that answers as if it had no defaults."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

import pytest

from modelservices.cluster.connection import Cluster, Lookup, Refused
from modelservices.cluster.forecast import claims, forecast, gpus, sentences, totals, unmatched_selectors
from modelservices.cluster.nodes import Nodes
from modelservices.cluster.pods import Pods, pods_of
from modelservices.kubernetes.objects import Key, Object, key


def workload(name: str, image: str = "a:1", replicas: int = 2, gpus: int = 0, **spec: Any) -> Object:
    limits = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus else {}
    pod = {"containers": [{"name": "server", "image": image, **limits}], **spec.pop("pod", {})}
    body = {"replicas": replicas, "template": {"spec": pod}, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "n"}, "spec": body}


def claim(name: str) -> Object:
    spec = {"resources": {"requests": {"storage": "100Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "n"},
        "spec": spec,
    }


@dataclass
class Table:
    live: Iterable[Object]
    refuses: str = ""

    def objects(self, identities: Iterable[Key]) -> Lookup:
        there = {key(obj): obj for obj in self.live}
        return Lookup({identity: there[identity] for identity in identities if identity in there}, {})

    metadata = objects

    def apply(self, obj: Object, manager: str, *, dry_run: bool) -> Object:
        assert dry_run and manager == "m"
        if self.refuses:
            raise Refused(422, self.refuses, "PATCH")
        return obj


def summary(rendered: Object, *live: Object, refuses: str = "", nodes: Nodes | None = None) -> list[str]:
    return list(sentences(forecast([rendered], cast(Cluster, Table(live, refuses)), "m"), nodes))


def test_a_workload_that_stays_as_it_is_is_not_mentioned():
    assert summary(workload("chat"), workload("chat")) == []


def test_a_new_template_restarts_all_pods():
    assert summary(workload("chat", "a:2", gpus=2), workload("chat", gpus=2)) == [
        "Deployment n/chat: 2 pods with 4 GPUs restart; image a:1 → a:2; changed: "
        "spec.template.spec.containers[server].image"
    ]


def test_recreate_is_a_gap():
    strategy = {"strategy": {"type": "Recreate"}}
    (line,) = summary(workload("chat", "a:2", 1, **strategy), workload("chat", "a:1", 1, **strategy))
    assert line.startswith("Deployment n/chat: 1 pod restarts, and no pod serves meanwhile (Recreate); image")


def test_other_replicas_restart_nothing():
    assert summary(workload("chat", replicas=3), workload("chat")) == [
        "Deployment n/chat: replicas 2 → 3; no pod restarts; changed: spec.replicas"
    ]


@pytest.mark.parametrize("owner", ["manager", "m"])
def test_replicas_of_an_autoscaler_stay_whoever_owns_them(owner: str):
    """Also where a dry run of the change can only make a new object: one with a rolling update can't be recreated."""
    rolling = {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}
    for strategy, path in ((rolling, "spec.strategy.rollingUpdate, spec.strategy.type"), ({}, "spec.strategy")):
        live = workload("chat", replicas=5, **strategy)
        fields = {"f:spec": {"f:replicas": {}, "f:strategy": {}}}
        live["metadata"]["managedFields"] = [{"manager": owner, "operation": "Apply", "fieldsV1": fields}]
        rendered = workload("chat", strategy={"type": "Recreate"})
        del rendered["spec"]["replicas"]
        assert summary(rendered, live) == [f"Deployment n/chat: no pod restarts; changed: {path}"]


def test_a_new_workload_and_a_refused_one():
    assert summary(workload("chat", gpus=1)) == ["Deployment n/chat: new, 2 pods with 2 GPUs"]
    assert summary(workload("chat"), workload("chat"), refuses="spec.x: immutable") == [
        "Deployment n/chat: the API server refuses the change: spec.x: immutable"
    ]


def test_a_job_that_changes_runs_once_more():
    job = {**workload("bench", "a:2", replicas=1, gpus=1), "apiVersion": "batch/v1", "kind": "Job"}
    before = {**workload("bench", "a:1", replicas=1, gpus=1), "apiVersion": "batch/v1", "kind": "Job"}
    assert summary(job, before, refuses="spec.template: Invalid value: field is immutable") == [
        "Job n/bench: deleted and made again, 1 pod with 1 GPU: a job can't change, so it runs once more; "
        "image a:1 → a:2; changed: spec.template.spec.containers[server].image"
    ]


def train_job(image: str = "a:1", **spec: Any) -> Object:
    resources = {"limits": {"nvidia.com/gpu": "4"}}
    trainer = {"image": image, "numNodes": 2, "resourcesPerNode": resources}
    body = {"runtimeRef": {"kind": "ClusterTrainingRuntime", "name": "torch"}, "trainer": trainer, **spec}
    metadata = {"name": "tune", "namespace": "n"}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": metadata, "spec": body}


def test_a_train_job():
    assert summary(train_job()) == ["TrainJob n/tune: new, 2 pods with 8 GPUs"]
    assert summary(train_job(), train_job()) == []
    assert summary(train_job("a:2"), train_job()) == [
        "TrainJob n/tune: deleted and made again, 2 pods with 8 GPUs: a job can't change, so it runs once more; "
        "image a:1 → a:2; changed: spec.trainer.image"
    ]
    assert summary(train_job(suspend=True), train_job(suspend=False)) == [
        "TrainJob n/tune: no pod restarts; changed: spec.suspend"
    ]
    assert gpus([train_job()], forecast([train_job()], cast(Cluster, Table([])), "m")) == (0, 8)


def test_a_train_job_that_the_api_server_itself_refuses_to_change():
    refusal = "spec.runtimeRef: Invalid value: runtimeRef is immutable"
    other = {"kind": "ClusterTrainingRuntime", "name": "deepspeed"}
    (line,) = summary(train_job(runtimeRef=other), train_job(), refuses=refusal)
    assert line == (
        "TrainJob n/tune: deleted and made again, 2 pods with 8 GPUs: a job can't change, so it runs once more; "
        "changed: spec.runtimeRef.name"
    )


@pytest.mark.parametrize("kind", ["Job", "JobSet"])
def test_the_release_on_a_job_s_pods_is_not_worth_another_run(kind: str):
    def job(release: str, image: str = "a:1") -> Object:
        pod = {
            "metadata": {"labels": {"ome.io/version": release}},
            "spec": {"containers": [{"name": "c", "image": image}]},
        }
        spec = (
            {"template": pod}
            if kind == "Job"
            else {"replicatedJobs": [{"name": "w", "template": {"spec": {"template": pod}}}]}
        )
        version = "batch/v1" if kind == "Job" else "jobset.x-k8s.io/v1alpha2"
        return {"apiVersion": version, "kind": kind, "metadata": {"name": "tune", "namespace": "n"}, "spec": spec}

    assert summary(job("0.2"), job("0.1")) == []
    (line,) = summary(job("0.2", "a:2"), job("0.1"), refuses="field is immutable")
    assert line.startswith(f"{kind} n/tune: deleted and made again, 1 pod: a job can't change, so it runs once more; ")


def test_the_pods_of_a_ray_cluster_stay_until_somebody_deletes_them():
    def cluster(image: str, **spec: Any) -> Object:
        template = {"spec": {"containers": [{"name": "ray", "image": image}]}}
        body = {"headGroupSpec": {"template": template}, **spec}
        metadata = {"name": "chat", "namespace": "n"}
        return {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": metadata, "spec": body}

    (line,) = summary(cluster("a:2"), cluster("a:1"))
    assert line.startswith("RayCluster n/chat: KubeRay keeps 1 pod as they are: delete them, ")
    again = {"upgradeStrategy": {"type": "Recreate"}}
    (line,) = summary(cluster("a:2", **again), cluster("a:1", **again))
    assert line.startswith("RayCluster n/chat: 1 pod restarts; image a:1 → a:2; ")


def test_the_pods_of_jobs():
    job = workload("bench", replicas=1, gpus=2)["spec"] | {"parallelism": 3}
    del job["replicas"]
    assert pods_of({"spec": job}) == Pods(3, 6)
    several = {"replicatedJobs": [{"replicas": 2, "template": {"spec": job}}, {"template": {"spec": job}}]}
    assert pods_of({"spec": several}) == Pods(9, 18)


def test_the_stacks_gpus_before_and_after_and_those_that_are_free():
    rendered = [workload("a", replicas=3, gpus=1), workload("b", gpus=4)]
    changes = forecast(rendered, cast(Cluster, Table([workload("a", replicas=1, gpus=1)])), "m")
    assert gpus(rendered, changes) == (1, 11)
    assert list(totals(rendered, changes, Nodes((), 5))) == ["GPUs of the stack: 1 → 11; free in the cluster now: 5"]
    assert list(totals(rendered, changes, None)) == ["GPUs of the stack: 1 → 11"]
    assert list(totals([workload("c")], [], Nodes((), 5))) == []


@pytest.mark.parametrize(
    ("strategy", "more"),
    [
        ({"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}, 8),  # of one pod: 1 and 0
        ({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}, 0),
        ({"type": "Recreate"}, 0),
    ],
)
def test_a_rolling_update_needs_more_gpus_while_it_rolls(strategy: dict[str, Any], more: int):
    old, new = workload("a", "a:1", 1, 8), workload("a", "a:2", 1, 8)
    for obj in (old, new):
        obj["spec"]["strategy"] = strategy
    changes = forecast([new], cast(Cluster, Table([old])), "m")
    rolling = f", and {more} more while new pods start beside the old ones" if more else ""
    assert list(totals([new], changes, Nodes((), 0))) == [
        f"GPUs of the stack: 8 → 8{rolling}; free in the cluster now: 0"
    ]


def test_claims_that_are_made_and_those_that_stay():
    assert list(claims([claim("new"), claim("old")], cast(Cluster, Table([claim("old")])))) == [
        "PersistentVolumeClaim n/new: made, 100Gi",
        "kept with what is in them: PersistentVolumeClaim n/old",
    ]


def test_a_selector_that_no_node_matches_is_named():
    wanted = workload("chat", pod={"nodeSelector": {"gpu": "h100"}})
    changes = forecast([wanted], cast(Cluster, Table([])), "m")
    assert unmatched_selectors(changes, Nodes(({"gpu": "a100"},), 0)) == [
        "Deployment n/chat: no node has the labels gpu=h100 that its pods ask for: they will not start"
    ]
    assert unmatched_selectors(changes, Nodes(({"gpu": "h100", "zone": "a"},), 0)) == []
    assert unmatched_selectors(changes, None) == []


def test_the_nodes_that_match_are_counted():
    wanted = workload("chat", pod={"nodeSelector": {"gpu": "h100"}})
    nodes = Nodes(({"gpu": "h100"}, {"gpu": "h100"}, {}), 0)
    assert summary(wanted, nodes=nodes) == [
        "Deployment n/chat: new, 2 pods; 2 nodes have the labels that its pods ask for"
    ]
    assert summary(workload("chat"), nodes=nodes) == ["Deployment n/chat: new, 2 pods"]
