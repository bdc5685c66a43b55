"""Objects beside the services. Not proved: that the lists of kinds are complete, or that the cluster has them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from modelservices.kubernetes.beside import scope
from modelservices.kubernetes.model import read
from modelservices.planning.plan import StackPlan, plan_paths
from modelservices.planning.settings import Settings

MODEL = """\
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m}
spec: {source: "https://models.example.com/m.gguf"}
"""


def plan(tmp_path: Path, *objects: dict[str, Any], **settings: Any) -> StackPlan:
    (tmp_path / "a.yaml").write_text("---\n".join([MODEL, *(yaml.safe_dump(obj) for obj in objects)]))
    model, problems = read(Settings, settings)
    assert model is not None, problems
    return plan_paths([tmp_path], model, namespace="team-a")


def obj(api_version: str, kind: str, name: str = "x", **metadata: str) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}}


def found(result: StackPlan) -> list[tuple[str, str, str]]:
    return [(finding.object, finding.severity, finding.code) for finding in result.findings]


@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [
        ("v1", "Namespace", "Namespace x"),
        ("networking.k8s.io/v1", "NetworkPolicy", "NetworkPolicy team-a/x"),
        ("policy/v1", "PodDisruptionBudget", "PodDisruptionBudget team-a/x"),
        ("v1", "ConfigMap", "ConfigMap team-a/x"),
        ("v1", "ServiceAccount", "ServiceAccount team-a/x"),
        ("rbac.authorization.k8s.io/v1", "Role", "Role team-a/x"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", "RoleBinding team-a/x"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "ClusterRole x"),
        ("networking.k8s.io/v1", "Ingress", "Ingress team-a/x"),
        ("gateway.networking.k8s.io/v1", "HTTPRoute", "HTTPRoute team-a/x"),
        ("networking.istio.io/v1", "DestinationRule", "DestinationRule team-a/x"),
        ("external-secrets.io/v1", "ExternalSecret", "ExternalSecret team-a/x"),
        ("bitnami.com/v1alpha1", "SealedSecret", "SealedSecret team-a/x"),
        ("monitoring.coreos.com/v1", "ServiceMonitor", "ServiceMonitor team-a/x"),
        ("resource.k8s.io/v1", "ResourceClaimTemplate", "ResourceClaimTemplate team-a/x"),
        ("batch/v1", "CronJob", "CronJob team-a/x"),
        ("networking.k8s.io/v1", "ServiceCIDR", "ServiceCIDR x"),
        ("storage.k8s.io/v1", "VolumeAttributesClass", "VolumeAttributesClass x"),
        ("certificates.k8s.io/v1", "CertificateSigningRequest", "CertificateSigningRequest x"),
        ("aigateway.envoyproxy.io/v1alpha1", "AIGatewayRoute", "AIGatewayRoute team-a/x"),
        ("inference.networking.x-k8s.io/v1alpha2", "InferenceModelRewrite", "InferenceModelRewrite team-a/x"),
        ("llm-d.ai/v1alpha2", "InferenceModelRewrite", "InferenceModelRewrite team-a/x"),
    ],
)
def test_known_kinds_are_read_and_said_to_be(tmp_path: Path, api_version: str, kind: str, name: str):
    result = plan(tmp_path, obj(api_version, kind))
    assert found(result) == [(name, "info", "existing")]
    assert result.objects == ()


def test_what_is_asked_for_is_applied_as_it_stands(tmp_path: Path):
    policy = obj("networking.k8s.io/v1", "NetworkPolicy") | {"spec": {"podSelector": {}}}
    mesh = obj("gateway.networking.k8s.io/v1", "GatewayClass", namespace="wrong")
    result = plan(tmp_path, policy, mesh, beside={"NetworkPolicy": "apply", "GatewayClass": "apply"})
    assert found(result) == []
    assert [(made["kind"], made["metadata"]) for made in result.objects] == [
        ("NetworkPolicy", {"name": "x", "namespace": "team-a"}),
        ("GatewayClass", {"name": "x"}),
    ]


def test_a_group_tells_kinds_of_one_name_apart(tmp_path: Path):
    gateways = [obj("gateway.networking.k8s.io/v1", "Gateway", "a"), obj("networking.istio.io/v1", "Gateway", "b")]
    result = plan(tmp_path, *gateways, beside={"Gateway.networking.istio.io": "refuse"})
    assert found(result) == [("Gateway team-a/b", "error", "refused-kind"), ("Gateway team-a/a", "info", "existing")]


def test_all_kinds_of_a_group_are_named_by_a_pattern(tmp_path: Path):
    objects = [obj("maas.opendatahub.io/v1alpha1", kind) for kind in ("MaaSModelRef", "MaaSSubscription")]
    result = plan(tmp_path, *objects, beside={"*.maas.opendatahub.io": "refuse", "MaaSModelRef": "read"})
    assert found(result) == [("MaaSSubscription x", "error", "refused-kind"), ("MaaSModelRef x", "info", "existing")]
    assert found(plan(tmp_path, beside={"*": "refuse"})) == []


def test_objects_of_one_kind_are_one_line(tmp_path: Path):
    result = plan(tmp_path, *(obj("maas.opendatahub.io/v1alpha1", "MaaSModelRef", name) for name in "abc"))
    (finding,) = result.findings
    assert (finding.object, finding.severity, finding.code) == ("MaaSModelRef a", "info", "existing")
    assert "2 more of the kind MaaSModelRef" in finding.message


def test_what_looks_like_a_secret_in_an_object_that_is_only_read_is_a_warning(tmp_path: Path):
    header = {"headers": {"Authorization": {"exact": "Bearer 5f2a7c1e9b3d4f6a"}}}
    route = obj("networking.istio.io/v1", "VirtualService") | {"spec": {"http": [{"match": [header]}]}}
    severities = [severity for _, severity, code in found(plan(tmp_path, route)) if code == "literal-secret"]
    assert severities == ["warning"]


def test_a_kind_that_nobody_knows_is_read(tmp_path: Path):
    widget = obj("example.com/v1", "Widget")
    assert found(plan(tmp_path, widget)) == [("Widget x", "info", "existing")]
    # Nobody knows whether it has a namespace: it gets none.
    applied = plan(tmp_path, widget, beside={"Widget.example.com": "apply"})
    assert [made["metadata"] for made in applied.objects] == [{"name": "x"}]


@pytest.mark.parametrize(
    ("api_version", "kind", "words"),
    [
        ("argoproj.io/v1alpha1", "Application", "Argo CD renders it"),
        ("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "Flux renders it"),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", "helm template"),
    ],
)
def test_what_renders_elsewhere_is_left_out_with_what_to_do(tmp_path: Path, api_version: str, kind: str, words: str):
    finding = plan(tmp_path, obj(api_version, kind)).findings[0]
    assert (finding.path, finding.code, finding.severity) == ("kind", "rendered-elsewhere", "warning")
    assert words in finding.message
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(obj(api_version, kind)))
    alone = plan_paths([tmp_path], Settings()).findings[0]
    assert (alone.code, alone.severity) == ("rendered-elsewhere", "error")


def test_values_of_the_chart_are_recognised(tmp_path: Path):
    values = {"modelArtifacts": {"uri": "hf://example/tiny"}, "decode": {"replicas": 1}}
    (finding,) = plan(tmp_path, values).findings
    assert (finding.code, finding.severity) == ("chart-values", "error")
    assert "values of a Helm chart" in finding.message


@pytest.mark.parametrize(
    ("values", "code", "words"),
    [
        ({"modelArtifacts": {"uri": "hf://example/tiny"}}, "chart-values", "`modelservices convert FILE`"),
        ({"inferencePool": {"modelServers": {}}, "provider": {"name": "gke"}}, "chart-values", "(inferencepool)"),
        ({"inferenceExtension": {"replicas": 1}}, "chart-values", "write the InferencePool"),
        ({"controllerManager": {"replicas": 1}}, "no-manifest", "use the output of `helm template`"),
    ],
)
def test_values_that_are_named(tmp_path: Path, values: dict[str, Any], code: str, words: str):
    (tmp_path / "values.yaml").write_text(yaml.safe_dump(values))
    (finding,) = plan_paths([tmp_path / "values.yaml"], Settings()).findings
    assert (finding.code, finding.severity, finding.path) == (code, "error", "")
    assert words in finding.message


def test_scopes():
    assert scope("v1", "Namespace") == "cluster"
    assert scope("apps/v1", "StatefulSet") == "namespace"
    assert scope("keda.sh/v1alpha1", "ClusterTriggerAuthentication") == "cluster"
    assert scope("example.com/v1", "Widget") is None


@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [
        ("inference.llmkube.dev/v1alpha1", "ModelRouter", "ModelRouter team-a/x"),
        ("ome.io/v1beta1", "AcceleratorClass", "AcceleratorClass x"),
        ("ome.io/v1beta1", "FineTunedWeight", "FineTunedWeight x"),
        ("serving.kserve.io/v1beta1", "InferenceService", "InferenceService team-a/x"),
        ("serving.kserve.io/v1alpha1", "LocalModelCache", "LocalModelCache x"),
        ("inference.networking.x-k8s.io/v1alpha2", "InferenceModel", "InferenceModel team-a/x"),
    ],
)
def test_kinds_that_only_their_operator_serves_are_warnings(tmp_path: Path, api_version: str, kind: str, name: str):
    result = plan(tmp_path, obj(api_version, kind) | {"spec": {"any": {"thing": 1}}})
    assert found(result) == [(name, "warning", "not-covered")]
    assert "is not covered here and has no effect" in result.findings[0].message
