"""README's first way, run by tests/newcomer. test_make.py has its second way; only a real node shows that a model
answers.

It runs with the oldest release of pulumi-kubernetes, then with the newest one in the same environment. Not proven here:
those releases' providers, as the built engine has its own (tools/versions.py).
"""

import subprocess
import sys

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import REPOSITORY

RELEASES = ("4.18.3", "4.34.2")
"""The oldest and newest releases of pulumi-kubernetes that pyproject.toml allows."""


def test_the_package_brings_a_model_up_on_a_cluster(cluster: SharedCluster):
    options = ["--kubeconfig", cluster.kubeconfig]
    for release in RELEASES:
        options += ["--kubernetes", release]
    command = [sys.executable, REPOSITORY / "tests/newcomer", "cluster", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "README.md holds" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[1] for line in lines if line[:1] == ["pulumi_kubernetes"]] == list(RELEASES)
    assert len([line for line in lines if line[2:3] == ["Ready"]]) == len(RELEASES)
