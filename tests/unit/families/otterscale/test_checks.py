"""Every check of a ModelService: the path, the severity and the code of what it finds.

That the API server refuses the same was tried by hand on a real one; sentences are asserted only where they advise.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.findings import errors
from modelservices.kubernetes.scalars import Opaque

from .services import MONITORING, PICKER, PREFILL, findings, manifest, objects, plan, pod

Spec = dict[str, Any]


def model(**fields: Any) -> Spec:
    return {"model": {"name": "m", "image": "i", **fields}}


def engine(**fields: Any) -> Spec:
    return {"engine": fields}


def decode(**fields: Any) -> Spec:
    return {"decode": fields}


def picker(**fields: Any) -> Spec:
    return {"inferencePool": {"endpointPicker": fields}}


def route(**fields: Any) -> Spec:
    return {"httpRoute": {"gatewayRef": {"name": "gw"}, **fields}}


CONNECTED = {**engine(args=['--kv-transfer-config={"kv_connector":"NixlConnector"}']), "routingProxy": {}}
"""How KV blocks get from prefill to decode."""


def test_the_least_that_is_accepted_has_no_finding() -> None:
    assert findings() == []
    assert findings({**CONNECTED, **PREFILL, **PICKER, **MONITORING, **route(hostnames=["*.example.com"])}) == []


ADMISSION: list[tuple[Spec, str]] = [
    ({"model": {}}, "spec.model.name spec.model.image"),
    (model(name=""), "spec.model.name"),
    (model(name="x" * 254), "spec.model.name"),
    (model(image=""), "spec.model.image"),
    ({"engine": None}, "spec.engine"),
    ({"accelerator": {"type": "NVIDIA"}}, "spec.accelerator.type"),
    ({"accelerator": {}}, "spec.accelerator.type"),
    ({"decode": None}, "spec.decode"),
    (engine(port=0), "spec.engine.port"),
    (engine(port=65536), "spec.engine.port"),
    (engine(env=[{"value": "x"}]), "spec.engine.env[0].name"),
    (
        engine(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]),
        "spec.engine.env[0].valueFrom.secretKeyRef.key",
    ),
    (decode(replicas=-1), "spec.decode.replicas"),
    (decode(replicas="two"), "spec.decode.replicas"),
    (decode(replicas=2**31), "spec.decode.replicas"),
    (decode(parallelism={"tensor": 0}), "spec.decode.parallelism.tensor"),
    (decode(parallelism={"data": 0, "dataLocal": 0}), "spec.decode.parallelism.data spec.decode.parallelism.dataLocal"),
    (decode(resources={"limits": {"memory": "lots"}}), "spec.decode.resources.limits.memory"),
    (decode(tolerations=[{"key": "a", "tolerationSeconds": "soon"}]), "spec.decode.tolerations[0].tolerationSeconds"),
    ({"prefill": {"replicas": -1}, "routingProxy": {}}, "spec.prefill.replicas"),
    ({"routingProxy": {"targetPort": 0}}, "spec.routingProxy.targetPort"),
    ({"routingProxy": {"secureProxy": "maybe"}}, "spec.routingProxy.secureProxy"),
    ({"inferencePool": {}}, "spec.inferencePool.endpointPicker"),
    (picker(port=0), "spec.inferencePool.endpointPicker.port"),
    (picker(replicas=-1), "spec.inferencePool.endpointPicker.replicas"),
    (picker(failureMode="failOpen"), "spec.inferencePool.endpointPicker.failureMode"),
    ({"httpRoute": {}}, "spec.httpRoute.gatewayRef"),
    ({"httpRoute": {"gatewayRef": {"name": ""}}}, "spec.httpRoute.gatewayRef.name"),
    ({"monitoring": {"podMonitor": {"enabled": "perhaps"}}}, "spec.monitoring.podMonitor.enabled"),
    ({"autoscaling": {}}, "spec.autoscaling"),
    (decode(parallelism={"pipeline": 2}), "spec.decode.parallelism.pipeline"),
    (engine(port=Opaque(object())), "spec.engine.port"),
    (decode(replicas=Opaque(object())), "spec.decode.replicas"),
]


@pytest.mark.parametrize(("spec", "paths"), ADMISSION, ids=[paths for _, paths in ADMISSION])
def test_the_schema_refuses(spec: Spec, paths: str) -> None:
    found = errors(plan(_without_nulls(manifest(spec))).findings)
    assert [finding.path for finding in found] == sorted(paths.split())


def _without_nulls(data: dict[str, Any]) -> dict[str, Any]:
    """As the YAML loader does it: null means absent."""
    return {**data, "spec": {field: value for field, value in data["spec"].items() if value is not None}}


ERRORS: list[tuple[Spec, str]] = [
    (model(mountPath="/a:b"), "spec.model.mountPath"),
    (model(mountPath="models"), "spec.model.mountPath"),
    (model(mountPath="/tmp/model-oci/"), "spec.model.mountPath"),
    (model(mountPath="/.docker", imagePullSecrets=[{"name": "s"}]), "spec.model.mountPath"),
    (model(imagePullSecrets=[{}]), "spec.model.imagePullSecrets[0].name"),
    (model(imagePullSecrets=[{"name": "a"}, {"name": "a"}]), "spec.model.imagePullSecrets[1].name"),
    (model(imagePullSecrets=[{"name": "A_b"}]), "spec.model.imagePullSecrets[0].name"),
    (engine(imagePullPolicy="Sometimes"), "spec.engine.imagePullPolicy"),
    (engine(env=[{"name": "A=B", "value": "x"}]), "spec.engine.env[0].name"),
    (engine(env=[{"name": "HF_TOKEN", "value": "hf_abcdefghijklmnopqrstuvwxyz"}]), "spec.engine.env[0].value"),
    (engine(args=["--api-key", "open-sesame"]), "spec.engine.args[0]"),
    (decode(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}), "spec.decode.resources.requests.cpu"),
    (decode(resources={"limits": {"rdma/hca": "0.5"}}), 'spec.decode.resources.limits["rdma/hca"]'),
    (decode(tolerations=[{"value": "x"}]), "spec.decode.tolerations[0].operator"),
    (decode(nodeSelector={"zone": "a b"}), "spec.decode.nodeSelector"),
    ({**CONNECTED, "prefill": {"nodeSelector": {"a b": "c"}}}, "spec.prefill.nodeSelector"),
    (picker(port=9003), "spec.inferencePool.endpointPicker.port"),
    (picker(port=9090), "spec.inferencePool.endpointPicker.port"),
    (picker(resources={"limits": {"gpu": "1"}}), "spec.inferencePool.endpointPicker.resources.limits.gpu"),
    (route(hostnames=["Example.com"]), "spec.httpRoute.hostnames[0]"),
    (route(hostnames=["a.com", "b.com:80"]), "spec.httpRoute.hostnames[1]"),
    (route(hostnames=["a.com"] * 17), "spec.httpRoute.hostnames"),
    (route(gatewayRef={"name": "x" * 254}), "spec.httpRoute.gatewayRef.name"),
    (route(gatewayRef={"name": "gw", "namespace": "A"}), "spec.httpRoute.gatewayRef.namespace"),
    ({"monitoring": {"podMonitor": {"enabled": True, "interval": "5 min"}}}, "spec.monitoring.podMonitor.interval"),
    ({"routingProxy": {"targetPort": 8000}}, "spec.routingProxy.targetPort"),
    (decode(resources={"claims": [{"name": "nic"}]}), "spec.decode.resources.claims[0]"),
    (picker(resources={"claims": [{"name": "nic"}]}), "spec.inferencePool.endpointPicker.resources.claims[0]"),
]


@pytest.mark.parametrize(("spec", "path"), ERRORS, ids=[path for _, path in ERRORS])
def test_refused(spec: Spec, path: str) -> None:
    assert [(found, severity) for found, severity, _ in findings(spec)] == [(path, "error")]


WARNINGS: list[tuple[Spec, str, str]] = [
    ({"prefill": {}}, "spec.routingProxy", "prefill-without-proxy"),
    (engine(args=["-tp", "2"]), "spec.engine.args[0]", "repeated-flag"),
    (engine(args=["--dtype", "auto", "--port=1"]), "spec.engine.args[2]", "repeated-flag"),
    (engine(env=[{"name": "A"}, {"name": "A"}]), "spec.engine.env[1].name", "duplicate-env"),
    (engine(args=["--host", "127.0.0.1"]), "spec.engine.args", "unreachable"),
    (engine(args=["--uds=/tmp/x"]), "spec.engine.args", "unreachable"),
    (engine(args=["--pipeline-parallel-size", "2"]), "spec.engine.args", "too-few-accelerators"),
    (engine(args=["--ssl-certfile", "/c/tls.crt"]), "spec.engine.args", "tls-on-one-side"),
    (engine(image="vllm/vllm-openai:v0.25.1"), "spec.engine.image", "no-user"),
    (engine(image="https://mirror.example/vllm"), "spec.engine.image", "bad-image"),
    (model(image="hf://Qwen/Qwen3-8B"), "spec.model.image", "bad-image"),
    (picker(image="ghcr.io/llm-d/epp:"), "spec.inferencePool.endpointPicker.image", "bad-image"),
    (decode(parallelism={"data": 4}), "spec.decode.parallelism.data", "copies-elsewhere"),
    (decode(parallelism={"data": 4, "dataLocal": 2}), "spec.decode.parallelism.data", "copies-elsewhere"),
    (
        {"monitoring": {"podMonitor": {"enabled": True, "portName": "metrics"}}},
        "spec.monitoring.podMonitor.portName",
        "not-scraped",
    ),
    (
        {**CONNECTED, "prefill": {}, "routingProxy": {"prefillerUseTLS": True}},
        "spec.routingProxy.prefillerUseTLS",
        "tls-on-one-side",
    ),
    (
        {
            **engine(args=['--kv-transfer-config={"kv_connector":"LMCacheConnectorV1"}']),
            "prefill": {},
            "routingProxy": {},
        },
        "spec.routingProxy.connector",
        "connectors-differ",
    ),
    (
        picker(image="ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0"),
        "spec.inferencePool.endpointPicker.image",
        "not-in-release",
    ),
    (
        decode(resources={"limits": {"nvidia.com/gpu": "8"}}),
        'spec.decode.resources.limits["nvidia.com/gpu"]',
        "replaced",
    ),
]


@pytest.mark.parametrize(("spec", "path", "code"), WARNINGS, ids=[code for _, _, code in WARNINGS])
def test_warned_about(spec: Spec, path: str, code: str) -> None:
    assert findings(spec) == [(path, "warning", code)]
    assert plan(manifest(spec)).all_objects()


def test_the_number_of_devices_that_counts_is_no_warning() -> None:
    resources = {"limits": {"nvidia.com/gpu": "4"}, "requests": {"nvidia.com/gpu": 4}}
    assert findings(decode(parallelism={"tensor": 2, "data": 2, "dataLocal": 2}, resources=resources)) == []


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("x" * 59, []),
        ("x" * 60, ["name-too-long"]),
        ("1" + "x" * 56, []),
        ("1" + "x" * 57, ["name-too-long"]),
        ("x" * 64, ["name-too-long", "name-too-long"]),
        ("a--" * 21 + "b", ["name-too-long"]),
        ("Chat", ["bad-value"]),
        ("chat_1", ["bad-value"]),
        ("chat.", ["bad-value"]),
        ("x" * 254, ["bad-value"]),
    ],
)
def test_names(name: str, codes: list[str]) -> None:
    """The picker's Service is the sanitised name and -epp; the name itself is a label."""
    assert [(path, severity) for path, severity, _ in findings(name=name)] == [("metadata.name", "error")] * len(codes)
    assert [code for _, _, code in findings(name=name)] == codes


