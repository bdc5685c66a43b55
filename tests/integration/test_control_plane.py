"""The local control plane: it is healthy, runs pods, binds claims, works beside others, and is gone after stop.

Not proven here: that its simulated nodes behave like real ones in other ways (images, scheduling latency, logs).
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.waiting import eventually
from tools.cluster import schema
from tools.cluster.processes import Process
from tools.control_plane import ALL_CRDS, ControlPlane

REPOSITORY = Path(__file__).parents[2]


def _deployment(
    name: str, *, replicas: int = 2, limits: dict[str, str] | None = None, claim: str = ""
) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": "example/image", "resources": {"limits": limits or {}}}
    pod: dict[str, Any] = {"containers": [container]}
    if claim:
        container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        pod["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": pod},
        },
    }


def _create(api: DynamicClient, api_version: str, kind: str, namespace: str, body: dict[str, Any]) -> Any:
    return api.resources.get(api_version=api_version, kind=kind).create(body=body, namespace=namespace)


def _status(api: DynamicClient, api_version: str, kind: str, namespace: str, name: str) -> dict[str, Any]:
    found = api.resources.get(api_version=api_version, kind=kind).get(name=name, namespace=namespace)
    return found.to_dict().get("status") or {}


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"nvidia.com/gpu": "8"},
        {"nvidia.com/mig-3g.40gb": "1"},
        {"amd.com/gpu": "8", "devic.es/dri-render": "1"},
        {"gpu.intel.com/i915": "1"},
        {"habana.ai/gaudi": "8"},
        {"google.com/tpu": "4"},
    ],
    ids=lambda limits: next(iter(limits), "cpu"),
)
def test_deployment_becomes_ready(api: DynamicClient, namespace: str, limits: dict[str, str]) -> None:
    _create(api, "apps/v1", "Deployment", namespace, _deployment("served", limits=limits))

    eventually(
        lambda: _status(api, "apps/v1", "Deployment", namespace, "served").get("readyReplicas") == 2,
        "two ready replicas",
    )


def test_claim_waits_for_its_first_consumer_and_binds_then(api: DynamicClient, namespace: str) -> None:
    claim = {
        "metadata": {"name": "cache"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "100Gi"}}},
    }
    created = _create(api, "v1", "PersistentVolumeClaim", namespace, claim)
    assert created.spec.storageClassName == "standard"
    assert _status(api, "v1", "PersistentVolumeClaim", namespace, "cache")["phase"] == "Pending"

    _create(api, "apps/v1", "Deployment", namespace, _deployment("served", claim="cache"))

    eventually(
        lambda: _status(api, "v1", "PersistentVolumeClaim", namespace, "cache")["phase"] == "Bound", "a bound claim"
    )
    eventually(
        lambda: _status(api, "apps/v1", "Deployment", namespace, "served").get("readyReplicas") == 2,
        "two ready replicas",
    )


def test_pod_of_a_missing_service_account_is_refused(api: DynamicClient, namespace: str) -> None:
    body = _deployment("served")
    body["spec"]["template"]["spec"]["serviceAccountName"] = "missing"
    _create(api, "apps/v1", "Deployment", namespace, body)

    def is_refused() -> bool:
        conditions = _status(api, "apps/v1", "Deployment", namespace, "served").get("conditions", [])
        return any('serviceaccount "missing" not found' in condition["message"] for condition in conditions)

    eventually(is_refused, "a condition that names the missing service account")


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("gateway.networking.k8s.io/v1", "HTTPRoute"),
        ("inference.networking.k8s.io/v1", "InferencePool"),
        ("inference.networking.x-k8s.io/v1alpha2", "InferenceObjective"),
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
        ("jobset.x-k8s.io/v1alpha2", "JobSet"),
        ("networking.istio.io/v1", "DestinationRule"),
        ("monitoring.coreos.com/v1", "PodMonitor"),
        ("keda.sh/v1alpha1", "ScaledObject"),
        ("kueue.x-k8s.io/v1beta1", "LocalQueue"),
    ],
)
def test_custom_kinds_are_served(api: DynamicClient, api_version: str, kind: str) -> None:
    assert api.resources.get(api_version=api_version, kind=kind).kind == kind


def test_multi_node_and_job_controllers_make_pods(api: DynamicClient, namespace: str) -> None:
    pod = {"containers": [{"name": "main", "image": "example/image"}]}
    group = {"size": 3, "workerTemplate": {"spec": pod}}
    job = {"parallelism": 2, "completions": 2, "template": {"spec": pod | {"restartPolicy": "Never"}}}
    bodies = {
        ("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"): {"replicas": 2, "leaderWorkerTemplate": group},
        ("jobset.x-k8s.io/v1alpha2", "JobSet"): {"replicatedJobs": [{"name": "w", "template": {"spec": job}}]},
    }
    for (api_version, kind), spec in bodies.items():
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "served"}, "spec": spec}
        _create(api, api_version, kind, namespace, body)

    groups, jobs = ((api, *resource, namespace, "served") for resource in bodies)
    eventually(lambda: _status(*groups).get("readyReplicas") == 2, "two ready groups")
    eventually(lambda: _status(*jobs).get("terminalState") == "Completed", "a completed JobSet")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane without CRDs in a run folder for this module; each test leaves it running."""
    with ControlPlane.start(tmp_path_factory.mktemp("bare"), crds=(), volumes=1) as plane:
        yield plane


