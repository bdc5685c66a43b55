"""Changes to pod specs. Not proved: what each family adds (families/)."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.pod_edits import change_container, container_of, with_env, with_mounts, with_volumes

POD: dict[str, Any] = {"initContainers": [{"name": "init"}], "containers": [{"name": "main"}, {"name": "side"}]}


@pytest.mark.parametrize(
    ("change", "field", "there", "new"),
    [
        (with_env, "env", {"name": "A", "value": "own"}, {"name": "B", "value": "2"}),
        (with_mounts, "volumeMounts", {"name": "a", "mountPath": "/a"}, {"name": "a", "mountPath": "/b"}),
        (with_volumes, "volumes", {"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}),
    ],
)
def test_what_is_there_stays_and_what_is_new_comes_last(change: Any, field: str, there: Any, new: Any) -> None:
    before = {"name": "x", field: [there]}
    assert change(before, [{**there, "value": "other"}, new]) == {"name": "x", field: [there, new]}
    assert before == {"name": "x", field: [there]}
    assert change({"name": "x"}, [new]) == {"name": "x", field: [new]}


@pytest.mark.parametrize("change", [with_env, with_mounts, with_volumes])
def test_nothing_new_changes_nothing(change: Any) -> None:
    assert change({"name": "x"}, []) == {"name": "x"}


def test_one_container_is_changed() -> None:
    changed = change_container(POD, lambda item: {**item, "image": "i"}, "side")
    assert changed == {**POD, "containers": [{"name": "main"}, {"name": "side", "image": "i"}]}
    init = change_container(POD, lambda item: {**item, "image": "i"}, "init", "initContainers")
    assert init["initContainers"] == [{"name": "init", "image": "i"}]
    assert change_container(POD, lambda item: {**item, "image": "i"}, "none") == POD


def test_a_container_by_its_name() -> None:
    assert container_of(POD, "side") == {"name": "side"}
    assert container_of(POD, "side", "initContainers") is None and container_of({}, "side") is None
