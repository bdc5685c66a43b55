"""The graph of rendered objects and its pictures. That the picture languages' own tools accept them is not proven."""

from pathlib import Path
from typing import Any

import pytest

from modelservices.__main__ import main
from modelservices.kubernetes.pod_templates import pod_templates
from modelservices.planning.graph import dot, graph, mermaid

EXAMPLE = Path(__file__).parents[3] / "examples/rendered/prefill-decode/input.yaml"


def make(kind: str, name: str = "a", namespace: str = "n", labels: Any = None, **body: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    metadata = metadata if namespace else {"name": name}
    return {"apiVersion": "example.com/v1", "kind": kind, "metadata": metadata, **body}


def workload(name: str = "web", kind: str = "Deployment", pod: Any = None, **labels: str) -> dict[str, Any]:
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main"}], **(pod or {})}}
    return make(kind, name, spec={"template": template})


def edges(*objects: dict[str, Any]) -> list[str]:
    return [
        f"{edge.source.kind} {edge.source.name} {edge.label} {edge.target.kind} {edge.target.name}"
        for edge in graph(objects).edges
    ]


POD = {
    "serviceAccountName": "robot",
    "volumes": [
        {"name": "c", "persistentVolumeClaim": {"claimName": "cache"}},
        {"name": "p", "projected": {"sources": [{"configMap": {"name": "ca"}}, {"secret": {"name": "keys"}}]}},
    ],
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "two-gpus"}],
}


def test_a_workload_uses_what_its_pods_need():
    assert edges(workload(pod=POD)) == [
        "Deployment web uses ConfigMap ca",
        "Deployment web uses PersistentVolumeClaim cache",
        "Deployment web uses ResourceClaimTemplate two-gpus",
        "Deployment web uses Secret keys",
        "Deployment web uses ServiceAccount robot",
    ]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("InferencePool", {"selector": {"matchLabels": {"app": "x"}}}),
        ("InferencePool", {"selector": {"app": "x"}}),
        ("NetworkPolicy", {"podSelector": {"matchLabels": {"app": "x"}}}),
        ("PodDisruptionBudget", {"selector": {"matchLabels": {"app": "x"}}}),
        ("PodMonitor", {"selector": {"matchLabels": {"app": "x"}}}),
        ("Service", {"selector": {"app": "x"}}),
    ],
)
def test_a_selector_leads_to_workloads_whose_pods_match(kind: str, spec: dict[str, Any]):
    selecting = make(kind, "s", spec=spec)
    elsewhere = make("Deployment", "far", "other", spec=workload(app="x")["spec"])
    objects = [selecting, workload("one", app="x", more="y"), workload("two", app="z"), elsewhere]

    assert edges(*objects) == [f"{kind} s selects Deployment one"]


def test_any_pod_template_of_a_workload_counts():
    templates = {"leaderTemplate": workload(role="l")["spec"]["template"], "workerTemplate": {"spec": {}}}
    group = make("LeaderWorkerSet", "group", spec={"leaderWorkerTemplate": templates})

    assert [path for path, _ in pod_templates(group)] == ["spec.leaderWorkerTemplate.leaderTemplate"]
    assert edges(make("Service", "s", spec={"selector": {"role": "l"}}), group) == [
        "Service s selects LeaderWorkerSet group"
    ]


def test_a_service_without_selector_selects_nothing():
    assert edges(make("Service", spec={}), workload()) == []


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (
            make("HTTPRoute", spec={
                "parentRefs": [{"name": "gw", "namespace": "infra"}],
                "rules": [{"backendRefs": [{"name": "web"}, {"kind": "InferencePool", "name": "pool"}]}],
            }),
            ["through Gateway gw", "routes to InferencePool pool", "routes to Service web"],
        ),
        (make("InferencePool", spec={"endpointPickerRef": {"name": "epp"}}), ["asks Service epp"]),
        (make("InferencePool", spec={"extensionRef": {"name": "epp"}}), ["asks Service epp"]),
        (make("InferenceObjective", spec={"poolRef": {"name": "p"}}), ["ranks requests to InferencePool p"]),
        (
            make("HorizontalPodAutoscaler", spec={"scaleTargetRef": {"kind": "LeaderWorkerSet", "name": "w"}}),
            ["scales LeaderWorkerSet w"],
        ),
        (
            make("ScaledObject", spec={
                "scaleTargetRef": {"name": "w"}, "triggers": [{"authenticationRef": {"name": "t"}}, {}],
            }),
            ["scales Deployment w", "uses TriggerAuthentication t"],
        ),
        (make("DestinationRule", spec={"host": "epp.models.svc.cluster.local"}), ["sets TLS of Service epp"]),
        (
            make("VirtualService", spec={"http": [{"route": [{"destination": {"host": "web"}}]}]}),
            ["routes to Service web"],
        ),
        (
            make("Ingress", spec={"rules": [{"http": {"paths": [{"backend": {"service": {"name": "web"}}}]}}]}),
            ["routes to Service web"],
        ),
        (
            make("ServiceMonitor", spec={
                "selector": {}, "endpoints": [{"authorization": {"credentials": {"name": "token"}}}, {}],
            }),
            ["reads with Secret token"],
        ),
        (
            make("ClusterRoleBinding", namespace="", roleRef={"kind": "ClusterRole", "name": "r"},
                 subjects=[{"kind": "ServiceAccount", "name": "robot", "namespace": "n"}]),
            ["grants ClusterRole r", "to ServiceAccount robot"],
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)  # fmt: skip
def test_references_by_name(obj: dict[str, Any], expected: list[str]):
    assert edges(obj) == [f"{obj['kind']} a {edge}" for edge in expected]


