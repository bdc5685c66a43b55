"""One control plane with a real node for all tests of this folder."""

from collections.abc import Iterator

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster, shared_control_plane
from tests.integration.real_node import stand_ins
from tools.node import needs
from tools.node.layout import Layout


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[SharedCluster]:
    """A control plane whose pods run in containers, and whose node has models and images."""
    reason = needs.missing()
    if reason:
        pytest.skip(reason)
    session = tmp_path_factory.getbasetemp()
    session = session if worker_id == "master" else session.parent
    with shared_control_plane(session / "real-node", with_controllers=("lws",), real_node=True) as plane:
        stand_ins.ensure(Layout(plane.run_dir))
        yield SharedCluster(plane.kubeconfig)


@pytest.fixture(scope="session")
def api(cluster: SharedCluster, tmp_path_factory: pytest.TempPathFactory) -> DynamicClient:
    """A client for any kind."""
    client = config.new_client_from_config(str(cluster.kubeconfig))
    return DynamicClient(client, cache_file=str(tmp_path_factory.mktemp("discovery") / "cache.json"))
