"""One control plane for all tests and workers of a session, and what tests need to talk to it."""

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

# For Go programs: to look for garbage as often as they do unasked took two thirds of an API server's time, and a sixth
# of an engine's.
os.environ |= {"GOGC": "800", "GOMEMLIMIT": "2GiB"}


@dataclass(frozen=True)
class SharedCluster:
    """The cluster that the tests of a session share; each test keeps to a namespace of its own."""

    kubeconfig: Path


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[SharedCluster]:
    """A running control plane with all CRDs; MODELSERVICES_TEST_KUBECONFIG names one that runs already."""
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
    """The xdist worker's name, `master` without xdist (also where pytest-xdist is not installed)."""
    return getattr(request.config, "workerinput", {}).get("workerid", "master")


@pytest.fixture(scope="session")
def api(cluster: SharedCluster, tmp_path_factory: pytest.TempPathFactory) -> DynamicClient:
    """A client for any kind; its discovery cache is kept apart from those of other clusters."""
    client: ApiClient = config.new_client_from_config(str(cluster.kubeconfig))
    return DynamicClient(client, cache_file=str(tmp_path_factory.mktemp("discovery") / "cache.json"))


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A virtual environment with this checkout's wheel in it, and the wheel."""
    return environment_with_wheel(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def new_namespace(api: DynamicClient) -> Iterator[Callable[[], str]]:
    """Makes namespaces in which pods can start at once; they are deleted afterwards."""
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
    """A namespace of the test's own."""
    return new_namespace()


@pytest.fixture
def stack(cluster: SharedCluster, namespace: str, tmp_path: Path) -> Stack:
    """A stack of the repository's program in a namespace of the test's own, still without manifests."""
    return Stack(tmp_path / "project", cluster, namespace)


def _default_account(api: DynamicClient, namespace: str) -> bool:
    accounts = api.resources.get(api_version="v1", kind="ServiceAccount")
    try:
        return bool(accounts.get(name="default", namespace=namespace))
    except NotFoundError:
        return False


def _free_volumes(api: DynamicClient) -> None:
    """Volumes whose claim went with an earlier test's namespace can be bound again: a provisioner would do that."""
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
    """The first of several processes starts it, the last one stops it, also when one of them was killed."""
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
    """The live processes that use a control plane, for one of them at a time to read and change."""
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