def test_a_service_monitor_selects_services_by_their_labels():
    monitor = make("ServiceMonitor", "m", spec={"selector": {"matchLabels": {"app": "x"}}, "endpoints": []})

    assert edges(monitor, make("Service", "s", labels={"app": "x"}, spec={}), workload(app="x")) == [
        "ServiceMonitor m selects Service s"
    ]


@pytest.mark.parametrize(
    "obj",
    [
        make("HTTPRoute"),
        make("HTTPRoute", spec=3),
        make("HTTPRoute", spec={"rules": [3, {"backendRefs": {"kind": [], "name": ["x"]}}], "parentRefs": "gw"}),
        make("InferencePool", spec={"selector": {"matchLabels": "app"}, "endpointPickerRef": None}),
        make("VirtualService", spec={"http": [{"route": [{"destination": {"host": 3}}]}]}),
    ],
    ids=str,
)
def test_an_object_that_is_only_passed_through_may_have_any_shape(obj: dict[str, Any]):
    assert edges(obj, workload(app="x")) == []


def test_what_is_not_rendered_is_outside_and_dashed():
    found = graph([workload(pod={"serviceAccountName": "robot"})])

    assert {node.kind for node in found.outside} == {"ServiceAccount"}
    assert mermaid(found) == (
        "flowchart LR\n"
        '  n0["Deployment<br>web"]\n'
        '  n1["ServiceAccount<br>robot"]\n'
        "  n0 -->|uses| n1\n"
        "  classDef outside stroke-dasharray: 4\n"
        "  class n1 outside\n"
    )
    assert dot(found) == (
        "digraph services {\n"
        "  rankdir=LR\n"
        "  node [shape=box]\n"
        '  n0 [label="Deployment\\nweb"]\n'
        '  n1 [label="ServiceAccount\\nrobot", style=dashed]\n'
        '  n0 -> n1 [label="uses"]\n'
        "}\n"
    )


def test_the_namespace_is_shown_where_it_is_not_the_only_one():
    objects = [make("Service", "s", "one", spec={}), make("Service", "s", "two", spec={})]

    assert '["Service<br>s<br>two"]' in mermaid(graph(objects))
    assert '["Service<br>s"]' in mermaid(graph(objects[:1]))


def test_the_order_of_the_objects_does_not_matter():
    objects = [workload("b", app="x"), make("Service", spec={"selector": {"app": "x"}}), workload("c")]

    assert graph(objects) == graph(objects[::-1])


def test_no_object_gives_an_empty_picture():
    assert mermaid(graph([])) == "flowchart LR\n"


def test_command_draws_a_prefill_and_decode_service(capsys: pytest.CaptureFixture[str]):
    assert main(["graph", str(EXAMPLE)]) == 0

    lines = capsys.readouterr().out.splitlines()
    names = {line.split("[")[0].strip(): line.split('"')[1] for line in lines if '["' in line}
    arrows = {tuple(line.split()) for line in lines if "-->" in line and "|selects|" in line}
    selected = {(names[source], names[target]) for source, _, target in arrows}
    assert selected >= {
        ("InferencePool<br>qwen3-32b", "Deployment<br>qwen3-32b-decode"),
        ("InferencePool<br>qwen3-32b", "Deployment<br>qwen3-32b-prefill"),
        ("PodMonitor<br>qwen3-32b-decode", "Deployment<br>qwen3-32b-decode"),
        ("Service<br>qwen3-32b-epp", "Deployment<br>qwen3-32b-epp"),
        ("ServiceMonitor<br>qwen3-32b-epp", "Service<br>qwen3-32b-epp"),
    }


def test_command_refuses_bad_manifests(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "bad.yaml").write_text("apiVersion: v1\nkind: Nothing\nmetadata: {name: a}\n")

    assert main(["graph", str(tmp_path / "bad.yaml"), "--format", "dot"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "bad.yaml" in captured.err
