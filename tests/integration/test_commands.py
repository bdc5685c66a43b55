"""The commands besides the engine: `render` prints the registered objects, `status` shows the cluster's state.

Not proven here: `status` for the other families' workloads.
"""

import subprocess
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from modelservices.cluster.ownership import is_owner_object
from modelservices.kubernetes.objects import Key, key
from tests.integration import forks
from tests.integration.engine import PATIENCE_SECONDS, Project
from tests.integration.live import read
from tests.integration.manifests import model, service
from tests.integration.stacks import Stack
from tests.integration.test_converges import MIXED


def command(stack: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m modelservices … --stack …`, run in the project's folder as a user would."""
    words = ["modelservices", *arguments, "--stack", stack.stack]
    return forks.run_module(words, stack.folder, stack.environment, PATIENCE_SECONDS)


def test_render_and_status_of_a_stack(stack: Stack, api: DynamicClient) -> None:
    stack.write(MIXED)
    stack.secret("huggingFaceToken", "not-a-real-token")
    stack.up()

    rendered = command(stack, "render")

    assert rendered.returncode == 0, rendered.stderr
    secret = f"Secret {stack.namespace}/hugging-face"
    assert f"left out: {secret} (its values are Pulumi secrets)" in rendered.stderr
    printed = {key(obj): _normalized(obj) for obj in yaml.safe_load_all(rendered.stdout)}
    assert printed == registered_objects(stack)

    status = command(stack, "status")
    assert status.returncode == 0, status.stderr
    assert {tuple(line.split()) for line in status.stdout.splitlines()} >= {
        ("SERVICE", "KIND", "PHASE", "READY", "ENDPOINT", "REASON"),
        row(stack, "own", "Ready", "2/2", ":80/v1/embeddings", "InferenceReady"),
        row(stack, "gated", "Ready", "1/1", ":80/v1/chat/completions", "InferenceReady"),
    }
    api.resources.get(api_version="apps/v1", kind="Deployment").delete(name="own", namespace=stack.namespace)
    status = command(stack, "status")
    assert status.returncode == 1
    assert row(stack, "own", "Creating", "0/2", ":80/v1/embeddings", "Creating") in {
        tuple(line.split()) for line in status.stdout.splitlines()
    }
    assert read(api, "v1", "Service", "own", stack.namespace), "looking changes nothing"


def row(stack: Stack, name: str, phase: str, ready: str, place: str, reason: str) -> tuple[str, ...]:
    endpoint = f"http://{name}.{stack.namespace}.svc.cluster.local{place}"
    return (f"{stack.namespace}/{name}", "InferenceService", phase, ready, endpoint, reason)


def registered_objects(stack: Stack) -> dict[Key, dict[str, Any]]:
    """The objects sent to the engine, except Secrets and without fields that only Pulumi and ownership marks need."""
    inputs = [r["inputs"] for r in stack.state() if r["type"].startswith("kubernetes:")]
    objects = [_plain(obj) for obj in inputs if obj["kind"] != "Secret" and not is_owner_object(obj)]
    return {key(obj): obj for obj in objects}


def _plain(obj: dict[str, Any]) -> dict[str, Any]:
    metadata = dict(obj["metadata"])
    annotations = {k: v for k, v in metadata.pop("annotations", {}).items() if not k.startswith("pulumi.com/")}
    metadata.pop("ownerReferences", None)
    return obj | {"metadata": metadata | ({"annotations": annotations} if annotations else {})}


def _normalized(obj: dict[str, Any]) -> dict[str, Any]:
    """The object without `globalDefault: false`, which the provider drops."""
    return {field: value for field, value in obj.items() if (field, value) != ("globalDefault", False)}


def test_target_directory(tmp_path: Path) -> None:
    stack = Stack(tmp_path / "project", None, "models")
    out = tmp_path / "out"
    stack.config({"target": {"directory": str(out)}})
    stack.write(model() + service("kept") + service("gone"))

    stack.preview()
    assert not out.exists()
    stack.up()

    before = written(out)
    files = {f"models/{kind}-{name}.yaml" for kind in ("deployment", "service") for name in ("kept", "gone")}
    assert set(before) == files | {"priorityclass-llmkube-normal.yaml"}
    assert yaml.safe_load((out / "models" / "deployment-kept.yaml").read_text())["metadata"]["name"] == "kept"
    stack.up("--expect-no-changes")
    assert written(out) == before
    stack.write(model() + service("kept"))
    stack.up()
    assert set(before) - set(written(out)) == {"models/deployment-gone.yaml", "models/service-gone.yaml"}
    assert [resource["type"] for resource in stack.state() if "kubernetes" in resource["type"]] == []


def written(folder: Path) -> dict[str, int]:
    """The files with their modification times."""
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*.yaml")}
