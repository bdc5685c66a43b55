"""A typical GitOps repository, with Kustomize's base and overlays, renders and converges unchanged.

Not proven here: remote bases, and plugins of Kustomize.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from modelservices.planning.plan import plan_paths
from modelservices.planning.settings import Settings
from tests.integration.engine import Cluster
from tests.integration.live import objects
from tests.integration.stacks import Stack
from tools import toolchain

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples/gitops"
BESIDE = {
    "Namespace assistants",
    "NetworkPolicy assistants/only-from-gateways",
    "ExternalSecret assistants/hugging-face",
    "ServiceMonitor assistants/models",
}


@pytest.fixture(scope="module")
def kustomize() -> str:
    """The folder with Kustomize, to prepend to PATH."""
    return str(toolchain.ensure("kustomize")["kustomize"].parent)


def test_both_overlays_render(kustomize: str) -> None:
    for overlay, namespace in (("dev", "assistants-dev"), ("prod", "assistants")):
        command = [sys.executable, "-m", "modelservices", "render", str(EXAMPLE / "overlays" / overlay)]
        variables = os.environ | {"PATH": os.pathsep.join([kustomize, os.environ["PATH"]])}
        done = subprocess.run(command, cwd=REPOSITORY, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        read = {
            line.partition(": is an object that")[0].partition(f"{overlay}: ")[2] for line in done.stderr.splitlines()
        }
        assert read >= {name.replace("assistants", namespace) for name in BESIDE}
        assert f"namespace: {namespace}" in done.stdout


def test_components_generators_and_replacements_are_built(kustomize: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([kustomize, os.environ["PATH"]]))
    folder = REPOSITORY / "tests/unit/manifests/folders/kustomize/overlays/prod"
    planned = plan_paths([folder], Settings(), namespace="default").raise_for_errors()
    read = {finding.object for finding in planned.findings if finding.code == "existing"}
    assert read == {"Namespace prod", "ConfigMap prod/prompts", "ServiceMonitor prod/chat"}
    (chat,) = (obj for obj in planned.all_objects() if obj["kind"] == "Deployment")
    assert chat["spec"]["replicas"] == 4
    assert chat["spec"]["template"]["spec"]["priorityClassName"] == "llmkube-high"


def test_an_overlay_converges(cluster: Cluster, api: DynamicClient, tmp_path: Path, kustomize: str) -> None:
    stack = Stack(tmp_path, cluster, "assistants", name="gitops")
    stack.environment["PATH"] = os.pathsep.join([kustomize, stack.environment["PATH"]])
    stack.config(
        {
            "manifests": [str(EXAMPLE / "overlays/prod")],
            "createNamespaces": True,
            "settings": {"beside": {"NetworkPolicy": "apply"}},
        }
    )

    stack.up()

    services = stack.outputs()["services"]
    assert {name: service["phase"] for name, service in services.items()} == {
        "assistants/assistant": "Ready",
        "assistants/chat": "Ready",
        "assistants/reasoning": "Ready",
    }
    made = objects(api, "assistants")
    assert {("Deployment", "assistant-kserve"), ("NetworkPolicy", "only-from-gateways")} <= made
    assert not {kind for kind, _ in made} & {"ExternalSecret", "ServiceMonitor"}
    stack.up("--expect-no-changes")
    stack.destroy()