def test_a_bad_name_is_reported_with_the_rest() -> None:
    assert [path for path, _, _ in findings({"decode": {"replicas": -1}}, name="Chat")] == [
        "metadata.name",
        "spec.decode.replicas",
    ]


def test_a_name_that_is_too_long_says_by_how_much() -> None:
    (finding,) = plan(manifest(name="x" * 62)).findings
    assert "63 are allowed; shorten the name by 3" in finding.message


@pytest.mark.parametrize(
    ("image", "spec", "path"),
    [
        ("engine", {}, "spec.engine.image"),
        ("routingProxy", {"routingProxy": {}}, "spec.routingProxy.image"),
        ("epp", {}, "spec.inferencePool.endpointPicker.image"),
        ("epp", PICKER, "spec.inferencePool.endpointPicker.image"),
    ],
)
def test_an_image_must_come_from_somewhere(image: str, spec: Spec, path: str) -> None:
    settings = {"defaultImages": {image: ""}}
    assert findings(spec, settings=settings) == [(path, "error", "required")]
    assert findings({**spec, "engine": {"image": "e"}}, settings=settings) == (
        [] if image == "engine" else [(path, "error", "required")]
    )


@pytest.mark.parametrize(("limit", "expected"), [("8Gi", []), ("1Gi", ["spec.decode.resources.limits.memory"])])
def test_shared_memory_must_fit_into_the_memory(limit: str, expected: list[str]) -> None:
    spec = decode(parallelism={"tensor": 2}, resources={"limits": {"memory": limit}})
    assert [path for path, _, _ in findings(spec, settings={"shmSizeLimit": "2Gi"})] == expected


