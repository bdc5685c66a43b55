"""The table of names in docs/otterscale.md: each exported name of the operator's package has a counterpart here.

The other OtterScale tests show that the counterparts do the same.
"""

from __future__ import annotations

import importlib
import re

import pytest

from tests.conformance.reference import HERE

FAMILY, SHARED = "modelservices.families.otterscale", "modelservices.kubernetes"
TABLE = dict(re.findall(r"^\| (\w+) \| `([\w.]+)`", (HERE.parents[1] / "docs/otterscale.md").read_text(), re.MULTILINE))
EXPORTED = [line.split()[1] for line in (HERE / "otterscale/exported.txt").read_text().splitlines()]


def test_every_name_is_in_the_table() -> None:
    assert len(EXPORTED) == 58 + 4 + 29
    assert sorted(TABLE) == sorted(EXPORTED)


@pytest.mark.parametrize("counterpart", sorted(set(TABLE.values())))
def test_counterpart_is_there(counterpart: str) -> None:
    module, _, name = counterpart.rpartition(".")
    package = SHARED if module.startswith("endpoint_picker.") else FAMILY
    assert getattr(importlib.import_module(f"{package}.{module}"), name) is not None
