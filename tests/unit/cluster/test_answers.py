"""Answers that are none of a Kubernetes API are refused before any reader meets them.

Not proved here: answers whose objects are odd further inside than their metadata, spec and status.
"""

from __future__ import annotations

import pytest

from modelservices.cluster.http import NoAnswerOfAPI, api_answer, object_of


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("{}", {}),
        ('{"metadata": {"name": "a"}, "status": null}', {"metadata": {"name": "a"}}),
        ('{"kind": "Status", "status": "Success"}', {"kind": "Status", "status": "Success"}),
        ('{"items": null}', {}),
        ('{"items": [{"metadata": {"name": "a"}, "spec": null}]}', {"items": [{"metadata": {"name": "a"}}]}),
        ('{"resources": [{"name": "pods", "kind": "Pod"}]}', {"resources": [{"name": "pods", "kind": "Pod"}]}),
    ],
)  # fmt: skip
def test_answers(answer: str, wanted: object) -> None:
    assert api_answer(answer.encode()) == wanted


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        *((text, "no JSON object") for text in ("", "null", "[]", "5", "<html></html>", '{"a":', "[" * 100_000)),
        ('{"metadata": []}', "an object whose metadata is no mapping"),
        ('{"metadata": {}, "status": "x"}', "an object whose status is no mapping"),
        ('{"metadata": {"name": 5}}', "an object without a name"),
        ('{"metadata": {"ownerReferences": [{"kind": "A"}]}}', "an object whose owners have no name"),
        ('{"items": {}}', "an answer whose items are no list"),
        ('{"items": [null]}', "a list with something other than objects"),
        ('{"items": [{"spec": 5}]}', "an object whose spec is no mapping"),
        ('{"resources": [{"name": "pods"}]}', "an object without a name"),
    ],
)
def test_what_is_none(answer: str, reason: str) -> None:
    with pytest.raises(NoAnswerOfAPI) as caught:
        api_answer(answer.encode())
    assert str(caught.value) == reason


def test_a_server_behind_the_api_has_objects_of_its_own() -> None:
    assert object_of(b'{"metadata": [1]}') == {"metadata": [1]}
