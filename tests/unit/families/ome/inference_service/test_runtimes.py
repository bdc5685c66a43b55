"""How a service gets its model and runtime: what a runtime inherits, why none fits, weights on a claim, wrong paths.

Not proved here: that OME's controller would choose the same one.
"""

from __future__ import annotations

from typing import Any

import pytest

from ..helpers import MODEL, RUNNER, RUNTIME, env, main, objects, planned, pod, problems, runtime, service

FORMAT = RUNTIME["spec"]["supportedModelFormats"][0]


def offering(**changes: Any) -> dict[str, Any]:
    """A runtime with one format, changed."""
    return runtime({**RUNTIME["spec"], "supportedModelFormats": [{**FORMAT, **changes}]})


def model(**changes: Any) -> dict[str, Any]:
    return {**MODEL, "spec": {**MODEL["spec"], **changes}}


def refusal(*manifests: dict[str, Any], spec: Any = None) -> list[str]:
    found = planned(service(spec), *manifests).findings
    return [f.message for f in found if f.code in ("no-runtime", "runtime-mismatch")]


@pytest.mark.parametrize(
    ("offered", "has", "reason"),
    [
        (offering(modelArchitecture="A"), {}, "modelArchitecture is A, the model's not set"),
        (offering(), {"modelArchitecture": "B"}, "modelArchitecture is not set, the model's B"),
        (offering(quantization="fp8"), {"quantization": "int4"}, "quantization is fp8, the model's int4"),
        (offering(modelFormat={"name": "onnx"}), {}, "modelFormat is onnx, the model's safetensors 1.0.0"),
        (
            offering(modelFormat={"name": "safetensors"}),
            {},
            "modelFormat is safetensors, the model's safetensors 1.0.0",
        ),
        (
            offering(modelFramework={"name": "transformers", "version": "4.36.0"}),
            {},
            "modelFramework is transformers 4.36.0, the model's transformers 4.45.0",
        ),
        (
            offering(diffusionPipeline={"className": "Flux"}),
            {},
            "diffusionPipeline.className is Flux, the model's not set",
        ),
        (offering(autoSelect=False), {}, "autoSelect is not true"),
        (runtime({**RUNTIME["spec"], "disabled": True}), {}, "it is disabled"),
        (runtime({"engineConfig": {"runner": RUNNER}}), {}, "it lists no supportedModelFormats"),
        (
            runtime({**RUNTIME["spec"], "modelSizeRange": {"min": "1B", "max": "3B"}}),
            {"modelParameterSize": "8B"},
            "modelParameterSize 8B is outside 1B to 3B",
        ),
    ],
)
def test_why_no_runtime_is_chosen(offered: dict[str, Any], has: dict[str, Any], reason: str) -> None:
    advice = "name one, or give spec.engine.runner an image"
    assert refusal(offered, model(**has)) == [f"no runtime supports the model llama (vllm: {reason}): {advice}"]


@pytest.mark.parametrize(
    ("operator", "version", "fits"),
    [
        ("GreaterThanOrEqual", "4.45.0", True),
        ("GreaterThanOrEqual", "4.50.0", True),
        ("GreaterThan", "4.45.0", False),
        ("GreaterThan", "4.46.0", True),
        ("GreaterThan", "4.46", False),
        ("Equal", "4.46.0", False),
    ],
)
def test_versions_by_operator(operator: str, version: str, fits: bool) -> None:
    wanted = {"name": "transformers", "version": version, "operator": operator}
    assert (refusal(offering(modelFramework=wanted), MODEL) == []) is fits


def test_an_accelerator_class_decides() -> None:
    spec = {"model": {"name": "llama"}, "acceleratorSelector": {"acceleratorClass": "h100"}}
    listing = runtime({**RUNTIME["spec"], "acceleratorRequirements": {"acceleratorClasses": ["h100"]}})
    assert refusal(listing, MODEL, spec=spec) == []
    assert "its acceleratorRequirements don't list h100" in refusal(RUNTIME, MODEL, spec=spec)[0]


