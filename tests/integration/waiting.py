"""Waiting for what a cluster does in its own time."""

import time
from collections.abc import Callable


def eventually(is_so: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Returns as soon as it is so; fails with what did not come."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")
        time.sleep(0.1)
