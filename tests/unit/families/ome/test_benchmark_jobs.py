"""BenchmarkJobs beyond the reference cases: targets, the command line, output, findings.

Not proved here: that genai-bench measures anything, and that a cluster accepts the objects.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from modelservices.families.ome import fields
from modelservices.kubernetes import yaml_text
from modelservices.kubernetes.model import read
from modelservices.kubernetes.objects import Key
from modelservices.manifests.documents import parse
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings

from .helpers import (
    MODEL,
    RUNNER,
    RUNTIME,
    env,
    main,
    manifest,
    objects,
    planned,
    pod,
    problems,
    service,
    with_platform,
)

BENCH = {"benchmarkjob": {"podConfig": {"image": "bench:1"}}}
SPEC: dict[str, Any] = {
    "task": "text-to-text",
    "maxTimePerIteration": 10,
    "maxRequestsPerIteration": 100,
    "outputLocation": {"storageUri": "pvc://out/results"},
    "endpoint": {"endpoint": {"url": "http://x:8080", "apiFormat": "openai", "modelName": "org/m"}},
}


def benchmark(spec: Any = None, *others: Any, settings: Any = None, **metadata: Any) -> dict[str, dict[str, Any]]:
    job = manifest("BenchmarkJob", {**SPEC, **(spec or {})}, name="perf", **metadata)
    return objects(with_platform(job, *others, settings={**BENCH, **(settings or {})}))


def words(job: dict[str, Any]) -> list[str]:
    return main(job)["args"]


def test_a_service_of_another_family_is_measured() -> None:
    model = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "Model",
        "metadata": {"name": "m", "namespace": "llm"},
        "spec": {"source": "https://x.example/m.gguf"},
    }
    other = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "InferenceService",
        "metadata": {"name": "tiny", "namespace": "llm"},
        "spec": {"modelRef": "m", "endpoint": {"port": 9000}},
    }
    target = {"inferenceService": {"name": "tiny", "namespace": "llm"}}
    perf = manifest("BenchmarkJob", {**SPEC, "endpoint": target}, name="perf")
    plan = with_platform(perf, model, other, settings=BENCH)
    (job,) = [service for service in plan.services if service.kind == "BenchmarkJob"]
    address = words(job.objects["job"])[words(job.objects["job"]).index("--api-base") + 1]
    assert address == "http://tiny.llm.svc.cluster.local:9000"


def test_a_model_of_another_family_is_called_as_its_server_calls_it() -> None:
    model = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "Model",
        "metadata": {"name": "m", "namespace": "llm"},
        "spec": {"source": "org/small"},
    }
    other = {
        "apiVersion": "inference.llmkube.dev/v1alpha1",
        "kind": "InferenceService",
        "metadata": {"name": "tiny", "namespace": "llm"},
        "spec": {"modelRef": "m", "runtime": "vllm", "resources": {"gpu": 1}},
    }
    perf = manifest("BenchmarkJob", {**SPEC, "endpoint": {"inferenceService": {"name": "tiny", "namespace": "llm"}}})
    plan = with_platform(perf, model, other, settings=BENCH)
    (job,) = [service.objects["job"] for service in plan.services if service.kind == "BenchmarkJob"]
    assert (value_of("--api-model-name", job), value_of("--model-tokenizer", job)) == ("org/small", "org/small")


def test_a_target_that_nobody_makes() -> None:
    target = {"inferenceService": {"name": "nobody", "namespace": "llm"}}
    plan = with_platform(manifest("BenchmarkJob", {**SPEC, "endpoint": target}), settings=BENCH)
    assert [f.message for f in plan.findings if f.code == "unknown-service"] == [
        "no manifest of the stack makes it: add its manifest, or give the address of a model service that runs already "
        "under spec.endpoint.endpoint (url, apiFormat, modelName)"
    ]


def test_a_target_without_an_address() -> None:
    other = {
        "apiVersion": "model.otterscale.io/v1alpha1",
        "kind": "ModelService",
        "metadata": {"name": "pd", "namespace": "llm"},
        "spec": {"model": {"name": "m", "image": "x:1"}, "engine": {}, "accelerator": {"type": "cpu"}, "decode": {}},
    }
    target = {"inferenceService": {"name": "pd", "namespace": "llm"}}
    plan = with_platform(manifest("BenchmarkJob", {**SPEC, "endpoint": target}), other, settings=BENCH)
    assert [f.message for f in plan.findings if f.code == "unknown-service"] == [
        "has no address here; write its gateway's address as spec.endpoint.endpoint.url"
    ]


def value_of(flag: str, job: dict[str, Any]) -> str:
    return words(job)[words(job).index(flag) + 1]


def test_an_unquoted_address_is_a_text() -> None:
    text = yaml.safe_dump(manifest("BenchmarkJob", SPEC)).replace("http://x:8080", "http://x:80")
    documents, _ = parse(text, "x.yaml")
    settings, _ = read(Settings, {"ome": BENCH})
    assert settings
    (job,) = make_plan(documents, settings).all_objects()
    assert yaml_text.document(job).count("http://x:80") == 1


def test_a_name_of_the_user_s_own_comes_after_that_of_a_preset() -> None:
    container = {"name": "main", "args": ["--served-model-name", "other"]}
    served = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "tiny", "namespace": "llm"},
        "spec": {"model": {"uri": "hf://org/m", "name": "org/m"}, "template": {"containers": [container]}},
    }
    perf = manifest("BenchmarkJob", {**SPEC, "endpoint": {"inferenceService": {"name": "tiny", "namespace": "llm"}}})
    plan = with_platform(perf, served, settings=BENCH)
    (job,) = [service.objects["job"] for service in plan.services if service.kind == "BenchmarkJob"]
    assert value_of("--api-model-name", job) == "other"


NAMED = {**RUNNER, "command": ["vllm", "serve", "$(MODEL_PATH)"], "args": ["--served-model-name", "org/small"]}


@pytest.mark.parametrize(
    ("runner", "name"),
    [
        (NAMED, "org/small"),
        ({**NAMED, "args": ["--served-model-name=a", "b"]}, "a"),
        ({**NAMED, "args": []}, "/mnt/models/llama"),
        ({**RUNNER, "image": "other:1", "args": ["--served-model-name", "x"]}, "x"),
        ({**RUNNER, "image": "other:1"}, "llama"),
    ],
)
def test_the_model_is_called_as_its_server_calls_it(runner: dict[str, Any], name: str) -> None:
    target = service({"model": {"name": "llama"}, "engine": {"runner": runner}})
    made = benchmark({"endpoint": {"inferenceService": {"name": "chat", "namespace": "llm"}}}, target)
    assert value_of("--api-model-name", made["Job perf"]) == name


def test_a_name_that_only_the_pods_know() -> None:
    entry = {"name": "NAME", "valueFrom": {"configMapKeyRef": {"name": "names", "key": "served"}}}
    runner = {**RUNNER, "args": ["--served-model-name", "$(NAME)"], "env": [entry]}
    target = {"inferenceService": {"name": "chat", "namespace": "llm"}}
    one = service({"model": {"name": "llama"}, "engine": {"runner": runner}})
    plan = with_platform(one, manifest("BenchmarkJob", {**SPEC, "endpoint": target}, name="load"), settings=BENCH)
    (found,) = [f for f in plan.findings if f.code == "served-name"]
    assert (found.path, found.severity) == ("spec.endpoint.inferenceService", "warning")
    assert found.message.startswith("serves the model as $(NAME), a variable that only its pods know")


def test_a_target_without_its_namespace_is_one_error() -> None:
    target = {"inferenceService": {"name": "chat"}}
    found = problems(with_platform(manifest("BenchmarkJob", {**SPEC, "endpoint": target}), settings=BENCH))
    assert [found for found in found if found[1] == "error"] == [
        ("spec.endpoint.inferenceService.namespace", "error", "required")
    ]


def test_key_and_tokenizer_of_an_address() -> None:
    job = benchmark()["Job perf"]
    assert (value_of("--api-key", job), value_of("--model-tokenizer", job)) == ("sample-key", "org/m")
    secret = {"name": "MODEL_API_KEY", "valueFrom": {"secretKeyRef": {"name": "api", "key": "key"}}}
    own = benchmark({"podOverride": {"env": [secret, {"name": "MODEL_TOKENIZER", "value": "org/t"}]}})["Job perf"]
    assert (value_of("--api-key", own), value_of("--model-tokenizer", own)) == (
        "$(MODEL_API_KEY)",
        "$(MODEL_TOKENIZER)",
    )


def test_genai_bench_s_own_names() -> None:
    facts = {"engine": "vLLM", "version": "1", "gpuType": "A100", "gpuCount": 1}
    spec = {"task": "image-to-text", "trafficScenarios": ["I(512, 512)"], "serviceMetadata": facts}
    job = benchmark(spec)["Job perf"]
    assert value_of("--task", job) == "image-text-to-text"
    assert value_of("--traffic-scenario", job) == "I(512,512)"
    assert value_of("--server-gpu-type", job) == "A100-80G"
    embeddings = benchmark({"task": "text-to-embeddings", "trafficScenarios": ["E(64,64)"]})["Job perf"]
    assert value_of("--traffic-scenario", embeddings) == "E(64)"


def test_the_token_of_hugging_face() -> None:
    job = benchmark({"huggingFaceSecretReference": {"name": "hf"}})["Job perf"]
    reference = {"secretKeyRef": {"name": "hf", "key": "HUGGINGFACE_API_KEY"}}
    assert {"name": "HF_TOKEN", "valueFrom": reference} in main(job)["env"]


def test_a_model_on_a_claim_is_the_tokenizer_too() -> None:
    claimed = {**MODEL, "spec": {**MODEL["spec"], "storage": {"storageUri": "pvc://weights/llama"}}}
    job = manifest("BenchmarkJob", {**SPEC, "endpoint": {"inferenceService": {"name": "chat", "namespace": "llm"}}})
    made = objects(planned(job, service(), claimed, RUNTIME, settings=BENCH))["Job chat"]
    assert value_of("--model-tokenizer", made) == "/mnt/models/llama"
    assert {"name": "llama", "persistentVolumeClaim": {"claimName": "weights"}} in pod(made)["spec"]["volumes"]


def test_the_tokenizer_comes_with_the_model_of_the_service() -> None:
    made = benchmark({"endpoint": {"inferenceService": {"name": "chat", "namespace": "llm"}}}, service())
    job = made["Job perf"]
    args = words(job)
    assert args[args.index("--model-tokenizer") + 1] == "/mnt/models/llama"
    assert {"name": "llama", "hostPath": {"path": "/mnt/models/llama"}} in pod(job)["spec"]["volumes"]
    assert env(job)["MODEL_PATH"] == "/mnt/models/llama"


def test_a_job_builds_on_the_service_that_it_measures() -> None:
    """So that `adopt` names what changed in the service, its model or its runtime."""
    target = {"endpoint": {"inferenceService": {"name": "chat", "namespace": "llm"}}}
    made = with_platform(manifest("BenchmarkJob", {**SPEC, **target}, name="perf"), service(), settings=BENCH)
    chat, perf = made.services
    assert perf.builds_on == (Key("ome.io/v1beta1", "InferenceService", "llm", "chat"), *chat.builds_on)


@pytest.mark.parametrize(
    ("uri", "parameters", "tail"),
    [
        ("pvc://out/a/b", {}, "--experiment-base-dir /a/b"),
        (
            "oci://n/ns/b/bucket/o/x/y",
            {"auth": "instance_principal", "region": "r"},
            "--upload-results --namespace ns --storage-bucket bucket --storage-prefix x/y "
            "--auth instance_principal --region r",
        ),
        (
            "s3://bucket",
            {"aws_region": "eu"},
            "--upload-results --storage-provider aws --storage-bucket bucket --storage-aws-region eu",
        ),
        (
            "az://account/container/path",
            {},
            "--upload-results --storage-provider azure --storage-bucket container --storage-prefix path "
            "--storage-azure-account-name account",
        ),
        (
            "gs://bucket/path",
            {"gcp_project_id": "p"},
            "--upload-results --storage-provider gcp --storage-bucket bucket --storage-prefix path "
            "--storage-gcp-project-id p",
        ),
        (
            "github://owner/repo@v1",
            {},
            "--upload-results --storage-provider github --github-owner owner --github-repo repo",
        ),
    ],
)
def test_where_results_go(uri: str, parameters: dict[str, str], tail: str) -> None:
    made = benchmark({"outputLocation": {"storageUri": uri, "parameters": parameters}})
    assert " ".join(words(made["Job perf"])).endswith(f"--model-tokenizer org/m {tail}")


def test_deadline_and_cleaning_up() -> None:
    spec = {"trafficScenarios": ["D(1,2)", "U(1,2)"], "numConcurrency": [1, 2, 4]}
    config = {"benchmarkjob": {"podConfig": {"image": "b:1"}, "slackSeconds": 60, "ttlSecondsAfterFinished": 600}}
    body = benchmark(spec, settings=config)["Job perf"]["spec"]
    assert body["activeDeadlineSeconds"] == 10 * 60 * 6 + 60
    assert body["ttlSecondsAfterFinished"] == 600
    assert "activeDeadlineSeconds" not in benchmark()["Job perf"]["spec"]


def test_the_document_s_example_needs_an_output_only() -> None:
    example = {
        "labels": {"benchmark.ome.io/target-service": "chat", "benchmark.ome.io/task-type": "text-to-text"},
        "annotations": {"benchmark.ome.io/target-qps": "100", "benchmark.ome.io/duration": "10m"},
    }
    job = manifest("BenchmarkJob", {}, name="perf", **example)
    bare = [p for p in problems(with_platform(job, service(), settings=BENCH)) if p[1] == "error"]
    assert bare == [("spec.outputLocation", "error", "required")]
    settings = {"benchmarkjob": {"podConfig": {"image": "b:1"}, "outputStorageUri": "pvc://out/results"}}
    args = words(objects(with_platform(job, service(), settings=settings))["Job perf"])
    assert args[args.index("--max-time-per-run") + 1] == "10"
    assert args[args.index("--max-requests-per-run") + 1] == "60000"


def test_results_on_a_claim_of_its_own() -> None:
    spec = {field: value for field, value in SPEC.items() if field != "outputLocation"}
    job = manifest("BenchmarkJob", spec, name="perf", annotations={"storage.ome.io/size": "1Gi"})
    made = objects(planned(job, settings=BENCH))
    assert made["PersistentVolumeClaim perf-storage"]["spec"]["resources"]["requests"]["storage"] == "1Gi"
    claims = {volume["persistentVolumeClaim"]["claimName"] for volume in pod(made["Job perf"])["spec"]["volumes"]}
    assert claims == {"perf-storage"}


@pytest.mark.parametrize(
    ("spec", "path", "severity"),
    [
        ({"trafficScenarios": ["E(64)"]}, "spec.trafficScenarios", "error"),
        ({"task": "text-to-embeddings", "trafficScenarios": ["E(64)"]}, "", ""),
        ({"task": "image-text-to-text", "trafficScenarios": ["I(512, 512)"]}, "", ""),
        ({"trafficScenarios": ["xxU(1,2)yy"]}, "spec.trafficScenarios", "warning"),
        ({"trafficScenarios": ["N(480,240)/(300,150)", "U(1,2)/(3,4)", "D(1,1)"]}, "", ""),
        ({"task": "image-to-text", "trafficScenarios": ["I(512,512,2)"]}, "", ""),
        ({"task": "text-to-embeddings", "trafficScenarios": ["E(64,64)"]}, "spec.trafficScenarios", "info"),
        ({"trafficScenarios": ["D(1,2)", "D(1,2)"]}, "spec.trafficScenarios[1]", "error"),
        ({"additionalRequestParams": {"temperature": "warm"}}, "spec.additionalRequestParams.temperature", "error"),
        ({"outputLocation": {"storageUri": "hf://org/model"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {"storageUri": "pvc://claim"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {"storageUri": "ftp://x"}}, "spec.outputLocation.storageUri", "error"),
        ({"outputLocation": {}}, "spec.outputLocation.storageUri", "error"),
        (
            {"outputLocation": {"storageUri": "s3://b", "parameters": {"aws_secret_access_key": "x"}}},
            "spec.outputLocation.parameters.aws_secret_access_key",
            "error",
        ),
        ({"outputLocation": {"storageUri": "github://o/r@v1"}}, "spec.outputLocation.storageUri", "warning"),
        (
            {"outputLocation": {"storageUri": "gs://b", "parameters": {"region": "r"}}},
            "spec.outputLocation.parameters.region",
            "warning",
        ),
        ({"dataset": {"storageUri": "hf://x/y"}}, "spec.dataset", "warning"),
        ({"endpoint": {"endpoint": {"url": "http://x", "apiFormat": "openai"}}}, "spec.endpoint", "warning"),
        ({"endpoint": {"endpoint": {"url": "x:8080", "apiFormat": "openai"}}}, "spec.endpoint.endpoint.url", "error"),
        ({"podOverride": {"env": [{"name": "API_KEY", "value": "abc"}]}}, "spec.podOverride.env[0].value", "error"),
    ],
)
def test_benchmark_findings(spec: dict[str, Any], path: str, severity: str) -> None:
    found = problems(planned(manifest("BenchmarkJob", {**SPEC, **spec}), settings=BENCH))
    assert [(where, how) for where, how, _ in found] == ([(path, severity)] if path else [])


def test_an_image_is_needed_and_said_once() -> None:
    assert problems(planned(manifest("BenchmarkJob", SPEC))) == [("spec.podOverride.image", "error", "required")]


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        ("pvc://ns:claim/a/b", {"namespace": "ns", "claim": "claim", "path": "a/b"}),
        ("s3://bucket@eu-1/key", {"bucket": "bucket", "region": "eu-1", "prefix": "key"}),
        ("az://acc.blob.core.windows.net/c/p", {"account": "acc", "container": "c", "prefix": "p"}),
        ("hf://org/model@main", {"model": "org/model", "revision": "main"}),
        ("vendor://v/type/a/b", {"vendor": "v", "type": "type", "path": "a/b"}),
        ("local:///data", {"path": "/data"}),
    ],
)
def test_storage_uris(uri: str, parts: dict[str, str]) -> None:
    assert fields.parse(uri).parts == parts


@pytest.mark.parametrize(
    "uri",
    [
        "oci://bucket/x",
        "oci://n//b/bucket/o/x",
        "pvc:///x",
        "s3:///x",
        "az://acc",
        "gs://",
        "github://o",
        "vendor://a/b",
        "x",
    ],
)
def test_bad_storage_uris(uri: str) -> None:
    with pytest.raises(fields.BadUri, match="must"):
        fields.parse(uri)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"numConcurrency": [4, 0]}, "spec.numConcurrency[1]"),
        ({"maxTimePerIteration": 0}, "spec.maxTimePerIteration"),
        ({"maxRequestsPerIteration": -1}, "spec.maxRequestsPerIteration"),
        (
            {"endpoint": {"endpoint": {"url": "http://", "apiFormat": "openai", "modelName": "m"}}},
            "spec.endpoint.endpoint.url",
        ),
    ],
)
def test_numbers_and_addresses_that_measure_nothing(spec: dict[str, Any], path: str) -> None:
    plan = with_platform(manifest("BenchmarkJob", {**SPEC, **spec}), settings=BENCH)
    assert [p for p in problems(plan) if p[1] == "error"] == [(path, "error", "bad-value")]
