"""OME's components on the mock engine: jobs in programs, and in a stack after the services that they measure.

Not proved here: what the real engine and a cluster make of it (tests/integration/test_ome_jobs.py).
"""

from __future__ import annotations

from typing import Any

import pulumi
import pytest

from modelservices import BenchmarkJobComponent, InvalidArguments, TrainingJobComponent
from modelservices.registration.apply import RULES
from modelservices.stack import register_plan
from modelservices.testing import Recording, render

from .helpers import manifest, service, with_platform

SPEC: dict[str, Any] = {
    "task": "text-to-text",
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
    "outputLocation": {"storageUri": "pvc://out/results"},
}
SETTINGS = {"benchmarkjob": {"podConfig": {"image": "bench:1"}}}
LLMKUBE = "inference.llmkube.dev/v1alpha1"
WEB = [
    {"apiVersion": LLMKUBE, "kind": "Model", "metadata": {"name": "m"}, "spec": {"source": "https://x.example/m.gguf"}},
    {"apiVersion": LLMKUBE, "kind": "InferenceService", "metadata": {"name": "a"}, "spec": {"modelRef": "m"}},
]


def benchmark(url: Any, *, spec: Any = None, manifests: Any = ()) -> BenchmarkJobComponent:
    endpoint = {"endpoint": {"url": url, "apiFormat": "openai", "modelName": "m"}}
    whole = {**SPEC, "endpoint": endpoint, **(spec or {})}
    return BenchmarkJobComponent("perf", {"spec": whole, "settings": {"ome": SETTINGS}, "manifests": [*manifests]})


def words(recording: Recording) -> list[str]:
    return recording.object("Job", "perf")["spec"]["template"]["spec"]["containers"][0]["args"]


def test_the_address_may_be_another_component_s_output() -> None:
    args = words(render(lambda: benchmark(pulumi.Output.concat("http://", "chat:8080"))))
    assert args[args.index("--api-base") + 1] == "http://chat:8080"


def test_an_address_is_one_of_http() -> None:
    with pytest.raises(InvalidArguments, match=r"spec\.endpoint\.endpoint\.url: must start with http:// or https://"):
        render(lambda: benchmark("chat:8080"))


def test_the_first_manifest_is_the_component_s_own() -> None:
    target = {"endpoint": {"inferenceService": {"name": "a", "namespace": "default"}}}
    recording = render(lambda: benchmark("http://x", spec=target, manifests=WEB))
    assert [r.name for r in recording.registrations if "kind" in r.inputs] == ["perf-job"]
    args = words(recording)
    assert args[args.index("--api-base") + 1] == "http://a.default.svc.cluster.local:8080"


def test_a_stack_registers_a_benchmark_after_its_service() -> None:
    endpoint = {"inferenceService": {"name": "chat", "namespace": "llm"}}
    job = manifest("BenchmarkJob", {**SPEC, "endpoint": endpoint}, name="a-benchmark")
    plan = with_platform(job, service(), settings=SETTINGS).raise_for_errors()
    (planned,) = [s for s in plan.services if s.kind == "BenchmarkJob"]
    assert {(need.kind, need.name) for need in planned.after} >= {("Deployment", "chat-engine")}
    names = [r.name for r in render(lambda: register_plan(plan)).registrations]
    assert names.index("llm/chat-engine-deployment") < names.index("llm/a-benchmark-job")


def test_outputs_of_a_job() -> None:
    def program() -> None:
        job = TrainingJobComponent("tune", {"spec": {"trainer": {"image": "train:1"}}})
        pulumi.export("tune", {"phase": job.phase, "ready": job.readyReplicas})

    assert render(program).outputs["tune"] == {"phase": "Pending", "ready": 0}


@pytest.mark.parametrize("kind", ["Job", "JobSet", "TrainJob"])
def test_nobody_waits_for_the_end_of_a_job(kind: str) -> None:
    rule = RULES[kind]
    waits = bool(rule.wait_for) and not rule.skip_await
    assert (waits, rule.waits_for_pods) == (False, False)


def test_a_finished_job_s_successor_finds_its_name_free() -> None:
    """Without its end the provider does not wait for a Job's deletion either."""
    (job,) = [r for r in render(lambda: benchmark("http://x")).registrations if r.name == "perf-job"]
    assert (
        job.inputs["metadata"]["annotations"]
        | {
            "pulumi.com/skipAwait": "true",
            "pulumi.com/deletionPropagationPolicy": "background",
        }
        == job.inputs["metadata"]["annotations"]
    )
