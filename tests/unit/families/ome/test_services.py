"""InferenceServices beyond the reference cases: merging, workloads, scaling, pods, findings, the users' reports.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from components.kubernetes.quantities import amount

from .helpers import (
    MODEL,
    RUNNER,
    RUNTIME,
    env,
    main,
    manifest,
    objects,
    planned,
    pod,
    problems,
    service,
    with_platform,
)


def engine(spec: dict[str, Any], *, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    return objects(with_platform(service({"model": {"name": "llama"}, "engine": spec}, **metadata), settings=settings))


# Merging a runtime and a service


def test_runner_is_merged_by_name_and_lists_as_the_api_does() -> None:
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": {"runner": {**RUNNER, **RUNTIME_RUNNER}}}}
    own = {
        "runner": {
            "name": "ome-container",
            "args": ["--mine"],
            "env": [
                {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "C", "value": "3"},
            ],
            "resources": {"limits": {"cpu": "2"}},
        }
    }
    made = objects(planned(MODEL, runtime, service({"model": {"name": "llama"}, "engine": own})))
    container = main(made["Deployment chat-engine"])
    assert container["args"] == ["--mine"]
    assert container["image"] == "vllm/vllm-openai:v1"
    assert container["env"][:3] == [
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "B", "value": "2"},
        {"name": "C", "value": "3"},
    ]
    assert container["resources"] == {"limits": {"cpu": "2", "memory": "1Gi"}}


RUNTIME_RUNNER = {
    "args": ["--theirs"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
}


def test_a_volume_of_the_same_name_is_the_service_s() -> None:
    made = engine(
        {
            "volumes": [{"name": "llama", "emptyDir": {}}],
            "runner": {"name": "ome-container", "volumeMounts": [{"name": "llama", "mountPath": "/other"}]},
        }
    )
    volumes = pod(made["Deployment chat-engine"])["spec"]["volumes"]
    assert volumes == [{"name": "llama", "emptyDir": {}}]


def test_sidecars_and_init_containers_stay() -> None:
    spec = {
        "containers": [{"name": "proxy", "image": "p:1"}],
        "initContainers": [{"name": "prepare", "image": "i:1"}],
        "serviceAccountName": "runner",
    }
    found = pod(engine(spec)["Deployment chat-engine"])["spec"]
    assert [container["name"] for container in found["containers"]] == ["ome-container", "proxy"]
    assert found["initContainers"] == [{"name": "prepare", "image": "i:1"}]
    assert found["serviceAccountName"] == "runner"


# Workloads


@pytest.mark.parametrize(
    ("spec", "annotations", "kinds"),
    [
        ({"engine": {}}, {}, ["Deployment chat-engine"]),
        ({"engine": {"minReplicas": 0}}, {}, ["KnativeService chat-engine"]),
        (
            {"engine": {"minReplicas": 0}, "decoder": {"minReplicas": 0}},
            {},
            ["Deployment chat-decoder", "Deployment chat-engine"],
        ),
        (
            {"engine": {}, "router": {"minReplicas": 0}},
            {},
            ["Deployment chat-engine", "KnativeService chat-router"],
        ),
        ({"engine": {"worker": {"size": 1}}}, {}, ["LeaderWorkerSet lws-chat-engine"]),
        ({"engine": {"annotations": {"ome.io/deploymentMode": "Serverless"}}}, {}, ["KnativeService chat-engine"]),
        ({}, {"ome.io/deploymentMode": "Serverless"}, ["KnativeService chat-engine"]),
        ({}, {}, ["Deployment chat-engine"]),
    ],
)
def test_which_workload(spec: dict[str, Any], annotations: dict[str, str], kinds: list[str]) -> None:
    made = objects(with_platform(service({"model": {"name": "llama"}, **spec}, annotations=annotations)))
    workloads = ("Deployment", "KnativeService", "LeaderWorkerSet", "RayCluster")
    assert sorted(name for name in made if name.startswith(workloads)) == kinds


def test_groups_of_leader_and_workers() -> None:
    spec = {"minReplicas": 2, "leader": {"runner": RUNNER}, "worker": {"size": 3, "runner": {**RUNNER, "image": "w:1"}}}
    body = engine(spec)["LeaderWorkerSet lws-chat-engine"]["spec"]
    assert body["replicas"] == 2
    template = body["leaderWorkerTemplate"]
    assert (template["size"], template["restartPolicy"]) == (4, "RecreateGroupOnPodRestart")
    assert template["leaderTemplate"]["spec"]["containers"][0]["image"] == "vllm/vllm-openai:v1"
    assert template["workerTemplate"]["spec"]["containers"][0]["image"] == "w:1"
    assert "startupProbe" not in template["workerTemplate"]["spec"]["containers"][0]


def test_services_of_two_multi_node_services_reach_their_own_leaders_only() -> None:
    spec = {"model": {"name": "llama"}, "engine": {"worker": {"size": 1}}}
    made = objects(with_platform(service(spec, name="one"), service(spec, name="two")))
    for name, other in (("one", "two"), ("two", "one")):
        labels = {
            part: made[f"LeaderWorkerSet lws-{who}-engine"]["spec"]["leaderWorkerTemplate"][part]["metadata"]["labels"]
            for who, part in ((name, "leaderTemplate"), (other, "leaderTemplate"))
        }
        for service_name in (f"Service {name}-engine", f"Service {name}"):
            selector = made[service_name]["spec"]["selector"]
            lws = made[f"LeaderWorkerSet lws-{name}-engine"]["spec"]["leaderWorkerTemplate"]
            own, worker = lws["leaderTemplate"]["metadata"]["labels"], lws["workerTemplate"]["metadata"]["labels"]
            foreign = made[f"LeaderWorkerSet lws-{other}-engine"]["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
            assert selector.items() <= own.items()
            assert not selector.items() <= worker.items()
            assert not selector.items() <= foreign["metadata"]["labels"].items()
        assert labels


def test_knative_limits_and_traffic() -> None:
    spec = {"minReplicas": 0, "timeoutSeconds": 30, "containerConcurrency": 4, "scaleMetric": "rps", "scaleTarget": 9}
    made = engine(spec, annotations={"ome.io/enable-tag-routing": "true"})["KnativeService chat-engine"]
    body = pod(made)["spec"]
    assert (body["timeoutSeconds"], body["responseStartTimeoutSeconds"], body["containerConcurrency"]) == (30, 30, 4)
    annotations = pod(made)["metadata"]["annotations"]
    scale = {
        key: annotations[f"autoscaling.knative.dev/{key}"] for key in ("metric", "target", "min-scale", "max-scale")
    }
    assert scale == {"metric": "rps", "target": "9", "min-scale": "0", "max-scale": "3"}
    assert made["spec"]["traffic"] == [{"latestRevision": True, "percent": 100, "tag": "latest"}]


# Scaling


@pytest.mark.parametrize(
    ("spec", "annotations", "utilization"),
    [
        ({}, {}, 80),
        ({"scaleTarget": 60}, {}, 60),
        ({"scaleTarget": 60}, {"ome.io/targetUtilizationPercentage": "70"}, 70),
        ({}, {"ome.io/target-utilization": "50"}, 50),
        ({"scaleTarget": 60}, {"ome.io/target-utilization": "50"}, 60),
        ({}, {"autoscaling.ome.io/target": "40"}, 40),
        ({}, {"autoscaling.ome.io/target": "40", "ome.io/target-utilization": "50"}, 50),
        ({}, {"autoscaling.ome.io/target": "0.5"}, 80),
    ],
)
def test_utilization(spec: dict[str, Any], annotations: dict[str, str], utilization: int) -> None:
    made = engine(spec, annotations=annotations)
    metric = made["HorizontalPodAutoscaler chat-engine"]["spec"]["metrics"][0]["resource"]
    assert metric["target"]["averageUtilization"] == utilization


@pytest.mark.parametrize("by", ["hpa", "keda", "external"])
def test_an_autoscaler_owns_the_replicas(by: str) -> None:
    made = engine({}, annotations={"ome.io/autoscalerClass": by})
    assert "replicas" not in made["Deployment chat-engine"]["spec"]


@pytest.mark.parametrize("kind", ["HorizontalPodAutoscaler chat-engine", "ScaledObject scaledobject-chat-engine"])
def test_the_class_external_has_no_autoscaler(kind: str) -> None:
    assert kind not in engine({}, annotations={"ome.io/autoscalerClass": "external"})


def test_keda_of_a_component_comes_before_the_service_s() -> None:
    spec = {
        "model": {"name": "llama"},
        "engine": {"kedaConfig": {"scalingThreshold": "3"}},
        "kedaConfig": {"scalingThreshold": "4", "scalingOperator": "GreaterThan"},
    }
    made = objects(with_platform(service(spec, annotations={"ome.io/autoscalerClass": "keda"})))
    trigger = made["ScaledObject scaledobject-chat-engine"]["spec"]["triggers"][0]["metadata"]
    assert (trigger["threshold"], trigger["operator"]) == ("3", "LessThanOrEqual")
    assert trigger["serverAddress"] == "http://prometheus-operated.monitoring.svc.cluster.local:9090"
    assert 'ome_io_inferenceservice="chat"' in trigger["query"]


@pytest.mark.parametrize(
    ("given", "bounds"),
    [
        ({}, {"maxUnavailable": 1}),
        ({"maxUnavailable": "25%"}, {"maxUnavailable": "25%"}),
        ({"minAvailable": 2}, {"minAvailable": 2}),
    ],
)
def test_disruption_budget(given: dict[str, Any], bounds: dict[str, Any]) -> None:
    spec = dict(engine(given)["PodDisruptionBudget chat-engine"]["spec"])
    assert spec.pop("selector") == {"matchLabels": {"app": "chat-engine"}}
    assert spec == bounds


# Pods


def test_gpus_in_requests_only_get_the_limit_and_parallelism_counts_workers() -> None:
    runner = {"name": "ome-container", "resources": {"requests": {"nvidia.com/gpu": "8"}}}
    made = engine({"runner": runner, "worker": {"size": 1, "runner": {**RUNNER, **runner}}})
    leader = made["LeaderWorkerSet lws-chat-engine"]["spec"]["leaderWorkerTemplate"]["leaderTemplate"]
    container = leader["spec"]["containers"][0]
    assert container["resources"] == {"requests": {"nvidia.com/gpu": "8"}, "limits": {"nvidia.com/gpu": "8"}}
    assert {"name": "PARALLELISM_SIZE", "value": "16"} in container["env"]


def test_a_model_s_name_with_dots_gives_a_volume_s_name() -> None:
    model = {**MODEL, "metadata": {"name": "llama-3.2-1b"}}
    made = objects(planned(model, RUNTIME, service({"model": {"name": "llama-3.2-1b"}, "engine": {}})))
    volume = pod(made["Deployment chat-engine"])["spec"]["volumes"][0]
    assert volume == {"name": "llama-3-2-1b", "hostPath": {"path": "/mnt/models/llama"}}


def test_no_agent_no_node_selector() -> None:
    spec = pod(engine({}, settings={"modelNodeSelector": False})["Deployment chat-engine"])["spec"]
    assert "nodeSelector" not in spec


def test_a_user_s_probe_stands_alone() -> None:
    probe = {"httpGet": {"path": "/ready", "port": 8080}, "failureThreshold": 360, "periodSeconds": 10}
    container = main(engine({"runner": {"name": "ome-container", "startupProbe": probe}})["Deployment chat-engine"])
    assert container["startupProbe"] == probe
    assert "readinessProbe" not in container


def test_a_flag_in_the_command_line_comes_before_a_key() -> None:
    runner = {"name": "ome-container", "args": ["--max-num-seqs=4"]}
    spec = {"model": {"name": "llama"}, "engine": {"runner": runner}}
    plan = with_platform(service(spec, annotations={"performance.ome.io/batch-size": "8"}))
    container = main(objects(plan)["Deployment chat-engine"])
    assert container["args"] == ["--max-num-seqs=4"]
    path = 'metadata.annotations["performance.ome.io/batch-size"]'
    assert (path, "warning", "overridden") in problems(plan)


def test_a_shell_command_gets_variables_only() -> None:
    runner = {"name": "ome-container", "command": ["/bin/bash", "-lc"], "args": ["vllm serve"]}
    made = engine({"runner": runner}, annotations={"performance.ome.io/batch-size": "8"})["Deployment chat-engine"]
    assert main(made)["args"] == ["vllm serve"]
    assert env(made)["BATCH_SIZE"] == "8"


# Findings


@pytest.mark.parametrize(
    ("spec", "path", "severity"),
    [
        ({"engine": {"minReplicas": 3, "maxReplicas": 2}}, "spec.engine.maxReplicas", "warning"),
        ({"engine": {"minReplicas": -1}}, "spec.engine.minReplicas", "error"),
        ({"engine": {"minAvailable": 1, "maxUnavailable": 1}}, "spec.engine", "error"),
        (
            {"engine": {"deploymentStrategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}}},
            "spec.engine.deploymentStrategy.rollingUpdate",
            "error",
        ),
        ({"predictor": {}}, "spec.predictor", "error"),
        ({"engine": {"scaleMetric": "rps"}}, "spec.engine.scaleMetric", "warning"),
        ({"engine": {}, "decoder": {"minReplicas": 0}}, "spec.decoder.minReplicas", "warning"),
        (
            {"engine": {"runner": {"name": "ome-container", "resources": {"limits": {"nvidia.com/gpu": "0.5"}}}}},
            'spec.engine.runner.resources.limits["nvidia.com/gpu"]',
            "error",
        ),
    ],
)
def test_findings(spec: dict[str, Any], path: str, severity: str) -> None:
    found = problems(with_platform(service({"model": {"name": "llama"}, **spec})))
    assert (path, severity) in [(where, how) for where, how, _ in found]


@pytest.mark.parametrize(
    ("annotations", "spec", "severity"),
    [
        ({"ome.io/deploymentMode": "MultiNode"}, {"engine": {}}, "error"),
        ({"ome.io/deploymentMode": "PDDisaggregated"}, {"engine": {}}, "error"),
        ({"ome.io/deploymentMode": "Serverless"}, {"engine": {}, "decoder": {}}, "warning"),
        ({"ome.io/deploymentMode": "RawDeployment"}, {"engine": {"worker": {"size": 1}}}, "warning"),
    ],
)
def test_a_mode_that_contradicts_the_components(annotations: Any, spec: Any, severity: str) -> None:
    found = problems(with_platform(service({"model": {"name": "llama"}, **spec}, annotations=annotations)))
    assert ('metadata.annotations["ome.io/deploymentMode"]', severity, "overridden") in found


@pytest.mark.parametrize(
    ("key", "value"), [("autoscaling.ome.io/enable-keda", "true"), ("ome.io/autoscalerClass", "keda")]
)
def test_keda_beside_knative(key: str, value: str) -> None:
    plan = with_platform(service(annotations={"ome.io/deploymentMode": "Serverless", key: value}))
    assert (f'metadata.annotations["{key}"]', "warning", "overridden") in problems(plan)
    assert "KnativeService chat-engine" in objects(plan)


def test_a_key_that_contradicts_a_field() -> None:
    plan = with_platform(service(annotations={"ome.io/min-replicas": "3", "ome.io/max-replicas": "9"}))
    assert [p for p in problems(plan) if p[2] == "overridden"] == [
        ("spec.engine.minReplicas", "warning", "overridden"),
        ("spec.engine.maxReplicas", "warning", "overridden"),
    ]
    spec = objects(plan)["HorizontalPodAutoscaler chat-engine"]["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (1, 2)


@pytest.mark.parametrize(
    ("others", "spec", "path", "severity"),
    [
        ([MODEL, RUNTIME], {"model": {"name": "lama"}}, "spec.model.name", "error"),
        ([RUNTIME], {"model": {"name": "llama"}, "runtime": {"name": "vllm"}}, "spec.model.name", "warning"),
        ([MODEL, RUNTIME], {"model": {"name": "llama"}, "runtime": {"name": "sglang"}}, "spec.runtime.name", "error"),
        ([MODEL], {"model": {"name": "llama"}}, "spec.runtime", "error"),
        ([], {"engine": {}}, "spec.model", "error"),
    ],
)
def test_what_a_service_refers_to(others: list[Any], spec: Any, path: str, severity: str) -> None:
    found = problems(planned(*others, service(spec)))
    assert (path, severity) in [(where, how) for where, how, _ in found]


def test_a_disabled_runtime_is_not_taken() -> None:
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "disabled": True}}
    assert ("spec.runtime", "error", "no-runtime") in problems(planned(MODEL, runtime, service()))
    named = service({"model": {"name": "llama"}, "runtime": {"name": "vllm"}})
    assert ("spec.runtime.name", "error", "disabled-runtime") in problems(planned(MODEL, runtime, named))


def test_the_runtime_of_the_highest_priority_in_range_is_chosen() -> None:
    def runtime(name: str, priority: int, **more: Any) -> dict[str, Any]:
        offer = {"modelFormat": {"name": "safetensors"}, "autoSelect": True, "priority": priority}
        spec = {**RUNTIME["spec"], "supportedModelFormats": [offer], **more}
        return {**RUNTIME, "metadata": {"name": name}, "spec": spec}

    model = {**MODEL, "spec": {**MODEL["spec"], "modelParameterSize": "8B"}}
    runtimes = [runtime("low", 1), runtime("high", 5), runtime("huge", 9, modelSizeRange={"min": "70B", "max": "1T"})]
    made = objects(planned(model, *runtimes, service({"model": {"name": "llama"}, "engine": {}})))
    assert made["Deployment chat-engine"]["metadata"]["labels"]["serving-runtime"] == "high"


def test_a_literal_secret_is_refused() -> None:
    runner = {"name": "ome-container", "env": [{"name": "HF_TOKEN", "value": "hf_" + "a" * 30}]}
    plan = with_platform(service({"model": {"name": "llama"}, "engine": {"runner": runner}}))
    assert ("spec.engine.runner.env[0].value", "error", "literal-secret") in problems(plan)


def test_security_levels_name_what_they_forbid() -> None:
    plan = with_platform(service(annotations={"security.ome.io/pod-security-policy": "baseline"}))
    assert ("spec.engine", "warning", "security-level") in problems(plan)


def test_storage_for_many_replicas_must_be_shared() -> None:
    size = {"storage.ome.io/size": "1Gi"}
    assert ("metadata.annotations", "warning", "shared-claim") in problems(with_platform(service(annotations=size)))
    shared = {**size, "storage.ome.io/access-mode": "ReadWriteMany"}
    assert not [p for p in problems(with_platform(service(annotations=shared))) if p[2] == "shared-claim"]
    lonely = with_platform(service(annotations={"storage.ome.io/class": "fast"}))
    assert ("metadata.annotations", "warning", "no-claim") in problems(lonely)


# Reports


def test_report_30_no_pod_is_started_behind_the_user_s_back() -> None:
    """RawDeployment with minReplicas 0 stays a Deployment; 0 is 0; no HPA with 0."""
    sleepy = {
        "model": {"name": "demo-8b"},
        "engine": {
            "minReplicas": 0,
            "maxReplicas": 2,
            "runner": {"name": "ome-container", "image": "sglang:v1", "resources": {"limits": {"nvidia.com/gpu": "1"}}},
        },
    }
    raw = {"ome.io/deploymentMode": "RawDeployment"}
    plan = planned(service(sleepy, annotations=raw))
    made = objects(plan)
    assert made["Deployment chat-engine"]["spec"]["replicas"] == 0
    assert not [name for name in made if name.startswith(("KnativeService", "HorizontalPodAutoscaler", "ScaledObject"))]
    assert ("spec.engine.minReplicas", "warning", "scaled-to-zero") in problems(plan)
    woken = objects(planned(service(sleepy, annotations={**raw, "autoscaling.ome.io/enable-keda": "true"})))
    scaled = woken["ScaledObject scaledobject-chat-engine"]["spec"]
    assert (scaled["minReplicaCount"], scaled["maxReplicaCount"]) == (0, 2)
    assert "replicas" not in woken["Deployment chat-engine"]["spec"]


def test_report_01_the_queue_is_no_selector() -> None:
    def made(queue: str) -> dict[str, dict[str, Any]]:
        annotations = {"ome.io/dedicated-ai-cluster": queue, "kueue-enabled": "true"}
        return engine({}, annotations=annotations)

    one, two = made("queue-one"), made("queue-two")
    labels = (
        one["Deployment chat-engine"]["metadata"]["labels"],
        pod(one["Deployment chat-engine"])["metadata"]["labels"],
    )
    assert [label["kueue.x-k8s.io/queue-name"] for label in labels] == ["queue-one", "queue-one"]
    for name in ("Deployment chat-engine", "Service chat-engine", "Service chat", "PodDisruptionBudget chat-engine"):
        selector = one[name]["spec"]["selector"]
        assert "kueue" not in str(selector)
        assert selector == two[name]["spec"]["selector"]


@pytest.mark.parametrize(("queued", "limit"), [(False, 51), (True, 39)])
def test_report_32_names_of_groups_leave_room(queued: bool, limit: int) -> None:
    long = "a-service-with-a-name-that-goes-on-and-on-and-on"
    annotations = {"ome.io/dedicated-ai-cluster": "q", "kueue-enabled": "true"} if queued else {}
    spec = {"model": {"name": "llama"}, "engine": {"worker": {"size": 1}}}
    made = objects(with_platform(service(spec, name=long, annotations=annotations)))
    (name,) = [obj["metadata"]["name"] for obj in made.values() if obj["kind"] == "LeaderWorkerSet"]
    assert len(name) <= limit
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name)


def test_report_34_gpus_that_share_a_model_share_memory() -> None:
    runner = {"name": "ome-container", "args": ["--tensor-parallel-size", "4"]}
    spec = pod(engine({"runner": runner})["Deployment chat-engine"])["spec"]
    assert {"name": "dshm", "emptyDir": {"medium": "Memory"}} in spec["volumes"]
    assert {"name": "dshm", "mountPath": "/dev/shm"} in spec["containers"][0]["volumeMounts"]
    mine = {**runner, "volumeMounts": [{"name": "mine", "mountPath": "/dev/shm"}]}
    made = engine({"runner": mine, "volumes": [{"name": "mine", "emptyDir": {}}]})
    mounts = main(made["Deployment chat-engine"])["volumeMounts"]
    assert [mount["name"] for mount in mounts if mount["mountPath"] == "/dev/shm"] == ["mine"]


def test_report_38_no_service_links_for_vllm() -> None:
    assert pod(engine({})["Deployment chat-engine"])["spec"]["enableServiceLinks"] is False
    kept = pod(engine({"enableServiceLinks": True})["Deployment chat-engine"])["spec"]
    assert kept["enableServiceLinks"] is True


def test_report_41_quantities_are_canonical() -> None:
    runner = {"name": "ome-container", "resources": {"limits": {"cpu": 2, "memory": "2048Mi"}}}
    limits = main(engine({"runner": runner})["Deployment chat-engine"])["resources"]["limits"]
    assert limits == {"cpu": "2", "memory": "2Gi"}
    assert amount(limits["memory"]) == 2 * 1024**3


def test_report_42_texts_stay_as_written() -> None:
    written = """
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata:
  name: chat
  labels: {rev: 0010}
  annotations: {when: 2026-03-25, feature: yes, ratio: 1e3}