def test_a_named_runtime_that_does_not_list_the_model_is_a_warning() -> None:
    spec = {"model": {"name": "llama"}, "runtime": {"name": "vllm"}}
    (message,) = refusal(offering(quantization="fp8"), model(quantization="int8"), spec=spec)
    assert message.endswith("so OME would refuse it: quantization is fp8, the model's int8")


def test_what_ome_reads_from_the_model_s_files_speaks_against_no_named_runtime() -> None:
    spec = {"model": {"name": "llama"}, "runtime": {"name": "vllm"}}
    bare = model(modelFormat=None, modelFramework=None)
    wanted = {"modelFormat": {"name": "safetensors"}, "modelFramework": {"name": "transformers"}}
    assert refusal(offering(**wanted, quantization="fp8", modelArchitecture="Llama"), bare, spec=spec) == []


def test_the_key_of_a_storage_by_the_name_that_ome_s_documents_have() -> None:
    found = planned(service(), model(storage={"storageUri": "hf://org/m", "storageKey": "hf"})).findings
    assert "is not a known field: it is called key in OME's CRD" in [f.message for f in found]


def test_a_disabled_model_is_refused() -> None:
    assert ("spec.model.name", "error", "disabled-model") in problems(planned(service(), RUNTIME, model(disabled=True)))


PROFILE = runtime(
    {
        "disabled": True,
        "engineConfig": {
            "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory"}}],
            "runner": {**RUNNER, "env": [{"name": "LOG", "value": "info"}]},
        },
    },
    "profile",
)


def test_a_runtime_inherits_what_it_leaves_out() -> None:
    child = {"disabled": False, "engineConfig": {"runner": {"name": "ome-container", "image": "other:1"}}}
    grandchild = runtime({}, "grandchild", {"ome.io/inherit-from": "child"})
    manifests = [PROFILE, runtime(child, "child", {"ome.io/inherit-from": "profile"}), grandchild]
    spec = {"runtime": {"name": "grandchild"}, "engine": {}}
    made = objects(planned(service(spec), *manifests))["Deployment chat-engine"]
    assert pod(made)["spec"]["volumes"] == [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
    assert (main(made)["image"], env(made)["LOG"]) == ("other:1", "info")


@pytest.mark.parametrize("named", [{"runtime": {"name": "child"}}, {"model": {"name": "llama"}}])
def test_a_service_builds_on_its_runtime_and_those_that_it_inherits_from(named: dict[str, Any]) -> None:
    """So that `adopt` names what changed in them, also in a chosen runtime, which the service does not name."""
    child = runtime({**RUNTIME["spec"], "disabled": False}, "child", {"ome.io/inherit-from": "profile"})
    (made,) = planned(service({**named, "engine": {}}), MODEL, PROFILE, child).services
    assert [(used.kind, used.namespace, used.name) for used in made.builds_on] == [
        *([("ClusterBaseModel", "", "llama")] if "model" in named else []),
        ("ClusterServingRuntime", "", "child"),
        ("ClusterServingRuntime", "", "profile"),
    ]


def test_a_runner_inherits_its_name() -> None:
    child = runtime({"disabled": False, "engineConfig": {"runner": {"image": "other:1"}}}, "child")
    inheriting = {**child, "metadata": {"name": "child", "annotations": {"ome.io/inherit-from": "profile"}}}
    spec = {"runtime": {"name": "child"}, "engine": {}}
    made = objects(planned(service(spec), PROFILE, inheriting))["Deployment chat-engine"]
    assert (main(made)["image"], main(made)["name"]) == ("other:1", "ome-container")
    assert ("spec.engineConfig.runner.name", "error", "required") in problems(planned(service(spec), PROFILE, child))
    unnamed = {"engine": {"worker": {"runner": {"image": "other:1"}}}}
    assert ("spec.engine.worker.runner.name", "error", "required") in problems(planned(service(unnamed)))


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        ("nobody", "no manifest has a runtime nobody to inherit from: correct it"),
        ("child", "leads back to itself: correct it"),
        ("other", "leads back to itself: correct it"),
    ],
)
def test_inheritance_that_leads_nowhere(parent: str, message: str) -> None:
    child = runtime(RUNTIME["spec"], "child", {"ome.io/inherit-from": parent})
    other = runtime(RUNTIME["spec"], "other", {"ome.io/inherit-from": "child"})
    found = [f.message for f in planned(child, other).findings if f.object.endswith("child")]
    assert message in found


