"""OME on a cluster with all kinds that OME's services can become, including Knative's, KubeRay's and Kubeflow's.

Only LeaderWorkerSets and JobSets have their controllers. Not proven here: what Knative, KubeRay, Kueue, Volcano and
KEDA do with their objects (this module marks Knative Services as ready where a test waits for them).
"""

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from modelservices.findings import errors
from modelservices.kubernetes.model import read as model_of
from modelservices.ome_keys.vocabulary import vocabulary
from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from tests.conformance import ome_cases
from tests.conformance.reference import cases, plan_case
from tests.integration.live import objects, read
from tests.integration.stacks import REPOSITORY, Stack
from tests.integration.strictness import refusal
from tests.integration.waiting import eventually
from tests.unit.families.ome import test_nothing_is_ignored as own
from tests.unit.ome_keys import helpers as others
from tools.control_plane import ALL_CRDS, FURTHER_CRDS, ControlPlane
from tools.platform import prepare


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A separate cluster for this module, so that the kinds don't disturb other tests."""
    kinds, controllers = (*ALL_CRDS, *FURTHER_CRDS), ("lws", "jobset")
    with ControlPlane.start(tmp_path_factory.mktemp("plane"), crds=kinds, with_controllers=controllers) as started:
        yield started


@pytest.fixture(scope="module")
def api(plane: ControlPlane) -> DynamicClient:
    client = config.new_client_from_config(str(plane.kubeconfig))
    return DynamicClient(client, cache_file=str(plane.run_dir / "discovery.json"))


@pytest.mark.parametrize("profile", ["document", "upstream"])
@pytest.mark.parametrize("case", cases("ome", "propagation") + cases("ome", "benchmark"), ids=lambda case: case.name)
def test_the_server_takes_what_we_render(case: Path, profile: str, api: DynamicClient, tmp_path: Path) -> None:
    plan = ome_cases.planned(tmp_path, case / "input.yaml", profile)
    if errors(plan.findings):
        return  # we reject it before anything is rendered
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("case", cases("ome", "admission"), ids=lambda case: case.stem)
def test_the_server_takes_what_we_admit(case: Path, api: DynamicClient) -> None:
    plan = plan_case([case, ome_cases.ENVIRONMENT])
    if errors(plan.findings):
        return
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


DECISIVE = {"ome.io/deploymentMode", "serving.ome.io/runtime", "training.ome.io/framework"}
"""Keys whose examples would change which objects are rendered, or name missing objects."""


@pytest.mark.parametrize("kind", own.KINDS)
def test_all_keys_at_once(kind: str, api: DynamicClient) -> None:
    document, more = own.KINDS[kind]
    for key in vocabulary().entries:
        document = document if key in DECISIVE else own.with_key(document, key)
    plan = own.planned(own.MODEL, own.RUNTIME, document, settings={**own.SETTINGS, **more}).raise_for_errors()
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


@pytest.mark.parametrize("keda", ["true", "false"])
@pytest.mark.parametrize("service", others.SERVICES)
def test_all_keys_at_once_on_other_families(service: str, keda: str, api: DynamicClient) -> None:
    keys = {key: entry.examples[0] for key, entry in vocabulary().entries.items() if key not in DECISIVE}
    manifest = others.with_keys(others.SERVICES[service], {**keys, "autoscaling.ome.io/enable-keda": keda})
    plan = others.planned(manifest, settings={"ome": {"podMonitors": True}}).raise_for_errors()
    kinds = {obj["kind"] for obj in plan.all_objects()}
    assert {"NetworkPolicy", "PersistentVolumeClaim", "PodMonitor"} <= kinds
    assert ("ScaledObject" if keda == "true" else "HorizontalPodAutoscaler") in kinds
    assert [text for obj in plan.all_objects() if (text := refusal(api, obj))] == []


# On the engine

PLATFORM = REPOSITORY / "examples" / "ome" / "manifests" / "platform.yaml"
SETTINGS = yaml.safe_load((REPOSITORY / "examples" / "ome" / "settings.yaml").read_text())
RUNNER = {"name": "ome-container", "image": "example/server:1", "ports": [{"containerPort": 8080}]}
GROUP = {"leader": {"runner": RUNNER}, "worker": {"size": 2, "runner": RUNNER}}


@pytest.fixture
def namespace(api: DynamicClient) -> str:
    name = f"test-{uuid.uuid4().hex[:10]}"
    api.resources.get(api_version="v1", kind="Namespace").create(body={"metadata": {"name": name}})
    eventually(lambda: read(api, "v1", "ServiceAccount", "default", name) is not None, "the default account")
    return name


