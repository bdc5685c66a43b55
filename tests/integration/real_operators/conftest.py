"""One control plane for all tests of this folder: a running controller would stop every other test's take-over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.real_operators.controller import RealOperator, missing
from tests.integration.real_operators.team import Team
from tests.integration.stacks import Stack
from tools.control_plane import ControlPlane


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    if reason := missing():
        pytest.skip(reason)
    with ControlPlane.start(tmp_path_factory.mktemp("plane"), with_controllers=("lws",)) as plane:
        yield plane


@pytest.fixture(scope="session")
def cluster(plane: ControlPlane) -> SharedCluster:
    return SharedCluster(plane.kubeconfig)


@pytest.fixture(scope="session")
def api(cluster: SharedCluster, tmp_path_factory: pytest.TempPathFactory) -> DynamicClient:
    client = config.new_client_from_config(str(cluster.kubeconfig))
    return DynamicClient(client, cache_file=str(tmp_path_factory.mktemp("discovery") / "cache.json"))


@pytest.fixture
def operator(family: str, plane: ControlPlane, api: DynamicClient) -> RealOperator:
    """The family's controller, which does not run yet, with its CRDs."""
    return RealOperator(family, plane, api)


@pytest.fixture
def new_team(
    family: str,
    operator: RealOperator,
    cluster: SharedCluster,
    api: DynamicClient,
    new_namespace: Callable[[], str],
    tmp_path: Path,
) -> Callable[..., Team]:
    """Makes teams, each with its namespace, its reference cases as custom resources, and its stack."""

    def make(*cases: str, settings: Mapping[str, Any] = MappingProxyType({}), dumped: bool = False) -> Team:
        namespace = new_namespace()
        stack = Stack(tmp_path / namespace, cluster, namespace)
        return Team(family, cases, stack, api, settings, dumped=dumped)

    return make
