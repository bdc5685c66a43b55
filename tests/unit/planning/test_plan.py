"""From documents to a plan: which kinds, which names, and that all problems come at once with their file.

Does not prove what any family renders: see the families' tests and the conformance tests.
"""

from pathlib import Path

import pytest

from modelservices.findings import InvalidManifests
from modelservices.kubernetes.model import read
from modelservices.planning.plan import StackPlan, in_order, plan_paths
from modelservices.planning.settings import Settings

MODEL = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: {name: m, namespace: inference}
spec: {source: "https://models.example.com/m.gguf"}
"""
SERVICE = """
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: {name: chat, namespace: inference}
spec: {modelRef: m}
"""
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: weights, namespace: inference}
spec: {accessModes: [ReadOnlyMany], resources: {requests: {storage: 1Gi}}}
"""


def plan(tmp_path: Path, *documents: str, **settings: object) -> StackPlan:
    (tmp_path / "a.yaml").write_text("\n---\n".join(documents))
    model, problems = read(Settings, settings)
    assert model is not None, problems
    return plan_paths([tmp_path / "a.yaml"], model)


def lines(plan: StackPlan) -> list[str]:
    return [str(finding).partition("a.yaml: ")[2] for finding in plan.findings if finding.severity == "error"]


def test_a_service_and_its_model(tmp_path: Path):
    planned = plan(tmp_path, MODEL, SERVICE).raise_for_errors()
    assert [(s.component, s.namespace, s.name) for s in planned.services] == [
        ("InferenceServiceComponent", "inference", "chat")
    ]
    assert [obj["kind"] for obj in planned.all_objects()] == ["Deployment", "PersistentVolumeClaim", "Service"]
    assert [obj["metadata"]["name"] for obj in planned.chart] == ["llmkube-normal"]
    assert planned.namespaces() == ["inference"]


def test_objects_of_one_name_and_several_groups_have_an_order() -> None:
    pools = [{"apiVersion": version, "kind": "Pool", "metadata": {"name": "a"}} for version in ("b/v1", "a/v1")]
    assert in_order(pools) == in_order(pools[::-1]) == pools[::-1]


def test_a_secret_whose_certificate_is_made_later_is_not_written(tmp_path: Path) -> None:
    service = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, namespace: a}
