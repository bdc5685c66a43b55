"""Runs the real endpoint picker as rendered: with exactly these flags, this configuration and these rights.

It is the Gateway API Inference Extension's picker, in the release closest to the base of the default image. Not proven
here: llm-d's further plugins (prefill and decode), and which pod is picked.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.live import read
from tests.integration.ports import free_port
from tests.integration.stacks import Stack
from tests.integration.waiting import eventually
from tools import toolchain

NAME = "demo"
MANIFEST = """
apiVersion: model.otterscale.io/v1alpha1
kind: ModelService
metadata: {name: demo}
spec:
  model: {name: demo/model, image: registry.example.com/models/demo:1}
  engine: {}
  accelerator: {type: nvidia}
  decode: {replicas: 1}
  inferencePool: {endpointPicker: {}}
"""
SERVING = b"\x08\x01"
"""``status: SERVING`` of ``grpc.health.v1.HealthCheckResponse``."""
RBAC = "rbac.authorization.k8s.io/v1"


class Picker:
    """The endpoint picker of a stack, as a local process with the token of its service account."""

    def __init__(self, api: DynamicClient, cluster: SharedCluster, namespace: str, folder: Path) -> None:
        self.log = folder / "picker.log"
        self.health = free_port()
        deployment = read(api, "apps/v1", "Deployment", f"{NAME}-epp", namespace)
        self.pod = deployment["spec"]["template"]["spec"]
        self.namespace = namespace
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(_as_account(api, cluster, self.pod["serviceAccountName"], namespace))
        (container,) = self.pod["containers"]
        configuration = _configuration(api, self.pod, namespace, folder)
        arguments = [_placed(word, configuration) for word in container["args"]]
        ports = {"--grpc-port": free_port(), "--grpc-health-port": self.health, "--metrics-port": free_port()}
        own = [word for word in arguments if word.partition("=")[0] not in ports]
        extra = [f"{flag}={port}" for flag, port in ports.items()]
        self.command = [*own, *extra]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        executable = toolchain.ensure("endpoint-picker")["endpoint-picker"]
        environment = {"PATH": os.environ["PATH"], "NAMESPACE": self.namespace, "POD_NAME": "picker"}
        environment["KUBECONFIG"] = str(self.kubeconfig)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([executable, *self.command], env=environment, stdout=log, stderr=log)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def is_ready(self) -> bool:
        """The result of the rendered readiness probe."""
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        (container,) = self.pod["containers"]
        service = container["readinessProbe"]["grpc"]["service"].encode()
        with grpc.insecure_channel(f"127.0.0.1:{self.health}") as channel:
            check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
            try:
                return check(b"\x0a" + bytes([len(service)]) + service, timeout=5) == SERVING
            except grpc.RpcError:
                return False


def _as_account(api: DynamicClient, cluster: SharedCluster, account: str, namespace: str) -> str:
    """The cluster's kubeconfig with the account's token."""
    accounts = api.resources.get(api_version="v1", kind="ServiceAccount")
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    answer = accounts.token.create(body=body, name=account, namespace=namespace)
    config = yaml.safe_load(cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": answer.status.token}
    return yaml.safe_dump(config)


def _configuration(api: DynamicClient, pod: dict[str, Any], namespace: str, folder: Path) -> dict[str, Path]:
    """Maps each mount path to a folder with the files of its ConfigMap."""
    (container,) = pod["containers"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    placed: dict[str, Path] = {}
    for mount in container["volumeMounts"]:
        target = placed[mount["mountPath"]] = folder / mount["name"]
        target.mkdir()
        found = read(api, "v1", "ConfigMap", volumes[mount["name"]]["configMap"]["name"], namespace)
        for name, text in found["data"].items():
            (target / name).write_text(text)
    return placed


def _placed(word: str, folders: dict[str, Path]) -> str:
    for path, folder in folders.items():
        word = word.replace(f"={path}/", f"={folder}/")
    return word


@pytest.fixture
def start(stack: Stack, api: DynamicClient, cluster: SharedCluster, tmp_path: Path) -> Iterator[Callable[[], Picker]]:
    """Brings a service up; each call starts a new endpoint picker for it."""
    stack.write(MANIFEST)
    stack.up()
    pickers: list[Picker] = []

    def begin() -> Picker:
        folder = tmp_path / f"picker-{len(pickers)}"
        folder.mkdir()
        picker = Picker(api, cluster, stack.namespace, folder)
        pickers.append(picker)
        picker.start()
        return picker

    yield begin
    for picker in pickers:
        picker.stop()


def test_it_is_ready_with_the_rendered_rights_and_not_without_one(
    start: Callable[[], Picker], stack: Stack, api: DynamicClient
) -> None:
    picker = start()
    eventually(picker.is_ready, "a ready endpoint picker")
    assert "forbidden" not in picker.log.read_text()
    picker.stop()

    take_away(api, stack.namespace, "inferencepools", "list")
    without = start()
    refused = 'cannot list resource \\"inferencepools\\"'
    eventually(lambda: refused in without.log.read_text(), "a refusal of the API server")
    assert not any(is_ready_later(without) for _ in range(20))


def is_ready_later(picker: Picker) -> bool:
    """Whether it is ready a moment from now."""
    time.sleep(0.2)
    return picker.is_ready()


@pytest.mark.parametrize("resource", ["pods", "inferenceobjectives"])
def test_every_right_is_needed(resource: str, start: Callable[[], Picker], stack: Stack, api: DynamicClient) -> None:
    take_away(api, stack.namespace, resource, "list")
    picker = start()
    refused = f'cannot list resource \\"{resource}\\"'
    eventually(lambda: refused in picker.log.read_text(), "a refusal of the API server")


def take_away(api: DynamicClient, namespace: str, resource: str, verb: str) -> None:
    """Removes a verb on a resource from the endpoint picker's role."""
    role = read(api, RBAC, "Role", f"{NAME}-epp", namespace)
    rules = [
        {**rule, "resources": [name], "verbs": [entry for entry in rule["verbs"] if (name, entry) != (resource, verb)]}
        for rule in role["rules"]
        for name in rule["resources"]
    ]
    roles = api.resources.get(api_version=RBAC, kind="Role")
    roles.patch(
        name=f"{NAME}-epp",
        namespace=namespace,
        body={"rules": rules},
        content_type="application/merge-patch+json",
    )