def test_a_runtime_written_the_old_way_sets_up_the_engine() -> None:
    old = {"containers": [RUNNER], "volumes": [{"name": "scratch", "emptyDir": {}}], "labels": {"team": "a"}}
    made = objects(planned(service({"runtime": {"name": "vllm"}, "engine": {}}), runtime(old)))[
        "Deployment chat-engine"
    ]
    assert (main(made)["image"], made["metadata"]["labels"]["team"]) == (RUNNER["image"], "a")
    assert pod(made)["spec"]["volumes"] == [{"name": "scratch", "emptyDir": {}}]


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"containers": [RUNNER], "engineConfig": {"runner": RUNNER}}, "spec.containers"),
        ({"workers": {"size": 2}}, "spec.workers"),
        ({"supportedModelFormats": [{"modelArchitecture": "A"}]}, "spec.supportedModelFormats[0].modelFormat"),
        ({"supportedModelFormats": [{"modelArchitecture": "A"}]}, "spec.supportedModelFormats[0].modelFramework"),
    ],
)
def test_fields_of_a_runtime_that_do_nothing_or_are_missing(spec: dict[str, Any], path: str) -> None:
    assert (path, "warning") in [found[:2] for found in problems(planned(runtime(spec)))]


# Where the model is

CLAIMED = {"storage": {"storageUri": "pvc://weights/org/llama"}}


def test_a_model_on_a_claim_is_mounted_and_waits_for_no_node() -> None:
    made = objects(planned(service(), RUNTIME, model(**CLAIMED)))["Deployment chat-engine"]
    assert {"name": "llama", "persistentVolumeClaim": {"claimName": "weights"}} in pod(made)["spec"]["volumes"]
    mount = {"name": "llama", "mountPath": "/mnt/models/llama", "subPath": "org/llama", "readOnly": True}
    assert main(made)["volumeMounts"] == [mount]
    assert env(made)["MODEL_PATH"] == "/mnt/models/llama"
    assert "nodeSelector" not in pod(made)["spec"]


def test_a_claim_of_another_namespace_can_t_be_mounted() -> None:
    elsewhere = model(storage={"storageUri": "pvc://other:weights/llama", "path": "/models"})
    assert ("spec.model.name", "error", "claim-elsewhere") in problems(planned(service(), RUNTIME, elsewhere))


def test_a_claim_without_a_path_is_refused() -> None:
    assert ("spec.storage.storageUri", "error", "bad-value") in problems(
        planned(model(storage={"storageUri": "pvc://c"}))
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--model", "/elsewhere/llama"], True),
        (["--model=/mnt/models/llama"], False),
        (["--model", "$(MODEL_PATH)/sub"], False),
        (["--model", "org/llama"], False),
        ([], False),
    ],
)
def test_a_path_where_nothing_is_mounted(args: list[str], said: bool) -> None:
    spec = {"model": {"name": "llama"}, "engine": {"runner": {**RUNNER, "args": args}}}
    found = problems(planned(service(spec), RUNTIME, MODEL))
    assert (("spec.engine.runner.args", "warning", "model-path") in found) is said


