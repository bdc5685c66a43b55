"""Probe timings of all families: how long an engine may take to start, and how soon a dead one is noticed."""

import math
from collections.abc import Mapping

from ..kubernetes.probes import Timing

PROBES = {
    "startup": Timing(period=10, timeout=5, failures=180),
    "liveness": Timing(period=15, timeout=5, failures=3),
    "readiness": Timing(period=10, timeout=5, failures=3),
}
"""LLMKube and OtterScale: half an hour to load a model; then a dead server is noticed within a minute."""

OME_PROBES = {
    "startup": Timing(period=10, timeout=10, failures=180),
    "readiness": Timing(period=10, timeout=5, failures=3),
    "liveness": Timing(period=30, timeout=10, failures=5),
}
"""OME: half an hour as well; then a server may be silent for two and a half minutes."""


def with_budget(timings: Mapping[str, Timing], seconds: int | None) -> Mapping[str, Timing]:
    """The timings with enough startup probes for ``seconds``; None leaves them as they are."""
    if seconds is None:
        return timings
    return {**timings, "startup": timings["startup"]._replace(failures=attempts(seconds, timings["startup"].period))}


def attempts(seconds: int, period: int) -> int:
    """Number of probes, ``period`` seconds apart, that take at least ``seconds``."""
    return math.ceil(seconds / period)
