"""Folders as repositories have them. What Kustomize prints for those with overlays is for the integration tests."""

from pathlib import Path

import pytest

from modelservices.findings import Finding
from modelservices.manifests.documents import load
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

FOLDERS = Path(__file__).parent / "folders"


def plan(name: str) -> StackPlan:
    return plan_paths([FOLDERS / name], Settings(), namespace="default")


def services(planned: StackPlan) -> list[str]:
    return [f"{service.kind} {service.namespace}/{service.name}" for service in planned.services]


def said(findings: tuple[Finding, ...], *severities: str) -> list[tuple[str, str]]:
    """Where (object, else the file's name) and code."""
    return [(f.object or Path(f.file).name, f.code) for f in findings if f.severity in severities]


def test_llmkube_samples_beside_files_of_other_tools():
    """A List, JSON, comments only, a dashboard, hidden folders, a kind that only the operator serves."""
    planned = plan("llmkube-samples")
    assert services(planned) == ["InferenceService inference/chat", "InferenceService inference/tiny"]
    assert said(planned.findings, "error") == []
    assert said(planned.findings, "warning") == [
        ("document 1", "no-manifest"),
        ("later.yaml", "empty"),
        ("ModelRouter inference/front", "not-covered"),
        ("InferenceService inference/tiny", "claim-of-one-node"),
    ]


def test_a_kserve_namespace_with_its_gateway_and_an_older_pool():
    planned = plan("kserve-llm-d")
    assert services(planned) == ["LLMInferenceService llm-d/llama"]
    assert [obj["metadata"]["name"] for obj in planned.objects] == ["legacy"]
    assert said(planned.findings, "error", "warning") == [
        ("document 1", "no-manifest"),
        ("InferenceModel llm-d/legacy", "not-covered"),
        ("InferenceService llm-d/fraud", "not-covered"),
    ]
    assert said(planned.findings, "info") == [
        ("Namespace llm-d", "existing"),
        ("Gateway llm-d/llm", "existing"),
        ("HTTPRoute llm-d/models-list", "existing"),
    ]


def test_what_argo_cd_flux_and_helm_render_is_said_in_one_run():
    planned = plan("argo-and-flux")
    assert said(planned.findings, "error") == [
        ("gateway", "helm-chart"),
    ]
    assert said(planned.findings, "warning") == [
        ("ApplicationSet argocd/models", "rendered-elsewhere"),
        ("Kustomization flux-system/models", "rendered-elsewhere"),
        ("HelmRelease flux-system/gateway", "rendered-elsewhere"),
    ]
    services_alone = plan("argo-and-flux/services")
    assert services(services_alone) == ["ModelService models/qwen"]
    assert said(services_alone.findings, "info") == [
        ("ExternalSecret models/registry", "existing"),
        ("NetworkPolicy models/models", "existing"),
    ]


def test_runtimes_and_models_of_ome():
    planned = plan("ome-runtimes")
    assert services(planned) == ["InferenceService llama/llama"]
    assert said(planned.findings, "error") == []
    assert said(planned.findings, "warning") == [
        ("InferenceService llama/llama", "missing-recommended"),
        ("FineTunedWeight support-tone", "not-covered"),
        ("AcceleratorClass nvidia-h100", "not-covered"),
    ]


def test_of_kustomizations_those_are_named_that_nothing_builds_on():
    (finding,) = plan("kustomize").findings
    assert finding.code == "kustomize-several"
    assert [
        name for name in ("base", "components/metrics", "overlays/dev", "overlays/prod") if name in finding.message
    ] == [
        "overlays/dev",
        "overlays/prod",
    ]


def test_files_beside_a_kustomization_are_read_and_its_own_are_not(tmp_path: Path):
    (tmp_path / "built/patches").mkdir(parents=True)
    (tmp_path / "built/kustomization.yaml").write_text("resources: [a.yaml]")
    for file in ("built/a.yaml", "built/patches/b.yaml", "c.yaml"):
        (tmp_path / file).write_text(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {Path(file).stem}}}\n")
    documents, findings = load([tmp_path])
    assert [document.object for document in documents] == ["ConfigMap c"]
    assert [finding.code for finding in findings] == ["kustomize-several"]


@pytest.mark.parametrize(
    ("text", "severity", "code"),
    [
        ("services: {web: {image: nginx}}\n", "warning", "no-manifest"),
        ("# nothing\n", "warning", "empty"),
        ("apiversion: v1\nKind: Service\nmetadata: {name: a}\n", "error", "required"),
        ("kind: InferenceService\nspec: {}\n", "error", "required"),
        ("modelArtifacts: {name: a}\ndecode: {}\n", "error", "chart-values"),
        ("- a\n", "error", "yaml"),
    ],
)
def test_what_is_left_out_of_a_folder_and_what_was_meant_to_be_a_manifest(
    tmp_path: Path, text: str, severity: str, code: str
):
    (tmp_path / "a.yaml").write_text(text)
    found = plan_paths([tmp_path], Settings(), namespace="default").findings
    assert (found[0].severity, found[0].code) == (severity, code)
    named = plan_paths([tmp_path / "a.yaml"], Settings(), namespace="default").findings
    assert {finding.severity for finding in named} == {"error"}


def test_secrets_that_are_encrypted_or_only_named_are_no_literal_ones(tmp_path: Path):
    (tmp_path / "secrets.yaml").write_text(
        """
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {name: sealed}
spec: {encryptedData: {HF_TOKEN: AgBy3i4OJSWK+PiTySYZZA9rO43cGDEq, password: AgBy3i4OJSWK+PiTySYZZA9rO43c}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: external}
spec: {data: [{secretKey: .dockerconfigjson, remoteRef: {key: r1}}, {secretKey: s3-key-2, remoteRef: {key: r2}}]}
---
apiVersion: v1
kind: Secret
metadata: {name: sops}
stringData: {HF_TOKEN: "ENC[AES256_GCM,data:Tr7o=,iv:1=,tag:k=,type:str]"}
sops: {mac: "ENC[AES256_GCM,data:p67=,iv:YY=,tag:UQ=,type:str]", version: 3.9.0}
"""
    )
    found = plan_paths([tmp_path], Settings(), namespace="a").findings
    assert [(f.object, f.code) for f in found] == [
        ("SealedSecret a/sealed", "existing"),
        ("ExternalSecret a/external", "existing"),
        ("Secret a/sops", "existing"),
    ]


@pytest.mark.parametrize("values", ["{A: plain}", "{A: 'ENC[x]', B: plain}"])
def test_a_secret_that_only_looks_encrypted_is_refused(tmp_path: Path, values: str):
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData: {values}\nsops: {{version: 3.9.0}}\n"
    (tmp_path / "a.yaml").write_text(text)
    found = plan_paths([tmp_path], Settings(), namespace="a").findings
    assert [(f.path, f.severity) for f in found] == [("sops", "error")]
