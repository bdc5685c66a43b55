"""The table of versions says what the Go modules pin. That these versions work is for the integration tests."""

import re
from pathlib import Path

import pytest

from tools.operators import CONTROLLERS
from tools.versions import CRDS, DEFAULT_BUILD, FURTHER_CRDS, REAL_NODE, TOOLS, Tool

MODULES = Path(__file__).parents[3] / "tools" / "go"
BUILT = (*TOOLS, *CONTROLLERS.values())
_REQUIREMENT = re.compile(r"^\s*(?:require )?(\S+) v(\S+)", re.MULTILINE)


def _required(tool: Tool) -> dict[str, str]:
    return dict(_REQUIREMENT.findall((MODULES / tool.module / "go.mod").read_text()))


def _module_of(package: str, required: dict[str, str]) -> str:
    """The longest module path that a package lies in."""
    return max((path for path in required if f"{package}/".startswith(f"{path}/")), key=len)


@pytest.mark.parametrize("tool", [tool for tool in BUILT if tool.package != "."], ids=lambda tool: tool.name)
def test_module_pins_the_version_of_the_table(tool: Tool) -> None:
    required = _required(tool)

    assert required[_module_of(tool.package, required)] == tool.version


@pytest.mark.parametrize("tool", [tool for tool in BUILT if tool.package != "."], ids=lambda tool: tool.name)
def test_module_names_the_package_as_its_tool(tool: Tool) -> None:
    assert tool.package in (MODULES / tool.module / "go.mod").read_text()


def test_every_module_is_used_and_locked() -> None:
    folders = {folder.name for folder in MODULES.iterdir()}

    assert folders == {tool.module for tool in BUILT}
    assert all((MODULES / name / "go.sum").exists() for name in folders - {"certificates"})


def test_kubernetes_staging_modules_have_one_version() -> None:
    for module in ("kubernetes", "kubernetes-node"):
        text = (MODULES / module / "go.mod").read_text()
        assert set(re.findall(r"^replace (\S+) => \1 (\S+)$", text, re.MULTILINE)) >= {("k8s.io/api", "v0.36.2")}
        assert set(re.findall(r" => \S+ (\S+)$", text, re.MULTILINE)) == {"v0.36.2"}


def test_what_is_built_on_request_only() -> None:
    assert {tool.name for tool in TOOLS} - set(DEFAULT_BUILD) == {"helm", "pulumi-language-java", *REAL_NODE}


def test_manifests_are_pinned_by_checksum() -> None:
    theirs = [source for one in CONTROLLERS.values() for source in (*one.definitions, *one.installation)]

    assert all(source.checksum.startswith("h1:") for source in (*CRDS, *FURTHER_CRDS, *theirs))
