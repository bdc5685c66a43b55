"""A key server for the stacks of tests, with the API of HashiCorp Vault's transit engine; all stacks share a key.

With a passphrase the engine derives a key at each command, which is deliberately slow: half of the CPU time of a small
update. test_engine.py, CI's pipelines, `make up` and a newcomer's project use passphrases.
"""

import base64
import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_KEY = base64.b64encode(bytes(32)).decode()

SETTINGS = {
    "secretsprovider": "hashivault://tests",
    "encryptedkey": base64.b64encode(f"vault:v1:{_KEY}".encode()).decode(),
}
"""Settings in a stack's file that select this server."""


@cache
def variables() -> dict[str, str]:
    """Starts this process's server; returns the variables by which the engine finds it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"VAULT_SERVER_URL": f"http://127.0.0.1:{server.server_port}", "VAULT_SERVER_TOKEN": "tests"}


class _Transit(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        """Decrypts a stack's key, which is all that the engine requests if the stack's file contains the key."""
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"data": {"plaintext": _KEY}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""
