"""A small client for the API server, limited to what the launcher needs; standard library only."""

import base64
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

_MANAGER = "local-control-plane"
_THREADS = 4
_PATIENCE_SECONDS = 300.0
"""Timeout of a request. It is long because a loaded machine may be slow."""
_PROBE_SECONDS = 15.0

Object = dict  # a Kubernetes object as JSON


class ApiError(Exception):
    """An error response from the API server, or no response."""


@dataclass(frozen=True)
class Api:
    """An API server's address and credentials."""

    port: int
    token: str
    certificate: Path

    def kubeconfig(self) -> str:
        """A self-contained kubeconfig: the certificate is inside, so the file can be copied.

        Compression is off because, on loopback, it takes longer than sending the data.
        """
        server = f"server: 'https://127.0.0.1:{self.port}', certificate-authority-data: {self.authority()}"
        return (
            "apiVersion: v1\n"
            "kind: Config\n"
            "clusters:\n"
            "- name: local\n"
            f"  cluster: {{disable-compression: true, {server}}}\n"
            "users:\n"
            f"- name: admin\n  user: {{token: {self.token}}}\n"
            "contexts:\n"
            "- name: local\n  context: {cluster: local, user: admin}\n"
            "current-context: local\n"
        )

    def authority(self) -> str:
        """The certificate in base64, as kubeconfigs and webhook registrations contain it."""
        return base64.b64encode(self.certificate.read_bytes()).decode()

    def request(
        self,
        method: str,
        path: str,
        body: str = "",
        headers: dict[str, str] | None = None,
        seconds: float = _PATIENCE_SECONDS,
    ) -> bytes:
        """Sends one request; an error response raises ApiError with the server's message."""
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.port}{path}",
            data=body.encode() if body else None,
            method=method,
            headers={"Authorization": f"Bearer {self.token}"} | (headers or {}),
        )
        try:
            with urllib.request.urlopen(request, context=self._trust(), timeout=seconds) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise ApiError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from error
        except OSError as error:
            raise ApiError(f"{method} {path}: {error}") from error

    def get(self, path: str, headers: dict[str, str] | None = None) -> Object:
        """The JSON at a path."""
        return json.loads(self.request("GET", path, headers=headers))

    def apply(self, path: str, document: str) -> None:
        """Server-side apply of one YAML or JSON document; creates or updates the object."""
        query = urllib.parse.urlencode({"fieldManager": _MANAGER, "force": "true"})
        self.request("PATCH", f"{path}?{query}", document, {"Content-Type": "application/apply-patch+yaml"})

    def apply_all(self, documents: Iterable[tuple[str, str]]) -> None:
        """Applies (path, document) pairs, a few at a time."""
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(lambda pair: self.apply(*pair), documents))

    def is_ready(self) -> bool:
        """Whether it accepts requests and has created its initial objects."""
        return not self.not_ready()

    def not_ready(self) -> str:
        """What is missing before it accepts requests and has created its initial objects; empty when it is ready."""
        try:
            self.request("GET", "/readyz?verbose", seconds=_PROBE_SECONDS)
            self.request("GET", "/api/v1/namespaces/default", seconds=_PROBE_SECONDS)
        except ApiError as error:
            return _unready(str(error))
        return ""

    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))


def _unready(answer: str) -> str:
    """The failed checks of an answer that lists all checks; otherwise its first line."""
    failed = [line.split()[0].removeprefix("[-]") for line in answer.splitlines() if line.startswith("[-]")]
    return ", ".join(failed) or answer.splitlines()[0]
