"""Waiting without a deadline: a loaded machine is slow, not broken, as long as something new comes."""

import time
from collections.abc import Callable

from tools.cluster.api import ApiError

Progress = Callable[[str], object]

QUIET_SECONDS = 180.0
"""Nothing new for so long is a failure."""
TELL_SECONDS = 10.0
"""How often is said what is waited for."""
_PAUSE_SECONDS = 0.05


def wait_for(
    what: str,
    pending: Callable[[], str],
    progress: Progress,
    *,
    news: Callable[[], object] = str,
    quiet_seconds: float = QUIET_SECONDS,
) -> None:
    """Waits until ``pending`` says nothing, for as long as its words or ``news`` (a log's length) change.

    ``pending`` gives what is still missing, in words, and raises where it can't come any more (a process has ended).
    Raises ApiError with the last words when nothing new came for ``quiet_seconds``.
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
