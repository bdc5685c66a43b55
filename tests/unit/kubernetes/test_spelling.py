"""Advice on names. Does not prove that it is good advice."""

from __future__ import annotations

import pytest

from modelservices.kubernetes.spelling import listed, nearest


@pytest.mark.parametrize(
    ("name", "cutoff", "wanted"),
    [("replicaz", 0.6, "replicas"), ("xyz", 0.6, None), ("replica", 0.99, None), ("r" * 101, 0.0, None)],
)
def test_the_nearest_name(name: str, cutoff: float, wanted: str | None) -> None:
    assert nearest(name, ["modelRef", "replicas", "r" * 200], cutoff) == wanted


def test_names_in_a_sentence() -> None:
    assert listed([]) == "none"
    assert listed(["a", "b"]) == "a, b"
    assert listed(map(str, range(14))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more"
