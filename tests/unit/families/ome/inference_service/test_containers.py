"""The containers of an engine, a decoder and a router: what they take from the runner, and which fields are refused.

Not proved here: what the containers get from documented keys.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.planning.plan import StackPlan

from ..helpers import RUNNER, RUNTIME, main, manifest, objects, planned, pod, problems, runtime, service


@pytest.mark.parametrize("role", ["engine", "decoder"])
def test_the_container_of_the_runner_s_name_is_merged_under_it(role: str) -> None:
    container = {"name": "ome-container", "image": "", "args": ["--a"], "env": [{"name": "X", "value": "1"}]}
    spec = {"engine": {"runner": RUNNER}, role: {"containers": [container], "runner": {**RUNNER, "args": ["--b"]}}}
    (found,) = pod(objects(planned(service(spec)))[f"Deployment chat-{role}"])["spec"]["containers"]
    assert (found["args"], found["image"]) == (["--a", "--b"], RUNNER["image"])
    assert {"name": "X", "value": "1"} in found["env"]


SGLANG = {
    **RUNNER,
    "image": "lmsysorg/sglang:v0.5.5",
    "command": ["python3", "-m", "sglang.launch_server"],
    "args": ["--host", "0.0.0.0", "--port", "8080", "--tp-size", "2"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}],
}
SCRIPT = "exec python3 -m sglang.launch_server --host 0.0.0.0 --port 8080"


def overridden(of_runtime: dict[str, Any], container: dict[str, Any], **more: Any) -> tuple[dict[str, Any], StackPlan]:
    """The engine's container for a runtime's runner, and a service's container of its name."""
    spec = {"runtime": {"name": "vllm"}, "engine": {"containers": [{"name": "ome-container", **container}], **more}}
    plan = planned(service(spec), runtime({**RUNTIME["spec"], "engineConfig": {"runner": of_runtime}}))
    return main(objects(plan)["Deployment chat-engine"]), plan


def test_a_container_of_the_service_overrides_the_runtime_s_runner() -> None:
    given = {"image": "mine:1", "args": ["--tp=4"], "env": [{"name": "A", "value": "2"}]}
    found, _ = overridden(SGLANG, given)
    assert (found["image"], found["args"]) == ("mine:1", ["--tp=4", "--host", "0.0.0.0", "--port", "8080"])
    assert {"name": "A", "value": "2"} in found["env"]
    assert {"name": "B", "value": "1"} in found["env"]


def test_a_runner_of_the_service_overrides_its_container() -> None:
    given = {"args": ["--a"], "env": [{"name": "A", "value": "2"}, {"name": "B", "value": "2"}]}
    runner = {"name": "ome-container", "env": [{"name": "B", "value": "3"}], "args": ["--b"]}
    found, _ = overridden(SGLANG, given, runner=runner)
    assert found["args"] == ["--a", "--b"]
    assert [variable for variable in found["env"] if variable["name"] in ("A", "B")] == [
        {"name": "A", "value": "2"},
        {"name": "B", "value": "3"},
    ]


def test_a_command_with_arguments_replaces_the_runtime_s() -> None:
    given = {"command": ["vllm", "serve", "/m"], "args": ["--port", "8080"]}
    found, _ = overridden(SGLANG, given)
    assert (found["command"], found["args"]) == (given["command"], given["args"])


@pytest.mark.parametrize(
    ("script", "codes"),
    [(SCRIPT, ["no-effect"]), (f'{SCRIPT} "$@"', []), (f"{SCRIPT} $1", []), ("true", ["no-effect"])],
)
@pytest.mark.parametrize("in_args", [True, False])
def test_arguments_come_after_the_runtime_s_script(script: str, codes: list[str], *, in_args: bool) -> None:
    shell = ["bash", "-c"] if in_args else ["bash", "-c", script]
    runner = {**RUNNER, "command": shell, "args": [script] if in_args else []}
    found, plan = overridden(runner, {"args": ["--tp-size=4"]})
    assert [*found["command"], *found["args"]][:4] == ["bash", "-c", script, "--tp-size=4"]
    unread = [f for f in plan.findings if f.code == "no-effect"]
    assert [(f.path, f.code) for f in unread] == [("spec.engine.runner.args", code) for code in codes]


def test_the_first_container_serves_without_a_runner() -> None:
    other = {"name": "side", "image": "side:1"}
    made = objects(planned(service({"engine": {"containers": [RUNNER, other]}})))["Deployment chat-engine"]
    assert [container["name"] for container in pod(made)["spec"]["containers"]] == ["ome-container", "side"]
    assert main(made)["startupProbe"]["httpGet"] == {"path": "/health", "port": 8080}


def test_an_empty_image_erases_none() -> None:
    router = {
        "containers": [{"name": "router", "image": "router:2"}],
        "runner": {"name": "router", "image": "", "args": ["--p"]},
    }
    spec = {"runtime": {"name": "vllm"}, "engine": {}, "router": {}}
    plan = planned(service(spec), runtime({**RUNTIME["spec"], "routerConfig": router}))
    found = main(objects(plan)["Deployment chat-router"])
    assert (found["image"], found["args"]) == ("router:2", ["--p"])


@pytest.mark.parametrize("path", ["engine", "engine.leader", "engine.worker"])
def test_resources_of_a_pod_are_none_of_ome_s(path: str) -> None:
    given: dict[str, Any] = {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    part = path.partition(".")[2]
    spec = {"engine": {"runner": RUNNER, part: given} if part else {"runner": RUNNER, **given}}
    assert (f"spec.{path}.resources", "error", "unknown-field") in problems(planned(service(spec)))


@pytest.mark.parametrize(
    ("spec", "path", "advice"),
    [
        ({"deploymentMode": "OMENative"}, "deploymentMode", "; the annotation ome.io/deploymentMode replaces it"),
        ({"rollout": {}}, "rollout", "; deploymentStrategy of a component says how its pods are replaced"),
        ({"traffic": {}}, "traffic", ""),
        ({"model": {"name": "llama", "overlays": []}}, "model.overlays", ""),
        ({"engine": {"rollout": {}}}, "engine.rollout", "; deploymentStrategy says how pods are replaced"),
        ({"decoder": {"topologyKey": "rack"}}, "decoder.topologyKey", "; write affinity"),
    ],
)
def test_fields_of_a_later_release(spec: dict[str, Any], path: str, advice: str) -> None:
    found = planned(manifest("InferenceService", {"engine": {"runner": RUNNER}, **spec})).findings
    assert [f.message for f in found if f.path == f"spec.{path}"] == [
        f"is not a known field: it is a field of OME 1.3, not covered here{advice}"
    ]


def test_a_literal_secret_in_a_container_of_the_engine() -> None:
    container = {**RUNNER, "env": [{"name": "API_KEY", "value": "abc"}]}
    found = problems(planned(service({"engine": {"containers": [container]}})))
    assert ("spec.engine.containers[0].env[0].value", "error", "literal-secret") in found
