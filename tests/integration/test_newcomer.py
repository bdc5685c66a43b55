"""README's first way, by tests/newcomer. Its second way is test_make.py; that a model answers takes a real node.

The oldest and the newest release of pulumi-kubernetes go it. Not proven here: the providers of those releases, as the
built engine has one of its own (tools/versions.py).
"""

import subprocess
import sys

import pytest

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import REPOSITORY
from tests.integration.test_release import NEWEST, OLDEST


@pytest.mark.parametrize("kubernetes", [OLDEST, NEWEST])
def test_the_package_brings_a_model_up_on_a_cluster(cluster: SharedCluster, kubernetes: str):
    options = ["--kubeconfig", cluster.kubeconfig, "--kubernetes", kubernetes]
    command = [sys.executable, REPOSITORY / "tests/newcomer", "cluster", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "README.md holds" in done.stdout
    assert f"pulumi_kubernetes {kubernetes}" in " ".join(done.stdout.split())
