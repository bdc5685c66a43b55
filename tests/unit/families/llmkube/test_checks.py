"""Every check of services, Models and what is between them: severity, path and code.

Not proved here: that the sentences help.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from modelservices.findings import errors

from .render import NVIDIA, REPOSITORY, SOURCE, brief, error_paths, found, manifest, plan, plan_of, server

NO_CACHE = {"modelCachePath": ""}
QUIET = {"skipModelInit": True, "env": [{"name": "LLAMA_ARG_MODEL", "value": "/model.gguf"}]}
"""A service whose model is in its image, about which there is nothing to say."""
PODS = "warning spec.replicas claim-of-one-node"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"image": "x", "runtime": "generic"}, []),
        ({"runtime": "generic"}, ["error spec.image required"]),
        ({"runtime": "personaplex"}, ["error spec.image required"]),
        ({"podLabels": {"a b": "c"}}, ["error spec.podLabels invalid"]),
        ({"podLabels": {"a": "c" * 64}}, ["error spec.podLabels invalid"]),
        ({"podLabels": {"app": "mine"}}, ["warning spec.podLabels owned-key"]),
        ({"podLabels": {"app": "chat"}}, []),
        ({"podAnnotations": {"a/b/c": "d"}}, ["error spec.podAnnotations invalid"]),
        ({"podAnnotations": {"Example.com/Any": "any value !"}}, []),
        ({"nodeSelector": {"pool": "a b"}}, ["error spec.nodeSelector invalid"]),
        ({"tolerations": [{"operator": "Equal"}]}, ["error spec.tolerations[0].operator invalid"]),
        ({"env": [*QUIET["env"], {"name": "HF_TOKEN", "value": "abc"}]}, ["error spec.env[1].value literal-secret"]),
        ({"extraArgs": ["--api-key", "abc"]}, ["error spec.extraArgs[0] literal-secret"]),
        ({"imagePullSecrets": [{}]}, ["error spec.imagePullSecrets[0].name required"]),
        ({"priorityClassName": "A b"}, ["error spec.priorityClassName invalid"]),
        ({"resources": {"cpu": "-1"}}, ["error spec.resources.cpu bad-value"]),
        ({"resources": {"memory": "16 Gi"}}, ["error spec.resources.memory bad-value"]),
        ({"resources": {"gpu": "0.5"}}, ["error spec.resources.gpu bad-value"]),
        ({"securityContext": {"runAsUser": -1}}, ["error spec.securityContext.runAsUser bad-value"]),
        ({"podSecurityContext": {"fsGroup": -1}}, ["error spec.podSecurityContext.fsGroup bad-value"]),
        ({"podSecurityContext": {"runAsNonRoot": True}}, ["warning spec.podSecurityContext.runAsUser no-user"]),
        ({"podSecurityContext": {"runAsNonRoot": True, "runAsUser": 1000}}, []),
        ({"probeOverrides": {"startup": {}}}, ["error spec.probeOverrides.startup invalid"]),
        ({"moeCPUOffload": True}, ["warning spec.resources.hostMemory MissingMemoryRequest"]),
        ({"noKvOffload": True, "resources": {"memory": "1Gi"}}, []),
        ({"args": ["--x"]}, ["warning spec.args no-effect"]),
        ({"args": []}, []),
        ({"vllmConfig": {}}, ["warning spec.vllmConfig no-effect"]),
        ({"extraArgs": ["--port", "9000"]}, ["warning spec.extraArgs other-port"]),
        ({"extraArgs": ["--port=9000"], "containerPort": 9000}, ["warning spec.extraArgs[0] unknown-flag"]),
        ({"contextSize": 4096, "extraArgs": ["-c", "8192"]}, ["warning spec.contextSize overridden"]),
    ],
)
def test_services(spec: Any, expected: list[str]) -> None:
    assert found({**QUIET, **spec}) == expected


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("chat", True),
        ("ruff.v2.5", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("3b-chat", False),
        ("Chat", False),
        ("chat-", False),
        ("a..b", False),
    ],
)
def test_names(name: str, good: bool) -> None:
    assert error_paths(plan(QUIET, name=name)) == ([] if good else ["metadata.name"])


PODS_METRIC = {"type": "Pods", "name": "queue", "targetAverageValue": "1"}


@pytest.mark.parametrize(
    ("scaling", "more", "expected"),
    [
        ({"maxReplicas": 2}, {}, []),
        ({"maxReplicas": 2, "minReplicas": 3}, {}, ["error spec.autoscaling.minReplicas invalid"]),
        ({"maxReplicas": 2}, {"replicas": 0}, ["warning spec.replicas autoscaled"]),
        ({"maxReplicas": 2}, {"runtime": "generic", "image": "x"}, ["error spec.autoscaling.metrics required"]),
        ({"maxReplicas": 2, "metrics": [PODS_METRIC]}, {"runtime": "generic", "image": "x"}, []),
        (
            {"maxReplicas": 2, "metrics": [{"type": "Pods", "name": "queue"}]},
            {},
            ["error spec.autoscaling.metrics[0].targetAverageValue required"],
        ),
        (
            {"maxReplicas": 2, "metrics": [{**PODS_METRIC, "targetAverageValue": "0"}]},
            {},
            ["error spec.autoscaling.metrics[0].targetAverageValue bad-value"],
        ),
        (
            {"maxReplicas": 2, "metrics": [{"type": "Resource", "name": "cpu"}]},
            {"resources": {"cpu": 1}},
            ["error spec.autoscaling.metrics[0].targetAverageUtilization required"],
        ),
        (
            {"maxReplicas": 2, "metrics": [{"type": "Resource", "name": "cpu", "targetAverageUtilization": 50}]},
            {},
            ["warning spec.autoscaling.metrics[0].name no-request"],
        ),
    ],
)
def test_autoscaling(scaling: Any, more: Any, expected: list[str]) -> None:
    assert found({**QUIET, "autoscaling": scaling, **more}) == expected


def test_least_and_most_replicas_are_both_named() -> None:
    (finding,) = plan({**QUIET, "autoscaling": {"maxReplicas": 2, "minReplicas": 3}}).findings
    assert finding.message == "must be at most maxReplicas (2), got 3"


@pytest.mark.parametrize("runtime", ["vllm", "tgi", "personaplex"])
def test_a_token_needs_the_name_of_its_secret(runtime: str) -> None:
    field = {"vllm": "vllmConfig", "tgi": "tgiConfig", "personaplex": "personaPlexConfig"}[runtime]
    spec = {"runtime": runtime, "image": "x", field: {"hfTokenSecretRef": {"key": "token"}}}
    assert found({**QUIET, **spec}, REPOSITORY) == [f"error spec.{field}.hfTokenSecretRef.name required"]


UNSEEN = "info spec.sourceSecretRef.name secret-not-seen"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"source": "name"}, ["error spec.source bad-source"]),
        ({"source": "s3://bucket"}, ["error spec.source bad-source", "warning spec.sourceSecretRef no-credentials"]),
        ({"source": "s3://bucket", "files": ["a"], "sourceSecretRef": {"name": "x"}}, [UNSEEN]),
        ({"source": "pvc://claim"}, ["error spec.source bad-source", "error spec.source unknown-claim"]),
        ({"source": "file://relative"}, ["error spec.source bad-source", "error spec.source source-not-allowed"]),
        ({"source": "https://u:p@host/m.gguf"}, ["error spec.source literal-secret"]),
        ({"source": "org/name", "mmproj": "p"}, ["error spec.files bad-files"]),
        ({"source": SOURCE, "files": ["a"]}, ["error spec.files bad-files"]),
        ({"source": "org/name", "files": ["/a"]}, ["error spec.files[0] bad-files"]),
        ({"source": "org/name", "files": ["a", "../b"]}, ["error spec.files[1] bad-files"]),
        ({"source": "org/name", "files": ["*.gguf"]}, ["error spec.files[0] bad-files"]),
        ({"source": "org/name", "files": ["a\nb"]}, ["error spec.files[0] bad-files"]),
        ({"source": "org/name", "files": ["a"], "mmproj": "a//b"}, ["error spec.mmproj bad-files"]),
        ({"source": "org/name", "files": ["a"], "sha256": "a" * 64}, ["warning spec.sha256 not-checked"]),
        ({"source": SOURCE, "sha256": "a" * 64}, []),
        ({"source": "s3://bucket/key"}, ["warning spec.sourceSecretRef no-credentials"]),
        ({"source": "/srv/m.gguf"}, ["error spec.source source-not-allowed"]),
        ({"source": SOURCE, "sourceSecretRef": {}}, ["error spec.sourceSecretRef.name required"]),
        ({"source": SOURCE, "refreshPolicy": "OnChange"}, []),
        (
            {"source": "s3://bucket/key", "refreshPolicy": "OnChange", "sourceSecretRef": {"name": "x"}},
            [UNSEEN, "warning spec.refreshPolicy no-effect"],
        ),
        (
            {"source": SOURCE, "hardware": {"gpu": {"enabled": False, "count": 1}}},
            ["warning spec.hardware.gpu.enabled gpu-disabled-with-count"],
        ),
        (
            {"source": SOURCE, "hardware": {"gpu": {"count": 1, "sharding": {"strategy": "pipeline"}}}},
            ["warning spec.hardware.gpu.sharding.strategy no-pipeline"],
        ),
    ],
)
def test_models(model: Any, expected: list[str]) -> None:
    assert brief(plan_of([manifest("Model", "m", spec=model)]).findings) == expected


def test_a_models_name_becomes_a_label() -> None:
    assert error_paths(plan_of([manifest("Model", "m" * 64, spec={"source": SOURCE})])) == ["metadata.name"]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"phase": "Ready"}, []),
        ({}, []),
        ({"phase": "Downloading"}, ["error status.phase model-not-ready"]),
        ({"phase": "Failed"}, ["warning status.phase model-not-ready"]),
        ({"phase": ["odd"]}, []),
    ],
)
def test_a_dumped_model(status: Any, expected: list[str]) -> None:
    assert brief(plan_of([manifest("Model", "m", spec={"source": SOURCE}, status=status)]).findings) == expected


def claim(**body: Any) -> dict[str, Any]:
    return manifest("PersistentVolumeClaim", "weights", **body)


@pytest.mark.parametrize(
    ("claims", "settings", "expected"),
    [
        ([], {}, ["error spec.source unknown-claim"]),
        ([], {"existingClaims": ["ai/weights"]}, []),
        ([], {"existingClaims": ["other/weights"]}, ["error spec.source unknown-claim"]),
        ([claim()], {}, []),
        ([claim(status={"phase": "Bound"})], {}, []),
        ([claim(status={"phase": "Pending"})], {}, ["error spec.source claim-not-bound"]),
    ],
)
def test_claims_with_weights(claims: Any, settings: Any, expected: list[str]) -> None:
    model = manifest("Model", "m", spec={"source": "pvc://weights/m.gguf"})
    assert brief(plan_of([model, *claims], settings).findings) == expected


def test_an_unknown_claim_names_both_ways_out() -> None:
    (finding,) = plan_of([manifest("Model", "m", spec={"source": "pvc://weights/m.gguf"})]).findings
    assert "PersistentVolumeClaim to the manifests" in finding.message
    assert "settings.llmkube.existingClaims" in finding.message


def test_a_model_that_is_not_there() -> None:
    service = manifest("InferenceService", "chat", spec={"modelRef": "chat-q5"})
    model = manifest("Model", "chat-q4", spec={"source": SOURCE})
    elsewhere = {**model, "metadata": {"name": "chat-q5", "namespace": "other"}}
    (finding,) = plan_of([service, model, elsewhere]).findings
    assert (finding.path, finding.code) == ("spec.modelRef", "not-found")
    assert finding.message.endswith("did you mean chat-q4?")
    (finding,) = plan_of([service]).findings
    assert finding.message.endswith("Models there: none")


ON_GPU = {**REPOSITORY, **NVIDIA}
S3_GGUF = ["warning spec.modelRef no-gguf", "warning spec.sourceSecretRef no-credentials"]
FOUR = {"hardware": {"gpu": {"enabled": True, "count": 4}}}


@pytest.mark.parametrize(
    ("spec", "model", "expected"),
    [
        ({}, REPOSITORY, ["error spec.modelRef files-needed"]),
        (QUIET, REPOSITORY, []),
        ({"runtime": "vllm"}, ON_GPU, ["warning spec.skipModelInit MissingSkipModelInit"]),
        ({"runtime": "tgi"}, ON_GPU, ["warning spec.skipModelInit MissingSkipModelInit"]),
        ({}, {"source": "org/name", "files": ["a"]}, []),
        ({"podSecurityContext": {"runAsNonRoot": True}}, {}, ["warning spec.podSecurityContext.runAsUser no-user"]),
        ({"podSecurityContext": {"runAsNonRoot": True, "runAsUser": 5}}, {}, []),
        (
            {"runtime": "vllm", **QUIET, "vllmConfig": {"tensorParallelSize": 8}},
            {**REPOSITORY, **FOUR},
            ["error spec.vllmConfig.tensorParallelSize invalid"],
        ),
        (
            {"runtime": "vllm", **QUIET, "vllmConfig": {"tensorParallelSize": 8}},
            REPOSITORY,
            ["warning spec.resources.gpu no-gpus"],
        ),
        ({"runtime": "vllm", **QUIET, "image": "vllm-cpu"}, REPOSITORY, []),
        ({"runtime": "vllm", **QUIET, "resources": {"gpu": 1}}, {}, ["warning spec.modelRef no-gguf"]),
        ({"runtime": "vllm", "resources": {"gpu": 1}}, {"source": "s3://b/m.gguf"}, S3_GGUF),
        ({"runtime": "sglang", "resources": {"gpu": 1}}, {}, []),
        ({**QUIET, "vllmConfig": {"tensorParallelSize": 8}}, FOUR, ["warning spec.vllmConfig no-effect"]),
        ({**QUIET, "resources": {"gpu": 2}}, FOUR, ["warning spec.resources.gpu gpu-counts-differ"]),
        (QUIET, {"hardware": {"gpu": {"enabled": True}}}, ["warning spec.resources.gpu no-gpus"]),
        (
            QUIET,
            {"hardware": {"gpu": {"count": 2, "enabled": True, "sharding": {"layerSplit": ["0-1"]}}}},
            ["warning spec.modelRef bad-layer-split"],
        ),
        (
            {"runtime": "vllm", **QUIET, "vllmConfig": {"cpuOffloadGB": 4}},
            ON_GPU,
            ["warning spec.vllmConfig.cpuOffloadGB CPUOffloadUnverified"],
        ),
        (
            {"runtime": "vllm", **QUIET, "vllmConfig": {"speculative": {"enabled": True}}},
            ON_GPU,
            ["warning spec.vllmConfig.speculative.model SpeculativeMissingModel"],
        ),
    ],
)
def test_services_with_their_model(spec: Any, model: Any, expected: list[str]) -> None:
    assert found(spec, model) == expected


@pytest.mark.parametrize(
    ("spec", "settings", "setting"),
    [
        ({"replicas": 2}, {}, "settings.llmkube.modelCacheAccessMode"),
        ({"autoscaling": {"maxReplicas": 3}}, {}, "settings.llmkube.modelCacheAccessMode"),
        ({"replicas": 2}, {"modelCacheMode": "perService"}, "settings.llmkube.modelCacheMode"),
        ({"replicas": 2}, {"modelCacheAccessMode": "ReadWriteMany"}, None),
        ({"replicas": 2}, NO_CACHE, None),
        ({"replicas": 1}, {}, None),
        ({"replicas": 2, **QUIET}, {}, None),
    ],
)
def test_many_pods_and_a_claim_of_one_node(spec: Any, settings: Any, setting: str | None) -> None:
    findings = plan(spec, {}, settings).findings
    assert [finding.code for finding in findings] == (["claim-of-one-node"] if setting else [])
    assert all(finding.severity == "warning" and str(setting) in finding.message for finding in findings)
    assert all("ReadWriteOnce" in finding.message for finding in findings)


DRAFT = {"runtime": "vllm", "vllmConfig": {"speculative": {"enabled": True, "model": "draft"}}}


@pytest.mark.parametrize(
    ("own", "draft", "argument", "warned"),
    [
        (REPOSITORY, {"source": "org/small@x"}, None, None),
        (REPOSITORY, {"source": "hf://org/small"}, "org/small", False),
        (REPOSITORY, {"source": SOURCE}, "draft", True),
        ({"source": SOURCE}, {"source": SOURCE}, "/models/38884ff0bd6ad087/draft.gguf", True),
        (REPOSITORY, None, "draft", False),
    ],
)
def test_the_draft_model(own: Any, draft: Any, argument: str | None, warned: bool | None) -> None:
    others = [manifest("Model", "draft", spec=draft)] if draft else []
    result = plan({**DRAFT, "skipModelInit": own is REPOSITORY}, own, others=others)
    if argument is None:
        assert error_paths(result) == ["spec.source"]
        return
    words = result.services[0].objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    config = json.loads(words[words.index("--speculative-config") + 1])
    assert config == {"model": argument, "num_speculative_tokens": 4}
    assert ("draft-not-staged" in {finding.code for finding in result.findings}) == warned


@pytest.mark.parametrize(
    ("own", "draft", "words", "warned"),
    [
        (REPOSITORY, {"source": "hf://org/small"}, ["org/small"], False),
        (REPOSITORY, {"source": SOURCE}, ["draft"], True),
        ({"source": SOURCE}, {"source": SOURCE}, ["/models/38884ff0bd6ad087/draft.gguf"], True),
        (REPOSITORY, None, ["draft"], False),
    ],
)
def test_the_draft_model_of_sglang(own: Any, draft: Any, words: list[str], warned: bool) -> None:
    speculative = {"enabled": True, "algorithm": "EAGLE3", "draftModelPath": "draft"}
    spec = {"runtime": "sglang", "sglangConfig": {"speculative": speculative}, "skipModelInit": own is REPOSITORY}
    result = plan(spec, own, others=[manifest("Model", "draft", spec=draft)] if draft else [])
    made = result.services[0].objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert made[made.index("--speculative-draft-model-path") + 1 :][: len(words)] == words
    paths = [finding.path for finding in result.findings if finding.code == "draft-not-staged"]
    assert paths == (["spec.sglangConfig.speculative.draftModelPath"] if warned else [])


def test_the_revision_of_sglang_s_draft_model() -> None:
    speculative = {"enabled": True, "algorithm": "EAGLE", "draftModelPath": "org/draft@v1"}
    made = server(
        {"runtime": "sglang", "skipModelInit": True, "sglangConfig": {"speculative": speculative}}, REPOSITORY
    )
    place = made["args"].index("--speculative-draft-model-path")
    assert made["args"][place : place + 4] == [
        "--speculative-draft-model-path",
        "org/draft",
        "--speculative-draft-model-revision",
        "v1",
    ]


def test_a_draft_on_the_claim_of_the_model_is_read_there() -> None:
    claim = manifest("PersistentVolumeClaim", "weights", spec={})
    draft = manifest("Model", "draft", spec={"source": "pvc://weights/small"})
    result = plan(DRAFT, {"source": "pvc://weights/large"}, others=[claim, draft])
    words = result.services[0].objects["deployment"]["spec"]["template"]["spec"]["containers"][0]["args"]
    assert json.loads(words[words.index("--speculative-config") + 1])["model"] == "/model-source/small"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"endpoint": {"path": "/v1/embeddings"}}, True),
        ({"endpoint": {"path": "/v1/rerank"}}, True),
        ({"endpoint": {"path": "/v1/embeddings"}, "mode": "embedding"}, False),
        ({"endpoint": {"path": "/v1/embeddings"}, "mode": "chat"}, False),
        ({"endpoint": {"path": "/v1/embeddings"}, "extraArgs": ["--embeddings"]}, False),
        ({"endpoint": {"path": "/v1/rerank"}, "env": [{"name": "LLAMA_ARG_RERANKING", "value": "1"}]}, False),
        ({"endpoint": {"path": "/v1/embeddings"}, "runtime": "vllm", "skipModelInit": True}, False),
        ({}, False),
    ],
)
def test_a_path_that_llama_cpp_refuses(spec: dict[str, Any], *, said: bool) -> None:
    model = REPOSITORY if "runtime" in spec else {}
    lines = [line for line in found(spec, model) if "missing-flag" in line]
    assert lines == (["warning spec.endpoint.path missing-flag"] if said else [])


def test_everything_wrong_is_said_at_once() -> None:
    result = plan({"runtime": "generic", "env": [{"name": "HF_TOKEN", "value": "x"}]}, {"source": "name"}, name="3")
    assert error_paths(result) == ["metadata.name", "spec.env[0].value", "spec.image", "spec.source"]
    assert len(errors(result.findings)) == 4


def test_ignoring_unknown_fields() -> None:
    assert found({**QUIET, "colour": True}) == ["error spec.colour unknown-field"]
    assert found({**QUIET, "colour": True}, {}, {"ignoreUnknown": True}) == ["warning spec.colour unknown-field"]


def test_gpus_are_no_reason_to_complain() -> None:
    assert found({}, NVIDIA) == []
