"""Deployments, LeaderWorkerSets and the Service in front of them.

Not proved: that LeaderWorkerSet's controller does with these objects what is expected of it.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.cluster.preflight import changed_fields

from .services import DATA_PARALLEL, SCHEDULER, TLS, container, env, main, manifest, objects, of, pod, server, volume

PIPELINE_PRESET = {
    "kserve-config-llm-worker-pipeline-parallel": {"template": main(image="a:1"), "worker": main(image="b:1")}
}
PROMETHEUS = {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://prometheus:9090"}}}
DRA = "serving.kserve.io/exp-dra-"


def test_replicas_are_copied_only_when_they_are_given() -> None:
    assert "replicas" not in of()["decode-deployment"]["spec"]
    assert of({"replicas": 0})["decode-deployment"]["spec"]["replicas"] == 0
    assert of({"replicas": 3, **DATA_PARALLEL})["decode-group"]["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    ("given", "deployment", "group"),
    [
        (None, None, None),
        ({}, None, None),
        ({"maxSurge": 0}, {"maxSurge": 0}, {"maxUnavailable": 1, "maxSurge": 0}),
        ({"maxUnavailable": "100%"}, {"maxUnavailable": "100%"}, {"maxUnavailable": "100%", "maxSurge": 0}),
        (
            {"maxUnavailable": 0, "maxSurge": 2},
            {"maxUnavailable": 0, "maxSurge": 2},
            {"maxUnavailable": 0, "maxSurge": 2},
        ),
    ],
)
def test_rollouts(given: Any, deployment: Any, group: Any) -> None:
    rollout = {} if given is None else {"rolloutStrategy": given}
    strategy = of(rollout)["decode-deployment"]["spec"].get("strategy")
    assert strategy == ({"type": "RollingUpdate", "rollingUpdate": deployment} if deployment else None)
    found = of({**rollout, **DATA_PARALLEL})["decode-group"]["spec"]["rolloutStrategy"]
    configured = {"rollingUpdateConfiguration": group} if group else {}
    assert found == {"type": "RollingUpdate", **configured}


@pytest.mark.parametrize(
    ("parallelism", "size"),
    [
        ({"data": 16, "dataLocal": 8}, 2),
        ({"data": 8, "dataLocal": 8}, 1),
        ({"data": 4, "dataLocal": 1}, 4),
        ({"pipeline": 4, "tensor": 8}, 4),
    ],
)
def test_the_size_of_a_group(parallelism: dict[str, int], size: int) -> None:
    made = of({"parallelism": parallelism, "worker": main()}, {"presets": PIPELINE_PRESET})["decode-group"]["spec"]
    assert made["leaderWorkerTemplate"]["size"] == size
    assert made["leaderWorkerTemplate"]["restartPolicy"] == "RecreateGroupOnPodRestart"
    assert made["startupPolicy"] == "LeaderCreated"
    assert "subGroupPolicy" not in made["leaderWorkerTemplate"]


def test_a_prefill_group_is_one_sub_group() -> None:
    made = of({"prefill": DATA_PARALLEL})["prefill-group"]["spec"]["leaderWorkerTemplate"]
    assert made["subGroupPolicy"] == {"subGroupSize": 2}


def test_the_size_of_a_prefill_group_stays() -> None:
    """The LeaderWorkerSet's admission refuses another size of a sub-group."""
    larger = of({"prefill": {**DATA_PARALLEL, "parallelism": {"data": 8, "dataLocal": 2}}})["prefill-group"]
    made = of({"prefill": DATA_PARALLEL})["prefill-group"]
    assert changed_fields(larger, made) == ["spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize"]
    assert changed_fields(of(DATA_PARALLEL)["decode-group"], made) == []


def test_decode_and_prefill_choose_their_kind_by_themselves() -> None:
    assert {"decode-group", "prefill-deployment"} < set(of({**DATA_PARALLEL, "prefill": {}}))
    assert {"decode-deployment", "prefill-group"} < set(of({"prefill": DATA_PARALLEL}))


def test_a_group_without_a_leader_template() -> None:
    """A config in a preset's place may have no leader: then every pod is a server."""
    preset = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "kserve-config-llm-worker-data-parallel", "namespace": "kserve"},
        "spec": {"worker": main(image="w:1")},
    }
    made = objects(manifest(DATA_PARALLEL), preset)["decode-group"]
    assert "leaderTemplate" not in made["spec"]["leaderWorkerTemplate"]
    assert made["metadata"]["labels"]["llm-d.ai/role"] == "decode"
    assert made["metadata"]["labels"]["kserve.io/component"] == "workload"


