"""Waiting for what a cluster does in its own time."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 180
"""Much more than anything takes, on a loaded machine too: only a test that fails waits so long."""


def eventually(is_so: Callable[[], bool], what: str) -> None:
    """Returns as soon as it is so; fails with what did not come."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE_SECONDS} s in vain for {what}")
        time.sleep(0.1)
