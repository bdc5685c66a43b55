"""Serves what is rendered for llama.cpp with the real server, in the release of the default image.

The rendered init scripts download a tiny model of random weights over HTTP, and the rendered command serves it. Not
proven here: GPUs (a CPU build accepts their flags and warns), images, and the quality of answers.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from tests.conformance.reference import cases, load_yaml, plan_case
from tests.integration.local_pod import PATIENCE_SECONDS, LocalPod, get
from tests.integration.ports import free_port
from tests.unit.families.llmkube.model_server import Site, serve
from tools import llama_server
from tools.tiny_model import write_tiny_model

API_VERSION = "inference.llmkube.dev/v1alpha1"
GRAMMAR = 'root ::= "yes" | "no"'
IMAGES = ("llama.cpp:server", "llama.cpp:server-cuda")
"""The images with this server; other images have builds with additional flags."""
CPU_ONLY = {"token_embd=CUDA0": "token_embd=CPU"}
"""Values that name a device of GPU builds, with their replacements here."""
REFUSED = {
    "llamacpp-custom-cache-types": "Unsupported cache type: turbo3",
    "llamacpp-extraargs-precedence": "invalid argument: --parallel=2",
}
"""Cases that this server rejects: a fork's cache types, a flag and its value as one word."""


@pytest.fixture(scope="module")
def server() -> Path:
    reason = llama_server.missing_compiler()
    if reason:
        pytest.skip(reason)
    return llama_server.ensure(print)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serves the model file."""
    file = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_tiny_model(file)
    with serve(Site(files={"/tiny.gguf": file.read_bytes()})) as running:
        yield running


@pytest.fixture
def start(server: Path, site: Site, tmp_path: Path) -> Iterator[Callable[..., LocalPod]]:
    """Renders a service, runs its init containers and starts its server; stops all servers afterwards."""
    pods: list[LocalPod] = []

    def begin(secrets: Mapping[tuple[str, str], str] | None = None, **spec: Any) -> LocalPod:
        deployment = rendered(f"{site.url}/tiny.gguf", spec, tmp_path)["Deployment"]
        folder = tmp_path / f"pod-{len(pods)}"
        pod = LocalPod(deployment["spec"]["template"]["spec"], folder, [str(server)], secrets or {})
        pods.append(pod)
        pod.initialize()
        pod.start()
        return pod

    yield begin
    for pod in pods:
        pod.kill()


def rendered(source: str, spec: Mapping[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """The objects of a service by kind; the service has a free port."""
    metadata = {"name": "tiny", "namespace": "test"}
    spec = {"modelRef": "tiny", "containerPort": free_port(), **spec}
    manifests = [
        {"apiVersion": API_VERSION, "kind": "Model", "metadata": metadata, "spec": {"source": source}},
        {"apiVersion": API_VERSION, "kind": "InferenceService", "metadata": metadata, "spec": spec},
    ]
    file = folder / "manifests.yaml"
    file.write_text(yaml.safe_dump_all(manifests))
    plan = plan_paths([file], Settings()).raise_for_errors()
    return {obj["kind"]: obj for obj in plan.all_objects()}


def url(pod: LocalPod, path: str, host: str = "127.0.0.1") -> str:
    return f"http://{host}:{pod.container['ports'][0]['containerPort']}{path}"


def until_ready(pod: LocalPod) -> list[int]:
    """The statuses that the readiness probe returned until it succeeded, without repetitions. Polls without a pause, as
    the model loads in a moment."""
    seen = [0]
    end = time.monotonic() + PATIENCE_SECONDS
    while seen[-1] != 200:
        assert pod.process is not None
        assert pod.process.poll() is None, pod.log.read_text()[-3000:]
        assert time.monotonic() < end, pod.log.read_text()[-3000:]
        status = pod.probe("readinessProbe").status
        seen.extend([status] if status != seen[-1] else [])
    return seen


def ask(pod: LocalPod, headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
    """Requests a chat completion. A grammar limits the answer, as random weights could say anything."""
    body = {"messages": [{"role": "user", "content": "Is it?"}], "grammar": GRAMMAR, "max_tokens": 8}
    answer = get(url(pod, "/v1/chat/completions"), json.dumps(body).encode(), headers)
    return answer.status, json.loads(answer.text)


def test_a_rendered_service_loads_its_model_and_answers(start: Callable[..., LocalPod], site: Site) -> None:
    pod = start(jinja=True, contextSize=2048, parallelSlots=2)

    assert until_ready(pod)[-2:] == [503, 200]
    assert [pod.probe(kind).status for kind in ("startupProbe", "livenessProbe")] == [200, 200]

    path = next(word for word in pod.container["args"] if word.endswith(".gguf"))
    assert pod.local(path).read_bytes() == site.files["/tiny.gguf"]
    (served,) = json.loads(get(url(pod, "/v1/models")).text)["data"]
    assert served["id"] == str(pod.local(path)), "without --alias a model is called after its file"
    status, answer = ask(pod)
    assert status == 200
    assert answer["choices"][0]["message"]["content"] in ("yes", "no")
    assert answer["model"] == served["id"]
    slots = json.loads(get(url(pod, "/slots")).text)
    assert [slot["n_ctx"] for slot in slots] == [1024, 1024]

    assert pod.stop() == 0


def test_it_listens_over_ipv4_and_ipv6(start: Callable[..., LocalPod]) -> None:
    pod = start()
    until_ready(pod)

    assert [pod.probe("readinessProbe", host).status for host in ("127.0.0.1", "[::1]")] == [200, 200]


def test_an_api_key_from_a_secret_locks_completions_and_metrics_and_no_probe(start: Callable[..., LocalPod]) -> None:
    variable = {"name": "LLAMA_API_KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "chat"}}}
    pod = start({("keys", "chat"): "open sesame"}, env=[variable])

    until_ready(pod)

    assert ask(pod)[0] == 401
    assert ask(pod, {"Authorization": "Bearer open sesame"})[0] == 200
    assert get(url(pod, "/metrics")).status == 401
    assert get(url(pod, "/v1/models")).status == 200


def test_every_metric_that_something_scales_on_is_there(start: Callable[..., LocalPod]) -> None:
    pod = start(autoscaling={"minReplicas": 1, "maxReplicas": 2})
    until_ready(pod)
    ask(pod)

    named = set(re.findall(r"llamacpp:\w+", metrics_named()))

    assert "llamacpp:requests_processing" in named
    served = re.findall(r"^(llamacpp:\w+) ", get(url(pod, "/metrics")).text, re.MULTILINE)
    assert named <= set(served)


def metrics_named() -> str:
    """All texts that name this server's metrics: rendered autoscalers and monitors, and the package itself."""
    package = Path(__file__).parents[2] / "components"
    rules = [file.read_text() for suffix in ("py", "json", "yaml") for file in package.rglob(f"*.{suffix}")]
    plans = [plan_case([case / "input.yaml"], case_settings(case)) for case in cases("llmkube")]
    kinds = ("HorizontalPodAutoscaler", "PodMonitor", "ScaledObject")
    objects = [obj for plan in plans for obj in plan.all_objects() if obj["kind"] in kinds]
    return "\n".join([*rules, json.dumps(objects)])


