"""Reads HTTP answers: those of the API server and, through its proxy and logs, those of servers in pods.

Answers are not trusted. Redirects are not followed, and there are no cookies and no retries. An answer has a limit of
bytes, of bytes per line, and of time from the first byte sent to the last one read. A thread reads, so that no part of
an answer, not even its headers, can make the caller wait longer. A proxy in between may answer instead (with a page):
an answer without the shape on which readers rely is refused here.
"""

import json
import queue
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..kubernetes.values import mapping

_CONNECT_SECONDS = 5
_PART = 1 << 16
_ENDED = object()


class HTTPError(Exception):
    """No answer came, or none within its limits; the message says why."""


@dataclass(frozen=True)
class Limits:
    """The most bytes of an answer and of one line, and the seconds that the whole answer may take."""

    bytes: int
    line: int
    seconds: float


OF_API = Limits(256 << 20, 256 << 20, 300)
"""For the API server itself: a list of all pods of a namespace is long."""
OF_PODS = Limits(2 << 20, 1 << 20, 30)
"""For servers in pods, which belong to a team: their answers (an embedding is one long line) and logs."""


def limits_of(path: str) -> Limits:
    """The limits for a path of the API server, which only forwards requests for proxies and logs."""
    parts = path.partition("?")[0].split("/")
    return OF_PODS if "proxy" in parts or parts[-1] == "log" else OF_API


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: str | None


class Answer:
    """An answer whose content is read once: whole, or line by line as it comes. Its methods raise HTTPError."""

    def __init__(self, pool: Any, request: Request, limits: Limits) -> None:
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._ended = threading.Event()
        self._parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(pool, request), daemon=True).start()
        self.status, self.reason = self._next()

    def data(self) -> bytes:
        return b"".join(self._contents())

    def lines(self) -> Iterator[bytes]:
        """The lines without line ends."""
        rest = b""
        for part in self._contents():
            *whole, rest = (rest + part).split(b"\n")
            if max(map(len, (*whole, rest))) > self._limits.line:
                raise self._failed(f"a line of the answer is longer than {self._limits.line} bytes")
            yield from whole
        if rest:
            yield rest

    def close(self) -> None:
        """Stop reading."""
        self._ended.set()

    def _contents(self) -> Iterator[bytes]:
        while (part := self._next()) is not _ENDED:
            yield part

    def _next(self) -> Any:
        try:
            part = self._parts.get(timeout=max(0.0, self._deadline - time.monotonic()))
        except queue.Empty:
            raise self._failed(f"the answer was not complete after {self._limits.seconds:.0f} s") from None
        if isinstance(part, HTTPError):
            raise part
        return part

    def _failed(self, message: str) -> HTTPError:
        self.close()
        return HTTPError(message)

    def _read(self, pool: Any, request: Request) -> None:
        try:
            for part in self._answered(pool, request):
                self._parts.put(part)
        except Exception as error:
            self._parts.put(error if isinstance(error, HTTPError) else HTTPError(type(error).__name__))
        else:
            self._parts.put(_ENDED)

    def _answered(self, pool: Any, request: Request) -> Iterator[Any]:
        """Status and reason, then the parts of the content."""
        import urllib3

        response = pool.urlopen(
            request.method,
            request.url,
            headers={**request.headers, "Accept-Encoding": "identity"},
            body=request.body,
            timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=self._limits.seconds),
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
        )
        complete = False
        try:
            yield response.status, str(response.reason or "")
            size = 0
            for part in response.stream(_PART, decode_content=False):
                size += len(part)
                if size > self._limits.bytes:
                    raise HTTPError(f"the answer is longer than {self._limits.bytes} bytes")
                if self._ended.is_set():
                    return
                yield part
            complete = True
        finally:
            # An answer that is not read to its end leaves nothing for the connection's next request.
            (response.release_conn if complete else response.close)()


class NoAnswerOfAPI(Exception):
    """The message says what came instead."""


def object_of(data: bytes) -> dict[str, Any]:
    """A JSON object. Raises NoAnswerOfAPI."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise NoAnswerOfAPI("no JSON object")
    return answer


def api_answer(data: bytes) -> dict[str, Any]:
    """An API object, a list of objects or a list of resources, without null fields. Raises NoAnswerOfAPI."""
    answer = _object(object_of(data))
    for field, needed in (("items", ()), ("resources", ("name", "kind"))):
        if field in answer:
            answer[field] = [_object(item, *needed) for item in _list(answer[field], field)]
    return answer


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise NoAnswerOfAPI(f"an answer whose {field} are no list")
    return value


def _object(value: Any, *needed: str) -> dict[str, Any]:
    """An object without its null fields. Raises NoAnswerOfAPI."""
    if not isinstance(value, Mapping):
        raise NoAnswerOfAPI("a list with something other than objects")
    fields = {field: item for field, item in value.items() if item is not None}
    for field in ("metadata", "spec", "status"):
        if not isinstance(fields.get(field, {}), Mapping) and fields.get("kind") != "Status":
            raise NoAnswerOfAPI(f"an object whose {field} is no mapping")
    metadata = mapping(fields.get("metadata"))
    if not all(isinstance(name, str) for name in (metadata.get("name", ""), *map(fields.get, needed))):
        raise NoAnswerOfAPI("an object without a name")
    owners = metadata.get("ownerReferences") or []
    if not isinstance(owners, list) or not all(map(_is_owner, owners)):
        raise NoAnswerOfAPI("an object whose owners have no name")
    return fields


def _is_owner(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(value.get(field), str) for field in _OWNER)


_OWNER = ("apiVersion", "kind", "name")
