"""Limits and requests of containers: what is added to them and what is refused.

That the API server says the same was tried by hand; the integration tests apply rendered objects only.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.resources import (
    accelerators,
    is_accelerator,
    is_exact,
    is_extended,
    is_share,
    resource_problems,
    with_whole_pairs,
)
from modelservices.kubernetes.scalars import Opaque


@pytest.mark.parametrize(
    ("name", "extended", "exact"),
    [
        ("cpu", False, False),
        ("ephemeral-storage", False, False),
        ("hugepages-2Mi", False, True),
        ("nvidia.com/gpu", True, True),
        ("example.com/nic", True, True),
        ("kubernetes.io/batch-cpu", False, False),
    ],
)
def test_kinds_of_resources(name: str, extended: bool, exact: bool) -> None:
    assert (is_extended(name), is_exact(name)) == (extended, exact)


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("nvidia.com/gpu", True),
        ("nvidia.com/gpu.shared", True),
        ("nvidia.com/mig-1g.5gb", True),
        ("habana.ai/gaudi", True),
        ("aws.amazon.com/neuroncore", True),
        ("nvidia.com/gpumem", False),
        ("nvidia.com/gpumem-percentage", False),
        ("nvidia.com/gpucores", False),
        ("example.com/nic", False),
        ("cpu", False),
    ],
)
def test_accelerators_among_the_resources(name: str, is_one: bool) -> None:
    assert is_accelerator(name) is is_one


def test_a_share_of_a_device_is_not_counted_as_devices() -> None:
    assert [is_share(name) for name in ("aliyun.com/gpu-mem", "nvidia.com/gpu", "memory")] == [True, False, False]
    assert accelerators({"limits": {"nvidia.com/gpu": "2", "nvidia.com/gpumem": "8000", "cpu": "4"}}) == 2
    assert accelerators({"limits": {"cpu": "4"}}) is None


def test_a_device_that_is_only_requested_gets_the_limit() -> None:
    given = {"requests": {"cpu": "1", "nvidia.com/gpu": "2"}}
    assert with_whole_pairs(given) == {**given, "limits": {"nvidia.com/gpu": "2"}}


@pytest.mark.parametrize(
    "resources",
    [
        {},
        {"limits": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"}, "requests": {"cpu": "500m"}},
        {"limits": {"hugepages-2Mi": "1Gi", "memory": "1Gi"}},
        {"limits": {"nvidia.com/gpu": Opaque(object())}, "requests": {"nvidia.com/gpu": "1"}},
        {"claims": [{"name": "a"}, {"name": "b"}]},
    ],
)
def test_accepted(resources: dict[str, Any]) -> None:
    assert list(resource_problems(resources, "r")) == []


@pytest.mark.parametrize(
    ("resources", "path"),
    [
        ({"limits": {"gpu": "1"}}, "r.limits.gpu"),
        ({"limits": {"a.com/b/c": "1"}}, 'r.limits["a.com/b/c"]'),
        ({"requests": {"cpu": "-1"}}, "r.requests.cpu"),
        ({"requests": {"nvidia.com/gpu": "500m"}}, 'r.requests["nvidia.com/gpu"]'),
        ({"limits": {"cpu": "1"}, "requests": {"cpu": "1001m"}}, "r.requests.cpu"),
        ({"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "1"}}, 'r.requests["nvidia.com/gpu"]'),
        ({"limits": {"hugepages-2Mi": "1Gi"}}, "r.limits.hugepages-2Mi"),
        ({"claims": [{"name": "a"}, {"name": "a"}]}, "r.claims[1]"),
    ],
)
def test_refused(resources: dict[str, Any], path: str) -> None:
    assert [problem.path for problem in resource_problems(resources, "r")] == [path]
