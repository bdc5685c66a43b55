"""What is wrong with a service, beyond the reference cases.

Not proved here: the metadata of the children (tests/conformance/test_ome.py), and that a cluster accepts them.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers import (
    MODEL,
    RUNNER,
    RUNTIME,
    objects,
    planned,
    problems,
    service,
    with_platform,
)


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
        ({"predictor": {}}, "spec.predictor", "warning"),
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


@pytest.mark.parametrize(("length", "found"), [(63, []), (64, [("metadata.name", "error", "invalid")])])
def test_names_become_labels(length: int, found: list[tuple[str, str, str]]) -> None:
    every = problems(with_platform(service(name="a" * length)))
    assert [each for each in every if each[0] == "metadata.name"] == found


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
        offer = {**RUNTIME["spec"]["supportedModelFormats"][0], "priority": priority}
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


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"acceleratorSelector": {"policy": "BestFit"}}, "spec.acceleratorSelector.policy"),
        ({"engine": {"acceleratorOverride": {"constraints": {}}}}, "spec.engine.acceleratorOverride.constraints"),
        ({"engine": {"containerConcurrency": 4}}, "spec.engine.containerConcurrency"),
        ({"engine": {"timeoutSeconds": 4}}, "spec.engine.timeoutSeconds"),
        ({"engine": {"canaryTrafficPercent": 4}}, "spec.engine.canaryTrafficPercent"),
    ],
)
def test_fields_from_which_nothing_comes(spec: dict[str, Any], path: str) -> None:
    plan = with_platform(service({"model": {"name": "llama"}, "runtime": {"name": "vllm"}, "engine": {}, **spec}))
    assert (path, "warning", "no-effect") in problems(plan)


LAUNCH = ["python3", "-m", "sglang.launch_server"]
SGLANG = {"name": "ome-container", "image": "mirror.example.com/sglang:v0.5.15", "command": LAUNCH}
LISTENS = ["--model-path", "$(MODEL_PATH)", "--host", "0.0.0.0", "--port", "8080"]


def of_server(plan: Any) -> list[tuple[str, str]]:
    codes = ("unreachable", "other-port", "too-few-accelerators", "images-differ", "group-differs", "no-user")
    return [(path, code) for path, _, code in problems(plan) if code in codes]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"args": LISTENS}, []),
        ({"args": LISTENS[2:4]}, [("args", "other-port")]),
        ({"args": LISTENS[4:]}, [("args", "unreachable")]),
        ({"args": [*LISTENS[:4], "--port", "30000"], "ports": [{"containerPort": 30000}]}, []),
        ({"args": [*LISTENS, "--tp", "2", "--dp", "2"], "resources": {"limits": {"nvidia.com/gpu": 2}}}, ["args"]),
        (
            {"args": LISTENS, "image": "lmsysorg/sglang:v0.5.15", "securityContext": {"runAsNonRoot": True}},
            [("image", "no-user")],
        ),
    ],
)
@pytest.mark.parametrize("mode", ["RawDeployment", "Serverless", "PDDisaggregated", "MultiNodeRayVLLM"])
def test_what_keeps_a_server_from_serving(mode: str, fields: dict[str, Any], found: list[Any]) -> None:
    spec: dict[str, Any] = {"model": {"name": "llama"}, "engine": {"runner": {**SGLANG, **fields}}}
    if mode == "PDDisaggregated":
        spec["decoder"] = {"runner": {**SGLANG, "args": LISTENS}}
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": {}, "decoderConfig": {}}}
    plan = planned(MODEL, runtime, service(spec, annotations={"ome.io/deploymentMode": mode}))
    one_pod = mode in ("RawDeployment", "PDDisaggregated")
    expected = [("args", "too-few-accelerators")] * one_pod if found == ["args"] else found
    assert of_server(plan) == [(f"spec.engine.runner.{field}", code) for field, code in expected]


def test_a_group_that_never_meets() -> None:
    def part(image: str, *words: str) -> dict[str, Any]:
        return {"runner": {**SGLANG, "image": image, "args": [*LISTENS, *words]}}

    leader = part("sglang:v0.5.15", "--nnodes", "2", "--dist-init-addr", "$(LWS_LEADER_ADDRESS):5000")
    worker = part("sglang:v0.5.10", "--nnodes", "3", "--dist-init-addr", "$(LWS_LEADER_ADDRESS):5001")
    spec = {"model": {"name": "llama"}, "engine": {"leader": leader, "worker": {"size": 1, **worker}}}
    runner = "spec.engine.worker.runner"
    assert of_server(with_platform(service(spec))) == [
        (f"{runner}.image", "images-differ"),
        (f"{runner}.args", "group-differs"),
        (f"{runner}.args", "group-differs"),
    ]


NIXL = ["--kv-transfer-config", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}']


def test_kv_blocks_get_from_engine_to_decoder() -> None:
    def part(*args: str) -> dict[str, Any]:
        return {"runner": {"name": "ome-container", "args": ["--model", "$(MODEL_PATH)", "--port", "8080", *args]}}

    spec = {"model": {"name": "llama"}, "engine": part(*NIXL), "decoder": part()}
    plan = with_platform(service(spec))
    path = "spec.decoder.runner.args"
    assert [p for p in problems(plan) if p[2].startswith("kv")] == [(path, "warning", "kv-transfer-on-one-side")]
    plan = with_platform(service({**spec, "decoder": part(*NIXL)}))
    assert [p for p in problems(plan) if "kv" in p[2]] == []
    for name in ("chat-engine", "chat-decoder"):
        container = objects(plan)[f"Deployment {name}"]["spec"]["template"]["spec"]["containers"][0]
        (address,) = [v for v in container["env"] if v["name"] == "VLLM_NIXL_SIDE_CHANNEL_HOST"]
        assert address["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP"


def test_metrics_that_a_flag_turns_off() -> None:
    runner = {"name": "ome-container", "args": ["--port", "8080", "--disable-log-stats"]}
    scraped = {"monitoring.ome.io/scrape": "true"}
    plan = with_platform(service({"model": {"name": "llama"}, "engine": {"runner": runner}}, annotations=scraped))
    assert ("spec.engine.runner.args", "warning", "no-metrics") in problems(plan)


@pytest.mark.parametrize(
    ("command", "grace", "found"),
    [
        (["sh", "-c", "sleep 60"], 60, True),
        (["/bin/sleep", "15"], 10, True),
        (["sleep", "30"], None, True),
        (["sleep", "15"], None, False),
        (["sh", "-c", "sleep 60 && true"], 30, False),
    ],
)
def test_a_wait_that_takes_the_whole_grace_period(command: list[str], grace: int | None, found: bool) -> None:
    runner = {"name": "ome-container", "lifecycle": {"preStop": {"exec": {"command": command}}}}
    engine = {"runner": runner, **({} if grace is None else {"terminationGracePeriodSeconds": grace})}
    plan = with_platform(service({"model": {"name": "llama"}, "engine": engine}))
    path = "spec.engine.runner.lifecycle.preStop"
    assert [p for p in problems(plan) if p[2] == "no-time-to-end"] == [(path, "warning", "no-time-to-end")] * found


def from_runtime(args: list[str], own: dict[str, Any] | None = None) -> Any:
    """A service whose runtime has the arguments."""
    runner = {**SGLANG, "args": [*LISTENS, *args]}
    runtime = {**RUNTIME, "spec": {**RUNTIME["spec"], "engineConfig": {"runner": runner}}}
    return planned(MODEL, runtime, service({"model": {"name": "llama"}, "engine": own or {"minReplicas": 1}}))


def test_what_a_runtime_is_to_blame_for_names_it() -> None:
    found = [f for f in from_runtime(["--tensor-paralel-size", "1"]).findings if f.code == "unknown-flag"]
    assert [f.message.endswith("(from the runtime vllm)") for f in found] == [True]
    own = {"runner": {"name": "ome-container", "args": [*LISTENS, "--tensor-paralel-size", "1"]}}
    found = [f for f in from_runtime([], own).findings if f.code == "unknown-flag"]
    assert [f.message.endswith("(from the runtime vllm)") for f in found] == [False]


@pytest.mark.parametrize(
    "args",
    [
        ["--model-path=/data/llama"],
        ["--model-path", "$(MODEL_PATH)", "--tokenizer-path", "/data/llama"],
        ["--model-path", "$(MODEL_PATH)", "--speculative-draft-model-path=/data/draft"],
    ],
)
def test_what_a_server_reads_where_nothing_is_mounted(args: list[str]) -> None:
    found = [p for p in problems(from_runtime(args)) if p[2] == "model-path"]
    assert found == [("spec.engine.runner.args", "warning", "model-path")]
    assert [p for p in problems(from_runtime(["--model-path", "$(MODEL_PATH)"])) if p[2] == "model-path"] == []


def test_problems_of_a_group_are_at_its_leader_and_its_worker() -> None:
    leader = {"containers": [{**SGLANG, "args": [*LISTENS, "--model-path", "/data/a", "--nnodes", "2"]}]}
    worker = {"runner": {**SGLANG, "args": [*LISTENS, "--model-path", "/data/b", "--nnodes", "2", "--no-such-flag"]}}
    spec = {"model": {"name": "llama"}, "engine": {"leader": leader, "worker": {"size": 1, **worker}}}
    found = [(path, code) for path, _, code in problems(with_platform(service(spec)))]
    assert [(path, code) for path, code in found if code in ("model-path", "unknown-flag")] == [
        ("spec.engine.leader.containers[0].args", "model-path"),
        ("spec.engine.worker.runner.args", "model-path"),
        ("spec.engine.worker.runner.args[10]", "unknown-flag"),
    ]


@pytest.mark.parametrize("uri", ["pvc://claim/../x", "pvc://claim/a/..", "pvc://Claim/x", "pvc://clä/x", "pvc://claim"])
def test_a_claim_that_can_not_be(uri: str) -> None:
    """It is said once, at the model."""
    model = {**MODEL, "spec": {**MODEL["spec"], "storage": {"storageUri": uri}}}
    found = problems(planned(model, RUNTIME, service({"model": {"name": "llama"}, "engine": {"minReplicas": 1}})))
    assert [p for p in found if p[1] == "error"] == [("spec.storage.storageUri", "error", "bad-value")]


def test_objects_of_other_namespaces_are_said_with_these() -> None:
    elsewhere = {**MODEL, "kind": "BaseModel", "metadata": {"name": "llama", "namespace": "other"}}
    plan = planned(elsewhere, RUNTIME, service({"model": {"name": "llama"}}))
    (found,) = [f for f in plan.findings if f.code == "unknown-model"]
    assert found.message == "no manifest has a model llama; known are llama of namespace other"


def test_a_runtime_that_inherits_that_it_is_disabled() -> None:
    profile = {**RUNTIME, "metadata": {"name": "profile"}, "spec": {**RUNTIME["spec"], "disabled": True}}
    child = {**RUNTIME, "metadata": {"name": "child", "annotations": {"ome.io/inherit-from": "profile"}}}
    spec = {"model": {"name": "llama"}, "runtime": {"name": "child"}, "engine": {"minReplicas": 1}}
    (found,) = [f for f in planned(MODEL, profile, child, service(spec)).findings if f.code == "disabled-runtime"]
    assert found.message.endswith("by itself or by a runtime that it inherits from; set disabled: false in it")


def test_a_runtime_of_the_other_kind_is_said_with_its_place() -> None:
    spec = {"model": {"name": "llama"}, "runtime": {"name": "vllm", "kind": "ServingRuntime"}, "engine": {}}
    (found,) = [f for f in planned(MODEL, RUNTIME, service(spec)).findings if f.code == "unknown-runtime"]
    assert found.message == "no manifest has a ServingRuntime vllm; known are vllm (cluster-wide)"


def test_no_runtime_is_missed_while_one_has_errors() -> None:
    wrong = {**RUNTIME, "spec": {**RUNTIME["spec"], "colour": "red"}}
    found = {f.path: (f.severity, f.message) for f in planned(MODEL, wrong, service()).findings}
    assert found["spec.colour"][0] == "error"
    assert found["spec.runtime"] == (
        "info",
        "a ServingRuntime has errors, so this is not checked yet; correct those first",
    )


@pytest.mark.parametrize(
    ("storage", "extra", "said"),
    [
        ({"storageUri": "hf://a/b"}, {}, True),
        ({"storageUri": "hf://a/b", "path": "/m"}, {}, False),
        ({"storageUri": "hf://a/b"}, {"env": [{"name": "MODEL_PATH", "value": "a/b"}]}, False),
        ({"storageUri": "hf://a/b"}, {"envFrom": [{"configMapRef": {"name": "x"}}]}, False),
        ({"storageUri": "hf://a/b"}, {"args": ["--model", "$$(MODEL_PATH)"]}, False),
    ],
)
def test_a_path_of_the_model_that_is_not_set(storage: dict[str, str], extra: dict[str, Any], *, said: bool) -> None:
    model = {**MODEL, "spec": {**MODEL["spec"], "storage": storage}}
    runner = {**RUNNER, "args": ["--model", "$(MODEL_PATH)", "--port", "8080"], **extra}
    plan = planned(model, service({"model": {"name": "llama"}, "engine": {"runner": runner}}))
    found = [f.message for f in plan.findings if f.code == "model-path"]
    assert found == (
        [
            "has $(MODEL_PATH), which is not set, because the model llama has no storage.path; add that, or write the "
            "path itself"
        ]
        if said
        else []
    )


@pytest.mark.parametrize(
    ("storage", "variable", "advice"),
    [
        ({"path": "/m"}, "/other", "(the model llama is mounted at /m); leave the variable MODEL_PATH to OME"),
        ({}, "/other", "(the model is not mounted); set the model's storage.path, or mount the folder"),
    ],
)
def test_advice_about_a_path_of_the_user_s_own(storage: dict[str, str], variable: str, advice: str) -> None:
    model = {**MODEL, "spec": {**MODEL["spec"], "storage": {"storageUri": "hf://a/b", **storage}}}
    env = [{"name": "MODEL_PATH", "value": variable}]
    runner = {**RUNNER, "args": ["--model", "$(MODEL_PATH)"], "env": env}
    plan = planned(model, service({"model": {"name": "llama"}, "engine": {"runner": runner}}))
    (found,) = [f.message for f in plan.findings if f.code == "model-path"]
    assert found == f"the server reads {variable}, where nothing is mounted {advice}"


def test_a_path_without_any_model() -> None:
    runner = {**RUNNER, "command": ["bash", "-c", "vllm serve $(MODEL_PATH) --port 8080"]}
    (found,) = [f for f in planned(service({"engine": {"runner": runner}})).findings if f.code == "model-path"]
    assert "because the service names no model" in found.message
