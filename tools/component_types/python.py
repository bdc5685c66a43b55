"""Generates ``components/args``: the arguments of the components as TypedDicts, for editors and type checkers.

One version has the keys of the manifests, the other (``components/args/snake_case``) has them in snake case, as Python
programs write them. For a type of Kubernetes itself, an ``…Args`` object of ``pulumi_kubernetes`` is allowed as well.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from modelservices.kubernetes.keys import snake_case
from tools.component_types.shapes import INDEX, Property, Shape, described, module_of, properties, sentence

FOLDER = Path("components/args")
SNAKE = "snake_case"
_SCALARS = {
    "text": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "quantity": "str | int | float",
    "int or text": "int | str",
    "any": "Any",
}
_PULUMI_KUBERNETES = ("core.v1", "meta.v1", "autoscaling.v2")


@dataclass(frozen=True)
class Module:
    """One generated module; ``snake`` means that its keys are in snake case."""

    name: str
    snake: bool
    models: Sequence[type[BaseModel]]

    @property
    def path(self) -> Path:
        return FOLDER / SNAKE / f"{self.name}.py" if self.snake else FOLDER / f"{self.name}.py"


def modules(models: Sequence[type[BaseModel]]) -> Iterator[tuple[Path, str]]:
    """Each module of ``components/args``: (path, text)."""
    yield FOLDER / "__init__.py", f'"""{_ABOUT}"""\n'
    yield FOLDER / SNAKE / "__init__.py", '"""The arguments of the components with their keys in snake case."""\n'
    for name in dict.fromkeys(map(module_of, models)):
        own = [model for model in models if module_of(model) == name]
        for module in (Module(name, False, own), Module(name, True, own)):
            yield module.path, _formatted(_text(module))


_ABOUT = "The arguments of the components as TypedDicts. Generated from the models of the manifests: `make generate`."


def _text(module: Module) -> str:
    classes = "\n\n".join(_class(module, model) for model in module.models)
    head = f'"""Generated from the models by `make generate`: {module.name}."""\n\nfrom __future__ import annotations\n'
    others = sorted({name for name in _MODULES if name != module.name and f"{name}." in classes})
    lines = [
        head,
        "from collections.abc import Mapping, Sequence",
        "from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict",
        "",
        "import pulumi",
        "",
        *([f"from . import {', '.join(others)}"] if others else []),
        "",
        *_checked_imports(classes),
        classes,
    ]
    return "\n".join(lines) + "\n"


_MODULES = ("kubernetes", "llmkube", "otterscale", "kserve", "ome", "inference_extension", INDEX)


def _checked_imports(classes: str) -> list[str]:
    packages = [package for package in _PULUMI_KUBERNETES if f"{_alias(package)}." in classes]
    if not packages:
        return []
    return ["if TYPE_CHECKING:", *(f"    import pulumi_kubernetes.{p} as {_alias(p)}" for p in packages), ""]


def _alias(package: str) -> str:
    return "k8s_" + package.replace(".", "_")


def class_name(model: type[BaseModel]) -> str:
    """``InferenceServiceArguments`` becomes ``InferenceServiceArgs``; other models keep their names."""
    return model.__name__.replace("Arguments", "Args") if module_of(model) == INDEX else model.__name__


def _class(module: Module, model: type[BaseModel]) -> str:
    own = [(snake_case(prop.key) if module.snake else prop.key, prop) for prop in properties(model)]
    odd = [(key, prop) for key, prop in own if not key.isidentifier()]
    base = f"_{class_name(model)}Keys" if odd else ""
    lines = [f"class {class_name(model)}({base or 'TypedDict'}):", _docstring(sentence(model)), ""]
    for key, prop in own:
        if key.isidentifier():
            lines += [f"    {key}: {_annotation(module, prop)}", _docstring(described(prop))]
    functional = ", ".join(f'"{key}": "{_annotation(module, prop)}"' for key, prop in odd)
    return (f'{base} = TypedDict("{base}", {{{functional}}})\n\n\n' if odd else "") + "\n".join(lines)


def _docstring(text: str) -> str:
    if not text:
        return ""
    escaped = text.replace("\\", "\\\\")
    filled = textwrap.fill(f'"""{escaped}"""', 116, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent(filled, "    ")


def _annotation(module: Module, prop: Property) -> str:
    found = _type(module, prop.shape)
    if prop.required:
        return found
    # With `| None` a type checker no longer says which key of a mapping is wrong.
    return f"NotRequired[{found}]" if prop.shape.model else f"NotRequired[{found} | None]"


def _type(module: Module, found: Shape) -> str:
    if found.choices:
        return f"Literal[{', '.join(map(repr, found.choices))}]".replace("'", '"')
    if found.container and found.of:
        inner = _type(module, found.of)
        return f"Sequence[{inner}]" if found.container == "list" else f"Mapping[str, {inner}]"
    if found.model:
        return " | ".join([_reference(module, found.model), *_pulumi_kubernetes(found.model)])
    assert found.scalar
    text = _SCALARS[found.scalar]
    return f"pulumi.Input[{text}]" if found.passed and text != "Any" else text


def _reference(module: Module, model: type[BaseModel]) -> str:
    own = module_of(model)
    return class_name(model) if own == module.name else f"{own}.{class_name(model)}"


def _pulumi_kubernetes(model: type[BaseModel]) -> Iterator[str]:
    if module_of(model) != "kubernetes":
        return
    for package in _PULUMI_KUBERNETES:
        if f"{model.__name__}Args" in _exported(package):
            yield f"{_alias(package)}.{model.__name__}Args"
            return


@cache
def _exported(package: str) -> frozenset[str]:
    inputs = importlib.import_module(f"pulumi_kubernetes.{package}._inputs")
    return frozenset(name for name, _ in inspect.getmembers(inputs, inspect.isclass))


def _formatted(text: str) -> str:
    """The module formatted and without unused imports."""
    ruff = Path(sys.executable).with_name("ruff")
    for command in (["check", "--fix", "--select", "I,F401"], ["format"]):
        arguments = [ruff, *command, "--quiet", "--stdin-filename", str(FOLDER / "generated.py"), "-"]
        text = subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout
    return text