@pytest.fixture
def stack(plane: ControlPlane, namespace: str, tmp_path: Path) -> Stack:
    made = Stack(tmp_path / "project", plane, namespace)
    made.config({"settings": SETTINGS})
    return made


def service(name: str, spec: dict[str, Any], **annotations: str) -> str:
    metadata = {"name": name, "annotations": annotations}
    document = {"apiVersion": "ome.io/v1beta1", "kind": "InferenceService", "metadata": metadata, "spec": spec}
    return f"---\n{yaml.safe_dump(document)}"


def test_deployments_and_groups_converge(stack: Stack, api: DynamicClient) -> None:
    one = {"engine": {"runner": RUNNER, "minReplicas": 2, "maxReplicas": 4}}
    several = {"engine": {**GROUP, "minReplicas": 2}}
    parts = {"engine": {"runner": RUNNER}, "decoder": {"runner": RUNNER}, "router": {"runner": RUNNER}}
    stack.write(service("one", one) + service("several", several) + service("parts", parts))

    stack.up()

    services = stack.outputs()["services"]
    assert {name.partition("/")[2]: found["phase"] for name, found in services.items()} == {
        "one": "Ready",
        "several": "Ready",
        "parts": "Ready",
    }
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes", "--diff")
    stack.destroy()
    assert objects(api, stack.namespace) == set()


PROFILE = """
---
apiVersion: ome.io/v1beta1
kind: BaseModel
metadata: {name: claimed}
spec:
  modelFormat: {name: safetensors, version: "1.0.0"}
  modelFramework: {name: transformers, version: "4.45.0"}
  storage: {storageUri: "pvc://weights/org/claimed"}
---
apiVersion: ome.io/v1beta1
kind: ServingRuntime
metadata: {name: profile, annotations: {ome.io/runtime-profile: "true"}}
spec:
  disabled: true
  engineConfig:
    volumes: [{name: dshm, emptyDir: {medium: Memory}}]
    containers: [{name: ome-container, args: [--host, 0.0.0.0]}]
    runner: {name: ome-container, image: "vllm/vllm-openai:v0.25.1", ports: [{containerPort: 8080}]}
---
apiVersion: ome.io/v1beta1
kind: ServingRuntime
metadata: {name: child, annotations: {ome.io/inherit-from: profile}}
spec:
  disabled: false
  supportedModelFormats:
  - modelFormat: {name: safetensors, version: "1.0.0"}
    modelFramework: {name: transformers, version: "4.40.0", operator: Equal}
    autoSelect: true
  - modelFormat: {name: safetensors, version: "1.0.0"}
    modelFramework: {name: transformers, version: "4.45.0"}
    autoSelect: true
"""


def test_what_people_bring_converges(stack: Stack, api: DynamicClient) -> None:
    """A runtime with inheritance, chosen for a model on a claim; a predictor; an engine without a runner; a
    benchmark."""
    claim = {"accessModes": ["ReadOnlyMany"], "resources": {"requests": {"storage": "1Gi"}}}
    body = {"metadata": {"name": "weights"}, "spec": claim}
    api.resources.get(api_version="v1", kind="PersistentVolumeClaim").create(body=body, namespace=stack.namespace)
    chosen = {"model": {"name": "claimed", "kind": "BaseModel"}, "engine": {"runner": {"name": "ome-container"}}}
    predictor = {"containers": [RUNNER], "minReplicas": 1}
    benchmark = {
        "endpoint": {"inferenceService": {"name": "chosen", "namespace": stack.namespace}},
        "task": "text-to-text",
        "maxTimePerIteration": 5,
        "maxRequestsPerIteration": 100,
        "outputLocation": {"storageUri": "pvc://weights/results"},
        "podOverride": {"image": "example/genai-bench:1"},
    }
    job = {"apiVersion": "ome.io/v1beta1", "kind": "BenchmarkJob", "metadata": {"name": "load"}, "spec": benchmark}
    services = [("chosen", chosen), ("old", {"predictor": predictor}), ("pod", {"engine": {"containers": [RUNNER]}})]
    stack.write(PROFILE + "".join(service(name, spec) for name, spec in services) + f"---\n{yaml.safe_dump(job)}")

    stack.up()

    phases = {name.partition("/")[2]: found["phase"] for name, found in stack.outputs()["services"].items()}
    assert {name: phases[name] for name, _ in services} == {"chosen": "Ready", "old": "Ready", "pod": "Ready"}
    deployment = read(api, "apps/v1", "Deployment", "chosen-engine", stack.namespace)
    assert deployment is not None
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"] == ["--host", "0.0.0.0"]
    mounts = [(mount["mountPath"], mount["subPath"], mount["readOnly"]) for mount in container["volumeMounts"]]
    assert mounts == [("/mnt/models/claimed", "org/claimed", True)]
    assert {volume["name"] for volume in pod["volumes"]} == {"dshm", "claimed"}
    asked = read(api, "batch/v1", "Job", "load", stack.namespace)
    assert asked is not None
    words = asked["spec"]["template"]["spec"]["containers"][0]["args"]
    assert words[words.index("--model-tokenizer") + 1] == "/mnt/models/claimed"
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes", "--diff")
    stack.destroy()
    assert objects(api, stack.namespace) == {("PersistentVolumeClaim", "weights")}


