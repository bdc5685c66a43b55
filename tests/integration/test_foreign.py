"""Objects that already exist in the cluster and that the stack did not create: rejected by name, or adopted on demand.

Not proven here: an object that is created between the check of the cluster and the registration.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import objects, read
from tests.integration.manifests import model, service
from tests.integration.stacks import OwnProgram, Stack
from tests.integration.test_commands import command
from tests.integration.test_tenants import ci_user
from tests.integration.test_two_stacks import SCHEDULING, owner_objects

SECRET = """---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {token: "${secret:token}"}
"""


LABELS = {"app": "web", "inference.llmkube.dev/service": "web"}
CONTAINER = {"name": "inference-server", "image": "example/theirs"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}}
THEIRS = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}}
"""As LLMKube's operator creates it."""


def create(api: DynamicClient, api_version: str, kind: str, body: dict[str, Any], namespace: str | None = None) -> None:
    api.resources.get(api_version=api_version, kind=kind).create(body=body, namespace=namespace)


def test_objects_made_by_hand(stack: Stack, api: DynamicClient) -> None:
    create(api, "apps/v1", "Deployment", THEIRS, stack.namespace)
    create(api, "v1", "Secret", {"metadata": {"name": "token"}, "data": {"theirs": "eA=="}}, stack.namespace)
    stack.write(SECRET + model() + service() + service("free"))
    stack.secret("token", "not-a-real-token")
    stack.config({"createNamespaces": True})

    for refused in (stack.preview(fails=True), stack.up(fails=True)):
        assert "nothing was changed" in refused.text
        assert "Traceback" not in refused.text
        namespace = stack.namespace
        for name in (f"Deployment {namespace}/web", f"Secret {namespace}/token", f"Namespace {namespace}"):
            assert f"{name} exists already and was not made by this stack; rename one of the two" in refused.text
        assert f"Service {stack.namespace}/web exists" not in refused.text
    assert objects(api, stack.namespace) == {("Deployment", "web"), ("Secret", "token")}
    assert read(api, "v1", "Secret", "token", stack.namespace)["data"] == {"theirs": "eA=="}

    adopted = [f"Deployment {stack.namespace}/web", f"Secret {stack.namespace}/token"]
    stack.config({"createNamespaces": False, "adopt": adopted[:1]})
    assert f"{adopted[1]} exists already" in stack.up(fails=True).text
    stack.config({"adopt": adopted})
    assert f"modelservices:adopt takes over 2 objects: {', '.join(adopted)}" in stack.up().text
    pod = read(api, "apps/v1", "Deployment", "web", stack.namespace)["spec"]["template"]["spec"]
    assert [container["image"] for container in pod["containers"]] == ["example/server:1"]
    stack.config({"adopt": False})
    stack.up("--expect-no-changes")
    stack.destroy()
    assert objects(api, stack.namespace) == set()


def test_objects_of_another_stack(stack: Stack, cluster: SharedCluster, tmp_path: Path) -> None:
    stack.write(model() + service())
    stack.up()
    other = Stack(tmp_path / "other", cluster, stack.namespace, name=f"{stack.namespace}-other")
    other.write(model() + service() + service("more"))

    refused = other.up(fails=True)

    for kind in ("Deployment", "Service"):
        line = (
            f"{kind} {stack.namespace}/web exists already and belongs to stack organization/modelservices/{stack.stack}"
        )
        assert line in refused.text
    stack.up("--expect-no-changes")


PROGRAM = """
from modelservices import InferenceServiceComponent

model = {"source": "example/bge", "format": "safetensors"}
spec = {"modelRef": "bge", "runtime": "generic", "image": "example/server:1", "skipModelInit": True}
InferenceServiceComponent("web", {"namespace": "NAMESPACE", "model": model, "spec": spec})
"""


def test_a_program_of_ones_own_looks_before_too(
    cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path
) -> None:
    create(api, "apps/v1", "Deployment", THEIRS, namespace)
    project = OwnProgram(tmp_path, cluster, namespace)
    project.write(PROGRAM.replace("NAMESPACE", namespace))

    for refused in (project.preview(fails=True), project.up(fails=True)):
        assert f"Deployment {namespace}/web exists already and was not made by this stack" in refused.text
    before = read(api, "apps/v1", "Deployment", "web", namespace)["spec"]["template"]["spec"]["containers"]
    assert [container["image"] for container in before] == ["example/theirs"]
    api.resources.get(api_version="apps/v1", kind="Deployment").delete(name="web", namespace=namespace)
    project.up()
    project.preview("--refresh", "--expect-no-changes")
    project.destroy()
    assert objects(api, namespace) == set()


