"""How far paths of fields lead. Not proved: that a problem's path is the field's."""

from __future__ import annotations

import pytest

from modelservices.kubernetes.field_paths import depth

POD = {"spec": {"containers": [{"name": "main", "env": [{"name": "A"}]}], "nodeSelector": {"a.b/c": "x"}}}


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("", 0),
        ("spec.containers[0].env[A].name", 6),
        ("spec.containers[main].env[0]", 5),
        ("spec.containers[main].args[0]", 3),
        ("spec.containers[1].env", 2),
        ("spec.containers[other].env", 2),
        ('spec.nodeSelector["a.b/c"]', 3),
        ("spec.volumes[0].name", 1),
    ],
)
def test_how_far_a_path_leads(path: str, steps: int) -> None:
    assert depth(path, POD) == steps
