"""Names. The long ones of case p65 are compared there; not proved: that no two services ever share a shortened name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelservices.families.kserve import names

from .random_specs import NAMES

LONG = "customer-support-assistants-xlarge-mixture-of-experts"
LEGAL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
SUFFIXED = [
    names.decode_deployment,
    names.prefill_deployment,
    names.workload_service,
    names.certificates,
    names.inference_pool,
    names.picker_service,
    names.scheduler_deployment,
    names.scheduler_account,
    names.scheduler_role,
    names.scheduler_role_binding,
    names.tokenizer,
    names.route,
    names.resource_claim_template,
]


@pytest.mark.parametrize(
    ("parent", "suffix", "wanted"),
    [
        ("chat", "-kserve", "chat-kserve"),
        ("a" * 56, "-kserve", "a" * 56 + "-kserve"),
        ("a" * 57, "-kserve", "a" * 24 + "652b906d60af96844ebd21b674f35e93-kserve"),
        ("b" * 60, "-" + "s" * 30, "b" * 31 + "500d7a6b11e71c53fb1b9462590eef82"),
    ],
)
def test_child_name(parent: str, suffix: str, wanted: str) -> None:
    assert names.child_name(parent, suffix) == wanted


@given(NAMES)
def test_every_name_is_legal_and_no_two_are_the_same(name: str) -> None:
    made = [spell(name) for spell in SUFFIXED]
    made += [
        spell(name, queued=queued) for spell in (names.decode_group, names.prefill_group) for queued in (True, False)
    ]
    assert all(LEGAL.fullmatch(item) and len(item) <= 63 for item in made)
    assert len({*made[: len(SUFFIXED)]}) == len(SUFFIXED)


@given(NAMES, NAMES)
def test_cluster_wide_names_tell_namespaces_apart(name: str, namespace: str) -> None:
    first = names.scheduler_cluster_role_binding(namespace, name)
    second = names.scheduler_cluster_role_binding(f"{namespace[:62]}x", name)
    assert len(first) <= 63
    assert (first == second) == (namespace == f"{namespace[:62]}x")


@pytest.mark.parametrize(("queued", "limit"), [(False, 51), (True, 39)])
@pytest.mark.parametrize("spell", [names.decode_group, names.prefill_group])
def test_group_names_leave_room_for_hundreds_of_groups(spell: object, queued: bool, limit: int) -> None:
    name = spell(LONG, queued=queued)  # type: ignore[operator]
    assert len(name) <= limit - 2
    assert name.startswith("customer-") and LEGAL.fullmatch(name)
    assert not list(names.group_name_problem(name, 1000, queued=queued))


def test_group_names_are_stable() -> None:
    assert names.decode_group(LONG, queued=False) == "customer-support-assistants-xl-a29d7dff-kserve-mn"
    assert names.decode_group(LONG, queued=True) == "customer-support-a-a29d7dff-kserve-mn"
    assert names.prefill_group(LONG, queued=True) == "customer-s-f7796465-kserve-mn-prefill"
    assert names.decode_group("chat", queued=True) == "chat-kserve-mn"
    assert names.prefill_group("chat", queued=False) == "chat-kserve-mn-prefill"


def test_a_short_name_is_kept_up_to_the_limit() -> None:
    fits = "a" * (51 - len("-kserve-mn"))
    assert names.decode_group(fits, queued=False) == f"{fits}-kserve-mn"
    assert names.decode_group(f"{fits}a", queued=False) != f"{fits}a-kserve-mn"


def test_longer_group_numbers_need_shorter_names() -> None:
    name = names.decode_group("a" * 41, queued=False)
    assert len(name) == 51
    assert not list(names.group_name_problem(name, 10, queued=False))
    (problem,) = names.group_name_problem(name, 11, queued=False)
    assert (problem.path, problem.code) == ("metadata.name", "name-too-long")
    assert "of 51 characters, but with 11 groups it may have 50" in problem.message


@pytest.mark.parametrize("name", ["3chat", "chat.large", "Chat", "chat-", "-chat", "ch at"])
def test_names_that_no_service_can_have(name: str) -> None:
    assert [problem.code for problem in names.service_name_problem(name)] == ["bad-name"]


def test_a_name_goes_into_labels_whole() -> None:
    assert [p.code for p in names.service_name_problem("a" * 64)] == ["name-too-long"]
    assert not list(names.service_name_problem("a" * 63))


@given(st.text(max_size=20))
def test_any_text_is_a_name_or_a_problem(name: str) -> None:
    assert bool(list(names.service_name_problem(name))) != bool(LEGAL.fullmatch(name))
