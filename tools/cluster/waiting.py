"""Waits without a deadline as long as there is progress: a loaded machine may be slow."""

import time
from collections.abc import Callable

from tools.cluster.api import ApiError

Progress = Callable[[str], object]

QUIET_SECONDS = 180.0
"""The time without progress that counts as a failure."""
TELL_SECONDS = 10.0
"""The interval between progress messages."""
_PAUSE_SECONDS = 0.05


def wait_for(
    what: str,
    pending: Callable[[], str],
    progress: Progress,
    *,
    news: Callable[[], object] = str,
    quiet_seconds: float = QUIET_SECONDS,
) -> None:
    """Waits until ``pending`` returns an empty text, as long as its text or ``news`` (for example a log's length)
    changes.

    ``pending`` describes what is still missing; it raises if that can't arrive any more (a process has ended). Raises
    ApiError with the last description after ``quiet_seconds`` without a change.
    """
    started = heard = told = time.monotonic()
    before: object = None
    while missing := pending():
        now = time.monotonic()
        if (seen := (missing, news())) != before:
            before, heard = seen, now
        if now - heard > quiet_seconds:
            raise ApiError(f"{what}: nothing new for {quiet_seconds:.0f} s; still missing: {missing}")
        if now - told > TELL_SECONDS:
            told = now
            progress(f"waiting for {what} ({now - started:.0f} s): {missing}")
        time.sleep(_PAUSE_SECONDS)