def test_services_of_a_namespace_share_no_endpoints(stack: Stack, api: DynamicClient) -> None:
    names = ("first", "second")
    groups = "".join(service(name, {"engine": {**GROUP, "minReplicas": 2}}) for name in names)
    single = "".join(service(f"{name}-single", {"engine": {"runner": RUNNER}}) for name in names)
    stack.write(groups + single)

    stack.up()

    for name in names:
        group, lone = endpoints(api, stack, f"{name}-engine", 2), endpoints(api, stack, f"{name}-single-engine", 1)
        assert group == {f"lws-{name}-engine-0", f"lws-{name}-engine-1"}, "leaders only, and its own"
        assert {pod.rsplit("-", 2)[0] for pod in lone} == {f"{name}-single-engine"}


def endpoints(api: DynamicClient, stack: Stack, name: str, least: int) -> set[str]:
    """The pods that a Service reaches, once there are at least ``least``."""
    slices = api.resources.get(api_version="discovery.k8s.io/v1", kind="EndpointSlice")

    def found() -> set[str]:
        items = slices.get(namespace=stack.namespace, label_selector=f"kubernetes.io/service-name={name}").to_dict()
        entries = [entry for item in items["items"] for entry in item.get("endpoints") or []]
        return {entry["targetRef"]["name"] for entry in entries if entry["conditions"]["ready"]}

    eventually(lambda: len(found()) >= least, f"{least} endpoints of {name}")
    return found()


def test_the_examples_of_the_document(stack: Stack, api: DynamicClient, plane: ControlPlane) -> None:
    """The examples unchanged, with the platform's model, runtime, claim and settings."""
    stack.config({"manifests": [str(PLATFORM.parent)]})
    settings, _ = model_of(Settings, SETTINGS)
    assert settings is not None
    prepare(plane.api(), plan_paths([PLATFORM.parent], settings, namespace=stack.namespace))

    with knative(api, stack.namespace):
        stack.up()

    for kind, api_version, name, condition in (
        ("Job", "batch/v1", "performance-test", "Complete"),
        ("JobSet", "jobset.x-k8s.io/v1alpha2", "bert-finetune", "Completed"),
    ):
        eventually(
            lambda k=kind, v=api_version, n=name, c=condition: holds(read(api, v, k, n, stack.namespace), c), name
        )
    stack.up("--refresh")
    phases = {name.partition("/")[2]: found["phase"] for name, found in stack.outputs()["services"].items()}
    assert phases == {"llama-chat": "Ready", "performance-test": "Complete", "bert-finetune": "Complete"}
    stack.up("--expect-no-changes")
    stack.preview("--refresh", "--expect-no-changes", "--diff")


def holds(obj: dict[str, Any] | None, condition: str) -> bool:
    conditions = ((obj or {}).get("status") or {}).get("conditions") or []
    return any((c["type"], c["status"]) == (condition, "True") for c in conditions)


@contextmanager
def knative(api: DynamicClient, namespace: str) -> Iterator[None]:
    """Replaces Knative's controller: marks its Services as ready as soon as they exist."""
    services = api.resources.get(api_version="serving.knative.dev/v1", kind="Service")
    done = threading.Event()

    def say_ready() -> None:
        while not done.wait(0.5):
            for item in services.get(namespace=namespace).items:
                ready = {"conditions": [{"type": "Ready", "status": "True"}]}
                status = {"status": {"observedGeneration": item.metadata.generation, **ready}}
                services.status.patch(
                    name=item.metadata.name,
                    namespace=namespace,
                    body=status,
                    content_type="application/merge-patch+json",
                )

    thread = threading.Thread(target=say_ready, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
