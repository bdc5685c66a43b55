"""``make fuzz``: runs test_fuzz.py with new inputs, until the time is over or a test fails.

Each round first prints the command that repeats it.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1] / "test_fuzz.py"


def main(seconds: float) -> int:
    """Runs the rounds; returns the last one's exit code."""
    os.environ.setdefault("FUZZ_EXAMPLES", "500")
    end = time.monotonic() + seconds
    code = 0
    while not code and time.monotonic() < end:
        seed = secrets.randbits(32)
        print(f"FUZZ_EXAMPLES={os.environ['FUZZ_EXAMPLES']} pytest {TESTS} --hypothesis-seed={seed}", flush=True)
        code = pytest.main(["-q", "-p", "no:cacheprovider", "--tb=short", str(TESTS), f"--hypothesis-seed={seed}"])
    return int(code)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