@pytest.mark.parametrize(("settings", "scheme"), [({}, "http"), (TLS, "https")])
def test_the_service_in_front(settings: dict[str, Any], scheme: str) -> None:
    made = of({**DATA_PARALLEL, "prefill": {}}, settings)["service"]
    port = {"name": scheme, "appProtocol": scheme, "protocol": "TCP", "port": 8000, "targetPort": 8000}
    assert made["metadata"]["name"] == "chat-kserve-workload-svc"
    assert made["spec"] == {
        "type": "ClusterIP",
        "ports": [port],
        "selector": {
            "app.kubernetes.io/name": "chat",
            "app.kubernetes.io/part-of": "llminferenceservice",
            "kserve.io/component": "workload",
        },
    }


@pytest.mark.parametrize(("settings", "scheme"), [({}, "HTTP"), (TLS, "HTTPS")])
def test_probes(settings: dict[str, Any], scheme: str) -> None:
    made = server(settings=settings)
    check = {"httpGet": {"path": "/health", "port": 8000, "scheme": scheme}}
    assert made["startupProbe"] == {**check, "periodSeconds": 10, "failureThreshold": 60}
    assert made["livenessProbe"] == {**check, "periodSeconds": 10, "timeoutSeconds": 1, "failureThreshold": 10}
    assert made["readinessProbe"] == {**check, "periodSeconds": 1, "timeoutSeconds": 1, "failureThreshold": 2}


def test_workers_have_no_probes_and_decode_pods_beside_prefill_other_ports() -> None:
    made = of({**DATA_PARALLEL, "prefill": {}})["decode-group"]
    leader, worker = (container(pod(made, name)) for name in ("leaderTemplate", "workerTemplate"))
    assert leader["livenessProbe"]["httpGet"]["port"] == 8001
    assert not {"livenessProbe", "readinessProbe", "startupProbe"} & worker.keys()
    assert env(worker)["VLLM_RANDOMIZE_DP_DUMMY_INPUTS"] == "1"
    assert leader["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["IPC_LOCK", "SYS_RAWIO", "NET_RAW"]}


def test_shared_memory() -> None:
    single = pod(of()["decode-deployment"])
    assert volume(single, "dshm")["emptyDir"] == {"medium": "Memory", "sizeLimit": "1Gi"}
    group = of(DATA_PARALLEL)["decode-group"]
    assert volume(pod(group, "workerTemplate"), "dshm")["emptyDir"]["sizeLimit"] == "8Gi"


def test_service_links_are_off() -> None:
    """A Service called vllm would otherwise set VLLM_PORT, which vLLM reads as a number."""
    made = of({**DATA_PARALLEL, "prefill": {}, "router": {"scheduler": {"tokenizer": {}}}})
    pods = [pod(made["decode-group"], name) for name in ("leaderTemplate", "workerTemplate")]
    pods += [pod(made["prefill-deployment"]), pod(made["tokenizer-deployment"])]
    assert [spec["enableServiceLinks"] for spec in pods] == [False] * 4
    assert (
        of({"template": {**main(), "enableServiceLinks": True}})["decode-deployment"]["spec"]["template"]["spec"][
            "enableServiceLinks"
        ]
        is True
    )


def test_extended_resources_get_the_limit_that_the_api_server_asks_for() -> None:
    made = server({"template": main(resources={"requests": {"nvidia.com/gpu": "1", "cpu": "4"}})})
    assert made["resources"] == {"requests": {"nvidia.com/gpu": "1", "cpu": "4"}, "limits": {"nvidia.com/gpu": "1"}}


def test_a_stopped_service_has_no_objects() -> None:
    assert of({"replicas": 2}, annotations={"serving.kserve.io/stop": "true"}) == {}
    assert of(annotations={"serving.kserve.io/stop": "True"}) == {}
    assert of(annotations={"serving.kserve.io/stop": "false"})


def test_what_pods_need_is_registered_before_them() -> None:
    notes = {f"{DRA}device-class": "gpu.example.com"}
    made = objects(manifest({"prefill": {}, **SCHEDULER}, annotations=notes), settings=TLS)
    roles = list(made)
    for role in ("decode-service-account", "decode-role-binding", "self-signed-certs", "resource-claim-template"):
        assert roles.index(role) < roles.index("decode-deployment")
    assert roles.index("epp/service-account") < roles.index("epp/deployment")
