"""The components in other languages: programs in YAML, TypeScript and Go on the real engine, and compiler errors.

Not proven here: the schema's content (a unit test checks it); programs in Java (test_java_program.py) and in C#, whose
SDK comes from the same schema; and the installation from a Git address, which an installed engine does.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError

from component_provider.host import COMPONENTS
from tests.integration.conftest import SharedCluster
from tests.integration.engine import Project
from tests.integration.mistakes import assert_each_is_refused, wrong_programs
from tests.integration.plugin import (
    compile_go,
    compile_typescript,
    copy_of,
    install_go_sdk,
    install_packages,
    pulumi,
    run_built,
    schema_text,
)
from tools import toolchain

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
PRIORITY = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
ENDPOINT = "http://chat.{namespace}.svc.cluster.local:8080/v1/chat/completions"


@pytest.fixture
def yaml_program(tmp_path: Path) -> Path:
    toolchain.ensure("pulumi-language-yaml")
    return copy_of("yaml-program", tmp_path / "program")


@pytest.fixture
def typescript_program(tmp_path: Path) -> Path:
    toolchain.ensure("pulumi-language-nodejs")
    folder = copy_of("typescript-program", tmp_path / "program")
    install_packages(folder)
    return folder


@pytest.fixture
def go_program(tmp_path: Path) -> Path:
    toolchain.ensure("pulumi-language-go")
    folder = copy_of("go-program", tmp_path / "program")
    install_go_sdk(folder)
    return folder


def edit(folder: Path, **resources: Any) -> None:
    """Adds resources to a YAML program, or changes properties of existing ones."""
    file = folder / "Pulumi.yaml"
    program = yaml.safe_load(file.read_text())
    for name, change in resources.items():
        resource = program["resources"].setdefault(name, {"properties": {}})
        resource |= {key: value for key, value in change.items() if key != "properties"}
        resource["properties"] |= change.get("properties", {})
    file.write_text(yaml.safe_dump(program, sort_keys=False))


def service(namespace: str, **spec: Any) -> dict[str, Any]:
    model = {"source": "https://models.example.com/other-q4.gguf"}
    properties = {"namespace": namespace, "model": model, "spec": {"modelRef": "other", **spec}}
    return {"type": "modelservices:InferenceServiceComponent", "properties": properties}


def cluster_objects(project: Project) -> list[dict[str, Any]]:
    """The Kubernetes objects in the stack's state, as they are in the cluster."""
    return [r["outputs"] for r in project.state() if r["type"].startswith("kubernetes:") and "kind" in r["outputs"]]


def name_of(resource: dict[str, Any]) -> str:
    return resource["urn"].rpartition("::")[2]


def exists(api: DynamicClient, obj: dict[str, Any]) -> bool:
    resource = api.resources.get(api_version=obj["apiVersion"], kind=obj["kind"])
    try:
        found = resource.get(name=obj["metadata"]["name"], namespace=obj["metadata"].get("namespace"))
    except NotFoundError:
        return False
    return found.metadata.deletionTimestamp is None


def test_engine_gets_a_schema_that_sdks_can_be_made_from(tmp_path: Path):
    tokens = [f"modelservices:index:{component}" for component in COMPONENTS]
    assert sorted(json.loads(schema_text())["resources"]) == sorted(tokens)
    file = tmp_path / "schema.json"
    file.write_text(schema_text())

    pulumi("schema", "check", str(file))


def test_life_of_a_yaml_program(cluster: SharedCluster, api: DynamicClient, namespace: str, yaml_program: Path):
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    planned = Counter(step.op for step in project.preview().steps)
    assert planned.pop("create") == Counter(step.op for step in project.up().steps)["create"]
    assert set(planned) <= {"same", "read"}
    outputs = project.outputs()
    assert outputs["phases"] == {"chat": "Ready", "qwen": "Ready", "picker": "Ready"}
    assert outputs["endpoint"] == ENDPOINT.format(namespace=namespace)
    assert project.up().changes == ()

    objects = cluster_objects(project)
    assert all(exists(api, obj) for obj in objects)
    project.destroy()
    assert project.state() == []
    # A PriorityClass stays until no stack on the cluster uses it any more.
    left = [obj["metadata"]["name"] for obj in objects if obj["kind"] != "PriorityClass" and exists(api, obj)]
    assert left == ["llmkube-model-cache"], "downloaded models outlive the stack"


