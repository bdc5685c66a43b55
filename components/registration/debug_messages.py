"""The debug messages of Pulumi's SDK: five for each resource, each a request that the program waits for.

The engine shows them with ``--debug`` alone, and does not tell the program whether it was asked for. They are a sixth
of what a preview costs.
"""

import os
from typing import Any

from pulumi.runtime import settings as runtime
from pulumi.runtime.proto import engine_pb2

SENT = "MODELSERVICES_DEBUG"
"""Environment variable: with ``true`` the messages are sent."""


def leave_out_debug_messages() -> None:
    """Send the engine no debug messages from now on in this program run; all others as before."""
    engine = runtime.get_engine()
    if engine is None or os.environ.get(SENT) == "true":
        return
    send = engine.Log

    def log(request: Any) -> Any:
        return None if request.severity == engine_pb2.DEBUG else send(request)

    engine.Log = log  # type: ignore[method-assign]
