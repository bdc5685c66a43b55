"""Property tests try the same inputs in every run, so that a commit that passes keeps passing.

``make fuzz`` and ``pytest --hypothesis-profile=default`` try others.
"""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# Outputs that a test creates need an event loop, and since Python 3.14 there is none by default.
asyncio.set_event_loop(asyncio.new_event_loop())

# The engine stops its plugins with SIGINT. A background job and its children ignore SIGINT, so each command would wait
# five seconds for its plugins.
signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = (
    "test_serving.py",
    "test_adoption.py",
    "test_component_provider.py",
    "test_newcomer.py",
    "test_release.py",
    "test_make.py",
    "test_ci_example.py",
    "test_kserve.py",
    "test_ome_services.py",
    "test_ome_jobs.py",
)
"""The slowest files of tests/integration, in the order in which they start."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files start first, so that at the end no worker waits for another one's long file."""
    items.sort(key=lambda item: _rank(item.path))


def _rank(file: Path) -> int:
    if file.name in LONGEST:
        return LONGEST.index(file.name)
    return len(LONGEST) if file.parent.name in ("integration", "real_node") else len(LONGEST) + 1
