"""A secret that a Python program passes to a component is in no state, log or object in plain text.

Not proven here: secrets in manifests and stack config (test_converges.py), programs in other languages
(test_component_provider.py).
"""

import base64
import json
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import objects, read
from tests.integration.stacks import OwnProgram

TOKEN = "hf_not-a-real-token-4712"
SERVICE = """
import pulumi
import pulumi_kubernetes as k8s
from modelservices import InferenceServiceComponent

namespace = "NAMESPACE"
token = pulumi.Config().require_secret("token")
args = {
    "namespace": namespace,
    "model": {"source": "example/bge", "format": "safetensors"},
    "spec": {"modelRef": "bge", "runtime": "generic", "image": "example/server:1", "skipModelInit": True},
}
"""
BY_A_SECRET = """
secret = k8s.core.v1.Secret("hf", metadata={"name": "hf", "namespace": namespace}, string_data={"token": token})
reference = {"name": secret.metadata["name"], "key": "token"}
args["spec"]["env"] = [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": reference}}]
service = InferenceServiceComponent("web", args)
pulumi.export("endpoint", service.endpoint)
"""
GIVEN = {
    "spec.template.spec.containers[0].env[0].value": 'args["spec"]["env"] = [{"name": "HF_TOKEN", "value": token}]',
    "spec.template.metadata.annotations": 'args["spec"]["podAnnotations"] = {"example.com/a": token}',
    "spec.template.spec.containers[0].image": 'args["spec"]["image"] = pulumi.Output.concat("example/", token)',
    "spec.extraArgs[0]: decides what is rendered": 'args["spec"]["extraArgs"] = [token]',
}
"""Programs that pass the secret directly, by the path in the error message."""


@pytest.fixture
def project(cluster: SharedCluster, namespace: str, tmp_path: Path) -> OwnProgram:
    made = OwnProgram(tmp_path, cluster)
    made.secret("token", TOKEN)
    return made


def test_a_secret_that_a_kubernetes_secret_holds(project: OwnProgram, api: DynamicClient, namespace: str) -> None:
    project.write(SERVICE.replace("NAMESPACE", namespace) + BY_A_SECRET)
    printed = [project.preview("--diff").text, project.up("--debug").text]
    printed += [project.preview("--refresh", "--expect-no-changes", "--diff").text]

    assert read(api, "v1", "Secret", "hf", namespace)["data"] == {"token": encoded(TOKEN)}
    (container,) = read(api, "apps/v1", "Deployment", "web", namespace)["spec"]["template"]["spec"]["containers"]
    assert container["env"] == [{"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}]
    assert project.outputs() == {"endpoint": f"http://web.{namespace}.svc.cluster.local:8080/v1/chat/completions"}
    assert_hidden(project, *printed, json.dumps(read(api, "apps/v1", "Deployment", "web", namespace)))


@pytest.mark.parametrize("path", GIVEN)
def test_a_secret_that_is_given_itself_is_refused(
    path: str, project: OwnProgram, api: DynamicClient, namespace: str
) -> None:
    program = f"{GIVEN[path]}\nInferenceServiceComponent('web', args)\n"
    project.write(SERVICE.replace("NAMESPACE", namespace) + program)

    refused = project.up("--debug", fails=True)

    assert path in refused.text
    assert_hidden(project, refused.text)
    assert ("Deployment", "web") not in objects(api, namespace)


def assert_hidden(project: OwnProgram, *printed: str) -> None:
    """Checks that neither the token nor its base64 is in the output or in a file of the state."""
    texts = [*printed, *(path.read_bytes().decode(errors="replace") for path in files(project.backend))]
    assert [text for text in texts if TOKEN in text or encoded(TOKEN) in text] == []


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
