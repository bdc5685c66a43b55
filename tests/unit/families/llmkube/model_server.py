"""An HTTP server with faults that real ones have, and a check of S3 signatures, for the tests of the scripts."""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


@dataclass
class Site:
    """What a server has and how it behaves; ``requests`` are those it got: method, path, headers."""

    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    ranges: bool = True
    heads: bool = True
    broken: bool = False
    break_after: int = 0
    """The first full answer stops after so many bytes."""
    secret: str = ""
    """Requests must be signed with this S3 secret key."""
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    sent: int = 0
    url: str = ""

    def got(self, method: str) -> list[dict[str, str]]:
        return [headers for verb, _, headers in self.requests if verb == method]

    def transfers(self) -> list[dict[str, str]]:
        """Requests for a file or the rest of one; not the look at the blocks of a partial file."""
        return [headers for headers in self.got("GET") if not re.search(r"bytes=\d+-\d+$", headers.get("range", ""))]


@contextmanager
def serve(site: Site, context: Any = None) -> Iterator[Site]:
    """The site on a free port; with an SSL ``context`` over TLS."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site.url = f"{'https' if context else 'http'}://localhost:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

        def do_HEAD(self) -> None:
            if self._recorded() and not site.heads:
                self._answer(405, b"")
            else:
                self._file(head=True)

        def do_GET(self) -> None:
            self._recorded()
            self._file(head=False)

        def _recorded(self) -> bool:
            headers = {name.lower(): value for name, value in self.headers.items()}
            site.requests.append((self.command, self.path, headers))
            return True

        def _file(self, *, head: bool) -> None:
            path = unquote(self.path.partition("?")[0])
            if site.secret and not is_signed(self.command, self.path, dict(self.headers.items()), site.secret):
                self._answer(403, b"not signed")
            elif path in site.redirects:
                self._answer(
                    302, b"a page that is longer than the model", {"Location": site.redirects[path]}, head=head
                )
            elif site.broken or path not in site.files:
                self._answer(503 if site.broken else 404, b"no model here", head=head)
            else:
                self._content(site.files[path], head=head)

        def _content(self, content: bytes, *, head: bool) -> None:
            match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if match and site.ranges:
                first, last = int(match[1]), int(match[2] or len(content) - 1)
                if first >= len(content):
                    self._answer(416, b"")
                    return
                part = content[first : last + 1]
                total = {"Content-Range": f"bytes {first}-{first + len(part) - 1}/{len(content)}"}
                self._answer(206, part, total, head=head)
            else:
                self._answer(200, content, head=head)

        def _answer(
            self, status: int, body: bytes, headers: dict[str, str] | None = None, *, head: bool = False
        ) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if head:
                return
            if site.break_after and len(body) > site.break_after:
                body, site.break_after = body[: site.break_after], 0
                self.close_connection = True
            site.sent += len(body)
            self.wfile.write(body)

    return Handler


def is_signed(method: str, path: str, headers: dict[str, str], secret: str) -> bool:
    """Whether a request without a body has a right AWS signature, version 4."""
    given = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    match = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, *SignedHeaders=([^,]+), *Signature=(\w+)",
        given.get("authorization", ""),
    )
    if not match:
        return False
    _, day, region, names, signature = match.groups()
    url, _, query = path.partition("?")
    payload = given.get("x-amz-content-sha256", hashlib.sha256(b"").hexdigest())
    signed = "".join(f"{name}:{given[name]}\n" for name in names.split(";"))
    canonical = "\n".join([method, url, query, signed, names, payload])
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", given["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in (day, region, "s3", "aws4_request", text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key.hex() == signature
