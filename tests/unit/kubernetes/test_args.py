"""Command lines: which generated flags give way to the user's.

Not proved here: that the aliases of an engine are right.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.args import Argument, Dialect, merge
from modelservices.kubernetes.scalars import Opaque

DIALECT = Dialect({"-c": "--ctx-size", "--no-jinja": "--jinja"}, frozenset(["--override-kv"]))
GENERATED = [
    Argument(("model.gguf",)),
    Argument(("--ctx-size", "4096"), "contextSize"),
    Argument(("--jinja",), "jinja"),
    Argument(("--override-kv", "a"), "metadataOverrides"),
    Argument(("--rope-scale", "2"), "ropeScaling.factor", yields_to=("--rope-scaling",)),
]
METRICS = [Argument(("--metrics",))]


def words(user: list[Any]) -> list[Any]:
    return merge(GENERATED, user, DIALECT, trailing=METRICS).words


def test_without_extra_arguments_all_generated_ones_stand() -> None:
    assert words([]) == [
        *("model.gguf", "--ctx-size", "4096", "--jinja", "--override-kv", "a", "--rope-scale", "2", "--metrics")
    ]


@pytest.mark.parametrize(
    "user", [["--ctx-size", "8192"], ["--ctx-size=8192"], ["-c", "8192"], ["-c=8192"], ["--ctx_size", "8192"]]
)
def test_the_users_value_counts_however_the_flag_is_spelled(user: list[str]) -> None:
    assert words(user) == ["model.gguf", "--jinja", "--override-kv", "a", "--rope-scale", "2", *user, "--metrics"]


def test_a_switch_gives_way_to_its_opposite() -> None:
    assert "--jinja" not in words(["--no-jinja"])


def test_a_repeatable_flag_stays_beside_the_users() -> None:
    assert words(["--override-kv", "b"])[-6:] == ["a", "--rope-scale", "2", "--override-kv", "b", "--metrics"]


def test_one_flag_may_make_another_superfluous() -> None:
    line = merge(GENERATED, ["--rope-scaling", "none"], DIALECT)
    assert "--rope-scale" not in line.words
    assert [(argument.field, flag) for argument, flag in line.overridden] == [("ropeScaling.factor", "--rope-scaling")]


def test_a_trailing_flag_is_there_once() -> None:
    assert words(["--metrics", "--x", "1"])[-3:] == ["--metrics", "--x", "1"]


def test_the_users_words_are_never_changed() -> None:
    user = ["--lora", "a", "--lora", "b", "--temp", "-1", "-c", "1"]
    assert merge(GENERATED, user, DIALECT).words[-8:] == user


def test_values_that_are_not_known_yet_pass() -> None:
    value = Opaque("later")
    assert merge([Argument(("--cache-type-k", value))], ["--x"], DIALECT).words == ["--cache-type-k", value, "--x"]


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ([], None),
        (["--ctx-size", "1"], "1"),
        (["-c=2"], "2"),
        (["--ctx-size", "1", "-c", "3"], "3"),
        (["--ctx-size"], None),
    ],
)
def test_value_of_the_last_occurrence(user: list[str], value: str | None) -> None:
    assert DIALECT.flags(user).get("--ctx-size") == value
