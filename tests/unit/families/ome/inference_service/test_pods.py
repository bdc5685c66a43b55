"""What a component's pods have; the users' reports about them.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from modelservices.kubernetes.quantities import amount

from ..helpers import (
    MODEL,
    RUNNER,
    RUNTIME,
    engine,
    env,
    main,
    objects,
    planned,
    pod,
    problems,
    service,
    with_platform,
)

OPEN_PORT = {"tcpSocket": {"port": 8080}, "periodSeconds": 10, "timeoutSeconds": 1, "failureThreshold": 3}


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


def test_beside_a_user_s_probe_there_is_only_ome_s_own_readiness() -> None:
    probe = {"httpGet": {"path": "/ready", "port": 8080}, "failureThreshold": 360, "periodSeconds": 10}
    container = main(engine({"runner": {"name": "ome-container", "startupProbe": probe}})["Deployment chat-engine"])
    assert container["startupProbe"] == probe
    assert container["readinessProbe"] == OPEN_PORT
    assert "livenessProbe" not in container


def test_a_main_container_of_an_unknown_server_is_ready_when_its_port_is_open() -> None:
    runner = {"image": "registry.example.com/server:1", "ports": [{"containerPort": 9000}, {"containerPort": 9400}]}
    made = [
        main(
            objects(planned(MODEL, service({"engine": {"runner": {**runner, "name": name}}})))["Deployment chat-engine"]
        )
        for name in ("ome-container", "server")
    ]
    assert made[0]["readinessProbe"] == OPEN_PORT | {"tcpSocket": {"port": 9000}}
    assert "readinessProbe" not in made[1]


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
    from modelservices.manifests.documents import parse
    from modelservices.planning.plan import make_plan
    from modelservices.planning.settings import Settings

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


def test_a_router_s_config_is_its_environment() -> None:
    spec = {"model": {"name": "llama"}, "engine": {}, "router": {"config": {"POLICY": "cache_aware"}}}
    assert env(objects(with_platform(service(spec)))["Deployment chat-router"])["POLICY"] == "cache_aware"