OTHERS = """
llm:
  type: modelservices:LLMInferenceServiceComponent
  properties:
    namespace: ${namespace}
    spec:
      model: {uri: "hf://Qwen/Qwen3-8B", name: Qwen/Qwen3-8B}
      replicas: 1
engine:
  type: modelservices:OMEInferenceServiceComponent
  properties:
    namespace: ${namespace}
    manifests:
      - apiVersion: ome.io/v1beta1
        kind: ClusterServingRuntime
        metadata: {name: vllm}
        spec:
          engineConfig:
            runner:
              name: ome-container
              image: registry.example.com/vllm:1
              ports: [{containerPort: 8080, name: http1, protocol: TCP}]
    spec:
      runtime: {name: vllm}
      engine: {minReplicas: 1, maxReplicas: 1}
benchmark:
  type: modelservices:BenchmarkJobComponent
  properties:
    namespace: ${namespace}
    spec:
      task: text-to-text
      maxTimePerIteration: 10
      maxRequestsPerIteration: 100
      podOverride: {image: registry.example.com/genai-bench:1}
      outputLocation: {storageUri: "s3://bucket@us-east-1/bench"}
      endpoint: {endpoint: {url: "${chat.endpoint}", apiFormat: openai, modelName: chat}}
training:
  type: modelservices:TrainingJobComponent
  properties:
    namespace: ${namespace}
    spec: {trainer: {image: registry.example.com/trainer:1}}
"""


def test_the_other_components_of_the_plugin(cluster: SharedCluster, namespace: str, yaml_program: Path):
    edit(yaml_program, **yaml.safe_load(OTHERS))
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    project.up()

    phases = {name_of(r): r["outputs"]["phase"] for r in project.state() if r["type"].startswith("modelservices:")}
    assert phases["llm"] == phases["engine"] == "Ready"
    assert set(phases) > {"benchmark", "training"}
    jobs = [json.dumps(obj["spec"]) for obj in cluster_objects(project) if obj["kind"] == "Job"]
    assert any(ENDPOINT.format(namespace=namespace) in job for job in jobs)
    assert project.up().changes == ()
    project.destroy()
    assert project.state() == []


def test_components_of_one_run_share_what_belongs_to_the_stack(
    cluster: SharedCluster, namespace: str, yaml_program: Path
):
    edit(yaml_program, other=service(namespace))
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    project.up()

    state = project.state()
    assert [name_of(r) for r in state if r["type"] == CLAIM] == [f"{namespace}/llmkube-model-cache"]
    assert [name_of(r) for r in state if r["type"] == PRIORITY].count("llmkube-normal") == 1
    assert all(r.get("parent") is None for r in state if r["type"] in (CLAIM, PRIORITY))
    assert project.up().changes == ()
    project.destroy()


def test_children_and_shared_objects_use_the_provider_of_the_component(
    cluster: SharedCluster, namespace: str, yaml_program: Path
):
    own = {"type": "pulumi:providers:kubernetes", "properties": {"kubeconfig": str(cluster.kubeconfig)}}
    edit(yaml_program, own=own, prompt={"options": {"provider": "${own}"}})
    for component in ("chat", "qwen", "picker"):
        edit(yaml_program, **{component: {"options": {"providers": ["${own}"]}}})
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    project.up()

    used = {r["provider"].split("::")[-2] for r in project.state() if r["type"].startswith("kubernetes:")}
    assert used == {"own"}
    project.destroy()


def test_values_that_are_unknown_in_a_preview(cluster: SharedCluster, namespace: str, yaml_program: Path):
    variable = {"name": "PROMPT_UID", "value": "${prompt.metadata.uid}"}
    edit(yaml_program, chat={"properties": {"spec": {"modelRef": "chat", "env": [variable]}}})
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    preview = project.preview("--debug")
    said = [event["diagnosticEvent"]["message"] for event in preview.events if "diagnosticEvent" in event]
    assert said and not any("resource registration prepared: ty=kubernetes:" in message for message in said)
    project.up()

    objects = {(obj["kind"], obj["metadata"]["name"]): obj for obj in cluster_objects(project)}
    container = objects["Deployment", "chat"]["spec"]["template"]["spec"]["containers"][0]
    uid = objects["ConfigMap", "chat-prompt"]["metadata"]["uid"]
    assert [item["value"] for item in container["env"] if item["name"] == "PROMPT_UID"] == [uid]
    assert project.up().changes == ()
    project.destroy()


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        (
            {"picker": {"properties": {"spec": {"replicas": -1, "port": 70000}}}},
            [
                "EPPComponent picker: port: must be between 1 and 65535, got 70000",
                "EPPComponent picker: replicas: must be",
            ],
        ),
        (
            {"picker": {"properties": {"poolName": "${prompt.metadata.name}"}}},
            ["EPPComponent picker: poolName: decides what is rendered, so it must be a plain value, got an Output"],
        ),
        (
            {"picker": {"properties": {"spec": {"image": {"fn::secret": "registry.example.com/epp:1"}}}}},
            ["containers[0].image: is a secret Output in the spec of a workload", "(valueFrom.secretKeyRef)"],
        ),
    ],
    ids=["bounds", "output", "secret"],
)
def test_bad_input_is_reported_in_our_words(
    cluster: SharedCluster, namespace: str, yaml_program: Path, change: dict[str, Any], messages: list[str]
):
    edit(yaml_program, **change)
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    text = project.preview(fails=True).text

    assert [message for message in messages if message.format(namespace=namespace) not in text] == []
    assert "Traceback" not in text and "<class" not in text and ".py" not in text


