"""A small client for the API server: all that the launcher needs, with the standard library only."""

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
"""What an answer may take: a loaded machine is slow, not broken."""
_PROBE_SECONDS = 15.0

Object = dict  # a Kubernetes object as JSON


class ApiError(Exception):
    """What the API server answered, or that it did not."""


@dataclass(frozen=True)
class Api:
    """An API server and how to get in."""

    port: int
    token: str
    certificate: Path

    def kubeconfig(self) -> str:
        """Stands alone: the certificate is inside, so that the file may be copied.

        Answers come as they are: on loopback, to compress them takes longer than to send them.
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
        """The certificate as kubeconfigs and webhook registrations carry it."""
        return base64.b64encode(self.certificate.read_bytes()).decode()

    def request(
        self,
        method: str,
        path: str,
        body: str = "",
        headers: dict[str, str] | None = None,
        seconds: float = _PATIENCE_SECONDS,
    ) -> bytes:
        """One request; an answer other than success is an error with the server's own words."""
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
        """Server-side apply of one YAML or JSON document, whether the object exists or not."""
        query = urllib.parse.urlencode({"fieldManager": _MANAGER, "force": "true"})
        self.request("PATCH", f"{path}?{query}", document, {"Content-Type": "application/apply-patch+yaml"})

    def apply_all(self, documents: Iterable[tuple[str, str]]) -> None:
        """Applies (path, document) pairs, a few at a time."""
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(lambda pair: self.apply(*pair), documents))

    def is_ready(self) -> bool:
        """Whether it takes requests and has made its own first objects."""
        return not self.not_ready()

    def not_ready(self) -> str:
        """What it lacks before it takes requests and has made its own first objects; empty when it is ready."""
        try:
            self.request("GET", "/readyz?verbose", seconds=_PROBE_SECONDS)
            self.request("GET", "/api/v1/namespaces/default", seconds=_PROBE_SECONDS)
        except ApiError as error:
            return _unready(str(error))
        return ""

    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificate))


def _unready(answer: str) -> str:
    """The checks that fail, of an answer that lists all of them; else the answer."""
    failed = [line.split()[0].removeprefix("[-]") for line in answer.splitlines() if line.startswith("[-]")]
    return ", ".join(failed) or answer.splitlines()[0]
