"""What is said of an update's pods, with an API server that answers as if it had no defaults."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from components.cluster.connection import Cluster, Found, Refused
from components.cluster.forecast import forecast, gpus, sentences, unmatched_selectors
from components.kubernetes.objects import Key, Object, key


def workload(name: str, image: str = "a:1", replicas: int = 2, gpus: int = 0, **spec: Any) -> Object:
    limits = {"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus else {}
    pod = {"containers": [{"name": "server", "image": image, **limits}], **spec.pop("pod", {})}
    body = {"replicas": replicas, "template": {"spec": pod}, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "n"}, "spec": body}


@dataclass
class Table:
    live: Iterable[Object]
    nodes: list[Mapping[str, str]] = field(default_factory=list)
    refuses: str = ""

    def objects(self, identities: Iterable[Key]) -> Found:
        there = {key(obj): obj for obj in self.live}
        return Found({identity: there[identity] for identity in identities if identity in there}, {})

    def apply(self, obj: Object, manager: str, *, dry_run: bool) -> Object:
        assert dry_run and manager == "m"
        if self.refuses:
            raise Refused(422, self.refuses, "PATCH")
        return obj

    def get(self, path: str) -> Mapping[str, Any]:
        assert path == "/api/v1/nodes"
        return {"items": [{"metadata": {"labels": labels}} for labels in self.nodes]}


def told(rendered: Object, *live: Object, refuses: str = "") -> list[str]:
    return list(sentences(forecast([rendered], cast(Cluster, Table(live, refuses=refuses)), "m")))


def test_a_workload_that_stays_as_it_is_is_not_mentioned():
    assert told(workload("chat"), workload("chat")) == []


def test_a_new_template_restarts_all_pods():
    assert told(workload("chat", "a:2", gpus=2), workload("chat", gpus=2)) == [
        "Deployment n/chat: 2 pods with 4 GPUs restart; image a:1 → a:2; changed: "
        "spec.template.spec.containers[server].image"
    ]


def test_recreate_is_a_gap():
    strategy = {"strategy": {"type": "Recreate"}}
    (line,) = told(workload("chat", "a:2", 1, **strategy), workload("chat", "a:1", 1, **strategy))
    assert line.startswith("Deployment n/chat: 1 pod restarts, and no pod serves meanwhile (Recreate); image")


def test_other_replicas_restart_nothing():
    assert told(workload("chat", replicas=3), workload("chat")) == [
        "Deployment n/chat: replicas 2 → 3; no pod restarts; changed: spec.replicas"
    ]


def test_a_new_workload_and_a_refused_one():
    assert told(workload("chat", gpus=1)) == ["Deployment n/chat: new, 2 pods with 2 GPUs"]
    assert told(workload("chat"), workload("chat"), refuses="spec.x: immutable") == [
        "Deployment n/chat: the API server refuses the change: spec.x: immutable"
    ]


def test_the_stacks_gpus_before_and_after():
    rendered = [workload("a", replicas=3, gpus=1), workload("b", gpus=4)]
    table = cast(Cluster, Table([workload("a", replicas=1, gpus=1)]))
    assert gpus(rendered, forecast(rendered, table, "m")) == (1, 11)


def test_a_selector_that_no_node_matches_is_named():
    wanted = workload("chat", pod={"nodeSelector": {"gpu": "h100"}})
    table = cast(Cluster, Table([], nodes=[{"gpu": "a100"}]))
    assert unmatched_selectors(forecast([wanted], table, "m"), table) == [
        "Deployment n/chat: no node has the labels gpu=h100 of its nodeSelector: its pods will not start"
    ]
    table = cast(Cluster, Table([], nodes=[{"gpu": "h100", "zone": "a"}]))
    assert unmatched_selectors(forecast([wanted], table, "m"), table) == []
