"""How long an engine may take to start, and how soon a dead one is noticed: the start-up budget of every family."""

import math
from collections.abc import Mapping

from ..kubernetes.probes import Timing

PROBES = {
    "startup": Timing(period=10, timeout=5, failures=180),
    "liveness": Timing(period=15, timeout=5, failures=3),
    "readiness": Timing(period=10, timeout=5, failures=3),
}
"""LLMKube and OtterScale: half an hour to load a model, then a dead server is noticed within a minute."""

OME_PROBES = {
    "startup": Timing(period=10, timeout=10, failures=180),
    "readiness": Timing(period=10, timeout=5, failures=3),
    "liveness": Timing(period=30, timeout=10, failures=5),
}
"""OME: half an hour too, then a server may be silent for two minutes and a half."""


def with_budget(timings: Mapping[str, Timing], seconds: int | None) -> Mapping[str, Timing]:
    """The timings with as many startup probes as fit the budget; None leaves them as they are."""
    if seconds is None:
        return timings
    return {**timings, "startup": timings["startup"]._replace(failures=attempts(seconds, timings["startup"].period))}


def attempts(seconds: int, period: int) -> int:
    """How many probes, a period apart, take at least so many seconds."""
    return math.ceil(seconds / period)
