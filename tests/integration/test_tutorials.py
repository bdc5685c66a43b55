"""Each tutorial's stack comes up on the engine and prints what the page shows; a second update changes nothing.

`WRITE_TUTORIALS=1` writes the outputs into the pages; check the diff. Not proven here: that the models answer, as nodes
are simulated.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kubernetes.dynamic import DynamicClient

from modelservices.commands.live import aligned
from tests.integration.conftest import SharedCluster
from tests.integration.stacks import OwnProgram
from tests.integration.test_commands import command
from tests.unit.test_docs import TUTORIALS, ids, project_of

STEP = re.compile(r"<!-- (?P<edit>edit: (?P<file>\S+): (?P<old>.*?) -> (?P<new>.*?)) -->|"
                  r"<!-- output: (?P<output>\w+) -->\n```\n(?P<text>.*?)```\n", re.DOTALL)  # fmt: skip
"""A step of a page: the output of a command, or an edit before the next command."""
SHOWN = re.compile(r"(?:Diagnostics:.*)?^Resources:\n(?:    .*\n)+", re.MULTILINE | re.DOTALL)
"""The relevant part of a preview's output."""


@pytest.fixture
def node_with_weights(api: DynamicClient) -> Iterator[None]:
    """A node with the label that OME's tutorial sets on the node with the model."""
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
    namespace = f"{namespace}-tutorial"
    project_of(page, folder)
    for file in (folder / "stacks/dev").iterdir():
        file.write_text(file.read_text().replace("namespace: models", f"namespace: {namespace}"))
    project = OwnProgram(folder, cluster, "dev")
    text = page.read_text()
    shown: list[re.Match[str]] = []
    real: list[str] = []
    for step in STEP.finditer(text):
        if step["edit"]:
            file = folder / step["file"]
            assert step["old"] in file.read_text()
            file.write_text(file.read_text().replace(step["old"], step["new"]))
        else:
            shown.append(step)
            real.append(output(project, step["output"]).replace(namespace, "models"))

    if os.environ.get("WRITE_TUTORIALS"):
        for step, printed in reversed([*zip(shown, real, strict=True)]):
            text = text[: step.start("text")] + printed + text[step.end("text") :]
        page.write_text(text)
    else:
        assert [comparable(step["text"]) for step in shown] == [comparable(printed) for printed in real]

    project.up()
    phases = {name: service["phase"] for name, service in (project.outputs().get("services") or {}).items()}
    assert set(phases.values()) <= {"Ready"}, phases
    assert project.up().changes == ()
    project.destroy()


def output(project: OwnProgram, name: str) -> str:
    """The relevant output of a command: a preview's summary, or the table of `status` after an update."""
    if name == "preview":
        shown = SHOWN.search(project.preview("--suppress-outputs").stdout)
        assert shown is not None
        return shown[0].rstrip("\n") + "\n"
    assert name == "status"
    project.up()
    table = command(project, "status").stdout
    rows = [re.split(r" {2,}", line.strip().replace(project_namespace(table), "models")) for line in table.splitlines()]
    return aligned(rows) + "\n"


def project_namespace(table: str) -> str:
    """The test's namespace in a table. Its replacement by the tutorial's keeps the columns as wide as the reader's."""
    named = re.search(r"^(\S+)/", table, re.MULTILINE)
    return named[1] if named else "models"


def comparable(text: str) -> str:
    """The text without the number of free GPUs, which other tests on the shared cluster change."""
    return re.sub(r"(free in the cluster now): \d+", r"\1", text)
