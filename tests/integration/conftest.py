"""One control plane for all tests and workers of a session, and fixtures for using it."""

import contextlib
import fcntl
import os
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config
from kubernetes.client import ApiClient
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError

from tests.integration.stacks import Stack
from tests.integration.waiting import eventually
from tests.integration.wheel import environment_with_wheel
from tools.control_plane import ControlPlane

# For Go programs: their default garbage collection took two thirds of an API server's CPU time and a sixth of an
# engine's.
os.environ |= {"GOGC": "800", "GOMEMLIMIT": "2GiB"}


@dataclass(frozen=True)
class SharedCluster:
    """The cluster that a session's tests share; each test uses its own namespaces."""

    kubeconfig: Path


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[SharedCluster]:
    """A running control plane with all CRDs, or the one that MODELSERVICES_TEST_KUBECONFIG names."""
    given = os.environ.get("MODELSERVICES_TEST_KUBECONFIG")
    if given:
        yield SharedCluster(Path(given).absolute())
        return
    # pytest-xdist gives each worker a folder below the session's
    session = tmp_path_factory.getbasetemp()
    session = session if worker_id == "master" else session.parent
    with shared_control_plane(session / "control-plane", with_controllers=("lws", "jobset")) as plane:
        yield SharedCluster(plane.kubeconfig)


@pytest.fixture(scope="session")
def worker_id(request: pytest.FixtureRequest) -> str:
    """The xdist worker's name; `master` without xdist (also if pytest-xdist is not installed)."""
    return getattr(request.config, "workerinput", {}).get("workerid", "master")


@pytest.fixture(scope="session")
def api(cluster: SharedCluster, tmp_path_factory: pytest.TempPathFactory) -> DynamicClient:
    """A client for any kind; its discovery cache is separate from other clusters'."""
    client: ApiClient = config.new_client_from_config(str(cluster.kubeconfig))
    return DynamicClient(client, cache_file=str(tmp_path_factory.mktemp("discovery") / "cache.json"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A virtual environment with this checkout's wheel, and the wheel."""
    return environment_with_wheel(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def new_namespace(api: DynamicClient) -> Iterator[Callable[[], str]]:
    """Creates namespaces in which pods can start at once, and deletes them afterwards."""
    namespaces = api.resources.get(api_version="v1", kind="Namespace")
    names: list[str] = []

    def make() -> str:
        name = f"test-{uuid.uuid4().hex[:10]}"
        _free_volumes(api)
        namespaces.create(body={"metadata": {"name": name}})
        names.append(name)
        eventually(lambda: _default_account(api, name), "the default service account")
        return name

    yield make
    for name in names:
        with contextlib.suppress(NotFoundError):
            namespaces.delete(name=name)


@pytest.fixture
def namespace(new_namespace: Callable[[], str]) -> str:
    """A namespace for this test only."""
    return new_namespace()


@pytest.fixture
def stack(cluster: SharedCluster, namespace: str, tmp_path: Path) -> Stack:
    """A stack of the repository's program in the test's namespace, initially without manifests."""
    return Stack(tmp_path / "project", cluster, namespace)


def _default_account(api: DynamicClient, namespace: str) -> bool:
    accounts = api.resources.get(api_version="v1", kind="ServiceAccount")
    try:
        return bool(accounts.get(name="default", namespace=namespace))
    except NotFoundError:
        return False


def _free_volumes(api: DynamicClient) -> None:
    """Makes volumes available again whose claims went with an earlier test's namespace, as a provisioner would."""
    volumes = api.resources.get(api_version="v1", kind="PersistentVolume")
    for volume in volumes.get().items:
        ours = volume.metadata.name.startswith("volume-")
        if ours and volume.status.phase == "Released":
            volumes.patch(
                name=volume.metadata.name,
                body={"spec": {"claimRef": None}},
                content_type="application/merge-patch+json",
            )


@contextlib.contextmanager
def shared_control_plane(run_dir: Path, **settings: Any) -> Iterator[ControlPlane]:
    """The first of several processes starts it and the last one stops it, even if one of them was killed."""
    run_dir.mkdir(parents=True, exist_ok=True)
    with _holders(run_dir) as holders:
        plane = ControlPlane.start(run_dir, **settings)
        holders.add(os.getpid())
    try:
        yield plane
    finally:
        with _holders(run_dir) as holders:
            holders.discard(os.getpid())
            if not holders:
                plane.stop()


@contextlib.contextmanager
def _holders(run_dir: Path) -> Iterator[set[int]]:
    """The live processes that use a control plane; one of them at a time can read and change the set."""
    with (run_dir / "holders").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        holders = {pid for pid in map(int, file.read().split()) if _is_alive(pid)}
        yield holders
        file.seek(0)
        file.truncate()
        file.write(" ".join(map(str, sorted(holders))))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