@pytest.mark.parametrize(
    ("component", "spec", "word"),
    [
        ("qwen", {"colour": "red"}, "colour"),
        ("qwen", {"decode": {"replicas": "two"}}, "replicas"),
        ("picker", {"provider": "nginx"}, "provider"),
    ],
)
def test_the_types_refuse_wrong_fields_of_a_yaml_program(
    cluster: SharedCluster, namespace: str, yaml_program: Path, component: str, spec: dict[str, Any], word: str
):
    edit(yaml_program, **{component: {"properties": {"spec": spec}}})
    project = Project(yaml_program, cluster)
    project.config({"namespace": namespace})

    text = project.preview(fails=True).text

    assert word in text
    assert "Traceback" not in text


def test_life_of_a_typescript_program(
    cluster: SharedCluster, api: DynamicClient, namespace: str, typescript_program: Path
):
    project = Project(typescript_program, cluster)
    project.config({"namespace": namespace})

    project.preview()
    project.up()
    outputs = project.outputs()
    assert outputs["phases"] == {"chat": "Ready", "qwen": "Ready", "picker": "Ready"}
    assert outputs["endpoint"] == ENDPOINT.format(namespace=namespace)
    assert outputs["reason"] == "AllReplicasReady"
    assert project.up().changes == ()

    project.config({"tag": "server-b1"})
    changed = [(step.op, step.name) for step in project.up().changes]
    assert changed == [("update", "chat-deployment")]

    objects = cluster_objects(project)
    project.destroy()
    assert project.state() == []
    assert [obj["kind"] for obj in objects if obj["kind"] != "PriorityClass" and exists(api, obj)] == [
        "PersistentVolumeClaim"
    ]


def test_bad_input_of_a_typescript_program(cluster: SharedCluster, namespace: str, typescript_program: Path):
    project = Project(typescript_program, cluster)
    project.config({"namespace": namespace, "decodeReplicas": 1.5})

    text = project.preview(fails=True).text

    assert f"PrefillDecodeComponent qwen: ModelService {namespace}/qwen: spec.decode.replicas: must be" in text
    assert "Traceback" not in text and "<class" not in text


TYPESCRIPT_MISTAKES = [
    ("contextSize: 4096", "contxtSize: 4096", "'contxtSize' does not exist"),
    ("contextSize: 4096", 'contextSize: "much"', "Type 'string' is not assignable to type 'number'"),
    ('type: "nvidia"', 'type: "nvidea"', "nvidea"),
    ('modelRef: "chat",\n', "", "Property 'modelRef' is missing"),
    ('poolName: "reranker",\n', "", "Property 'poolName' is missing"),
]


def test_wrong_typescript_programs_do_not_compile(typescript_program: Path):
    programs = wrong_programs((typescript_program / "index.ts").read_text(), TYPESCRIPT_MISTAKES)
    for name, text in programs.items():
        (typescript_program / f"{name}.ts").write_text(text)
    settings = typescript_program / "tsconfig.json"
    files = ["index.ts", *(f"{name}.ts" for name in programs)]
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"files": files}))

    assert_each_is_refused(compile_typescript(typescript_program), TYPESCRIPT_MISTAKES)


GO_MISTAKES = [
    ("ContextSize: pulumi", "ContxtSize: pulumi", "unknown field ContxtSize"),
    ("pulumi.IntRef(4096)", '"much"', 'cannot use "much"'),
    ("AcceleratorSpecTypeNvidia", "AcceleratorSpecTypeNvidea", "undefined: otterscale.AcceleratorSpecTypeNvidea"),
]


def test_wrong_go_programs_do_not_compile(go_program: Path):
    programs = wrong_programs((go_program / "main.go").read_text(), GO_MISTAKES)
    for name, text in programs.items():
        (go_program / name).mkdir()
        (go_program / name / "main.go").write_text(text)

    # Without the correct program, which would be linked; another test compiles it.
    assert_each_is_refused(compile_go(go_program, *(f"./{name}" for name in programs)), GO_MISTAKES)


def test_life_of_a_go_program(cluster: SharedCluster, api: DynamicClient, namespace: str, go_program: Path):
    # Debug information takes half of the linker's work.
    assert compile_go(go_program, "-ldflags=-s -w", "-o", "program", ".") == ""
    project = Project(go_program, cluster)
    run_built(project, "go", go_program / "program")
    project.config({"namespace": namespace})

    project.up()

    outputs = project.outputs()
    assert outputs["phases"] == {"chat": "Ready", "qwen": "Ready"}
    assert outputs["endpoint"] == ENDPOINT.format(namespace=namespace)
    assert project.up().changes == ()
    project.config({"tag": "server-b1"})
    assert [(step.op, step.name) for step in project.up().changes] == [("update", "chat-deployment")]
    project.destroy()
    assert project.state() == []
