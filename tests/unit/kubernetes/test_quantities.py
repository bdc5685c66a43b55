"""Resource quantities. The canonical spellings are those that a Kubernetes API server gives back."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelservices.kubernetes.quantities import amount, canonical, whole

SUFFIXES = ["", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2048Mi", "2Gi"), ("1000m", "1"), ("1", "1"), ("1.5Gi", "1536Mi"), ("0.5", "500m"), (".5Gi", "512Mi"),
        ("1073741824", "1073741824"), ("100Gi", "100Gi"), ("1500m", "1500m"), ("0", "0"), ("0Mi", "0"),
        ("0.1Ki", "102400m"), ("1000k", "1M"), ("1e3", "1e3"), ("1024Ki", "1Mi"), ("-1Ki", "-1Ki"), ("16000m", "16"),
        ("1n", "1n"), ("0.1n", "1n"),
    ],
)  # fmt: skip
def test_canonical(text: str, expected: str):
    assert canonical(text) == expected


@pytest.mark.parametrize("text", ["", "x", "1 Gi", "1gb", "1Gib", "--1", "1.2.3", "1e", "0x1"])
def test_malformed(text: str):
    with pytest.raises(ValueError, match="quantity"):
        canonical(text)


@pytest.mark.parametrize(("text", "number"), [("2Ki", 2048), ("500m", Decimal("0.5")), ("1e3", 1000), ("3", 3)])
def test_amount(text: str, number: Decimal):
    assert amount(text) == number


@pytest.mark.parametrize(("text", "number"), [("2", 2), ("2000m", 2), ("500m", None), ("1Ki", 1024)])
def test_whole(text: str, number: int | None):
    assert whole(text) == number


@given(st.decimals(0, 10**6, places=3), st.sampled_from(SUFFIXES))
def test_canonical_keeps_the_amount_and_is_stable(number: Decimal, suffix: str):
    text = f"{number}{suffix}"
    spelled = canonical(text)
    assert abs(amount(spelled) - amount(text)) <= Decimal("1e-9")
    assert canonical(spelled) == spelled
