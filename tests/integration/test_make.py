"""The make targets of the README in a fresh clone: from nothing to a served stack, and back.

The toolchain's cache and the Python packages are those of the machine. Not proven here: that both can be had anew.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelservices.commands.status import COLUMNS
from tests.integration.conftest import SharedCluster
from tests.integration.engine import PATIENCE_SECONDS
from tests.integration.stacks import REPOSITORY
from tools.control_plane import ControlPlane


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """A clone of what is committed, with this interpreter's packages; its control plane is stopped afterwards."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a git repository")
    folder = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, folder], check=True)
    environment = folder / ".venv"
    environment.mkdir()
    for entry in Path(sys.prefix).iterdir():
        if entry.name != ".installed":
            (environment / entry.name).symlink_to(entry)
    (environment / ".installed").touch()
    yield folder
    for stack in ("dev", "staging"):
        ControlPlane(folder / ".run" / f"local-{stack}").stop()


def make(folder: Path, *target: str) -> str:
    """What a target that succeeds prints."""
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
    # Another stack has a cluster of its own, so the same namespaces and names are no conflict.
    assert "Ready" in make(clone, "up", "STACK=staging")
    make(clone, "down")
    # Left are the model cache, which outlives its stack, and the platform's namespace and claim.
    claims = ControlPlane(clone / ".run" / "local-dev").api().get("/api/v1/namespaces/inference/persistentvolumeclaims")
    assert [claim["metadata"]["name"] for claim in claims["items"]] == ["llmkube-model-cache", "weights"]
    deployments = ControlPlane(clone / ".run" / "local-dev").api().get("/apis/apps/v1/namespaces/inference/deployments")
    assert deployments["items"] == []

    make(clone, "cluster-down")

    assert not ControlPlane(clone / ".run" / "local-dev").is_running()
    assert subprocess.run(["git", "status", "--short"], cwd=clone, capture_output=True, check=True).stdout == b""


def test_a_cluster_that_is_given_is_named_and_not_changed_unasked(clone: Path, cluster: SharedCluster) -> None:
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PULUMI_", "YES"))}
    backend = {"PULUMI_BACKEND_URL": f"file://{clone}", "PULUMI_CONFIG_PASSPHRASE": "x"}
    environment = variables | backend | {"KUBECONFIG": str(cluster.kubeconfig)}
    done = subprocess.run(
        ["make", "up"],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        stdin=subprocess.DEVNULL,
    )

    assert done.returncode != 0
    assert "the cluster is " in done.stderr and "https://127.0.0.1:" in done.stderr
    assert "nothing was changed: `make up` asks before it changes this cluster; YES=1 answers" in done.stderr
    assert "to create" in done.stdout