@pytest.mark.parametrize(("count", "said"), [("0", True), ("1", False)])
def test_a_server_for_gpus_that_asks_for_none(count: str, said: bool) -> None:
    limits = {"limits": {"nvidia.com/gpu": count}}
    spec = {"model": {"name": "llama"}, "engine": {"runner": {**RUNNER, "resources": limits}}}
    path = 'spec.engine.runner.resources.limits["nvidia.com/gpu"]'
    assert ((path, "warning", "no-gpus") in problems(planned(service(spec), RUNTIME, MODEL))) is said


SGLANG = {**RUNNER, "image": "lmsysorg/sglang:v0.5.15", "command": ["python3", "-m", "sglang.launch_server"]}


@pytest.mark.parametrize(
    ("args", "metadata", "said"),
    [
        ([], {"ome.io/autoscalerClass": "keda"}, True),
        ([], {"monitoring.ome.io/scrape": "true"}, True),
        (["--enable-metrics"], {"ome.io/autoscalerClass": "keda"}, False),
        ([], {}, False),
    ],
)
def test_sglang_has_no_metrics_by_default(args: list[str], metadata: dict[str, str], said: bool) -> None:
    spec = {"model": {"name": "llama"}, "engine": {"runner": {**SGLANG, "args": args}}}
    found = problems(planned(service(spec, annotations=metadata), RUNTIME, MODEL))
    assert (("spec.engine.runner.args", "warning", "no-metrics") in found) is said


def test_arguments_that_the_image_s_release_does_not_parse() -> None:
    runner = {**RUNNER, "image": "vllm/vllm-openai:v0.25.1", "args": ["--dtype", "auto", "--speculative-model", "m"]}
    found = problems(planned(service({"model": {"name": "llama"}, "engine": {"runner": runner}}), RUNTIME, MODEL))
    assert ("spec.engine.runner.args[2]", "warning", "unknown-flag") in found


@pytest.mark.parametrize(
    ("runner", "added"),
    [
        (RUNNER, ["--quantization", "fbgemm_fp8", "--allow-deprecated-quantization"]),
        (SGLANG, []),
    ],
)
def test_a_deprecated_quantization(runner: dict[str, Any], added: list[str]) -> None:
    spec = {"model": {"name": "llama"}, "engine": {"runner": runner}}
    plan = planned(service(spec, annotations={"model.ome.io/quantization": "fbgemm_fp8"}), RUNTIME, MODEL)
    made = objects(plan)["Deployment chat-engine"]
    assert main(made).get("args", []) == added
    assert env(made)["MODEL_QUANTIZATION"] == "fbgemm_fp8"
    path = 'metadata.annotations["model.ome.io/quantization"]'
    said = [finding.path for finding in plan.findings if finding.code == "no-effect"]
    assert said == ([] if added else [path])


# Which runtime is chosen


