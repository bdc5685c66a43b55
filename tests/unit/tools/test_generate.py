"""Generated parts of the docs. That the repository's own files are up to date is for `make verify`."""

from pathlib import Path

import pytest

from tools.generate import with_parts

MANIFEST = """
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: pool, namespace: n}
spec:
  selector: {matchLabels: {app: x}}
  targetPorts: [{number: 8000}]
  endpointPickerRef: {name: picker, port: {number: 9002}}
"""


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    file = tmp_path / "pool.yaml"
    file.write_text(MANIFEST)
    return file


def test_a_part_is_made_anew_and_the_rest_stays(manifest: Path):
    mark = f"<!-- generated: graph {manifest} -->"
    page = f"before\n{mark}\nold\n<!-- end -->\nafter\n"

    made = with_parts(page)

    assert made == (
        f"before\n{mark}\n```mermaid\n"
        'flowchart LR\n  n0["InferencePool<br>pool"]\n  n1["Service<br>picker"]\n  n0 -->|asks| n1\n'
        "  classDef outside stroke-dasharray: 4\n  class n1 outside\n"
        "```\n<!-- end -->\nafter\n"
    )
    assert with_parts(made) == made


def test_several_parts_of_a_page(manifest: Path):
    page = f"<!-- generated: graph {manifest} -->\n<!-- end -->\n<!-- generated: render {manifest} -->\n<!-- end -->\n"

    made = with_parts(page)

    assert made.count("```mermaid\n") == 1 and made.count("```yaml\n---\n") == 1


def test_a_command_that_fails_ends_with_what_is_wrong():
    with pytest.raises(SystemExit, match="nowhere: does not exist"):
        with_parts("<!-- generated: graph nowhere -->\n<!-- end -->\n")
