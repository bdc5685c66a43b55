"""What is asked of a server behind the API server, and what is made of its answers, over a real HTTP connection.

Not proven here: that an API server passes such requests on, and that real engines answer so.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from kubernetes.client import ApiClient, Configuration

from modelservices.cluster.connection import Cluster, Refused, Unreachable
from modelservices.cluster.openai import NoAnswer, ask

ADDRESS = "/api/v1/namespaces/n/services/chat:80/proxy"


def stream(*texts: str, usage: int | None = None) -> str:
    events: list[dict[str, Any]] = [{"choices": [{"delta": {"content": text}}]} for text in texts]
    events += [{"choices": [], "usage": {"completion_tokens": usage}}] if usage else []
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


class Server:
    """Answers by path; ``asked`` are the paths and bodies of the POSTs."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, str]] = {}
        self.asked: list[tuple[str, Any]] = []

    def says(self, path: str, text: str, status: int = 200) -> None:
        self.answers[f"{ADDRESS}{path}"] = (status, text)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def cluster(server: Server) -> Iterator[Cluster]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

        def do_GET(self) -> None:
            status, text = server.answers.get(self.path, (404, '{"message": "page not found"}'))
            self.send_response(status)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.asked.append((self.path.removeprefix(ADDRESS), json.loads(body)))
            self.do_GET()

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    configuration = Configuration(host=f"http://127.0.0.1:{running.server_address[1]}")
    configuration.retries = False
    yield Cluster(ApiClient(configuration))
    running.shutdown()
    running.server_close()


def test_a_chat_with_the_model_that_is_served(server: Server, cluster: Cluster) -> None:
    server.says("/v1/models", '{"data": [{"id": "phi-4"}]}')
    server.says("/v1/chat/completions", stream("Hel", "lo", usage=7))

    answer = ask(cluster, ADDRESS, "chat")

    assert (answer.call, answer.model, answer.tokens) == ("chat", "phi-4", 7)
    assert answer.first_token_seconds > 0
    ((path, body),) = server.asked
    assert (path, body["model"], body["stream"]) == ("/v1/chat/completions", "phi-4", True)


def test_tokens_are_counted_where_the_server_does_not(server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", stream("a", "b", "c"))
    answer = ask(cluster, ADDRESS, "chat")
    assert (answer.model, answer.tokens) == ("chat", 3)


def test_a_model_without_chat_template_completes_and_one_that_embeds_embeds(server: Server, cluster: Cluster) -> None:
    server.says("/v1/embeddings", '{"data": [{"embedding": [0.1]}],\n "model": "e5"}')
    assert ask(cluster, ADDRESS, "e5").call == "embedding"

    server.says("/v1/chat/completions", '{"error": {"message": "no chat template"}}', 400)
    server.says("/v1/completions", 'data: {"choices": [{"text": "hello"}]}\n\n')
    assert ask(cluster, ADDRESS, "base").call == "completion"
    assert [path for path, _ in server.asked][-2:] == ["/v1/chat/completions", "/v1/completions"]


def test_a_server_that_takes_nothing_says_why_for_each_way(server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", '{"error": {"message": "no chat template"}}', 400)
    with pytest.raises(NoAnswer) as caught:
        ask(cluster, ADDRESS, "chat")
    assert str(caught.value) == (
        "/v1/chat/completions: 400 no chat template; /v1/completions: 404 page not found; "
        "/v1/embeddings: 404 page not found"
    )


def test_a_key_that_is_wanted_ends_it_at_once(server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", '{"error": {"message": "Invalid API Key"}}', 401)
    with pytest.raises(Refused, match=r"answered 401 to POST .*/v1/chat/completions: Invalid API Key$"):
        ask(cluster, ADDRESS, "chat")
    assert len(server.asked) == 1


def test_an_error_in_the_middle_of_a_stream_is_no_answer(server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", 'data: {"error": {"message": "out of memory"}}\n\n')
    with pytest.raises(NoAnswer, match=r"^/v1/chat/completions: out of memory$"):
        ask(cluster, ADDRESS, "chat")


def test_an_empty_stream_is_no_answer(server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", stream())
    with pytest.raises(NoAnswer, match=r"^/v1/chat/completions: answered without a token$"):
        ask(cluster, ADDRESS, "chat")


def test_no_server_at_all() -> None:
    configuration = Configuration(host="http://127.0.0.1:1")
    configuration.retries = False
    with pytest.raises(Unreachable):
        ask(Cluster(ApiClient(configuration)), ADDRESS, "chat")


@pytest.mark.parametrize("text", ["data: {", "data: 5", "data: [null]", '{"choices"'])
def test_an_answer_that_is_no_json_object_is_none(text: str, server: Server, cluster: Cluster) -> None:
    server.says("/v1/chat/completions", f"{text}\n\n")
    with pytest.raises(NoAnswer, match="answered with no JSON object"):
        ask(cluster, ADDRESS, "chat")


@pytest.mark.parametrize("event", [{"choices": [None, 5]}, {"choices": 5}, {"choices": [{"delta": []}], "usage": "x"}])
def test_an_event_of_another_shape_has_no_token(event: dict[str, Any], server: Server, cluster: Cluster) -> None:
    server.says("/v1/models", '{"data": [null]}')
    server.says("/v1/chat/completions", f"data: {json.dumps(event)}\n\n")
    with pytest.raises(NoAnswer, match="answered without a token"):
        ask(cluster, ADDRESS, "chat")
