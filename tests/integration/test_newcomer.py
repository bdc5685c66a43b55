"""README's first way, by tests/newcomer. Its second way is test_make.py; that a model answers takes a real node."""

import subprocess
import sys

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import REPOSITORY


def test_the_package_brings_a_model_up_on_a_cluster(cluster: SharedCluster):
    command = [sys.executable, REPOSITORY / "tests/newcomer", "cluster", "--kubeconfig", cluster.kubeconfig]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "README.md holds" in done.stdout