def named(name: str, *, sizes: tuple[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    bounds = {"modelSizeRange": {"min": sizes[0], "max": sizes[1]}} if sizes else {}
    return runtime({**RUNTIME["spec"], **bounds, "supportedModelFormats": [{**FORMAT, **changes}]}, name)


def weighted(weight: int) -> dict[str, Any]:
    return {**FORMAT["modelFormat"], "weight": weight}


@pytest.mark.parametrize(
    ("candidates", "chosen"),
    [
        ([named("a"), named("b", priority=2)], "b"),
        ([named("a", priority=2), named("b", modelFormat=weighted(20))], "b"),
        ([named("a", priority=9), named("b", modelFormat=weighted(20), priority=2)], "b"),
        ([named("a", sizes=("1B", "90B")), named("b", sizes=("7B", "9B"))], "b"),
        ([named("a", sizes=("7B", "9B")), named("b")], "b"),
        ([named("b"), named("a")], "a"),
    ],
)
def test_the_best_runtime_is_chosen_by_weighted_priority_then_size_then_name(candidates: Any, chosen: str) -> None:
    spec = {"model": {"name": "llama"}, "engine": {}}
    made = objects(planned(model(modelParameterSize="8B"), *candidates, service(spec)))
    assert made["Deployment chat-engine"]["metadata"]["labels"]["serving-runtime"] == chosen


# What a runtime says beside engineConfig

H100 = {
    "environmentOverride": {"A": "2", "B": "3"},
    "runtimeArgsOverride": ["--mem=0.8", "--new"],
    "tensorParallelismOverride": {"tensorParallelSize": 4},
}


def on_accelerator(spec: dict[str, Any], engine: dict[str, Any]) -> dict[str, Any]:
    args = ["--mem", "0.9", "--tp", "2", "last"]
    runner = {**RUNNER, "args": args, "env": [{"name": "A", "value": "1"}]}
    offered = {"supportedModelFormats": [{**FORMAT, "acceleratorConfig": {"h100": H100}}], **spec}
    given = runtime({**offered, "engineConfig": {"runner": runner, "nodeSelector": {"pool": "a"}}})
    wanted = {"model": {"name": "llama"}, "runtime": {"name": "vllm"}, "engine": engine}
    return objects(planned(MODEL, given, service(wanted)))["Deployment chat-engine"]


def test_settings_of_an_accelerator_act_on_the_services_that_name_it() -> None:
    made = on_accelerator({}, {"acceleratorOverride": {"acceleratorClass": "h100"}})
    assert main(made)["args"] == ["--mem=0.8", "--tp", "4", "last", "--new"]
    assert {name: env(made)[name] for name in "AB"} == {"A": "2", "B": "3"}
    other = on_accelerator({}, {"acceleratorOverride": {"acceleratorClass": "a100"}})
    assert main(other)["args"] == ["--mem", "0.9", "--tp", "2", "last"]
    assert "B" not in env(other)


def test_nodes_and_resources_of_a_runtime_hold_where_the_service_has_none() -> None:
    limits = {"cpu": "8", "memory": "9Gi"}
    beside = {"nodeSelector": {"zone": "z", "pool": "b"}, "containers": [{**RUNNER, "resources": {"limits": limits}}]}
    made = on_accelerator(beside, {"nodeSelector": {"zone": "y"}})
    assert pod(made)["spec"]["nodeSelector"] == {
        "pool": "b",
        "zone": "y",
        "models.ome.io/clusterbasemodel.llama": "Ready",
    }
    assert main(made)["resources"]["limits"] == limits
    own = on_accelerator(beside, {"runner": {"name": "ome-container", "resources": {"limits": {"cpu": "2"}}}})
    assert main(own)["resources"]["limits"] == {"cpu": "2"}


def test_nodes_of_an_engine_hold_for_its_leader_and_its_workers() -> None:
    config = {"leader": {"runner": RUNNER}, "worker": {"runner": RUNNER, "size": 1}}
    given = runtime({**RUNTIME["spec"], "engineConfig": config})
    wanted = {"model": {"name": "llama"}, "engine": {"nodeSelector": {"pool": "h100"}}}
    group = objects(planned(MODEL, given, service(wanted)))["LeaderWorkerSet lws-chat-engine"]["spec"]
    for part in ("leaderTemplate", "workerTemplate"):
        assert group["leaderWorkerTemplate"][part]["spec"]["nodeSelector"]["pool"] == "h100"


def test_a_runtime_can_name_the_service_in_texts_of_its_main_container() -> None:
    texts = ["--served-model-name={{.Name}}", "{{ .Namespace }}/{{.Labels.team}}", "{{.Labels.other}}"]
    given = runtime({**RUNTIME["spec"], "engineConfig": {"runner": {**RUNNER, "args": texts}}})
    wanted = {"model": {"name": "llama"}, "engine": {}}
    made = objects(planned(MODEL, given, service(wanted, labels={"team": "a"})))["Deployment chat-engine"]
    assert main(made)["args"] == ["--served-model-name=chat", "llm/a", "{{.Labels.other}}"]
