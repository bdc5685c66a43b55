"""Findings print no secrets. Not proved here: which texts are secrets (tests/unit/kubernetes/test_secrets.py)."""

from __future__ import annotations

import pytest

from modelservices.findings import Finding, Problem
from modelservices.kubernetes.model import Spec, read
from modelservices.kubernetes.scalars import Integer, Name
from modelservices.manifests.reports import FORMATS, report
from modelservices.secret_forms import without_secrets

TOKEN = "hf_" + "aB3" * 11


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("must be a whole number, got 'hf_'", "must be a whole number, got 'hf_'"),
        (f"got '{TOKEN}'", "got '(a secret)'"),
        (f"{TOKEN} and {TOKEN}", "(a secret) and (a secret)"),
        ("https://me:hunter2@host/a and a@b", "https://me:(a secret)@host/a and a@b"),
        ("got '-----BEGIN PRIVATE KEY-----\\nMIIEvQ...'", "got '(a secret)"),
    ],
)
def test_secrets_are_left_out(text: str, wanted: str) -> None:
    assert without_secrets(text) == wanted


@pytest.mark.parametrize("form", FORMATS)
def test_no_finding_has_one(form: str) -> None:
    problem = Problem(f"spec.{TOKEN}", f"got {TOKEN}")
    printed = report([Finding.of(problem, "f.yaml", f"Model n/{TOKEN}")], form)
    assert TOKEN not in printed and "(a secret)" in printed


class Storage(Spec):
    apiKey: Integer = 0
    secretRef: dict[Name, Name] = {}
    size: Integer = 0
    args: list[Name] = []


def test_a_field_that_is_given_a_secret_by_mistake_is_not_quoted() -> None:
    _, problems = read(Storage, {"secretRef": "hunter2", "size": "large", "args": "--api-key hunter2"})
    assert [(problem.path, problem.message) for problem in problems] == [
        ("args", "must be a list, got a text"),
        ("secretRef", "must be a mapping, got a text"),
        ("size", "must be a whole number, got 'large'"),
    ]
