"""Tests of properties try the same inputs in every run, so that a commit that passes keeps passing.

``make fuzz`` and ``pytest --hypothesis-profile=default`` try others.
"""

from __future__ import annotations

import asyncio

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# Outputs that a test makes need an event loop; since Python 3.14 there is none unless it was set.
asyncio.set_event_loop(asyncio.new_event_loop())
