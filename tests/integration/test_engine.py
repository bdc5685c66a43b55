"""The driver of the real engine reports what the engine did; the provider works with the local control plane.

Not proven here: anything about this project's components.
"""

from pathlib import Path

import pytest

from tests.integration.conftest import SharedCluster
from tests.integration.engine import Project, Step, beside
from tools import toolchain

PROGRAM = """
import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
settings = k8s.core.v1.ConfigMap(
    "settings",
    metadata={"name": "settings", "namespace": config.require("namespace"), "labels": {"tier": config.require("tier")}},
    data=config.require_object("data"),
)
pulumi.export("name", settings.metadata.name)
pulumi.export("password", config.require_secret("password"))
"""

YAML_PROGRAM = """
name: yaml
runtime: yaml
config:
  namespace: {type: string}
resources:
  settings:
    type: kubernetes:core/v1:ConfigMap
    properties:
      metadata: {name: from-yaml, namespace: "${namespace}"}
      data: {key: value}
outputs:
  name: ${settings.metadata.name}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: program\nruntime: python\n")
    (folder / "__main__.py").write_text(PROGRAM)
    return folder


def test_life_of_a_stack(cluster: SharedCluster, namespace: str, program: Path) -> None:
    project = Project(program, cluster)
    project.config({"namespace": namespace, "tier": "one", "data": {"key": "value"}})
    project.secret("password", "hidden")
    config_map = "kubernetes:core/v1:ConfigMap"

    assert Step("create", config_map, "settings", (), ()) in project.preview().changes
    assert Step("create", config_map, "settings", (), ()) in project.up().changes
    assert project.up().changes == ()
    assert project.refresh().changes == ()
    assert project.secret_outputs() == {"name": "settings", "password": "hidden"}
    assert "hidden" not in (program / "Pulumi.test.yaml").read_text()
    assert config_map in {resource["type"] for resource in project.state()}

    project.config({"tier": "two"})
    assert project.up().changes == (Step("update", config_map, "settings", ("metadata.labels.tier",), ()),)

    project.config({"data": {"key": "changed"}})
    replaced = [step for step in project.preview().changes if step.op == "replace"]
    assert replaced == [Step("replace", config_map, "settings", ("data.key",), ("data.key",))]

    assert "delete" in {step.op for step in project.destroy().changes}
    assert project.state() == []


def test_failure_is_raised_with_the_engines_words(cluster: SharedCluster, namespace: str, program: Path) -> None:
    project = Project(program, cluster)
    project.config({"namespace": namespace, "tier": "no label value!", "data": {}})
    project.secret("password", "hidden")

    with pytest.raises(AssertionError, match=r'metadata\.labels: Invalid value: "no label value!"'):
        project.up()
    assert any("metadata.labels: Invalid value" in message for message in project.up(fails=True).messages)


def test_program_of_another_folder_keeps_its_source_tree_clean(
    cluster: SharedCluster, namespace: str, program: Path, tmp_path: Path
) -> None:
    before = sorted(path.name for path in program.iterdir() if path.name != "__pycache__")
    project = Project(beside(program, tmp_path / "elsewhere"), cluster)
    project.config({"namespace": namespace, "tier": "one", "data": {}})
    project.secret("password", "hidden")

    project.up()

    assert sorted(path.name for path in program.iterdir() if path.name != "__pycache__") == before
    project.destroy()


def test_yaml_program(cluster: SharedCluster, namespace: str, tmp_path: Path) -> None:
    toolchain.ensure("pulumi-language-yaml")
    (tmp_path / "Pulumi.yaml").write_text(YAML_PROGRAM)
    project = Project(tmp_path, cluster)
    project.config({"namespace": namespace})

    project.up()

    assert project.outputs() == {"name": "from-yaml"}
    project.destroy()
