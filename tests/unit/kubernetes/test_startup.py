"""What ends the waiting for pods that don't start, and when."""

import pytest

from modelservices.kubernetes.pod_reasons import Cause, Reason
from modelservices.kubernetes.startup import SETTLED_SECONDS, StartupSettings, hopeless

LIMITS = StartupSettings(unschedulableSeconds=60, errorSeconds=20, crashes=3)


@pytest.mark.parametrize(
    ("cause", "crashes", "seconds", "ends"),
    [
        (Cause.ERROR, 0, 19.9, False),
        (Cause.ERROR, 0, 20, True),
        (Cause.UNSCHEDULABLE, 0, 59, False),
        (Cause.UNSCHEDULABLE, 0, 60, True),
        (Cause.CRASH, 2, 3600, False),
        (Cause.CRASH, 3, SETTLED_SECONDS - 1, False),
        (Cause.CRASH, 3, SETTLED_SECONDS, True),
        (Cause.STARTING, 0, 3600, False),
    ],
)
def test_the_limits(cause: Cause, crashes: int, seconds: float, ends: bool) -> None:
    reason = Reason(cause, "Why", "", crashes=crashes)
    assert (hopeless([reason], {cause: seconds}, LIMITS) == reason) is ends
