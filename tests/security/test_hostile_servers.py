"""Hostile responses of a server in a team's pod, or of an API server that quotes it, to the commands that read them.

The server is real. Not proven here: that API servers pass such responses on.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from modelservices.__main__ import main
from modelservices.cluster import http
from modelservices.cluster.connection import Cluster, ClusterError
from modelservices.cluster.workload_pods import last_lines
from modelservices.commands import recover
from modelservices.kubernetes.pod_reasons import Cause, Reason

BAD = "x\x1b[2J\n::error file=README.md::pwned\n##[group]y \u202e\x07"
TOKEN = "the-operators-token"
SERVICE = """apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: own, namespace: team-a}
spec: {model: {uri: "hf://a/b", name: m}}
"""
STATUS = json.dumps(
    {
        "kind": "Deployment",
        "metadata": {"name": "own-kserve", "namespace": "team-a", "uid": "1"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}},
        "status": {"conditions": [{"type": "Progressing", "status": "False", "reason": BAD, "message": BAD}]},
    }
)
LISTED = {"apps/v1": "Deployment", "v1": "Service", "gateway.networking.k8s.io/v1": "HTTPRoute"}


class Hostile(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    attack: Callable[[Hostile], None]
    asked: list[tuple[str, str, str | None]]

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""

    def answer(self) -> None:
        self.asked.append((self.command, self.path, self.headers.get("Authorization")))
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with suppress(OSError):
            type(self).attack(self)

    do_GET = do_POST = do_PATCH = do_DELETE = answer

    def say(self, body: str | bytes, status: int = 200, reason: str | None = None, **headers: str) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status, reason)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def endless(part: bytes, pause: float = 0) -> Callable[[Hostile], None]:
    def attack(server: Hostile) -> None:
        server.begin()
        while True:
            server.chunk(part)
            time.sleep(pause)

    return attack


def drip_of_headers(server: Hostile) -> None:
    server.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        server.wfile.write(b"a")
        server.wfile.flush()
        time.sleep(0.05)


def says(body: str, status: int = 200, **headers: str) -> Callable[[Hostile], None]:
    return lambda server: server.say(body, status, **headers)


def as_asked(server: Hostile) -> None:
    """Correct discovery, and texts with terminal and CI commands in all other responses."""
    path = server.path.partition("?")[0]
    for version, kind in LISTED.items():
        if path in (f"/api/{version}", f"/apis/{version}"):
            return server.say(json.dumps({"resources": [{"name": f"{kind.lower()}s", "kind": kind}]}))
    if path.endswith("/deployments/own-kserve"):
        return server.say(STATUS)
    return server.say(json.dumps({"kind": "Status", "message": BAD}), 403)


EVENT = b'data: {"choices": [{"text": "a"}]}\n\n'
ATTACKS: dict[str, Callable[[Hostile], None]] = {
    "text": as_asked,
    "models": says(json.dumps({"data": [{"id": BAD}], "choices": [{"text": "a"}]})),
    "error": says(json.dumps({"error": {"message": BAD}})),
    "error 400": says(json.dumps({"error": {"message": BAD}}), 400),
    "message of no text": says(json.dumps({"message": {"a": [BAD]}}), 500),
    "no JSON": says(BAD, 500),
    "deep JSON": says("[" * 100_000, 400),
    "deep object": says('{"a":' * 900 + "1" + "}" * 900),
    "long number": says('{"usage": {"completion_tokens": 1' + "0" * 4000 + '}, "choices": [{"text": "a"}]}'),
    "redirect": says("", 302, Location="../../../../../../../namespaces/team-b/secrets"),
    "redirect of a POST": says("", 307, Location="../../../../nodes/n/proxy/run/team-b/b/main?cmd=id"),
    "redirect by refresh": says("", 201, Refresh="0; url=/api/v1/namespaces/team-b/secrets"),
    "try later": says("", 503, **{"Retry-After": "3600"}),
    "cookie": says("{}", 200, **{"Set-Cookie": "a=b"}),
    "packed": says("{}", 200, **{"Content-Encoding": "gzip"}),
    "endless body": endless(b"x" * 1_000_000),
    "endless line": endless(b"data: " + b"x" * 1_000_000),
    "endless events": endless(EVENT),
    "endless drip": endless(EVENT, 0.05),
    "endless drip of nothing": endless(b": \n", 0.05),
    "endless headers": drip_of_headers,
}


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hostile]]:
    """A stack with one service, whose cluster is a hostile server."""

    class Server(Hostile):
        asked: list[tuple[str, str, str | None]] = []

    running = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    (tmp_path / "stacks/prod").mkdir(parents=True)
    (tmp_path / "stacks/prod/own.yaml").write_text(SERVICE)
    (tmp_path / "Pulumi.prod.yaml").write_text("config: {kubernetes:kubeconfig: kubeconfig}\n")
    (tmp_path / "Pulumi.yaml").write_text("name: models\nruntime: python\n")
    (tmp_path / "kubeconfig").write_text(
        f"""apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{running.server_port}"}}}}]