spec: {model: {uri: "hf://org/m", name: m}}
"""
    planned = plan(tmp_path, service, kserve={"ingress": {"enableLLMInferenceServiceTLS": True}})
    (secret,) = planned.certificates()
    names = [
        [f"{obj['kind']} {obj['metadata']['name']}" for obj in planned.writable(chart=chart)] for chart in (False, True)
    ]
    assert all("Deployment chat-kserve" in some and f"Secret {secret.name}" not in some for some in names)


def test_the_order_of_documents_changes_nothing(tmp_path: Path):
    one, other = plan(tmp_path, MODEL, SERVICE), plan(tmp_path, SERVICE, MODEL)
    assert one.all_objects() == other.all_objects()
    assert [service.objects for service in one.services] == [service.objects for service in other.services]


def test_a_manifest_without_namespace_gets_the_default(tmp_path: Path):
    planned = plan(tmp_path, *(text.replace(", namespace: inference", "") for text in (MODEL, SERVICE)))
    assert [(s.namespace, s.name) for s in planned.services] == [("default", "chat")]


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (SERVICE, "InferenceService inference/chat: spec.modelRef: "),
        (MODEL.replace("kind: Model", "kind: Modle"), "Modle inference/m: kind: Modle (inference.llmkube.dev/v1alpha1) is not accepted; did you mean Model"),  # noqa: E501
        (MODEL.replace("v1alpha1", "v1"), "Model inference/m: apiVersion: Model (inference.llmkube.dev/v1) is not accepted; did you mean Model (inference.llmkube.dev/v1alpha1)?"),  # noqa: E501
        ("apiVersion: batch/v1\nkind: CrnJob\nmetadata: {name: x}", "CrnJob x: kind: CrnJob (batch/v1) is not accepted; did you mean CronJob.batch?"),  # noqa: E501
        ("kind: Model\nmetadata: {name: m}", "Model default/m: apiVersion: is required"),
        ("apiVersion: v1\nmetadata: {name: m}", "document 1: kind: is required"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, document: str, line: str):
    (found,) = lines(plan(tmp_path, document))
    assert found.startswith(line)


def test_two_manifests_of_one_name(tmp_path: Path):
    assert lines(plan(tmp_path, MODEL, SERVICE, MODEL)) == [
        f"Model inference/m: metadata.name: is defined twice, first in {tmp_path}/a.yaml, document 1"
    ]


def test_a_name_twice_is_found_where_one_of_the_two_is_invalid_too(tmp_path: Path):
    bad = SERVICE.replace("modelRef: m", "modelRef: m, replica: 2")
    assert [line.split(": ")[1] for line in lines(plan(tmp_path, MODEL, bad, SERVICE))] == [
        "spec.replica",
        "metadata.name",
    ]


def test_two_services_that_would_make_one_object(tmp_path: Path):
    dotted = SERVICE.replace("name: chat", "name: a.b")
    dashed = SERVICE.replace("name: chat", "name: a-b")
    (line,) = lines(plan(tmp_path, MODEL, dotted, dashed))
    assert line == (
        "InferenceService inference/a-b: metadata.name: would make Service inference/a-b, which InferenceService "
        "inference/a.b also makes; rename one of them"
    )


def test_every_problem_at_once(tmp_path: Path):
    bad = SERVICE.replace("modelRef: m", "modelRef: m, replicas: 11, contextsize: 5, image: <patch-me>")
    planned = plan(tmp_path, MODEL.replace("source", "sorce"), bad, "kind: X")
    assert sorted(line.split(": ")[1] for line in lines(planned)) == [
        "apiVersion", "spec.contextsize", "spec.image", "spec.replicas", "spec.sorce",
    ]  # fmt: skip
    with pytest.raises(InvalidManifests) as caught:
        planned.raise_for_errors()
    assert len(str(caught.value).splitlines()) == 5


def test_objects_of_the_platform_are_read_and_not_made(tmp_path: Path):
    planned = plan(tmp_path, MODEL, SERVICE, CLAIM).raise_for_errors()
    assert [manifest.name for manifest in planned.existing] == ["weights"]
    assert "weights" not in [obj["metadata"]["name"] for obj in planned.all_objects()]


def test_secrets_hold_references_only(tmp_path: Path):
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData: {token: '${secret:hfToken}'}"
    planned = plan(tmp_path, secret).raise_for_errors()
    assert [manifest.references() for manifest in planned.secrets] == [{"token": "hfToken"}]
    (line,) = lines(plan(tmp_path, secret.replace("${secret:hfToken}", "hf_abc")))
    assert line.startswith("Secret n/s: stringData.token: is a literal secret")
    assert "hf_abc" not in line


def test_a_kind_can_be_passed_through(tmp_path: Path):
    document = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x, namespace: n}\nspec: {size: 3, on: yes}"
    planned = plan(tmp_path, document, passthrough=[{"apiVersion": "example.com/v1", "kind": "Thing"}])
    assert [obj["spec"] for obj in planned.raise_for_errors().all_objects()] == [{"size": 3, "on": True}]


ROUTE = """
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: front, namespace: web}
spec: {rules: [{backendRefs: [{name: chat, port: 8080, namespace: inference}]}]}
"""


def test_a_route_into_another_namespace_gets_its_grant(tmp_path: Path):
    passed = [{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute"}]
    planned = plan(tmp_path, MODEL, SERVICE, ROUTE, passthrough=passed).raise_for_errors()
    (grant,) = [obj for obj in planned.all_objects() if obj["kind"] == "ReferenceGrant"]
    assert (grant["metadata"]["namespace"], grant["spec"]["from"][0]["namespace"]) == ("inference", "web")
    own = plan(tmp_path, MODEL, SERVICE, ROUTE.replace("namespace: web", "namespace: inference"), passthrough=passed)
    assert "ReferenceGrant" not in [obj["kind"] for obj in own.raise_for_errors().all_objects()]


def test_a_passed_route_may_be_of_any_shape(tmp_path: Path):
    passed = [{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute"}]
    for spec in ("null", "x", "[1]", "{rules: x}", "{rules: [x, {backendRefs: 1, filters: [{requestMirror: null}]}]}"):
        odd = ROUTE[: ROUTE.index("spec:")] + f"spec: {spec}\n"
        assert [obj["kind"] for obj in plan(tmp_path, odd, passthrough=passed).all_objects()] == ["HTTPRoute"]


def test_unknown_fields_can_be_ignored_family_by_family(tmp_path: Path):
    newer = SERVICE.replace("modelRef: m", "modelRef: m, someNewField: 1")
    assert lines(plan(tmp_path, MODEL, newer)) != []
    planned = plan(tmp_path, MODEL, newer, llmkube={"ignoreUnknown": True}).raise_for_errors()
    assert [f.path for f in planned.findings if f.severity == "warning" and f.code == "unknown-field"] == [
        "spec.someNewField"
    ]
