"""Findings know their lines. Not proved: lines inside templates of text, which count as one value."""

from pathlib import Path

import pytest

from modelservices.findings import Finding
from modelservices.manifests.lines import located, steps

TEXT = """\
apiVersion: v1
kind: List
items:
- apiVersion: x/v1
  kind: A
  metadata:
    labels:
      a.b/c: one
- apiVersion: x/v1
  kind: B
  spec:
    env:
    - name: A
    - {name: B,
       value: 1}
---
spec:
  replicas: 3
"""


@pytest.mark.parametrize(
    ("start", "path", "line"),
    [
        (4, 'metadata.labels["a.b/c"]', 8),
        (4, "metadata.name", 6),
        (9, "spec.env[1].value", 15),
        (9, "spec.env[1].missing.deeper", 14),
        (9, "spec.env[7]", 12),
        (17, "spec.replicas", 18),
        (17, "other", 17),
        (99, "spec", 99),
    ],
)
def test_the_line_is_that_of_the_nearest_field_there_is(tmp_path: Path, start: int, path: str, line: int):
    file = tmp_path / "a.yaml"
    file.write_text(TEXT)
    assert located([Finding(str(file), "A x", path, "is wrong", line=start)])[0].line == line


def test_a_finding_without_a_line_or_a_file_stays_as_it_is():
    findings = [Finding("gone.yaml", "A x", "spec", "is wrong", line=3), Finding("", "", "spec", "is wrong")]
    assert [finding.line for finding in located(findings)] == [3, None]


def test_paths_are_read_as_they_are_written():
    assert steps('spec.a[0]["b.c/d"].e') == ["spec", "a", 0, "b.c/d", "e"]
