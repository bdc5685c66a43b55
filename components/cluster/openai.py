"""Sends a small request to a server with OpenAI's API and measures how fast it answers."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..findings import brief
from ..kubernetes.values import mapping, mappings
from .connection import Cluster, Refused
from .http import NoAnswerOfAPI, object_of

PROMPT = "Say hello."
_LONGEST_NAME = 200
TOKENS = 16
"""Number of tokens to ask for: enough to measure a rate, and quick to generate."""


@dataclass(frozen=True)
class Call:
    """One kind of request. ``body`` lacks the model."""

    name: str
    path: str
    body: Mapping[str, Any]


_STREAM = {"max_tokens": TOKENS, "stream": True, "stream_options": {"include_usage": True}}
CALLS = (
    Call("chat", "/v1/chat/completions", {"messages": [{"role": "user", "content": PROMPT}], **_STREAM}),
    Call("completion", "/v1/completions", {"prompt": PROMPT, **_STREAM}),
    Call("embedding", "/v1/embeddings", {"input": PROMPT}),
)
"""In the order in which they are tried. The later ones are for models without a chat template and embedding models."""


@dataclass(frozen=True)
class Answer:
    """An answer: the call, the model, the seconds until the first token (or the whole embedding), the number of tokens,
    and the tokens per second after the first (0 for fewer than two)."""

    call: str
    model: str
    first_token_seconds: float
    tokens: int
    tokens_per_second: float


class NoAnswer(Exception):
    """The server gave no usable answer; the message says why for each call that was tried, escaped."""

    def __init__(self, message: str) -> None:
        super().__init__(brief(message))


SECONDS = 30.0
"""How long a server may take for all of its answers together, whatever it sends."""
_MOST_EVENTS = 4 * TOKENS
"""The most events with text: a server that sends more ignores the limit of tokens."""


def ask(
    cluster: Cluster, address: str, fallback_model: str, seconds: float = SECONDS, calls: Sequence[Call] = CALLS
) -> Answer:
    """Ask with the first call that the server accepts. Raises NoAnswer, and ClusterError if no server is reached."""
    deadline = time.monotonic() + seconds
    model = _model(cluster, address, seconds) or fallback_model
    reasons: list[str] = []
    for call in calls:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            return _timed(cluster, address, call, model, left)
        except Refused as refusal:
            if refusal.status in (401, 403, 503):  # other calls would fail as well
                raise
            reasons.append(f"{call.path}: {refusal.status} {refusal.reason}")
    raise NoAnswer("; ".join(reasons) or f"answered nothing within {seconds:.0f} s")


def _model(cluster: Cluster, address: str, seconds: float) -> str:
    try:
        models = cluster.said(f"{address}/v1/models", seconds)
    except Refused:
        return ""
    name = next((model.get("id") for model in mappings(models.get("data"))), "")
    return name if isinstance(name, str) else ""


def _timed(cluster: Cluster, address: str, call: Call, model: str, seconds: float) -> Answer:
    started = time.monotonic()
    arrivals: list[float] = []
    counted = 0
    for event in _events(cluster.lines(f"{address}{call.path}", {"model": model, **call.body}, seconds)):
        if _error(event):
            raise NoAnswer(f"{call.path}: {_error(event)}")
        if _says_something(event):
            arrivals.append(time.monotonic())
        if len(arrivals) > _MOST_EVENTS:
            raise NoAnswer(f"{call.path}: sends more than the {TOKENS} tokens that were asked for")
        tokens = mapping(event.get("usage")).get("completion_tokens")
        counted = tokens if isinstance(tokens, int) and 0 < tokens <= _MOST_EVENTS else counted
    if not arrivals:
        raise NoAnswer(f"{call.path}: answered without a token")
    tokens = counted or len(arrivals)
    generating = arrivals[-1] - arrivals[0]
    rate = (tokens - 1) / generating if generating > 0 else 0.0
    return Answer(call.name, brief(model, _LONGEST_NAME), arrivals[0] - started, tokens, rate)


def _events(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """The JSON of each event of a stream, or the one JSON object that came instead."""
    whole: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            text = line.removeprefix("data:").strip()
            if text != "[DONE]":
                yield _event(text)
        elif line.strip():
            whole.append(line)
    if whole and whole[0].lstrip().startswith("{"):
        yield _event("\n".join(whole))


def _event(text: str) -> Mapping[str, Any]:
    try:
        return object_of(text.encode())
    except NoAnswerOfAPI as reason:
        raise NoAnswer(f"answered with {reason}") from None


def _says_something(event: Mapping[str, Any]) -> bool:
    for choice in mappings(event.get("choices")):
        delta = mapping(choice.get("delta") or choice.get("message"))
        if choice.get("text") or delta.get("content") or delta.get("reasoning_content"):
            return True
    return bool(event.get("data"))


def _error(event: Mapping[str, Any]) -> str:
    error = event.get("error")
    said = error.get("message") if isinstance(error, Mapping) else error
    return said if isinstance(said, str) else "an error" if error else ""
