"""One list of families and components. Does not prove what any of them renders."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import modelservices
from modelservices.families.registry import COMPONENTS, FAMILIES, Family, arguments_of, family_of
from modelservices.kubernetes.model import read
from modelservices.planning.settings import Settings

INIT = Path(modelservices.__file__)


def test_every_folder_of_a_family_has_its_row():
    folders = {path.name for path in (INIT.parent / "families").iterdir() if (path / "render.py").exists()}
    assert {family.folder for family in FAMILIES} == folders


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_a_family_reads_its_groups_and_has_its_settings(family: Family):
    kinds = family.entry().KINDS
    assert {version.partition("/")[0] for version, _ in kinds} == set(family.groups)
    assert {kind for _, kind in kinds} >= set(family.cluster_kinds)
    assert type(getattr(Settings(), family.settings)) is family.settings_model()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_settings_of_a_family_are_read_where_they_stand(family: Family):
    _, (wrong,) = read(Settings, {family.settings: {"ignoreUnknown": []}})
    assert (wrong.path, wrong.code) == (f"{family.settings}.ignoreUnknown", "bad-value")
    _, (unknown,) = read(Settings, {family.settings: {"ignoreUnknwn": True}})
    assert unknown.message.endswith("did you mean ignoreUnknown?")
    given, problems = read(Settings, {family.settings: {"ignoreUnknown": True}})
    assert given is not None and problems == []
    assert type(getattr(given, family.settings)) is family.settings_model()
    assert getattr(given, family.settings).ignoreUnknown and given.model_fields_set == {family.settings}


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.folder)
def test_settings_are_equal_whichever_were_read_before(family: Family):
    read_before = Settings()
    _ = getattr(read_before, family.settings)
    other, _ = read(Settings, {family.settings: {"ignoreUnknown": True}})
    assert read_before == Settings() != other


def test_settings_have_the_families_and_nothing_else():
    with pytest.raises(AttributeError, match="'Settings' object has no attribute 'knative'"):
        _ = Settings().knative


def test_the_family_of_a_version():
    found = family_of("ome.io/v1beta1")
    assert found is not None and found.folder == "ome"
    assert family_of("apps/v1") is None


def test_type_checkers_see_the_public_names():
    """They can't ask the registry, so the package spells the imports; each is from the module that really has it."""
    tree = ast.parse(INIT.read_text())
    (typed,) = [node for node in tree.body if isinstance(node, ast.If)]
    spelled = {
        alias.name: node.module for node in typed.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert spelled == modelservices._MODULES
    assert sorted(spelled) == sorted(modelservices.__all__)


@pytest.mark.parametrize("name", sorted(modelservices.__all__))
def test_public_names_are_there(name: str):
    assert getattr(modelservices, name).__name__ == name


@pytest.mark.parametrize("component", sorted(COMPONENTS))
def test_a_component_has_arguments(component: str):
    assert arguments_of(component) in modelservices.__all__