def case_settings(case: Path) -> dict[str, Any]:
    given: Mapping[str, Any] = next(iter(load_yaml(case / "operator.yaml")), {})
    return {"llmkube": {name: value for name, value in given.items() if name != "simulate"}}


def argument_lists() -> dict[str, list[str]]:
    """Each distinct argument list of the reference cases for this server, by the first case with it."""
    found: dict[tuple[str, ...], str] = {}
    for case in cases("llmkube"):
        plan = plan_case([case / "input.yaml"], case_settings(case))
        for obj in [] if errors(plan.findings) else plan.all_objects():
            if obj["kind"] == "Deployment":
                container = obj["spec"]["template"]["spec"]["containers"][0]
                if str(container.get("image")).partition("/ggml-org/")[2].startswith(IMAGES):
                    found.setdefault(shape(container["args"]), case.name)
    return {name: list(words) for words, name in found.items()}


def shape(words: list[str]) -> tuple[str, ...]:
    """The arguments without the parts that depend on the model."""
    return tuple(re.sub(r"^/\S+\.gguf$", lambda found: file_kind(found[0]), word) for word in words)


def file_kind(path: str) -> str:
    return "PROJECTOR" if "mmproj" in path else "MODEL"


LISTS = argument_lists()


@pytest.fixture
def alone(server: Path, site: Site, tmp_path: Path) -> Iterator[Callable[[list[str]], LocalPod]]:
    """Starts the server with an argument list on a free port; it is stopped afterwards."""
    pods: list[LocalPod] = []

    def begin(arguments: list[str]) -> LocalPod:
        model = tmp_path / "tiny.gguf"
        model.write_bytes(site.files["/tiny.gguf"])
        words = [str(model) if word == "MODEL" else CPU_ONLY.get(word, word) for word in arguments]
        port = words.index("--port") + 1
        words[port] = str(free_port())
        probe = {"httpGet": {"path": "/health", "port": int(words[port])}}
        container = {"args": words, "ports": [{"containerPort": int(words[port])}], "readinessProbe": probe}
        pod = LocalPod({"containers": [container]}, tmp_path / "pod", [str(server)])
        pods.append(pod)
        pod.start()
        return pod

    yield begin
    for pod in pods:
        pod.kill()


@pytest.mark.parametrize("name", [name for name in LISTS if name not in REFUSED])
def test_every_argument_list_of_the_reference_cases_starts(name: str, alone: Callable[[list[str]], LocalPod]) -> None:
    until_ready(alone(without_projector(LISTS[name])))


def without_projector(words: list[str]) -> list[str]:
    """The arguments without the projector, as none is as small as the model."""
    at = words.index("--mmproj") if "--mmproj" in words else len(words)
    return [*words[:at], *words[at + 2 :]]


@pytest.mark.parametrize("name", REFUSED)
def test_what_this_server_does_not_take_ends_it_at_once(name: str, alone: Callable[[list[str]], LocalPod]) -> None:
    pod = alone(LISTS[name])
    assert pod.process is not None
    assert pod.process.wait(timeout=120) != 0
    assert REFUSED[name] in pod.log.read_text()


def test_a_prefix_moves_the_health_check_away_from_the_probes(alone: Callable[[list[str]], LocalPod]) -> None:
    pod = alone(["--model", "MODEL", "--port", "0", "--host", "::", "--api-prefix", "/v9"])
    while get(url(pod, "/v9/health")).status != 200:
        assert pod.process is not None
        assert pod.process.poll() is None, pod.log.read_text()[-3000:]
    assert pod.probe("readinessProbe").status == 404


def test_without_a_model_it_is_ready_and_has_neither_models_nor_metrics(alone: Callable[[list[str]], LocalPod]) -> None:
    pod = alone(["--port", "0", "--host", "::", "--metrics"])
    until_ready(pod)
    assert json.loads(get(url(pod, "/v1/models")).text)["data"] == []
    assert get(url(pod, "/metrics")).status == 400
