"""The table of ``adopt`` and its refusals, from rows made by hand."""

from typing import Any

import pytest

from modelservices.cluster.pods import Pods
from modelservices.cluster.takeover import Row, Whose
from modelservices.commands.adopt import refusals, table
from modelservices.kubernetes.objects import Key


def row(name: str = "chat", whose: Whose = "operator", **fields: Any) -> Row:
    return Row(Key("apps/v1", "Deployment", "n", name), whose, **fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"pods": Pods(1, 1)}, "1 pod with 1 GPU stays"),
        ({"pods": Pods(2, 8)}, "2 pods with 8 GPUs stay"),
        ({"pods": Pods(2, 0), "restarts": True}, "2 pods restart"),
        ({"pods": Pods(3, 0), "pods_after": Pods(1, 0)}, "3 pods stay, 1 afterwards"),
        ({"pods": Pods(3, 0), "pods_after": Pods(0, 0)}, "3 pods stay, 0 afterwards"),
        ({"pods": Pods(0, 0), "pods_after": Pods(2, 0)}, "none, 2 afterwards"),
        ({"pods": Pods(0, 0)}, "-"),
        ({"pods": Pods(1, 0), "whose": "new"}, "1 pod starts"),
    ],
)
def test_pods_say_what_becomes_of_them(fields: dict[str, Any], said: str):
    heading, line = table([row(**fields)]).splitlines()
    start, end = heading.index("PODS"), heading.index("UPDATE")
    assert line[start:end].strip() == said


def test_a_problem_of_many_objects_is_one_line():
    rows = [row(f"chat-{number}", problems=("is still reconciled",)) for number in range(5)]
    assert refusals([*rows, row("own", problems=("holds a literal secret",)), row("fine")]) == [
        "Deployment n/chat-0, Deployment n/chat-1, Deployment n/chat-2 and 2 more: is still reconciled",
        "Deployment n/own: holds a literal secret",
    ]
