"""What a ModelService made of the chart's values says, where the values need more than being carried over."""

from typing import Any

import pytest

from modelservices.families.otterscale.chart.conversion import Options, convert
from modelservices.findings import Problem
from modelservices.kubernetes.scalars import Plain

ARTIFACTS = {"name": "org/model", "uri": "oci://r.example.com/model:1"}


def values(container: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    own = {"name": "vllm", "image": "r/vllm:1", "modelCommand": "vllmServe", **(container or {})}
    return {"modelArtifacts": ARTIFACTS, "decode": {"containers": [own], **more.pop("decode", {})}, **more}


def spec(data: dict[str, Any], given: Options | None = None) -> dict[str, Any]:
    manifest, problems = convert(data, given or Options())
    assert manifest is not None, problems
    return manifest["spec"]


def said(data: dict[str, Any], given: Options | None = None) -> list[tuple[str, str]]:
    """Path and severity of what is said, without the notes that every conversion has."""
    _, problems = convert(data, given or Options())
    return [(p.path, p.severity) for p in problems if p.code not in ("brings-pool", "model-pack")]


def errors(problems: list[Problem]) -> list[str]:
    return [problem.path for problem in problems if problem.severity == "error"]


def test_a_small_file():
    manifest, _ = convert(values(), Options(namespace="llm"))
    assert manifest == {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "model", "namespace": "llm"},
        "spec": {
            "model": {"name": "org/model", "image": "r.example.com/model:1"},
            "engine": {"image": "r/vllm:1"},
            "accelerator": {"type": "nvidia"},
            "decode": {"replicas": 1},
            "routingProxy": {},
            "inferencePool": {"endpointPicker": {}},
        },
    }


@pytest.mark.parametrize(
    ("data", "given", "name"),
    [
        ({"fullnameOverride": "Mine_1", "nameOverride": "x"}, Options(), "mine-1"),
        ({}, Options(name="own"), "own"),
        ({"modelArtifacts": {**ARTIFACTS, "name": "Qwen/Qwen3-0.6B"}}, Options(), "qwen3-0-6b"),
        ({"modelArtifacts": {**ARTIFACTS, "name": "org/" + "a" * 80}}, Options(), "a" * 55),
    ],
)
def test_the_name(data: dict[str, Any], given: Options, name: str):
    manifest, _ = convert({**values(), **data}, given)
    assert manifest is not None and manifest["metadata"]["name"] == name


@pytest.mark.parametrize("uri", ["hf://org/model", "pvc://claim/model", "pvc+hf://claim/org/model"])
def test_a_model_that_is_in_no_registry_is_left_to_fill_in(uri: str):
    data = {**values(), "modelArtifacts": {"name": "org/model", "uri": uri}}
    assert spec(data)["model"]["image"] == "<model-image>"
    assert said(data) == [("modelArtifacts.uri", "warning")]
    assert spec(data, Options(model_image="r/m:1"))["model"]["image"] == "r/m:1"
    assert said(data, Options(model_image="r/m:1")) == []


def test_references_to_other_values_are_evaluated():
    data = values({"env": [{"name": "A", "value": "{{ .Values.modelArtifacts.name | quote }}"}]})
    data["modelArtifacts"] = {"name": "org/model", "uri": 'oci://"{{ .Values.modelArtifacts.name }}"'}
    assert spec(data)["model"]["image"] == "org/model"
    assert spec(data)["engine"]["env"] == [{"name": "A", "value": "org/model"}]


def test_other_template_expressions_are_refused():
    data = values({"env": [{"name": "A", "value": "{{ include `x` . }}"}]})
    assert errors(convert(data, Options())[1]) == ["decode.containers[0].env[0].value"]


def test_literal_secrets_are_refused():
    data = values({"env": [{"name": "HF_TOKEN", "value": "hf_" + "Ab1" * 11}]})
    manifest, problems = convert(data, Options())
    assert manifest is None
    assert errors(problems) == ["decode.containers[0].env[0].value"]


def test_invalid_values_are_said_at_once_with_what_has_no_counterpart():
    data = {
        "modelArtifacts": {"uri": "hf://a/b"},
        "decode": {"replicas": Plain("two"), "volumes": [{"name": "v"}], "parallelism": []},
        "routing": {"servicePort": 99999},
    }
    manifest, problems = convert(data, Options())
    assert manifest is None
    assert [(p.path, p.severity) for p in problems] == [
        ("decode.volumes", "warning"),
        ("decode.parallelism", "error"),
        ("decode.replicas", "error"),
        ("modelArtifacts.name", "error"),
        ("routing.servicePort", "error"),
    ]