def test_a_second_control_plane_stands_beside_the_first(
    cluster: SharedCluster, api: DynamicClient, bare: ControlPlane
) -> None:
    assert bare.kubeconfig != cluster.kubeconfig
    assert bare.is_running()
    groups = {group["name"] for group in bare.api().get("/apis")["groups"]}
    assert "gateway.networking.k8s.io" not in groups
    assert api.resources.get(api_version="v1", kind="Node").get().items


def test_stop_leaves_no_process_and_start_brings_the_same_cluster_back(bare: ControlPlane) -> None:
    kubeconfig = bare.kubeconfig.read_text()
    pids = {process.name: process.pid() for process in bare.processes()}
    assert all(pids.values())
    path = "/api/v1/namespaces/default/configmaps/kept"
    bare.api().apply(path, json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept"}}))
    assert _command(bare.run_dir, "status").returncode == 0

    assert _command(bare.run_dir, "stop").returncode == 0

    assert _processes_naming(bare.run_dir) == []
    assert not bare.is_running()
    assert _command(bare.run_dir, "status").returncode == 1

    started = _command(bare.run_dir, "start", "--crds", "none", "--volumes", "1")
    assert started.returncode == 0, started.stderr
    assert Path(started.stdout.strip()) == bare.kubeconfig
    assert bare.kubeconfig.read_text() == kubeconfig
    assert kubeconfig.startswith("apiVersion: v1\nkind: Config\n")
    assert bare.api().get(path)["metadata"]["name"] == "kept"


def _command(run_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.control_plane", *arguments, "--run-dir", str(run_dir)]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_the_command_line_before_anything_is_started(tmp_path: Path) -> None:
    assert _command(tmp_path / "new", "status").returncode == 1
    unknown = _command(tmp_path / "new", "start", "--crds", "nonsense")
    assert unknown.returncode == 2
    assert f"there is no group of CRDs nonsense; there are {', '.join(ALL_CRDS)}" in unknown.stderr


def test_start_is_idempotent_and_adds_missing_crds(bare: ControlPlane) -> None:
    pids = [process.pid() for process in bare.processes()]
    lines: list[str] = []

    again = ControlPlane.start(bare.run_dir, crds=("keda",), progress=lines.append)

    assert [process.pid() for process in again.processes()] == pids
    assert lines == [f"control plane in {bare.run_dir} is running already"]
    assert "keda.sh" in {group["name"] for group in again.api().get("/apis")["groups"]}
    assert "apis/keda.sh/v1alpha1" in again.api().get("/openapi/v3")["paths"]
    assert b"ScaledObject" in again.api().request("GET", "/openapi/v2", headers=schema.V2)


def test_start_mends_a_control_plane_that_lost_a_process(bare: ControlPlane) -> None:
    Process(bare.run_dir, "etcd").stop()
    assert not bare.is_running()

    ControlPlane.start(bare.run_dir, crds=(), volumes=1)

    assert bare.is_running()


def _processes_naming(run_dir: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            arguments = (entry / "cmdline").read_bytes().decode(errors="replace") if entry.name.isdigit() else ""
        except OSError:
            continue
        if str(run_dir) in arguments:
            found.append(arguments.replace("\0", " "))
    return found
