"""Starts and stops a control plane's real node."""

import contextlib
import json
import os
import shutil
import sys
from pathlib import Path

from tools import llama_server, toolchain
from tools.cluster.api import Api, ApiError
from tools.cluster.processes import Process
from tools.cluster.waiting import Progress, wait_for
from tools.go_command import ToolchainError
from tools.node import cgroups, configuration, images, needs, nft
from tools.node.layout import ADDRESS, API_PORT, API_SERVICE, GPUS, NAME, Layout
from tools.versions import REAL_NODE

_REPOSITORY = Path(__file__).parents[2]
_NODE = f"/api/v1/nodes/{NAME}"
_MERGE = {"Content-Type": "application/merge-patch+json"}
_STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}


def prepare(layout: Layout, progress: Progress) -> None:
    """The preparations that need no API server. Raises ToolchainError if a real node is impossible here."""
    reason = needs.missing()
    if reason:
        raise ToolchainError(f"{reason}.")
    programs = toolchain.ensure(*REAL_NODE, progress=progress) | {"nft": nft.ensure(progress)}
    server = llama_server.ensure(progress)
    clean(layout)
    for folder in (layout.sockets, layout.programs, layout.volumes, layout.files):
        folder.mkdir(parents=True)
    layout.sockets.chmod(0o700)
    for name, program in programs.items():
        (layout.programs / name).symlink_to(program)
    images.write(layout.files / "v2", server)


def start(layout: Layout, api: Api, progress: Progress) -> None:
    """Starts the node; returns when its pods can start and reach each other by name."""
    configuration.write(layout, api, needs.snapshotter(layout.folder / "try"))
    cgroups.make(layout.name)
    if any(node["metadata"]["name"] == NAME for node in api.get("/api/v1/nodes")["items"]):
        _forget(api)
    process = Process(layout.run_dir, "node")
    path = f"PYTHONPATH={_REPOSITORY}"
    process.start(["/usr/bin/env", path, sys.executable, "-m", "tools.node.outside", str(layout.run_dir)])
    api.apply_all(_api_server())

    def pending() -> str:
        process.check()
        return _not_ready(api)

    logs = [layout.log(name) for name in ("node", *configuration.commands(layout))]
    wait_for("the real node", pending, progress, news=lambda: [log.exists() and log.stat().st_size for log in logs])
    capacity = {"nvidia.com/gpu": str(GPUS)}
    status = {"status": {"capacity": capacity, "allocatable": capacity}}
    api.request("PATCH", f"{_NODE}/status", json.dumps(status), _MERGE)


def clean(layout: Layout) -> None:
    """Removes the leftovers of a node, however it ended."""
    if os.geteuid() == 0 and sys.platform.startswith("linux"):
        cgroups.remove(layout.name)
    for folder in (layout.sockets, layout.folder):
        shutil.rmtree(folder, ignore_errors=True)


def _forget(api: Api) -> None:
    """Marks an earlier node and its pods as gone: their kubelet ended before it could report that."""
    api.request("DELETE", _NODE)
    status = {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "NodeGone"}]}}
    for pod in api.get(f"/api/v1/pods?fieldSelector=spec.nodeName={NAME}")["items"]:
        metadata = pod["metadata"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status"
        with contextlib.suppress(ApiError):  # the pod was deleted in the meantime
            api.request("PATCH", path, json.dumps(status), _STRATEGIC)


def _not_ready(api: Api) -> str:
    """What the node still lacks; empty when ready."""
    try:
        conditions = api.get(_NODE)["status"].get("conditions", [])
    except ApiError:
        return "its registration"
    ready = next((item for item in conditions if item["type"] == "Ready"), {})
    if ready.get("status") != "True":
        return ready.get("message", "its status")
    try:
        api.request("GET", f"{_NODE}/proxy/healthz", seconds=5)
    except ApiError as error:
        return f"an answer of its kubelet: {error}"
    return ""


def _api_server() -> list[tuple[str, str]]:
    """(path, object) of the Service `kubernetes` and its EndpointSlice, by which pods reach the API server."""
    metadata = {"name": "kubernetes", "namespace": "default"}
    port = {"name": "https", "protocol": "TCP"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"clusterIP": API_SERVICE, "ports": [port | {"port": 443, "targetPort": API_PORT}]},
    }
    endpoints = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata | {"labels": {"kubernetes.io/service-name": "kubernetes"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [ADDRESS], "conditions": {"ready": True}}],
        "ports": [port | {"port": API_PORT}],
    }
    return [
        ("/api/v1/namespaces/default/services/kubernetes", json.dumps(service)),
        ("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", json.dumps(endpoints)),
    ]