def test_an_unknown_value_is_a_warning():
    assert said({**values(), "replicaCount": 2}) == [("replicaCount", "warning")]


def test_what_a_model_service_refuses_has_the_path_of_its_field():
    _, problems = convert(values(), Options(name="Not_A_Name"))
    assert errors(problems) == ["metadata.name"]


@pytest.mark.parametrize(
    ("given", "sizes"),
    [
        ({"tensor": 4}, {"tensor": 4}),
        ({"data": 8}, {"data": 8, "dataLocal": 8}),
        ({"data": 8, "workers": 2}, {"data": 8, "dataLocal": 4}),
        ({"dataLocal": 4, "workers": 2}, {"data": 8, "dataLocal": 4}),
        ({"tensor": 0, "data": 0, "dataLocal": 0, "workers": 0}, None),
        ({"tensor": 2, "data": 4, "dataLocal": 2, "workers": 2}, {"tensor": 2, "data": 4, "dataLocal": 2}),
    ],
)
def test_sizes_that_are_left_out_follow_from_the_others(given: dict[str, int], sizes: dict[str, int] | None):
    """The chart's own defaults are 1 for each, so that it never comes to what it would make of one that is left out."""
    made = spec(values(decode={"parallelism": given}))
    assert made["decode"].get("parallelism") == sizes
    assert made["accelerator"] == {"type": "nvidia"}


def test_a_size_in_the_arguments_takes_precedence():
    data = values({"args": ["--tensor-parallel-size", "1"]}, decode={"parallelism": {"tensor": 4}})
    made = spec(data)["decode"]
    assert "parallelism" not in made
    assert made["resources"]["limits"] == {"nvidia.com/gpu": "4"}


@pytest.mark.parametrize("given", [{"data": 10, "dataLocal": 4}, {"data": 10, "workers": 4}])
def test_sizes_that_do_not_divide_are_refused(given: dict[str, int]):
    data = values(decode={"parallelism": given})
    assert errors(convert(data, Options())[1]) == ["decode.parallelism.data"]


@pytest.mark.parametrize(
    ("accelerator", "resources", "kind", "limits"),
    [
        ({"type": "nvidia"}, {}, "nvidia", None),
        ({"type": "amd"}, {"limits": {"amd.com/gpu": "1", "memory": "1Gi"}}, "amd", {"memory": "1Gi"}),
        ({"type": "google"}, {"limits": {"google.com/tpu": "4"}}, "cpu", {"google.com/tpu": "4"}),
        ({"type": "intel-i915"}, {}, "cpu", {"gpu.intel.com/i915": "1"}),
        ({"type": "nvidia"}, {"limits": {"nvidia.com/mig-1g.10gb": "1"}}, "cpu", {"nvidia.com/mig-1g.10gb": "1"}),
        ({"type": "nvidia", "resources": {"nvidia": "example.com/gpu"}}, {}, "cpu", {"example.com/gpu": "1"}),
        ({"type": "cpu"}, {}, "cpu", None),
    ],
)
def test_devices(accelerator: dict[str, Any], resources: dict[str, Any], kind: str, limits: dict[str, str] | None):
    """A partition of a GPU takes the place of the whole one, which the chart would ask for beside it."""
    made = spec(values({"resources": resources}, accelerator=accelerator))
    assert made["accelerator"] == {"type": kind}
    assert made["decode"].get("resources", {}).get("limits") == limits


def test_an_accelerator_that_the_chart_does_not_know():
    data = values(accelerator={"type": "tpu"}, prefill={"accelerator": {"type": "habana"}})
    assert said(data)[:2] == [("accelerator.type", "warning"), ("prefill.accelerator.type", "warning")]
    assert spec(data)["decode"]["resources"]["limits"] == {"nvidia.com/gpu": "1"}


def test_roles_with_different_devices():
    prefill = {"replicas": 1, "accelerator": {"type": "intel-gaudi"}, "parallelism": {"tensor": 2}}
    made = spec(values(prefill=prefill))
    assert made["accelerator"] == {"type": "cpu"}
    assert made["decode"]["resources"]["limits"] == {"nvidia.com/gpu": "1"}
    assert made["prefill"]["resources"]["limits"] == {"habana.ai/gaudi": "2"}


