"""Waits for a cluster's eventual state."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 180
"""Much more than any condition takes, even on a loaded machine: only a failing test waits this long."""


def eventually(is_so: Callable[[], bool], what: str) -> None:
    """Returns as soon as the condition is true; fails after the timeout."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE_SECONDS} s in vain for {what}")
        time.sleep(0.1)
