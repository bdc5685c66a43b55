"""What a stack's config says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelservices.findings import InvalidManifests
from modelservices.stack_config import program_folder, read_config

TOKEN = f"hf_{'fZ9' * 11}"


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"manifests": ["stacks/dev", TOKEN]}, "manifests[1]"),
        ({"adopted": f"{TOKEN}.yaml"}, "adopted"),
        ({"target": {"directory": TOKEN}}, "target.directory"),
    ],
)
def test_a_path_that_is_a_secret_is_refused_before_it_is_printed(values: dict[str, Any], path: str):
    with pytest.raises(InvalidManifests) as error:
        read_config(values, "Pulumi.dev.yaml")
    (finding,) = error.value.findings
    assert (finding.file, finding.path, finding.code) == ("Pulumi.dev.yaml", path, "literal-secret")
    assert TOKEN not in str(error.value)


def test_a_wrong_target_is_found_in_its_place():
    with pytest.raises(InvalidManifests) as error:
        read_config({"target": {"folder": "yaml"}}, "Pulumi.dev.yaml")
    assert [(finding.path, finding.code) for finding in error.value.findings] == [
        ("target", "bad-value"),
        ("target.directory", "required"),
        ("target.folder", "unknown-field"),
    ]


def test_a_field_of_two_types_is_found_in_its_place():
    with pytest.raises(InvalidManifests) as error:
        read_config({"adopt": 5}, "Pulumi.dev.yaml")
    assert {finding.path for finding in error.value.findings} == {"adopt"}


def test_paths_are_relative_to_the_folder_that_main_leads_to(tmp_path: Path) -> None:
    assert program_folder(tmp_path) == tmp_path
    program = tmp_path / "deploy"
    program.mkdir()
    (program / "__main__.py").touch()
    for main in ("deploy", "deploy/__main__.py"):
        (tmp_path / "Pulumi.yaml").write_text(f"name: models\nruntime: python\nmain: {main}\n")
        assert program_folder(tmp_path) == program
