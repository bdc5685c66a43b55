"""Looking for garbage: a run makes much, drops little, and ends soon."""

import atexit
import gc


def collect_seldom() -> None:
    """For a whole process: hardly any search for cycles while it runs, a fifth of its time otherwise, and none among
    what goes with it at its end, a twentieth of rendering one service."""
    gc.set_threshold(500_000, 50, 50)
    atexit.register(gc.freeze)
