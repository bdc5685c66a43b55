"""An error is said once: what refers to an object with errors is only noted, in every family.

Not proved here: that each family's rules say what they miss (their own tests).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

NOTE = "has errors, so this is not checked yet; correct those first"
MODEL = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m, namespace: a}
spec: {source: "https://h.example/m.gguf"}
"""
SERVICE = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: s, namespace: a}
spec: {modelRef: m}
"""
CONFIG = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceServiceConfig
metadata: {name: c, namespace: a}
spec: {replicas: 2}
"""
LLM = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: k, namespace: a}
spec: {model: {uri: "hf://org/m", name: m}, baseRefs: [{name: c}]}
"""
OME = """
apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: {name: o, namespace: a, labels: {serving.ome.io/model: bm}}
spec: {model: {name: bm}, runtime: {name: rt}}
"""
BASE_MODEL = """
apiVersion: ome.io/v1beta1
kind: ClusterBaseModel
metadata: {name: bm}
spec: {storage: {storageUri: "hf://org/m", path: /mnt/m}}
"""
RUNTIME = """
apiVersion: ome.io/v1beta1
kind: ClusterServingRuntime
metadata: {name: rt}
spec: {engineConfig: {runner: {name: ome-container, image: "lmsysorg/sglang:v0.5.3"}}}
"""
BENCHMARK = """
apiVersion: ome.io/v1beta1
kind: BenchmarkJob
metadata: {name: b, namespace: a}
spec:
  podOverride: {image: "r.example/genai-bench:1"}
  endpoint: {inferenceService: {name: o, namespace: a}}
  task: text-to-text
  trafficScenarios: ["D(100,100)"]
  numConcurrency: [1]
  maxTimePerIteration: 5
  maxRequestsPerIteration: 10
  outputLocation: {storageUri: "pvc://results/x"}
"""
WRONG_RUNTIME = RUNTIME.replace("engineConfig", "engine")
NOTHING_TO_MEASURE = BENCHMARK.replace("name: o,", "name: other,")
OBJECTIVE = """
apiVersion: inference.networking.x-k8s.io/v1alpha2
kind: InferenceObjective
metadata: {name: ob, namespace: a}
spec: {priority: 1, poolRef: {name: p}}
"""
POOL = """
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: p, namespace: a}
spec: {selector: {matchLabels: {a: b}}, targetPorts: [{number: x}], endpointPickerRef: {name: x, port: {number: 9002}}}
"""


def plan(folder: Path, *documents: str) -> StackPlan:
    for index, document in enumerate(documents):
        (folder / f"{index}.yaml").write_text(document)
    return plan_paths([folder], Settings())


def found(plan: StackPlan, *severities: str) -> list[tuple[str, str, str]]:
    return [(f.object.rpartition(" ")[2], f.path, f.message) for f in plan.findings if f.severity in severities]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("v1alpha1", "v1beta1"),
        ("kind: Model", "kind: Modle"),
        ("kind: Model", "kind: [Model]"),
        ("apiVersion: inference.llmkube.dev/v1alpha1\n", ""),
    ],
)
def test_a_model_with_errors_is_not_called_missing(wrong: str, right: str, tmp_path: Path) -> None:
    planned = plan(tmp_path, MODEL.replace(wrong, right, 1), SERVICE)
    assert {name for name, _, _ in found(planned, "error")} == {"a/m"}
    assert ("a/s", "spec.modelRef", f"m {NOTE}") in found(planned, "info")


@pytest.mark.parametrize(
    ("documents", "error", "note"),
    [
        ((CONFIG.replace("replicas", "replica"), LLM), ("a/c", "spec.replica"), None),
        ((CONFIG.replace("replicas: 2", "replicas: two"), LLM), ("a/c", "spec.replicas"), None),
        ((CONFIG.replace("kind: LLMInf", "kind: LLInf"), LLM), ("a/c", "kind"), ("a/k", "spec.baseRefs[0].name")),
        ((OME, BASE_MODEL, WRONG_RUNTIME), ("rt", "spec.engine"), ("a/o", "spec.runtime.name")),
        ((OME, BASE_MODEL.replace("storage:", "store:"), RUNTIME), ("bm", "spec.store"), None),
        ((OBJECTIVE, POOL), ("a/p", "spec.targetPorts[0].number"), None),
        (
            (BENCHMARK, OME.replace("runtime: {name: rt}", "runtime: {name: other}"), BASE_MODEL, RUNTIME),
            ("a/o", "spec.runtime.name"),
            ("a/b", "spec.endpoint.inferenceService"),
        ),
        ((NOTHING_TO_MEASURE, OME, BASE_MODEL, RUNTIME), ("a/b", "spec.endpoint.inferenceService"), None),
    ],
)  # fmt: skip
def test_one_error_at_the_object_that_has_it(
    documents: tuple[str, ...], error: tuple[str, str], note: tuple[str, str] | None, tmp_path: Path
) -> None:
    planned = plan(tmp_path, *documents)
    assert [(name, path) for name, path, _ in found(planned, "error")] == [error]
    notes = [(name, path) for name, path, message in found(planned, "info") if message.endswith(NOTE)]
    assert notes == ([note] if note else [])


def test_a_file_that_can_t_be_read_excuses_nothing(tmp_path: Path) -> None:
    planned = plan(tmp_path, MODEL.replace("spec:", "\tspec:"), SERVICE.replace("modelRef: m", "modelRef: other"))
    assert [path for _, path, _ in found(planned, "error")] == ["", "spec.modelRef"]


def test_two_that_miss_what_is_called_as_they_are_keep_their_errors(tmp_path: Path) -> None:
    service = SERVICE.replace("name: s,", "name: m,")
    other = LLM.replace("name: k,", "name: m,").replace("name: c}", "name: m}")
    assert [path for _, path, _ in found(plan(tmp_path, service, other), "error")] == [
        "spec.modelRef",
        "spec.baseRefs[0].name",
    ]


def test_what_is_only_read_may_be_there_twice(tmp_path: Path) -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
    planned = plan(tmp_path, namespace, namespace)
    assert found(planned, "error", "warning") == []
    labelled = namespace.replace("name: a", "name: a, labels: {x: y}")
    (one,) = found(plan(tmp_path, namespace, labelled), "error", "warning")
    assert one == ("a", "metadata.name", f"is defined twice, first in {tmp_path}/0.yaml, document 1")


def test_a_service_that_is_there_twice_is_one_error(tmp_path: Path) -> None:
    planned = plan(tmp_path, MODEL, SERVICE, SERVICE.replace("modelRef: m", "modelRef: m, replicas: 1"))
    assert [message.partition(",")[0] for _, _, message in found(planned, "error")] == ["is defined twice"]
