"""The node's HTTP server: a read-only registry below `/v2/`, and files such as models at other paths."""

import threading
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_BLOB = "application/octet-stream"
PRIVATE = "private.example.com"
"""A registry that denies access."""


def serve(folder: Path, address: str, port: int) -> ThreadingHTTPServer:
    """Serves a folder from a separate thread. Its `v2` has images as `images.write` writes them."""

    class Handler(_Handler):
        def __init__(self, *words: Any, **settings: Any) -> None:
            super().__init__(*words, directory=str(folder), **settings)

    server = ThreadingHTTPServer((address, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def image_file(path: str) -> tuple[str, str] | None:
    """(file below `v2`, media type) for a registry's path; None for other paths and for the root."""
    parts = urlsplit(path)
    words = unquote(parts.path).strip("/").split("/")
    if words[0] != "v2" or len(words) < 4 or ".." in words:
        return None
    repository, kind, reference = "/".join(words[1:-2]), words[-2], words[-1]
    if kind == "manifests" and not reference.startswith("sha256:"):
        (registry,) = parse_qs(parts.query).get("ns", ["docker.io"])
        return f"{registry}/{repository}:{reference}.json", _MANIFEST
    return f"blobs/{reference}", _MANIFEST if kind == "manifests" else _BLOB


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        image = image_file(path)
        if image is None:
            return super().translate_path(path)
        file = Path(self.directory, "v2", image[0])
        of_all_tags = file.with_name(f"{file.name.partition(':')[0]}.json")
        return str(file if file.exists() else of_all_tags)

    def send_head(self) -> Any:
        if parse_qs(urlsplit(self.path).query).get("ns") == [PRIVATE]:
            self.send_error(HTTPStatus.UNAUTHORIZED)
            return None
        return super().send_head()

    def guess_type(self, path: Any) -> str:
        image = image_file(self.path)
        return image[1] if image else super().guess_type(path)
