"""A key server for stacks of tests, which answers as the transit engine of HashiCorp Vault does. It hides nothing.

With a passphrase the engine derives a key at each command, which is made to take long: half of the CPU time of a small
update. test_engine.py, CI's pipelines, `make up` and a newcomer's project have passphrases.
"""

from __future__ import annotations

import base64
import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_MARK = "vault:v1:"
_KEY = base64.b64encode(bytes(32)).decode()

SETTINGS = {
    "secretsprovider": "hashivault://tests",
    "encryptedkey": base64.b64encode(f"{_MARK}{_KEY}".encode()).decode(),
}
"""What a stack's file says of it."""


@cache
def variables() -> dict[str, str]:
    """Starts the server of this process; gives the variables by which the engine finds it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"VAULT_SERVER_URL": f"http://127.0.0.1:{server.server_port}", "VAULT_SERVER_TOKEN": "tests"}


class _Transit(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        encrypts = "/encrypt/" in self.path
        found = {"ciphertext": _MARK + asked["plaintext"]} if encrypts else {"plaintext": _plain(asked["ciphertext"])}
        body = json.dumps({"data": found}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def _plain(text: str) -> str:
    return text.removeprefix(_MARK)
