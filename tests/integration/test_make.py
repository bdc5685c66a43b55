"""The README's make targets in a fresh clone: from nothing to a served stack, and back.

The toolchain's cache and the Python packages are the machine's. Not proven here: that both can be obtained afresh.
"""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelservices.commands.status import COLUMNS
from tests.integration.conftest import SharedCluster
from tests.integration.engine import PATIENCE_SECONDS
from tests.integration.stacks import REPOSITORY
from tools.control_plane import ControlPlane

NAMES = ("modelservices", "components", "policy", "my models")
"""Names of clones: Git's default, names of folders in the repository, one with a space."""


def cloned(folder: Path) -> Path:
    """A clone of the committed files, which `make env` installs; other packages come from this interpreter."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a git repository")
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, folder], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    packages = sysconfig.get_path("purelib", "venv", {"base": str(folder / ".venv")})
    # Packages in a folder that a .pth file names are found, but .pth files in that folder, such as this checkout's, are
    # not read.
    Path(packages, "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """A clone with Git's default name; its control planes are stopped afterwards."""
    folder = cloned(tmp_path / "modelservices")
    yield folder
    for stack in ("dev", "staging"):
        ControlPlane(folder / ".run" / f"local-{stack}").stop()


def make(folder: Path, *target: str) -> str:
    """The output of a make target, which must succeed."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("KUBE", "MAKE", "PULUMI_"))}
    done = subprocess.run(
        ["make", *target],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, f"make {target}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_from_clone_to_services_and_back(clone: Path) -> None:
    lines = [line.split() for line in make(clone, "up").splitlines()]
    table = lines[lines.index(list(COLUMNS)) + 1 :]
    assert len(table) >= 6
    assert {row[2] for row in table} == {"Ready"}

    assert not re.search(r"\d+ to [a-z]+", make(clone, "preview"))
    # Another stack has its own cluster, so the same namespaces and names don't conflict.
    assert "Ready" in make(clone, "up", "STACK=staging")
    make(clone, "down")
    # What remains: the model cache, which outlives its stack, and the platform's namespace and claim.
    claims = ControlPlane(clone / ".run" / "local-dev").api().get("/api/v1/namespaces/inference/persistentvolumeclaims")
    assert [claim["metadata"]["name"] for claim in claims["items"]] == ["llmkube-model-cache", "weights"]
    deployments = ControlPlane(clone / ".run" / "local-dev").api().get("/apis/apps/v1/namespaces/inference/deployments")
    assert deployments["items"] == []

    make(clone, "cluster-down")

    assert not ControlPlane(clone / ".run" / "local-dev").is_running()
    assert subprocess.run(["git", "status", "--short"], cwd=clone, capture_output=True, check=True).stdout == b""


@pytest.mark.parametrize("name", NAMES)
def test_every_program_starts_in_a_clone_of_any_name(name: str, tmp_path: Path, cluster: SharedCluster) -> None:
    folder = cloned(tmp_path / name)
    make(folder, "env")
    python = folder / ".venv/bin/python"

    def run(*command: Path | str) -> str:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout

    assert Path(run(python, "-c", "import modelservices; print(modelservices.__path__[0])").strip()) == (
        folder / "components"
    )
    assert run(python, "-m", "components", "schema") == run(python, "-m", "modelservices", "schema")
    # The engine reads the port of a plugin from the plugin's first line.
    assert first_line(folder / "component_provider/pulumi-resource-modelservices", "127.0.0.1:1").isdigit()
    preview = given_cluster(folder, cluster, "preview")
    # The program has read its manifests (whose secrets are not set here), and the policy pack has checked them.
    assert "the config secret huggingFaceToken is not set" in preview.stderr, preview.stdout + preview.stderr
    assert "policy/run" in preview.stdout.partition("Policy Packs run:")[2]


def first_line(*command: Path | str) -> str:
    """The first output line of a program, which is then stopped."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        return process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def test_a_cluster_that_is_given_is_named_and_not_changed_unasked(clone: Path, cluster: SharedCluster) -> None:
    done = given_cluster(clone, cluster, "up")

    assert done.returncode != 0
    assert "the cluster is " in done.stderr and "https://127.0.0.1:" in done.stderr
    assert "nothing was changed: `make up` asks before it changes this cluster; YES=1 answers" in done.stderr
    assert "to create" in done.stdout


def given_cluster(folder: Path, cluster: SharedCluster, target: str) -> subprocess.CompletedProcess[str]:
    """Runs a target on the cluster that KUBECONFIG names, without a user to ask."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PULUMI_", "YES"))}
    backend = {"PULUMI_BACKEND_URL": f"file://{folder}", "PULUMI_CONFIG_PASSPHRASE": "x"}
    return subprocess.run(
        ["make", target],
        cwd=folder,
        env=variables | backend | {"KUBECONFIG": str(cluster.kubeconfig)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        stdin=subprocess.DEVNULL,
    )