spec:
  engine:
    runner: {name: ome-container, image: "x:1", env: [{name: A, value: on}]}
"""
    from components.manifests.documents import parse
    from components.planning.plan import make_plan
    from components.planning.settings import Settings

    documents, _ = parse(written, "x.yaml")
    made = objects(make_plan(documents, Settings()))
    metadata = pod(made["Deployment chat-engine"])["metadata"]
    assert metadata["labels"]["rev"] == "0010"
    assert {key: metadata["annotations"][key] for key in ("when", "feature", "ratio")} == {
        "when": "2026-03-25",
        "feature": "yes",
        "ratio": "1e3",
    }
    assert env(made["Deployment chat-engine"])["A"] == "on"


# Ingress


GATEWAY = {"ingress": {"disableIngressCreation": False, "enableGatewayAPI": True, "omeIngressGateway": "ns/gw"}}


def test_http_route() -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "router": {"timeoutSeconds": 5}}
    made = objects(with_platform(service(spec), settings=GATEWAY))
    rule = made["HTTPRoute chat"]["spec"]["rules"][0]
    assert rule["timeouts"] == {"request": "5s"}
    assert rule["backendRefs"] == [
        {"group": "", "kind": "Service", "name": "chat-router", "namespace": "llm", "port": 8080, "weight": 1}
    ]
    assert made["HTTPRoute chat"]["spec"]["hostnames"] == ["chat.llm.example.com"]
    assert "Service chat" not in made


def test_a_gateway_must_be_named() -> None:
    settings = {"ingress": {"disableIngressCreation": False, "enableGatewayAPI": True}}
    assert ("metadata.name", "error", "required") in problems(with_platform(service(), settings=settings))


def test_cluster_local_has_no_way_in() -> None:
    local = {"networking.knative.dev/visibility": "cluster-local"}
    for settings in (GATEWAY, {"ingress": {"disableIngressCreation": False}}, {}):
        made = objects(with_platform(service(labels=local), settings=settings))
        assert not [name for name in made if name.startswith(("HTTPRoute", "Ingress", "Service chat$"))]
        assert "Service chat" not in made


def test_additional_hosts() -> None:
    annotations = {"ome.io/ingress-additional-domains": "a.example, b.example"}
    made = objects(with_platform(service(annotations=annotations), settings={**GATEWAY, "additionalHosts": True}))
    assert made["HTTPRoute chat"]["spec"]["hostnames"] == [
        "chat.llm.example.com",
        "chat.llm.a.example",
        "chat.llm.b.example",
    ]


# ConfigMaps of OME among the manifests


def test_ome_s_config_maps_count_before_the_settings() -> None:
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "inferenceservice-config", "namespace": "ome"},
        "data": {
            "ingress": '{"ingressDomain": "corp.example", "disableIngressCreation": false, "unknown": 1}',
            "other": "{",
        },
    }
    made = objects(with_platform(service(), config_map, settings={"ingress": {"ingressDomain": "x.example"}}))
    assert made["Ingress chat"]["spec"]["rules"][0]["host"] == "chat.llm.corp.example"
    broken = {**config_map, "data": {"ingress": "{"}}
    found = with_platform(service(), broken).findings
    assert [(f.object, f.path) for f in found if f.severity == "error"] == [
        ("ConfigMap ome/inferenceservice-config", "data.ingress")
    ]


def test_endpoint_and_status() -> None:
    plan = with_platform(service())
    (rendered,) = plan.services
    assert rendered.observe is not None
    status = rendered.observe({"engine-deployment": {"readyReplicas": 0, "replicas": 1}})
    assert (status.phase, status.reason, status.endpoint) == (
        "Progressing",
        "PodsNotReady",
        "http://chat-engine.llm.svc.cluster.local:8080",
    )
    ready = rendered.observe({"engine-deployment": {"readyReplicas": 1, "replicas": 1}})
    assert (ready.phase, ready.ready, ready.desired) == ("Ready", 1, 1)


@pytest.mark.parametrize(
    ("mode", "role", "live", "phase"),
    [
        ("Serverless", "engine-knative-service", {}, "Progressing"),
        ("Serverless", "engine-knative-service", {"conditions": [{"type": "Ready", "status": "True"}]}, "Ready"),
        ("Serverless", "engine-knative-service", {"conditions": [{"type": "Ready", "status": "False"}]}, "Progressing"),
        ("MultiNodeRayVLLM", "engine-ray-cluster-0", {"state": "suspended"}, "Progressing"),
        ("MultiNodeRayVLLM", "engine-ray-cluster-0", {"state": "ready"}, "Ready"),
    ],
)
def test_status_of_what_counts_no_pods(mode: str, role: str, live: dict[str, Any], phase: str) -> None:
    (rendered,) = with_platform(service(annotations={"ome.io/deploymentMode": mode})).services
    assert role in rendered.objects
    assert rendered.observe is not None
    assert rendered.observe({role: live}).phase == phase


@pytest.mark.parametrize(
    ("live", "phase", "ready", "desired"),
    [
        ({}, "Progressing", 0, 1),
        ({"observedGeneration": 1}, "Stopped", 0, 0),
        ({"replicas": 3, "readyReplicas": 2}, "Progressing", 2, 3),
        ({"replicas": 3, "readyReplicas": 3}, "Ready", 3, 3),
    ],
)
def test_an_autoscaler_s_number_of_pods_counts(live: dict[str, Any], phase: str, ready: int, desired: int) -> None:
    asleep = {"model": {"name": "llama"}, "engine": {"minReplicas": 0, "maxReplicas": 4}}
    keys = {"ome.io/deploymentMode": "RawDeployment", "autoscaling.ome.io/enable-keda": "true"}
    (rendered,) = with_platform(service(asleep, annotations=keys)).services
    assert rendered.observe is not None
    status = rendered.observe({"engine-deployment": live} if live else {})
    assert (status.phase, status.ready, status.desired) == (phase, ready, desired)


def test_a_surplus_of_one_never_hides_a_lack_of_another() -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "decoder": {}}
    (rendered,) = with_platform(service(spec)).services
    assert rendered.observe is not None
    live = {
        "engine-deployment": {"readyReplicas": 3, "replicas": 3},
        "decoder-deployment": {"readyReplicas": 0, "replicas": 1},
    }
    status = rendered.observe(live)
    assert status.phase == "Progressing"
    assert [(c.type, c.status) for c in status.conditions] == [
        ("Ready", "False"),
        ("EngineReady", "True"),
        ("DecoderReady", "False"),
    ]


def test_other_kinds_of_manifest_make_nothing() -> None:
    assert objects(planned(MODEL, RUNTIME)) == {}
    assert manifest("BaseModel", MODEL["spec"])["kind"] == "BaseModel"