users: [{{name: u, user: {{token: {TOKEN}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
"""
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recover, "ask_engine", lambda *words, stack: {})
    yield Server
    running.shutdown()
    running.server_close()


def is_text(printed: str) -> bool:
    """Whether the text has no commands for a terminal or a CI runner."""
    lines = printed.replace("\t", " ").split("\n")
    return all(line.isprintable() and not line.strip().startswith("::") and "##[" not in line for line in lines)


@pytest.mark.parametrize("command", ["smoke", "status", "adopt", "recover"])
@pytest.mark.parametrize("name", ATTACKS)
def test_answers_of_a_hostile_server(
    command: str, name: str, stack: type[Hostile], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command != "smoke" and name.startswith("endless"):
        # These commands ask the API server, whose responses may be long, so its limits are reduced here.
        monkeypatch.setattr(http, "OF_API", http.Limits(1 << 20, 1 << 16, 1))
    stack.attack = ATTACKS[name]
    started = time.monotonic()

    result = main([command, "--stack", "prod", *(["--timeout", "1"] if command == "smoke" else [])])

    assert result in (0, 1)
    assert stack.asked
    assert time.monotonic() - started < 20
    printed = capsys.readouterr()
    assert is_text(printed.out)
    assert is_text(printed.err)
    for method, path, token in stack.asked:
        assert not path.startswith(("/api/v1/namespaces/team-b", "/api/v1/nodes"))
        assert token == f"Bearer {TOKEN}"
        assert command != "smoke" or "/team-a/services/" in path
        assert command not in ("smoke", "status") or method in ("GET", "POST")


def test_smoke_as_json(stack: type[Hostile], capsys: pytest.CaptureFixture[str]) -> None:
    stack.attack = ATTACKS["models"]
    assert main(["smoke", "--stack", "prod", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["model"] == "x\\x1b[2J ::error file=README.md::pwned #\\#[group]y \\u202e\\x07"


def test_a_name_of_a_model_has_an_end(stack: type[Hostile], capsys: pytest.CaptureFixture[str]) -> None:
    stack.attack = says(json.dumps({"data": [{"id": "a" * 100_000}], "choices": [{"text": "a"}]}))
    assert main(["smoke", "--stack", "prod"]) == 0
    assert len(capsys.readouterr().out) < 2000


@pytest.mark.parametrize("name", ["no JSON", "redirect", "endless body", "endless line"])
def test_last_lines_of_a_pod(name: str, stack: type[Hostile]) -> None:
    stack.attack = ATTACKS[name] if name != "no JSON" else says("\n".join([BAD, "b" * 100_000]))
    lines = last_lines(Reason(Cause.CRASH, "Error", "", "pod/..", "main"), "team-a", Cluster.connect("kubeconfig"))
    assert all(is_text(line) and len(line) < 1100 for line in lines)
    assert bool(lines) == (name == "no JSON")
    assert all(path.startswith("/api/v1/namespaces/team-a/pods/pod") for _, path, _ in stack.asked)


def test_a_reason_that_a_pod_writes_is_one_escaped_line() -> None:
    from modelservices.kubernetes.pod_reasons import pod_reasons

    ended = {"terminated": {"exitCode": 1, "reason": BAD, "message": BAD}}
    pod = {"metadata": {"name": "p"}, "status": {"containerStatuses": [{"name": "main", "state": ended}]}}
    waiting = {"name": "main", "state": {"waiting": {"reason": BAD, "message": BAD}}}
    other = {"metadata": {"name": "p"}, "status": {"containerStatuses": [waiting]}}
    failed = {"metadata": {"name": "p"}, "status": {"phase": "Failed", "reason": BAD, "message": BAD}}
    found = [*pod_reasons(pod), *pod_reasons(other), *pod_reasons(failed)]
    found += pod_reasons({"metadata": {"name": "p"}}, [{"reason": BAD, "message": BAD}])
    assert len(found) == 4
    assert all(is_text(str(reason)) and "\n" not in str(reason) for reason in found)


def test_an_error_of_the_cluster_is_escaped() -> None:
    assert is_text(str(ClusterError(BAD)))
