"""Each tutorial's stack comes up on the engine, and the second update changes nothing.

Nodes are simulated: that the models answer is not proven.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import OwnProgram
from tests.unit.test_docs import TUTORIALS, ids, project_of


@pytest.fixture
def node_with_weights(api: DynamicClient) -> Iterator[None]:
    """A node with the label that OME's tutorial puts on the node that has the model."""
    nodes = api.resources.get(api_version="v1", kind="Node")
    name = next(
        node.metadata.name
        for node in nodes.get().items
        if "nvidia.com/gpu" in node.status.allocatable.to_dict() and not node.spec.taints
    )
    for value in ("Ready", None):
        body = {"metadata": {"labels": {"models.ome.io/clusterbasemodel.qwen3-8b": value}}}
        nodes.patch(name=name, body=body, content_type="application/merge-patch+json")
        if value:
            yield


@pytest.mark.parametrize("page", TUTORIALS, ids=ids)
@pytest.mark.usefixtures("node_with_weights")
def test_the_stack_of_a_tutorial(page: Path, tmp_path: Path, cluster: SharedCluster, namespace: str):
    folder = tmp_path / "project"
    project_of(page, folder)
    for file in (folder / "stacks/dev").iterdir():
        file.write_text(file.read_text().replace("namespace: models", f"namespace: {namespace}-tutorial"))
    project = OwnProgram(folder, cluster, "dev")

    project.up()

    phases = {name: service["phase"] for name, service in (project.outputs().get("services") or {}).items()}
    assert set(phases.values()) <= {"Ready"}, phases
    assert project.up().changes == ()
    project.destroy()