@pytest.mark.parametrize(
    ("container", "args", "sizes"),
    [
        ({"args": ["--enforce-eager", "--port", "8200"]}, ["--enforce-eager"], None),
        ({"args": ["--tensor-parallel-size=2", "--seed", "1"]}, ["--seed", "1"], {"tensor": 2}),
        ({"args": ["-tp", "2"]}, None, {"tensor": 2}),
        ({"modelCommand": "custom", "command": ["vllm", "serve"], "args": ["org/model", "-x"]}, ["-x"], None),
        (
            {
                "modelCommand": "custom",
                "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
                "args": ["--model", "org/model", "--served-model-name", "org/model", "--seed=1"],
            },
            ["--seed=1"],
            None,
        ),
    ],
)  # fmt: skip
def test_what_a_model_service_generates_is_not_said_twice(
    container: dict[str, Any], args: list[str] | None, sizes: dict[str, int] | None
):
    data = values({**container, "resources": {"limits": {"nvidia.com/gpu": (sizes or {}).get("tensor", 1)}}})
    made = spec(data)
    assert made["engine"].get("args") == args
    assert made["decode"].get("parallelism") == sizes
    assert said(data) == []


@pytest.mark.parametrize(
    "args", [["--port=9000"], ["--model", "other/model"], ["--served-model-name", "a", "b"]], ids=lambda args: args[0]
)
def test_flags_that_say_something_else_are_findings(args: list[str]):
    data = values({"args": args})
    assert spec(data)["engine"] == {"image": "r/vllm:1"}
    assert said(data) == [("decode.containers[0].args", "warning")]


def test_a_shell_command_has_no_counterpart():
    data = values({"modelCommand": "custom", "command": ["/bin/sh", "-c"], "args": ["vllm serve x --seed 1"]})
    assert spec(data)["engine"] == {"image": "r/vllm:1"}
    assert said(data) == [("decode.containers[0].command", "warning")]


def test_a_variable_is_there_once_and_not_those_that_a_model_service_sets():
    env = [
        {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "t"}}},
        {"name": "TP_SIZE", "value": "1"},
    ]
    data = values({"env": env})
    data["modelArtifacts"] = {**ARTIFACTS, "authSecretName": "hf"}
    assert spec(data)["engine"]["env"] == env[:1]


def test_an_engine_without_prefill_pods_of_its_own():
    container = {"name": "vllm", "image": "r/vllm:1", "modelCommand": "vllmServe"}
    data = values({"args": ["--a"], "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]})
    same = {**container, "args": ["--a"], "env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]}
    assert said({**data, "prefill": {"containers": [same]}}) == []
    other = {**container, "args": ["--b"], "env": []}
    assert said({**data, "prefill": {"containers": [other]}}) == [
        ("prefill.containers[0].args", "warning"),
        ("prefill.containers[0].env", "warning"),
    ]


@pytest.mark.parametrize(
    ("prefill", "made"),
    [({}, {"replicas": 0}), ({"replicas": 3}, {"replicas": 3}), ({"create": False, "replicas": 3}, None)],
)
def test_prefill_pods(prefill: dict[str, Any], made: dict[str, Any] | None):
    assert spec(values(prefill=prefill)).get("prefill") == made


def test_tracing():
    made = spec(values(tracing={"enabled": True, "serviceNames": {"vllmDecode": "d"}}))
    assert made["engine"]["args"] == [
        "--otlp-traces-endpoint",
        "http://otel-collector:4317",
        "--collect-detailed-traces",
        "all",
    ]
    assert [variable["name"] for variable in made["engine"]["env"]] == [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_TRACES_EXPORTER",
        "OTEL_TRACES_SAMPLER",
        "OTEL_TRACES_SAMPLER_ARG",
    ]
    assert said(values(tracing={"enabled": True, "serviceNames": {"vllmDecode": "d"}})) == [
        ("tracing.enabled", "warning"),
        ("tracing.serviceNames", "warning"),
    ]


def test_monitors_that_differ():
    on = {"podmonitor": {"enabled": True, "path": "/m", "interval": "10s"}}
    data = values(decode={"monitoring": on}, prefill={"monitoring": {}})
    assert spec(data)["monitoring"] == {"podMonitor": {"enabled": True, "path": "/m", "interval": "10s"}}
    assert said(data) == [("prefill.monitoring.podmonitor", "warning")]
