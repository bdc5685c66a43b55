"""What a message says about a kind that nobody knows. Not proved here: what is done with the kinds that are known."""

from __future__ import annotations

import pytest

from modelservices.manifests.kinds import advice, meant_kind


@pytest.mark.parametrize(
    ("api_version", "kind", "meant"),
    [
        ("serving.kserve.io/v1beta1", "LLMInferenceService", "LLMInferenceService (serving.kserve.io/v1alpha1)"),
        ("serving.kserve.io/v1alpha2", "LLMInferenceServise", "LLMInferenceService (serving.kserve.io/v1alpha1)"),
        ("ome.io/v1alpha1", "ClusterBaseModel", "ClusterBaseModel (ome.io/v1beta1)"),
        ("llmkube.dev/v1alpha1", "Model", "Model (inference.llmkube.dev/v1alpha1)"),
        ("inference.llmkube.dev/v1alpha1", "model", "Model (inference.llmkube.dev/v1alpha1)"),
        ("inference.networking.x-k8s.io/v1", "InferencePool", "InferencePool (inference.networking.k8s.io/v1)"),
        ("v2", "Secret", "Secret (v1)"),
        ("v1", "ConfgMap", "ConfigMap"),
        ("apps/v1", "Deploymnt", "Deployment.apps"),
        ("ome.io/v1alpha1", "MCPServer", "None"),
        ("llm-d.ai/v1alpha1", "InferenceModelRewrites", "InferenceModelRewrite.llm-d.ai"),
        ("llm-d.ai/v1alpha1", "InferenceObjective", "InferenceObjective (llm-d.ai/v1alpha2)"),
        ("llm-d.ai/v1alpha1", "Gateway", "None"),
        ("kubeai.org/v1", "Model", "None"),
        ("http.keda.sh/v1alpha1", "HTTPScaledObjects", "HTTPScaledObject.http.keda.sh"),
        ("inference.llmkube.dev/v1alpha1", "5", "None"),
    ],
)
def test_the_kind_that_was_meant(api_version: str, kind: str, meant: str) -> None:
    assert str(meant_kind(api_version, kind)) == meant


def test_what_else_can_be_done() -> None:
    assert advice("llm-d.ai/v1alpha1", "X") == "known of llm-d.ai: InferenceObjective"
    assert advice("x.example.com/v1", "X") == (
        "settings.beside: {X.x.example.com: read} reads such objects, apply registers them"
    )