def test_all_problems_come_at_once() -> None:
    spec = {**engine(imagePullPolicy="x"), **picker(port=9090), **route(hostnames=["A"]), "prefill": {}}
    assert sorted(path for path, _, _ in findings(spec)) == [
        "spec.engine.imagePullPolicy",
        "spec.httpRoute.hostnames[0]",
        "spec.inferencePool.endpointPicker.port",
        "spec.routingProxy",
    ]


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        (decode(parallelism={"dataLocal": 2}), "spec.decode.parallelism.dataLocal", "more-local-than-all"),
        (
            {**CONNECTED, "prefill": {}, "routingProxy": {"secureProxy": True}},
            "spec.routingProxy.secureProxy",
            "secure-proxy",
        ),
    ],
)
def test_what_starts_and_does_not_serve(spec: Spec, path: str, code: str) -> None:
    assert findings(spec) == [(path, "warning", code)]


def test_as_many_local_copies_as_there_are() -> None:
    assert findings(decode(parallelism={"data": 2, "dataLocal": 2})) == []


def test_the_picker_is_pulled_as_the_engines_are() -> None:
    secrets = [{"name": "login"}, {"name": "mirror"}]
    made = objects(model(imagePullSecrets=secrets))
    assert pod(made["epp/deployment"])["imagePullSecrets"] == secrets
    assert "imagePullSecrets" not in pod(objects()["epp/deployment"])


@pytest.mark.parametrize(
    "spec",
    [
        decode(parallelism={"data": 4, "dataLocal": 4}),
        {**decode(parallelism={"data": 4, "dataLocal": 2}), **engine(args=["--data-parallel-address", "10.0.0.1"])},
        {**CONNECTED, "prefill": {}},
        {"monitoring": {"podMonitor": {"enabled": True, "portName": "proxy"}}, **CONNECTED, "prefill": {}},
        picker(image="mirror.example.com/llm-d/llm-d-inference-scheduler:v0.6.0"),
        picker(image="registry.k8s.io/gateway-api-inference-extension/epp:v1.3.0"),
    ],
)
def test_nothing_to_say(spec: Spec) -> None:
    assert findings(spec) == []


def test_a_picker_of_a_later_release_with_its_configuration() -> None:
    spec = picker(image="ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0")
    assert findings(spec, settings={"epp": {"configApiVersion": "llm-d.ai/v1alpha1"}}) == []
