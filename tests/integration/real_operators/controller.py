"""An operator's real controller as a process beside the control plane."""

from __future__ import annotations

import base64
import contextlib
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.operators import create
from tests.integration.waiting import eventually
from tools import operators
from tools.cluster import install
from tools.cluster.ports import ports_for
from tools.cluster.processes import Process
from tools.control_plane import ControlPlane

NAMESPACE = "operators"
"""Where its lease is, as if its pod ran there."""

_IN_A_POD = """
folder=/run/secrets/kubernetes.io/serviceaccount
mount -t tmpfs tmpfs /run && mkdir -p $folder && printf %s "$1" > $folder/namespace && shift && exec "$@"
"""
"""A controller reads the namespace of its lease from a file that each pod has."""
_UNSHARE = ("unshare", "--map-root-user", "--mount")


def missing() -> str:
    """Why no controller can run here; empty if one can."""
    if not shutil.which(_UNSHARE[0]):
        return "a controller is started with `unshare`, and there is none on PATH: on Linux, install util-linux"
    done = subprocess.run([*_UNSHARE, "true"], capture_output=True, text=True, check=False)
    return f"a controller needs a mount namespace, which this machine refuses: {done.stderr}" if done.returncode else ""


class RealOperator:
    """Installs what the operator's installation has; ``running`` starts its controller and stops it."""

    def __init__(self, family: str, plane: ControlPlane, api: DynamicClient) -> None:
        self.controller = operators.CONTROLLERS[family]
        self.family, self.plane, self.api = family, plane, api
        built = operators.ensure(family)
        install.install_crds(plane.api(), built.definitions, print)
        for namespace in filter(None, (NAMESPACE, self.controller.namespace)):
            create(api, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        beside = Path(__file__).with_name(f"{family}-platform.yaml")
        for file in [*([beside] if beside.exists() else []), *built.installation]:
            for document in filter(None, yaml.safe_load_all(file.read_text())):
                if self.controller.namespace and document["kind"] != "GatewayClass":
                    document["metadata"]["namespace"] = self.controller.namespace
                create(api, document)
        self.definitions = [file.stem for file in built.definitions]
        # Its user agent, and so its field manager, is the name of its program.
        program = plane.run_dir / self.controller.name / self.controller.program
        program.parent.mkdir(exist_ok=True)
        program.unlink(missing_ok=True)
        program.symlink_to(built.binary)
        self._command = ["env", f"TMPDIR={program.parent}", str(program), f"--kubeconfig={plane.kubeconfig}"]
        self._convert(program.parent / "k8s-webhook-server")
        self._process = Process(plane.run_dir, self.controller.name)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Runs while the context lasts. Like a pod that is deleted, it does not give its lease back at the end."""
        try:
            self._start()
            yield
        finally:
            self._process.stop()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stops while the context lasts, like a Deployment scaled to zero, and leads again after it."""
        self._process.stop()
        yield
        self._start()

    def _start(self) -> None:
        name = f"{self.controller.name}-health"
        port = ports_for(self.plane.run_dir, [name])[name]
        flags = [flag.format(port=port, webhooks=self._webhooks) for flag in self.controller.flags]
        shell = [*_UNSHARE, "sh", "-c", _IN_A_POD, "sh", NAMESPACE]
        self._process.start([*shell, *self._command, *flags])
        eventually(lambda: self._is_ready(port), f"{self.controller.name}'s readiness")

    def _convert(self, folder: Path) -> None:
        """Lets the controller convert its custom resources, with the control plane's certificate, if it does so."""
        if not any("{webhooks}" in flag for flag in self.controller.flags):
            return
        certificates = self.plane.run_dir / "certificates"
        folder.mkdir(exist_ok=True)
        if not (folder / "serving-certs").exists():
            (folder / "serving-certs").symlink_to(certificates)
        bundle = base64.b64encode((certificates / "tls.crt").read_bytes()).decode()
        client = {"url": f"https://127.0.0.1:{self._webhooks}/convert", "caBundle": bundle}
        webhook = {"conversionReviewVersions": ["v1"], "clientConfig": client}
        body = {"spec": {"conversion": {"strategy": "Webhook", "webhook": webhook}}}
        for name in self.definitions:
            self._definitions().patch(name=name, body=body, content_type="application/merge-patch+json")

    @property
    def _webhooks(self) -> int:
        name = f"{self.controller.name}-webhooks"
        return ports_for(self.plane.run_dir, [name])[name]

    def delete_definitions(self) -> None:
        """Deletes its CRDs, and waits until they are gone. Presets lose their finalizers, as docs/kserve.md says."""
        if self.family == "kserve":
            presets = self.api.resources.get(api_version="serving.kserve.io/v1alpha2", kind="LLMInferenceServiceConfig")
            for preset in presets.get(namespace=self.controller.namespace).items:
                body = {"metadata": {"finalizers": None}}
                presets.patch(
                    name=preset.metadata.name,
                    namespace=self.controller.namespace,
                    body=body,
                    content_type="application/merge-patch+json",
                )
        for definition in self.definitions:
            self._definitions().delete(name=definition)
        names = set(self.definitions)
        eventually(lambda: not names & {one.metadata.name for one in self._definitions().get().items}, "the CRDs gone")

    def _definitions(self) -> Any:
        return self.api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")

    def _is_ready(self, port: int) -> bool:
        self._process.check()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return True
        except OSError:
            return False
