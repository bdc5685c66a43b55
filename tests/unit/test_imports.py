"""Dependencies point one way. Does not prove that a module is in the right layer, only what it may import."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "components"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The lowest layer first. A module may import from its own layer and from lower ones.
LAYERS = [
    ["components.findings"],
    ["components.kubernetes"],
    ["components.engines"],
    ["components.families", "components.planning.settings"],
    ["components.manifests", "components.planning", "components.stack_config"],
    ["components.cluster"],
    ["components.registration"],
]
BELOW_THE_COMPONENTS = (
    *(name for names in LAYERS[:-1] for name in names),
    "components.commands",
    "components.__main__",
)


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    module = name_of(path)
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield ".".join([*base, *([node.module] if node.module else [])])


def layer(module: str) -> int | None:
    """The layer that names the module, or the longest part of its name."""
    found = [
        (len(name), index)
        for index, names in enumerate(LAYERS)
        for name in names
        if module == name or module.startswith(f"{name}.")
    ]
    return max(found)[1] if found else None


def is_type_only(path: Path, module: str) -> bool:
    """Imports under TYPE_CHECKING are for readers and checkers, not for Python."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for inner in ast.walk(node):
                if isinstance(inner, ast.ImportFrom) and module.endswith(inner.module or "?"):
                    return True
    return False


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_imports_from_a_higher_layer(path: Path):
    own = layer(name_of(path))
    if own is None:
        return
    higher = [m for m in imports(path) if (layer(m) or 0) > own and not is_type_only(path, m)]
    assert higher == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_pulumi_stays_in_the_components(path: Path):
    if name_of(path).startswith(BELOW_THE_COMPONENTS) and "registration" not in name_of(path):
        assert [module for module in imports(path) if module.split(".")[0].startswith("pulumi")] == []


def test_no_module_is_longer_than_400_lines():
    assert [name_of(path) for path in MODULES if len(path.read_text().splitlines()) > 400] == []


def test_importing_the_package_and_rendering_need_no_pulumi():
    code = (
        "import sys, components.__main__, components.commands.render; print([m for m in sys.modules if 'pulumi' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
