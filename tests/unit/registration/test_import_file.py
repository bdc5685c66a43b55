"""The file of `pulumi import`. That the engine takes it and replaces nothing is shown in tests/integration."""

from pathlib import Path

from modelservices.kubernetes.objects import key
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from modelservices.registration.apply import provider_version
from modelservices.registration.import_file import import_file

MANIFESTS = """
apiVersion: model.otterscale.io/v1alpha1
kind: ModelService
metadata: {name: chat, namespace: n}
spec:
  model: {name: example/chat, image: example/chat:1}
  engine: {}
  accelerator: {type: cpu}
  decode: {}
  inferencePool: {endpointPicker: {}}
"""


def test_objects_have_the_place_at_which_the_stack_registers_them(tmp_path: Path):
    (tmp_path / "chat.yaml").write_text(MANIFESTS)
    plan = plan_paths([tmp_path], Settings(), namespace="n").raise_for_errors()
    there = {key(obj) for obj in plan.all_objects() if obj["kind"] in ("Deployment", "RoleBinding")}

    resources = import_file(plan, there)["resources"]

    version = provider_version()
    component = {
        "type": "modelservices:index:PrefillDecodeComponent",
        "name": "PrefillDecodeComponent n/chat",
        "logicalName": "n/chat",
        "component": True,
    }
    picker = {
        "type": "modelservices:index:EPPComponent",
        "name": "EPPComponent n/chat-epp",
        "logicalName": "n/chat-epp",
        "parent": "PrefillDecodeComponent n/chat",
        "component": True,
    }
    assert resources[:2] == [component, picker]
    assert {
        "type": "kubernetes:apps/v1:Deployment",
        "name": "Deployment n/chat-decode-deployment",
        "logicalName": "n/chat-decode-deployment",
        "parent": "PrefillDecodeComponent n/chat",
        "id": "n/chat-decode",
        "version": version,
    } in resources
    assert len(resources) == 2 + len(there)


BENCHMARK = """
apiVersion: ome.io/v1beta1
kind: BenchmarkJob
metadata: {name: bench, namespace: n}
spec:
  endpoint: {endpoint: {url: "http://chat.n:8080", apiFormat: openai, modelName: chat}}
  task: text-to-text
  maxTimePerIteration: 5
  maxRequestsPerIteration: 10
  outputLocation: {storageUri: "pvc://results/bench"}
"""


def test_jobs_are_left_to_the_update(tmp_path: Path):
    (tmp_path / "bench.yaml").write_text(BENCHMARK)
    image = {"ome": {"benchmarkjob": {"podConfig": {"image": "example/bench:1"}}}}
    plan = plan_paths([tmp_path], Settings.model_validate(image), namespace="n").raise_for_errors()
    jobs = {key(obj) for obj in plan.all_objects() if obj["kind"] == "Job"}
    assert len(jobs) == 1
    assert import_file(plan, jobs) == {"resources": []}