TWO_CLUSTERS = """
import pulumi
import pulumi_kubernetes
from modelservices import InferenceServiceComponent

model = {"source": "example/bge", "format": "safetensors"}
spec = {"modelRef": "bge", "runtime": "generic", "image": "example/server:1", "skipModelInit": True}
for name, namespace, kubeconfig in PLACES:
    provider = pulumi_kubernetes.Provider(name, kubeconfig=kubeconfig)
    args = {"namespace": namespace, "name": "web", "model": model, "spec": spec}
    InferenceServiceComponent(f"web-{name}", args, pulumi.ResourceOptions(provider=provider))
"""


def test_each_provider_of_a_program_is_looked_through(
    cluster: SharedCluster, api: DynamicClient, new_namespace: Callable[[], str], tmp_path: Path
) -> None:
    """Each provider's objects wait for the check of its own cluster. The limited user may not read Deployments, so it
    stays unknown whether one exists."""
    first, second, third = new_namespace(), new_namespace(), new_namespace()
    limited = ci_user(cluster, api, third, tmp_path, resources="services")
    create(api, "apps/v1", "Deployment", THEIRS, first)
    project = OwnProgram(tmp_path, cluster, first, environment={"KUBECONFIG": "/dev/null"})

    def write(*places: tuple[str, str, Path]) -> None:
        text = repr([(name, namespace, str(kubeconfig)) for name, namespace, kubeconfig in places])
        project.write(TWO_CLUSTERS.replace("PLACES", text))

    write(("one", first, cluster.kubeconfig), ("two", second, cluster.kubeconfig))
    for refused in (project.preview(fails=True), project.up(fails=True)):
        assert f"Deployment {first}/web exists already and was not made by this stack" in refused.text
        assert "Traceback" not in refused.text
    assert objects(api, first) == {("Deployment", "web")}
    api.resources.get(api_version="apps/v1", kind="Deployment").delete(name="web", namespace=first)

    write(("one", first, cluster.kubeconfig), ("limited", third, limited.kubeconfig))
    for refused in (project.preview(fails=True), project.up(fails=True)):
        assert "nothing was changed in the cluster of provider limited:" in refused.text
        assert (
            f"Deployment {third}/web can't be read, so it may belong to someone else: this user lacks" in refused.text
        )
        assert f"the right to get deployments.apps in namespace {third}" in refused.text
    assert ("Service", "web") not in objects(api, third)

    write(("one", first, cluster.kubeconfig), ("two", second, cluster.kubeconfig))
    project.up()
    project.up("--expect-no-changes")

    # The same Pulumi name in another namespace: only the engine's preview shows it, not the cluster.
    write(("one", second, cluster.kubeconfig), ("two", first, cluster.kubeconfig))
    named = command(project, "replacements")
    assert named.returncode == 1
    for namespace in (first, second):
        line = f"Deployment {namespace}/web: deleted and made again, an outage: metadata.namespace changes"
        assert line in named.stdout.splitlines()
    project.destroy()


def test_an_update_needs_a_cluster_that_answers(stack: Stack, cluster: SharedCluster, tmp_path: Path) -> None:
    nobody = tmp_path / "nobody.yaml"
    nobody.write_text(re.sub(r"https://127.0.0.1:\d+", "https://127.0.0.1:1", cluster.kubeconfig.read_text()))
    stack.environment["KUBECONFIG"] = str(nobody)
    stack.write(model() + service())

    refused = stack.up(fails=True)

    assert "nothing was changed: the cluster can't be looked at before: the API server does not answer" in refused.text
    assert stack.registered() == []


@pytest.fixture
def chart_class(api: DynamicClient) -> Iterator[str]:
    """A PriorityClass as LLMKube's chart installs it. No other test may use the priority `batch`."""
    classes = api.resources.get(api_version=SCHEDULING, kind="PriorityClass")
    body = {"metadata": {"name": "llmkube-batch", "labels": {"helm.sh/chart": "llmkube"}}, "value": 100}
    classes.create(body=body | {"description": "theirs", "preemptionPolicy": "Never"})
    yield "llmkube-batch"
    classes.delete(name="llmkube-batch")


def test_priority_classes_of_the_chart_are_used_as_they_are(stack: Stack, api: DynamicClient, chart_class: str) -> None:
    before = read(api, SCHEDULING, "PriorityClass", chart_class)
    stack.write(model() + service(priority="batch"))

    result = stack.up()

    assert "PriorityClass llmkube-batch is there already: used as it is" in result.text
    stack.preview("--refresh", "--expect-no-changes")
    stack.destroy()
    assert read(api, SCHEDULING, "PriorityClass", chart_class) == before
    assert owner_objects(api, chart_class) == []
