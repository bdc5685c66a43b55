"""Each tutorial's stack comes up on the engine, and the second update changes nothing.

Nodes are simulated: that the models answer is not proven. The stack of OME's tutorial is not brought up here.
"""

from pathlib import Path

import pytest

from tests.integration.conftest import SharedCluster
from tests.integration.engine import Project
from tests.integration.stacks import REPOSITORY
from tests.unit.test_docs import TUTORIALS, ids, project_of


@pytest.mark.parametrize("page", [page for page in TUTORIALS if page.stem != "tutorial-ome"], ids=ids)
def test_the_stack_of_a_tutorial(page: Path, tmp_path: Path, cluster: SharedCluster, namespace: str):
    folder = tmp_path / "project"
    project_of(page, folder)
    for file in (folder / "stacks/dev").iterdir():
        file.write_text(file.read_text().replace("namespace: models", f"namespace: {namespace}-tutorial"))
    project = Project(folder, cluster, "dev", environment={"PYTHONPATH": str(REPOSITORY)})

    project.up()

    phases = {name: service["phase"] for name, service in (project.outputs().get("services") or {}).items()}
    assert set(phases.values()) <= {"Ready"}, phases
    assert project.up().changes == ()
    project.destroy()
