"""A key server for stacks of tests, which answers as the transit engine of HashiCorp Vault does: all have one key.

With a passphrase the engine derives a key at each command, which is made to take long: half of the CPU time of a small
update. test_engine.py, CI's pipelines, `make up` and a newcomer's project have passphrases.
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
"""What a stack's file says of it."""


@cache
def variables() -> dict[str, str]:
    """Starts the server of this process; gives the variables by which the engine finds it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {"VAULT_SERVER_URL": f"http://127.0.0.1:{server.server_port}", "VAULT_SERVER_TOKEN": "tests"}


class _Transit(BaseHTTPRequestHandler):
    def do_PUT(self) -> None:
        """Decrypts the key of a stack, which is all that the engine asks for where a stack's file has it."""
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"data": {"plaintext": _KEY}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""
