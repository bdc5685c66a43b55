"""Tests of properties try the same inputs in every run, so that a commit that passes keeps passing.

``make fuzz`` and ``pytest --hypothesis-profile=default`` try others.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
