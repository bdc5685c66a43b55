"""The components in Java: the SDK is generated and compiled, wrong programs don't compile, a correct one runs.

Java and Maven are not part of the toolchain; without them these tests are skipped. Not proven here: C#, whose SDK comes
from the same schema and whose language host is not published as a Go module.
"""

import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import SharedCluster
from tests.integration.engine import Project
from tests.integration.mistakes import assert_each_is_refused, wrong_programs
from tests.integration.plugin import SHORT_RUNS, compile_java, copy_of, install_java_sdk, pack_java, run_built
from tools import toolchain


@pytest.fixture
def java_program(tmp_path: Path) -> Path:
    if not (shutil.which("javac") and shutil.which("mvn")):
        pytest.skip("javac and mvn are not on PATH")
    toolchain.ensure("pulumi-language-java")
    return copy_of("java-program", tmp_path / "program")


MISTAKES = [
    (".contextSize(4096)", ".contxtSize(4096)", "cannot find symbol"),
    (".contextSize(4096)", '.contextSize("much")', "String cannot be converted to Integer"),
    (".replicas(2)", '.replicas("two")', "String cannot be converted to Integer"),
    ("AcceleratorSpecType.Nvidia", "AcceleratorSpecType.Nvidea", "cannot find symbol"),
    ("AcceleratorSpecType.Nvidia", '"nvidia"', "String cannot be converted to AcceleratorSpecType"),
    ("ResourcesArgs.builder().cpu", "RoleSpecArgs.builder().cpu", "cannot find symbol"),
]


def test_wrong_java_programs_do_not_compile(java_program: Path):
    sources = java_program / "src/main/java"
    for name, text in wrong_programs((sources / "program/App.java").read_text(), MISTAKES).items():
        (sources / name).mkdir()
        (sources / name / "App.java").write_text(text.replace("package program;", f"package {name};"))

    assert_each_is_refused(compile_java(java_program, install_java_sdk(java_program)), MISTAKES)


def test_life_of_a_java_program(cluster: SharedCluster, namespace: str, java_program: Path):
    install_java_sdk(java_program)
    project = Project(java_program, cluster, environment=SHORT_RUNS)
    project.config({"namespace": namespace})

    project.up()
    # Maven has compiled it, as the example says; the further commands run the result.
    run_built(project, "java", pack_java(java_program))

    outputs = project.outputs()
    assert outputs["phases"] == {"chat": "Ready", "qwen": "Ready"}
    assert outputs["endpoint"] == f"http://chat.{namespace}.svc.cluster.local:8080/v1/chat/completions"
    assert project.up().changes == ()
    project.config({"tag": "server-b1"})
    assert [(step.op, step.name) for step in project.up().changes] == [("update", "chat-deployment")]
    project.destroy()
    assert project.state() == []
