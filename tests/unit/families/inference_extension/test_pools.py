"""Which pool an objective may refer to. Pools that services make: tests/unit/linking/test_pools.py."""

from __future__ import annotations

from typing import Any

import pytest

from .helpers import ALPHA, ALPHA_SPEC, SPEC, alpha_pool, objective, planned, pool


@pytest.mark.parametrize(
    ("reference", "others", "settings"),
    [
        ({"name": "llama"}, [pool(SPEC)], {}),
        ({"name": "llama", "group": ALPHA}, [alpha_pool(ALPHA_SPEC)], {}),
        ({"name": "llama"}, [alpha_pool(ALPHA_SPEC)], {"convertPools": True}),
        ({"name": "llama"}, [], {"knownPools": ["default/llama"]}),
        ({"name": "llama", "group": ALPHA}, [], {"knownPools": ["default/llama"]}),
    ],
)
def test_known(reference: dict[str, Any], others: list[dict[str, Any]], settings: dict[str, Any]) -> None:
    assert planned(objective(reference), *others, **settings).findings == ()


@pytest.mark.parametrize(
    ("reference", "others", "settings", "path"),
    [
        ({"name": "llama"}, [], {}, "spec.poolRef.name"),
        ({"name": "lama"}, [pool(SPEC)], {}, "spec.poolRef.name"),
        ({"name": "llama"}, [alpha_pool(ALPHA_SPEC)], {}, "spec.poolRef.group"),
        ({"name": "llama", "group": ""}, [pool(SPEC)], {}, "spec.poolRef.group"),
        ({"name": "llama"}, [], {"knownPools": ["other/llama"]}, "spec.poolRef.name"),
    ],
)
def test_unknown(reference: dict[str, Any], others: list[Any], settings: dict[str, Any], path: str) -> None:
    found = planned(objective(reference), *others, **settings).findings
    assert [(f.path, f.severity, f.code, f.object) for f in found] == [
        (path, "warning", "unknown-pool", "InferenceObjective default/gold")
    ]


def test_the_message_says_what_to_do() -> None:
    (finding,) = planned(objective({"name": "llama"})).findings
    assert finding.message == (
        "no manifest makes the InferencePool default/llama; correct the name, add the pool, or list it under "
        "settings.inferenceExtension.knownPools"
    )


def test_a_pool_of_another_namespace_does_not_count() -> None:
    found = planned(objective({"name": "llama"}, namespace="other"), pool(SPEC)).findings
    assert [f.path for f in found] == ["spec.poolRef.name"]


def test_known_pools_need_a_namespace() -> None:
    with pytest.raises(AssertionError, match="knownPools"):
        planned(knownPools=["llama"])
