"""The inputs that are mutated: all reference inputs, the examples, and settings and stack files with every key."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from modelservices.planning.patches import merged
from modelservices.planning.settings import Settings

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
CORPUS = HERE.parent / "corpus"
"""Inputs that the fuzzer found, by kind; test_fuzz.py replays them."""
KINDS = ("manifests", "settings", "stacks")

_EMPTY = HERE / "settings.yaml"
_REFERENCE = ROOT / "tests" / "conformance"
_FAMILY_SETTINGS = {"llmkube": "operator.yaml", "otterscale": "operator.yaml", "kserve": "install.yaml"}


@cache
def manifests() -> tuple[str, ...]:
    """The texts of the manifests in the reference cases, the examples and the stacks."""
    found = [*_REFERENCE.rglob("input.yaml"), *_REFERENCE.glob("ome/admission/*.yaml")]
    found += [*_REFERENCE.glob("ome/cases/*/[ab]*.yaml"), *(ROOT / "examples").glob("*/manifests/*.yaml")]
    found += [*(ROOT / "stacks").rglob("*.yaml")]
    return tuple(path.read_text() for path in sorted(found))


@cache
def settings() -> tuple[str, ...]:
    """Settings of the reference cases under their family's key, OME's example, and a document with every key."""
    every = merged(Settings.model_validate({}).model_dump(exclude_none=True), yaml.safe_load(_EMPTY.read_text()))
    found = {yaml.safe_dump(every): None, (ROOT / "examples/ome/settings.yaml").read_text(): None}
    for family, name in _FAMILY_SETTINGS.items():
        for path in sorted(_REFERENCE.glob(f"{family}/cases/*/{name}")):
            found[yaml.safe_dump({family: yaml.safe_load(path.read_text())})] = None
    return tuple(found)


@cache
def stacks() -> tuple[str, ...]:
    """The shipped stack files, and one with every key."""
    return tuple(path.read_text() for path in [*sorted(ROOT.glob("Pulumi.*.yaml")), HERE / "stack.yaml"])


@cache
def documents(text: str) -> tuple[Any, ...]:
    """A seed's documents, parsed."""
    return tuple(yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def corpus(kind: str) -> list[Path]:
    return sorted(path for path in (CORPUS / kind).glob("*") if path.is_file())
