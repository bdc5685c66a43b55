"""The reference's verdicts on Gateway API Inference Extension manifests, and the objects after the server's defaulting.

Not proven here: what a live API server reports (see tests/integration), and the wording of messages.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from modelservices.findings import errors

from .reference import cases, load_yaml, plan_case, unexpected

FAMILY = "inference_extension"


def _expected(case: Path) -> list[str]:
    return case.read_text().splitlines()[0].removeprefix("# expect: ").split()


@pytest.mark.parametrize("case", cases(FAMILY), ids=lambda case: case.stem)
def test_verdict(case: Path) -> None:
    verdict, *rest = _expected(case)
    found = errors(plan_case([case]).findings)
    differences = []
    if verdict == "valid":
        differences += [f"refused: {finding.path}" for finding in found]
    elif rest[0] not in {finding.path for finding in found}:
        differences.append(f"{rest[0]} is not among {sorted({finding.path for finding in found})}")
    assert unexpected(FAMILY, case.stem, differences) == []


@pytest.mark.parametrize("case", cases(FAMILY, "defaults"), ids=lambda case: case.stem)
def test_defaults(case: Path, tmp_path: Path) -> None:
    """The comparison leaves out the status, which the server sets and which we don't write."""
    (expected,) = load_yaml(case)
    expected.pop("status", None)
    expected["metadata"]["namespace"] = "default"
    assert list(plan_case([_input(case, tmp_path)]).raise_for_errors().objects) == [expected]


def _input(case: Path, tmp_path: Path) -> Path:
    """The applied manifest: the case with the same name, or for the case with a null a file written here."""
    if case.stem != "objective-null-group":
        return case.parent.parent / "cases" / case.name
    written = tmp_path / case.name
    spec = {"poolRef": {"name": "llama-pool", "group": None}}
    head = {"apiVersion": "inference.networking.x-k8s.io/v1alpha2", "kind": "InferenceObjective"}
    written.write_text(yaml.safe_dump({**head, "metadata": {"name": "nullgroup"}, "spec": spec}))
    return written
