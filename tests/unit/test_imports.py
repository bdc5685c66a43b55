"""Imports point one way, between layers and between families. Does not prove that a module is in the right layer."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "components"

LAYERS = [
    ["modelservices.findings", "modelservices.secret_forms"],
    ["modelservices.kubernetes"],
    ["modelservices.engines"],
    ["modelservices.ome_keys"],
    ["modelservices.families"],
    ["modelservices.planning.settings"],
    ["modelservices.manifests"],
    ["modelservices.linking"],
    ["modelservices.planning", "modelservices.stack_config"],
    ["modelservices.cluster"],
    ["modelservices.args"],
    ["modelservices.registration"],
    [
        "modelservices.endpoint_picker",
        "modelservices.inference_service",
        "modelservices.llm_inference_service",
        "modelservices.ome",
        "modelservices.prefill_decode",
    ],
    ["modelservices.stack", "modelservices.testing", "modelservices.pytest_plugin"],
    ["modelservices.commands"],
    ["modelservices", "modelservices.__main__"],
]
"""The lowest first. A module is in the layer that has its name or the longest part of it, and may import from its own
layer and from lower ones."""

WITH_PULUMI = (
    "modelservices.registration",
    "modelservices.endpoint_picker",
    "modelservices.inference_service",
    "modelservices.llm_inference_service",
    "modelservices.args",
    "modelservices.ome",
    "modelservices.prefill_decode",
    "modelservices.stack",
    "modelservices.testing",
)
FAMILIES = "modelservices.families"


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def name_of(path: Path) -> str:
    parts = ("modelservices", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> Mapping[str, Path]:
    return {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Module to the modules that it imports, wherever in the file, for types only too."""
    return {name: frozenset(_imports(name, path)) for name, path in modules().items()}


def _imports(module: str, path: Path) -> Iterator[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{source}.{alias.name}" for alias in node.names]
            found = [name for name in names if name in modules()]
            yield from found
            if len(found) < len(names):
                yield source


def layer(module: str) -> int | None:
    """The layer that names the module, or the longest part of its name; the package itself names no other module."""
    found = [
        (len(name), index)
        for index, names in enumerate(LAYERS)
        for name in names
        if module == name or (name != "modelservices" and is_within(module, name))
    ]
    return max(found)[1] if found else None


def family(module: str) -> str | None:
    """The family's folder that a module is in."""
    folder = module.removeprefix(f"{FAMILIES}.").split(".")[0]
    return folder if is_within(module, FAMILIES) and (PACKAGE / "families" / folder).is_dir() else None


def test_every_module_has_a_layer():
    assert [module for module in modules() if layer(module) is None] == []


def test_no_module_imports_from_a_higher_layer():
    own = {module: layer(module) or 0 for module in modules()}
    higher = [(m, found) for m in modules() for found in imports()[m] if own.get(found, 0) > own[m]]
    assert higher == []


def test_no_imports_in_a_circle():
    # The package itself loads what it names when it is asked for it.
    graph = {module: found - {module} for module, found in imports().items() if module != "modelservices"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_no_family_imports_another():
    both = [(m, found) for m in modules() for found in imports()[m] if family(m) and family(found)]
    assert [(m, found) for m, found in both if family(m) != family(found)] == []


def test_only_families_know_families():
    """All others come to them by the registry."""
    assert [(m, found) for m in modules() for found in imports()[m] if family(found) and not family(m)] == []


def test_pulumi_stays_in_the_components():
    users = {m for m, found in imports().items() if any(name.split(".")[0].startswith("pulumi") for name in found)}
    assert [module for module in users if not any(is_within(module, package) for package in WITH_PULUMI)] == []


def test_what_pulumi_does_not_document_is_used_in_one_place():
    """And in the engine of unit tests."""
    users = {m for m, found in imports().items() if any(n.startswith(("pulumi.runtime", "pulumi._")) for n in found)}
    assert users == {"modelservices.registration.sdk", "modelservices.testing"}


def test_no_module_is_longer_than_400_lines():
    """Those of ``args`` are generated, one for each family's types."""
    own = {name: path for name, path in modules().items() if not is_within(name, "modelservices.args")}
    assert [name for name, path in own.items() if len(path.read_text().splitlines()) > 400] == []


def test_importing_the_package_and_rendering_need_no_pulumi():
    modules = "sys, modelservices.__main__, modelservices.commands.render"
    code = f"import {modules}; print([m for m in sys.modules if 'pulumi' in m])"
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
