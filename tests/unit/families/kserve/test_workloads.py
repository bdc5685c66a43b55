"""Deployments, LeaderWorkerSets and what belongs to them: accounts, Service, autoscalers, devices, KV cache tiers.

Not proved: that LeaderWorkerSet's controller and KEDA do with these objects what is expected of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from components.cluster.immutable import changed_fields

from .services import DATA_PARALLEL, SCHEDULER, container, env, main, manifest, objects, of, pod, server

PIPELINE_PRESET = {
    "kserve-config-llm-worker-pipeline-parallel": {"template": main(image="a:1"), "worker": main(image="b:1")}
}
TLS = {"ingress": {"enableLLMInferenceServiceTLS": True}}
PROMETHEUS = {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://prometheus:9090"}}}
DRA = "serving.kserve.io/exp-dra-"


def test_replicas_are_copied_only_when_they_are_given() -> None:
    assert "replicas" not in of()["decode-deployment"]["spec"]
    assert of({"replicas": 0})["decode-deployment"]["spec"]["replicas"] == 0
    assert of({"replicas": 3, **DATA_PARALLEL})["decode-group"]["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    ("given", "deployment", "group"),
    [
        (None, None, {"type": "RollingUpdate"}),
        ({}, None, {"type": "RollingUpdate"}),
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
    assert found == group or found == {"type": "RollingUpdate", "rollingUpdateConfiguration": group}


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


def volume(spec: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [item for item in spec["volumes"] if item["name"] == name]
    return found


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


def accounts(made: dict[str, Any]) -> dict[str, str]:
    return {role: obj["metadata"]["name"] for role, obj in made.items() if obj["kind"] == "ServiceAccount"}


def bindings(made: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        role: (obj["roleRef"]["name"], obj["subjects"][0]["name"])
        for role, obj in made.items()
        if obj["kind"] == "RoleBinding" and not role.startswith("epp/")
    }


def named(name: str, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    return {**(spec or main()), "serviceAccountName": name}


@pytest.mark.parametrize(
    ("spec", "made", "bound", "used"),
    [
        ({}, {}, {}, None),
        ({"template": named("mine")}, {}, {}, "mine"),
        (
            {"prefill": {}},
            {"decode-service-account": "chat-kserve"},
            {"decode-role-binding": ("chat-kserve-role", "chat-kserve")},
            "chat-kserve",
        ),
        ({"prefill": {}, "template": named("mine")}, {}, {"decode-role-binding": ("chat-kserve-role", "mine")}, "mine"),
        (DATA_PARALLEL, {"decode-service-account": "chat-kserve-mn"}, {}, "chat-kserve-mn"),
        ({**DATA_PARALLEL, "worker": named("worker")}, {}, {}, "worker"),
        ({**DATA_PARALLEL, "worker": named("worker"), "template": named("leader")}, {}, {}, "leader"),
        (
            {**DATA_PARALLEL, "prefill": DATA_PARALLEL},
            {"decode-service-account": "chat-kserve-mn", "prefill-service-account": "chat-kserve-mn-prefill"},
            {"decode-role-binding": ("chat-kserve-mn-role", "chat-kserve-mn")},
            "chat-kserve-mn",
        ),
    ],
)
def test_accounts(spec: dict[str, Any], made: dict[str, str], bound: dict[str, Any], used: str | None) -> None:
    found = of(spec)
    assert accounts(found) == made
    assert bindings(found) == bound
    main_object = found.get("decode-deployment") or found["decode-group"]
    names = ["template"] if "decode-deployment" in found else ["leaderTemplate", "workerTemplate"]
    assert {pod(main_object, name).get("serviceAccountName") for name in names} == {used}


def test_made_accounts_have_the_secrets_of_the_default_one() -> None:
    default = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "models", "annotations": {"a": "b"}},
        "secrets": [{"name": "s"}],
        "imagePullSecrets": [{"name": "pull"}],
    }
    reader = {**default, "metadata": {**default["metadata"], "name": "reader"}, "secrets": [{"name": "r"}]}
    made = objects(manifest({"prefill": {}, **SCHEDULER}), default)
    for role in ("decode-service-account", "epp/service-account"):
        assert made[role]["secrets"] == [{"name": "s"}] and made[role]["imagePullSecrets"] == [{"name": "pull"}]
        assert "annotations" not in made[role]["metadata"]
    made = objects(manifest({"template": named("reader"), **SCHEDULER}), default, reader)
    assert made["epp/service-account"]["secrets"] == [{"name": "r"}]
    assert made["epp/service-account"]["metadata"]["annotations"] == {"a": "b"}


def test_the_routing_sidecar() -> None:
    made = of({"prefill": {}, **SCHEDULER})
    sidecar = container(pod(made["decode-deployment"]), "llm-d-routing-sidecar")
    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["command"] == [
        "/app/pd-sidecar",
        "--port=8000",
        "--vllm-port=8001",
        "--kv-connector=nixlv2",
        "--enable-ssrf-protection=true",
        "--pool-group=inference.networking.k8s.io",
        "--inference-pool=models/chat-inference-pool",
        "--secure-proxy=false",
    ]
    assert env(sidecar)["INFERENCE_POOL_NAME"] == "chat-inference-pool"
    assert made["decode-role"]["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {
            "apiGroups": ["inference.networking.x-k8s.io", "inference.networking.k8s.io"],
            "resources": ["inferencepools"],
            "verbs": ["get", "list", "watch"],
        },
    ]


def test_the_routing_sidecar_with_tls_and_a_pool_of_ones_own() -> None:
    spec = {"prefill": {}, "router": {"scheduler": {"pool": {"ref": {"name": "mine"}}}}}
    sidecar = container(pod(of(spec, TLS)["decode-deployment"]), "llm-d-routing-sidecar")
    assert sidecar["command"][-5:] == [
        "--inference-pool=models/mine",
        "--secure-proxy=true",
        "--cert-path=/var/run/kserve/tls",
        "--enable-tls=decoder",
        "--enable-tls=prefiller",
    ]
    assert env(sidecar)["INFERENCE_POOL_NAME"] == "mine"


def test_the_sidecar_knows_no_pool_without_a_router() -> None:
    sidecar = container(pod(of({"prefill": {}})["decode-deployment"]), "llm-d-routing-sidecar")
    assert "INFERENCE_POOL_NAME" not in env(sidecar)


def scaling(**fields: Any) -> dict[str, Any]:
    return {"scaling": {"maxReplicas": 4, **fields}}


def test_a_horizontal_autoscaler() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    spec = {
        **scaling(minReplicas=2, wva={"hpa": {"behavior": behavior}}),
        "labels": {"inference.optimization/acceleratorName": "H100"},
    }
    made = of(spec)["decode-hpa"]
    assert made["metadata"]["name"] == "chat-kserve-hpa"
    assert made["metadata"]["labels"]["inference.optimization/acceleratorName"] == "H100"
    assert made["metadata"]["annotations"] == {
        "llm-d.ai/managed": "true",
        "llm-d.ai/model-id": "org/model",
        "llm-d.ai/variant-cost": "10.0",
    }
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat-kserve"},
        "minReplicas": 2,
        "maxReplicas": 4,
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {
                        "name": "wva_desired_replicas",
                        "selector": {"matchLabels": {"variant_name": "chat-kserve-hpa"}},
                    },
                    "target": {"type": "Value", "value": "1"},
                },
            }
        ],
        "behavior": behavior,
    }


def test_an_autoscaler_through_keda() -> None:
    prometheus = {
        "url": "https://p:9090",
        "authModes": "bearer",
        "triggerAuthName": "auth",
        "triggerAuthKind": "ClusterTriggerAuthentication",
    }
    own = {"autoscaling-wva-controller-config": {"prometheus": prometheus}}
    spec = {
        **DATA_PARALLEL,
        **scaling(wva={"variantCost": "4.5", "keda": {"pollingInterval": 5, "idleReplicaCount": 0}}),
    }
    made = of(spec, own)["decode-keda"]
    assert made["metadata"]["annotations"]["llm-d.ai/variant-cost"] == "4.5"
    assert made["metadata"]["labels"]["inference.optimization/acceleratorName"] == "unknown"
    assert made["spec"] == {
        "scaleTargetRef": {
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "name": "chat-kserve-mn",
        },
        "minReplicaCount": 1,
        "maxReplicaCount": 4,
        "pollingInterval": 5,
        "idleReplicaCount": 0,
        "triggers": [
            {
                "type": "prometheus",
                "name": "wva-desired-replicas",
                "metadata": {
                    "serverAddress": "https://p:9090",
                    "query": 'wva_desired_replicas{variant_name="chat-kserve-keda",exported_namespace="models"}',
                    "threshold": "1",
                    "unsafeSsl": "false",
                    "authModes": "bearer",
                },
                "authenticationRef": {"name": "auth", "kind": "ClusterTriggerAuthentication"},
            }
        ],
    }


def test_keda_triggers_of_ones_own() -> None:
    triggers = [{"type": "cron", "metadata": {"start": "0 8 * * *"}}]
    made = of({"prefill": scaling(keda={"triggers": triggers})})["prefill-keda"]
    assert made["metadata"]["name"] == "chat-kserve-prefill-keda"
    assert "annotations" not in made["metadata"]
    assert "inference.optimization/acceleratorName" not in made["metadata"]["labels"]
    assert made["spec"]["triggers"] == triggers
    assert made["spec"]["scaleTargetRef"]["name"] == "chat-kserve-prefill"


def test_what_is_scaled_has_no_replicas() -> None:
    assert "replicas" not in of(scaling(wva={"hpa": {}}))["decode-deployment"]["spec"]


def test_a_device_for_each_pod() -> None:
    notes = {f"{DRA}device-class": "gpu.example.com", f"{DRA}device-count": "2", f"{DRA}cel-selector": "a > 1\n\nb < 2"}
    made = of(DATA_PARALLEL, annotations=notes)
    assert made["resource-claim-template"] == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "chat-managed-dra", "namespace": "models"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "device",
                            "exactly": {
                                "deviceClassName": "gpu.example.com",
                                "count": 2,
                                "selectors": [{"cel": {"expression": "a > 1"}}, {"cel": {"expression": "b < 2"}}],
                            },
                        }
                    ]
                }
            }
        },
    }
    for name in ("leaderTemplate", "workerTemplate"):
        spec = pod(made["decode-group"], name)
        assert spec["resourceClaims"] == [{"name": "managed-device", "resourceClaimTemplateName": "chat-managed-dra"}]
        assert container(spec)["resources"] == {"claims": [{"name": "managed-device"}]}


def test_a_device_for_another_container() -> None:
    notes = {f"{DRA}device-class": "gpu.example.com", f"{DRA}container-name": "side"}
    spec = {"template": {"containers": [{"name": "main"}, {"name": "side", "image": "s:1"}]}}
    made = pod(of(spec, annotations=notes)["decode-deployment"])
    assert container(made, "side")["resources"] == {"claims": [{"name": "managed-device"}]}
    assert "resources" not in container(made)


KV = {
    "cpu": "10Gi",
    "secondary": [
        {"fileSystem": {"emptyDir": {"size": "20Gi"}}},
        {"fileSystem": {"pvc": {"ref": {"name": "kv", "path": "a"}}}},
        {"fileSystem": {"pvc": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    ],
}


def test_tiers_of_the_kv_cache() -> None:
    limits = {"resources": {"requests": {"ephemeral-storage": "1Gi"}, "limits": {"ephemeral-storage": "30Gi"}}}
    made = of({"kvCacheOffloading": KV, "template": main(**limits), "prefill": {}})
    spec = pod(made["decode-deployment"])
    assert volume(spec, "kv-cache-secondary-0")["emptyDir"] == {"sizeLimit": "20Gi"}
    assert volume(spec, "kv-cache-secondary-1")["persistentVolumeClaim"] == {"claimName": "kv"}
    assert volume(spec, "kv-cache-secondary-2")["ephemeral"] == {
        "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}
    }
    assert [mount for mount in container(spec)["volumeMounts"] if "kv-cache" in mount["mountPath"]] == [
        {"name": "kv-cache-secondary-0", "mountPath": "/mnt/kv-cache-0"},
        {"name": "kv-cache-secondary-1", "mountPath": "/mnt/kv-cache-1", "subPath": "a"},
        {"name": "kv-cache-secondary-2", "mountPath": "/mnt/kv-cache-2"},
    ]
    assert container(spec)["resources"]["requests"]["ephemeral-storage"] == "21Gi"
    assert "kv-cache" not in str(made["prefill-deployment"])


@pytest.mark.parametrize(
    ("given", "size", "wanted"),
    [
        (None, "20Gi", "20Gi"),
        ("500Mi", "1Gi", "1524Mi"),
        ("1G", "1G", "1953125Ki"),
        ("1", "1", "2"),
        ("0.5Gi", "1Ki", "524289Ki"),
    ],
)
def test_disk_that_is_asked_for(given: str | None, size: str, wanted: str) -> None:
    kv = {"cpu": "1Gi", "secondary": [{"fileSystem": {"emptyDir": {"size": size}}}]}
    requests = {"resources": {"requests": {"ephemeral-storage": given}}} if given else {}
    made = server({"kvCacheOffloading": kv, "template": main(**requests)})
    assert made["resources"]["requests"] == {"ephemeral-storage": wanted}


def test_extended_resources_get_the_limit_that_the_api_server_asks_for() -> None:
    made = server({"template": main(resources={"requests": {"nvidia.com/gpu": "1", "cpu": "4"}})})
    assert made["resources"] == {"requests": {"nvidia.com/gpu": "1", "cpu": "4"}, "limits": {"nvidia.com/gpu": "1"}}


def test_tracing_of_servers() -> None:
    made = of({"tracing": {}, "prefill": {"template": main(env=[{"name": "OTEL_SERVICE_NAME", "value": "mine"}])}})
    decode, prefill = (container(pod(made[f"{role}-deployment"])) for role in ("decode", "prefill"))
    assert decode["args"] == [
        "--otlp-traces-endpoint",
        "http://otel-collector:4317",
        "--collect-detailed-traces",
        "all",
    ]
    found = env(decode)
    assert {key: value for key, value in found.items() if key.startswith("OTEL") and isinstance(value, str)} == {
        "OTEL_SERVICE_NAME": "inference-server-decode",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel-collector:4317",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
        "OTEL_TRACES_SAMPLER_ARG": "0.05",
        "OTEL_RESOURCE_ATTRIBUTES": (
            "k8s.namespace.name=models,k8s.node.name=$(OTEL_RESOURCE_ATTRIBUTES_NODE_NAME),"
            "k8s.pod.name=$(OTEL_RESOURCE_ATTRIBUTES_POD_NAME),llmisvc.name=chat"
        ),
    }
    order = list(found)
    assert order.index("OTEL_RESOURCE_ATTRIBUTES") > order.index("OTEL_RESOURCE_ATTRIBUTES_POD_NAME")
    assert env(prefill)["OTEL_SERVICE_NAME"] == "mine"


def test_ones_own_tracing_flags_stand() -> None:
    spec = {
        "tracing": {"exporterEndpoint": "http://mine:4317", "samplerArg": "1"},
        "template": main(args=["--otlp-traces-endpoint=x", "--collect-detailed-traces", "model"]),
    }
    made = server(spec)
    assert made["args"] == ["--otlp-traces-endpoint=x", "--collect-detailed-traces", "model"]
    assert env(made)["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://mine:4317"
    assert env(made)["OTEL_TRACES_SAMPLER_ARG"] == "1"


def test_no_tracing_by_default() -> None:
    assert not any(name.startswith("OTEL") for name in env(server()))


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
