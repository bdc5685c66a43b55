"""Serving Deployments: what we add to upstream (probes, shared memory, no service links) and how parts combine.

What is as upstream has it is in the conformance tests. Not proved: that vLLM answers on /health.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.scalars import Opaque

from .services import PREFILL, container, manifest, objects, plan, pod


def serving(spec: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, role: str = "decode") -> Any:
    return objects(spec, settings)[f"{role}-deployment"]


def probes(obj: Any) -> dict[str, Any]:
    vllm = container(obj, "vllm")
    return {name: vllm[name] for name in ("startupProbe", "readinessProbe", "livenessProbe") if name in vllm}


def test_probes_ask_vllm_itself() -> None:
    get = {"path": "/health", "port": 8000}
    assert probes(serving()) == {
        "startupProbe": {"httpGet": get, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 180},
        "readinessProbe": {"httpGet": get, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3},
        "livenessProbe": {"httpGet": get, "periodSeconds": 15, "timeoutSeconds": 5, "failureThreshold": 3},
    }


def test_behind_the_proxy_probes_ask_the_port_behind_it() -> None:
    spec = {**PREFILL, "engine": {"port": 8080}, "routingProxy": {"targetPort": 8300}}
    ports = {role: serving(spec, role=role) for role in ("decode", "prefill")}
    assert {role: probe["httpGet"]["port"] for role in ports for probe in probes(ports[role]).values()} == {
        "decode": 8300,
        "prefill": 8080,
    }


def test_the_startup_probe_allows_half_an_hour() -> None:
    startup = probes(serving())["startupProbe"]
    assert startup["periodSeconds"] * startup["failureThreshold"] == 30 * 60


@pytest.mark.parametrize("argument", ["--ssl-certfile", "--ssl-certfile=/tls/tls.crt", "--ssl-keyfile=/tls/tls.key"])
def test_probes_talk_tls_when_vllm_does(argument: str) -> None:
    found = probes(serving({"engine": {"args": [argument]}}))
    assert {probe["httpGet"]["scheme"] for probe in found.values()} == {"HTTPS"}


def test_probes_can_be_turned_off() -> None:
    assert probes(serving(settings={"servingProbes": False})) == {}


def test_service_links_are_off_for_vllm_and_untouched_for_the_picker() -> None:
    made = objects(PREFILL)
    links = {role: pod(obj).get("enableServiceLinks") for role, obj in made.items() if obj["kind"] == "Deployment"}
    assert links == {"decode-deployment": False, "prefill-deployment": False, "epp/deployment": None}


def shm(obj: Any) -> tuple[list[Any], list[Any]]:
    mounts = [mount for mount in container(obj, "vllm")["volumeMounts"] if mount["mountPath"] == "/dev/shm"]
    return mounts, [volume for volume in pod(obj)["volumes"] if volume["name"] == "shm"]


def test_tensor_parallelism_gets_shared_memory() -> None:
    mounts, volumes = shm(serving({"decode": {"parallelism": {"tensor": 2}}}))
    assert mounts == [{"name": "shm", "mountPath": "/dev/shm"}]
    assert volumes == [{"name": "shm", "emptyDir": {"medium": "Memory"}}]


@pytest.mark.parametrize(
    ("role", "settings"),
    [
        ({}, {}),
        ({"parallelism": {"data": 4, "dataLocal": 2}}, {}),
        ({"parallelism": {"tensor": 2}}, {"shmForTensorParallel": False}),
    ],
)
def test_no_shared_memory(role: dict[str, Any], settings: dict[str, Any]) -> None:
    assert shm(serving({"decode": role}, settings)) == ([], [])


def test_each_role_gets_its_own_shared_memory() -> None:
    spec = {**PREFILL, "prefill": {"parallelism": {"tensor": 2}}}
    assert shm(serving(spec)) == ([], [])
    assert shm(serving(spec, role="prefill"))[1] == [{"name": "shm", "emptyDir": {"medium": "Memory"}}]


def test_a_model_mounted_there_keeps_the_place() -> None:
    model = {"name": "m", "image": "i", "mountPath": "/dev/shm/"}
    obj = serving({"model": model, "decode": {"parallelism": {"tensor": 2}}})
    assert [mount["name"] for mount in container(obj, "vllm")["volumeMounts"]] == ["model"]
    assert shm(obj)[1] == []


def test_shared_memory_can_be_limited() -> None:
    obj = serving({"decode": {"parallelism": {"tensor": 2}}}, {"shmSizeLimit": "2048Mi"})
    assert shm(obj)[1][0]["emptyDir"] == {"medium": "Memory", "sizeLimit": "2Gi"}


def test_a_variable_of_the_user_replaces_the_generated_one() -> None:
    env = [
        {"name": "A", "value": "1"},
        {"name": "TP_SIZE", "value": "$(A)"},
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    ]
    assert container(serving({"engine": {"env": env}}), "vllm")["env"] == [
        {"name": "DP_SIZE", "value": "1"},
        {"name": "DP_SIZE_LOCAL", "value": "1"},
        {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "TP_SIZE", "value": "$(A)"},
    ]


def test_a_device_under_requests_gets_the_same_limit() -> None:
    role = {"resources": {"requests": {"rdma/hca": "2", "cpu": "4"}}}
    assert container(serving({"decode": role}), "vllm")["resources"] == {
        "limits": {"rdma/hca": "2", "nvidia.com/gpu": "1"},
        "requests": {"rdma/hca": "2", "cpu": "4", "nvidia.com/gpu": "1"},
    }


def test_without_a_device_there_are_no_resources() -> None:
    assert "resources" not in container(serving({"accelerator": {"type": "cpu"}}), "vllm")


def test_outputs_are_handed_through_as_they_are() -> None:
    image, name, host, node = (Opaque(object()) for _ in range(4))
    spec = {
        "model": {"name": "m", "image": image, "imagePullSecrets": [{"name": name}]},
        "engine": {"image": image, "args": [image], "env": [{"name": "A", "value": host}]},
        "decode": {"nodeSelector": {"zone": node}},
        "routingProxy": {"image": image, "connector": name},
        "httpRoute": {"gatewayRef": {"name": "g"}, "hostnames": [host]},
    }
    made = objects(spec)
    decode = made["decode-deployment"]
    assert container(decode, "vllm")["image"] is image
    assert container(decode, "vllm")["args"][-1] is image
    assert container(decode, "model-unpack")["env"][0] == {"name": "OCI_MODEL_IMAGE", "value": image}
    assert container(decode, "routing-proxy")["args"][5] is name
    assert pod(decode)["imagePullSecrets"] == [{"name": name}]
    assert pod(decode)["nodeSelector"] == {"zone": node}
    assert made["route"]["spec"]["hostnames"] == [host]


def test_rendering_shares_no_part_between_objects() -> None:
    made = objects(PREFILL)
    made["decode-deployment"]["metadata"]["labels"]["x"] = "y"
    made["decode-deployment"]["spec"]["selector"]["matchLabels"]["x"] = "y"
    assert "x" not in made["prefill-deployment"]["metadata"]["labels"]
    assert "x" not in made["decode-deployment"]["spec"]["template"]["metadata"]["labels"]


NIXL = '--kv-transfer-config={"kv_connector":"NixlConnector","kv_role":"kv_both"}'
HOST = "VLLM_NIXL_SIDE_CHANNEL_HOST"


@pytest.mark.parametrize("role", ["decode", "prefill"])
def test_nixl_announces_the_pod_s_own_address(role: str) -> None:
    env = container(serving({**PREFILL, "engine": {"args": [NIXL]}}, role=role), "vllm")["env"]
    own = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}
    assert [entry for entry in env if entry["name"] == HOST] == [{"name": HOST, "valueFrom": own}]


def test_an_address_of_the_user_s_stands() -> None:
    engine = {"args": [NIXL], "env": [{"name": HOST, "value": "10.0.0.1"}]}
    env = container(serving({"engine": engine}), "vllm")["env"]
    assert [entry for entry in env if entry["name"] == HOST] == [{"name": HOST, "value": "10.0.0.1"}]
    assert HOST not in {entry["name"] for entry in container(serving(), "vllm")["env"]}


def proxy_arguments(**proxy: Any) -> list[Any]:
    found = serving({**PREFILL, "routingProxy": proxy})["spec"]["template"]["spec"]["initContainers"]
    return next(item for item in found if item["name"] == "routing-proxy")["args"]


NEW_PROXY = "ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.10.0"
HTTP = "--secure-proxy=false"


@pytest.mark.parametrize(
    ("proxy", "expected"),
    [
        ({}, ["--connector", "nixlv2", HTTP]),
        ({"connector": ""}, ["--connector", "nixlv2", HTTP]),
        ({"prefillerUseTLS": False}, ["--connector", "nixlv2", "--prefiller-use-tls=false", HTTP]),
        ({"image": NEW_PROXY, "prefillerUseTLS": True}, ["--kv-connector", "nixlv2", "--enable-tls=prefiller", HTTP]),
        ({"image": NEW_PROXY, "prefillerUseTLS": False}, ["--kv-connector", "nixlv2", HTTP]),
        ({"image": "proxy:9"}, ["--connector", "nixlv2", HTTP]),
        ({"secureProxy": True}, ["--connector", "nixlv2", "--secure-proxy=true"]),
        ({"secureProxy": False}, ["--connector", "nixlv2", "--secure-proxy=false"]),
    ],
)
def test_the_proxy_s_flags_are_those_of_its_release(proxy: dict[str, Any], expected: list[str]) -> None:
    assert proxy_arguments(**proxy)[4:] == expected


@pytest.mark.parametrize(
    ("proxy", "severity"),
    [
        ({"connector": "lmcache"}, "error"),
        ({"connector": "offloading"}, "error"),
        ({"connector": "offloading", "image": NEW_PROXY}, None),
        ({"connector": "lmcache", "image": "proxy:9"}, "warning"),
        ({"connector": Opaque("x")}, None),
    ],
)
def test_a_connector_that_the_proxy_does_not_have(proxy: dict[str, Any], severity: str | None) -> None:
    found = plan(manifest({**PREFILL, "routingProxy": proxy})).findings
    assert [(f.path, f.severity) for f in found if f.code == "not-in-release"] == (
        [("spec.routingProxy.connector", severity)] if severity else []
    )


def test_an_unknown_flag_is_named() -> None:
    found = plan(manifest({"engine": {"args": ["--max-modle-len", "8"]}})).findings
    assert [f.path for f in found if f.code == "unknown-flag"] == ["spec.engine.args[0]"]


OTHERS = {"image": "registry.example.com/picker:1"}
NEW_PICKER = {"image": "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0"}
FLAGS, CONFIG = "settings.otterscale.epp.flags", "settings.otterscale.epp.pluginsConfig"


def plugins(*types: str) -> dict[str, Any]:
    references = [{"pluginRef": name} for name in types]
    return {
        "plugins": [{"type": name} for name in types],
        "schedulingProfiles": [{"name": "default", "plugins": references}],
    }


@pytest.mark.parametrize(
    ("picker", "settings", "expected"),
    [
        ({}, {"flags": {"poolName": "x"}}, [(f"{FLAGS}.poolName", "error", "unknown-flag")]),
        (OTHERS, {"flags": {"poolName": "x"}}, [(f"{FLAGS}.poolName", "warning", "unknown-flag")]),
        ({}, {"flags": {"v": "4", "secure-serving": "false"}}, []),
        ({}, {"pluginsConfig": plugins("kv-cache-scorer")}, [(CONFIG, "error", "not-in-release")]),
        ({}, {"pluginsConfig": plugins("kv-cache-utilization-scorer", "prefill-header-handler")}, []),
        (
            NEW_PICKER,
            {"pluginsConfig": plugins("prefill-header-handler"), "configApiVersion": "llm-d.ai/v1alpha1"},
            [(CONFIG, "error", "not-in-release")],
        ),
        (
            NEW_PICKER,
            {"pluginsConfig": plugins("model-server-protocol-metrics"), "configApiVersion": "llm-d.ai/v1alpha1"},
            [(CONFIG, "error", "not-in-release")],
        ),
        (OTHERS, {"pluginsConfig": plugins("kv-cache-scorer")}, []),
    ],
)
def test_what_the_picker_s_release_does_not_have(
    picker: dict[str, Any], settings: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    made = manifest({"inferencePool": {"endpointPicker": picker}})
    found = plan(made, settings={"epp": settings}).findings
    assert [(f.path, f.severity, f.code) for f in found if f.path.startswith("settings.")] == expected


def test_accelerators_of_the_user_s_own_are_the_only_ones() -> None:
    slices = {"limits": {"nvidia.com/mig-1g.10gb": "1", "memory": "8Gi"}}
    made = objects({"decode": {"resources": slices}})["decode-deployment"]
    assert container(made, "vllm")["resources"] == slices
    assert plan(manifest({"decode": {"resources": slices}})).findings == ()


def test_the_accelerator_s_own_number_holds_beside_another_s() -> None:
    both = {"limits": {"nvidia.com/gpu": 8, "amd.com/gpu": 4}, "requests": {"nvidia.com/gpu": 2}}
    spec = {"decode": {"resources": both, "parallelism": {"tensor": 4}}}
    resources = container(objects(spec)["decode-deployment"], "vllm")["resources"]
    assert [resources[part]["nvidia.com/gpu"] for part in ("limits", "requests")] == ["4", "4"]
    assert [f.code for f in plan(manifest(spec)).findings] == ["replaced", "replaced"]
