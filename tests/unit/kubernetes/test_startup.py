"""What ends the waiting for pods that don't start, and when."""

import pytest

from modelservices.kubernetes.pod_reasons import Cause, Reason
from modelservices.kubernetes.startup import SETTLED_SECONDS, Past, StartupSettings, fatal_reason

LIMITS = StartupSettings(unschedulableSeconds=60, errorSeconds=20, nodeSeconds=40, crashes=3)


@pytest.mark.parametrize(
    ("cause", "crashes", "seconds", "ends"),
    [
        (Cause.ERROR, 0, 19.9, False),
        (Cause.ERROR, 0, 20, True),
        (Cause.UNSCHEDULABLE, 0, 59, False),
        (Cause.UNSCHEDULABLE, 0, 60, True),
        (Cause.NODE, 0, 39, False),
        (Cause.NODE, 0, 40, True),
        (Cause.CRASH, 2, 3600, False),
        (Cause.CRASH, 3, SETTLED_SECONDS - 1, False),
        (Cause.CRASH, 3, SETTLED_SECONDS, True),
        (Cause.STARTING, 0, 3600, False),
    ],
)
def test_the_limits(cause: Cause, crashes: int, seconds: float, ends: bool) -> None:
    reason = Reason(cause, "Why", "", crashes=crashes)
    assert (fatal_reason([reason], {cause: seconds}, LIMITS) == reason) is ends


def crash(crashes: int, *, running: bool = False, pod: str = "chat-1") -> Reason:
    return Reason(Cause.CRASH, "Error", "", pod, "server", crashes, crashes - 1 if running else crashes)


def test_crashes_before_an_update_began_do_not_end_it() -> None:
    past = Past([crash(7)])
    assert past.has(crash(7))
    assert past.has(crash(8, running=True)), "the run that crashed is still the same"
    assert not past.has(crash(8))
    assert not past.has(crash(7, pod="chat-2"))


def test_a_run_that_had_begun_before_the_update_is_of_the_past() -> None:
    past = Past([crash(7, running=True)])
    assert past.has(crash(7))
    assert not past.has(crash(8))


def test_what_was_not_met_again_is_of_the_past() -> None:
    refused = Reason(Cause.ERROR, "FailedCreate", "m", stamp="1/1")
    assert Past([refused]).has(refused)
    assert not Past([refused]).has(refused._replace(stamp="2/2"))
    assert not Past([refused._replace(stamp="")]).has(refused._replace(stamp="")), "nothing says how often it was met"
