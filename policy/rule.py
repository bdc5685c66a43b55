"""Rules: a name, a description, a level, parameters, and a pure function over Kubernetes objects.

Rules don't use Pulumi. They get objects as plain mappings; a value that only an update can tell is ``Opaque``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Generic, Literal, TypeVar

from modelservices.findings import Problem, brief
from modelservices.kubernetes.model import Spec, read
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.scalars import Name
from modelservices.secret_forms import without_secrets

Level = Literal["advisory", "mandatory", "disabled"]


class Parameters(Spec):
    """The parameters of every rule; a rule with further parameters adds fields."""

    exempt: list[Name] = []
    """Objects that the rule leaves alone, as `Kind namespace/name`; `*` stands for any text."""


class InvalidParameters(Exception):
    """Parameters that a rule does not accept; ``problems`` has all of them, with paths such as ``image-tag.moving``."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{problem.path}: {problem.message}" for problem in self.problems))


_LONGEST = 2000
P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Rule(Generic[P]):
    """``description`` is a sentence that says how things should be; ``level`` applies unless the config gives one."""

    name: str
    description: str
    level: Level
    parameters: type[P]

    def read(self, values: Mapping[str, Any]) -> P:
        """The rule's parameters. Raises InvalidParameters."""
        parameters, problems = read(self.parameters, dict(values))
        if parameters is None:
            raise InvalidParameters(replace(problem, path=f"{self.name}.{problem.path}") for problem in problems)
        return parameters


@dataclass(frozen=True)
class ObjectRule(Rule[P]):
    """A rule that checks one object at a time."""

    check: Callable[[Object, P], Iterator[Problem]]

    def sentences(self, obj: Object, parameters: P) -> Iterator[str]:
        """``Deployment inference/chat: spec.template…: what is wrong and what to do``, for each problem."""
        name = name_of(obj)
        if not _is_exempt(name, parameters):
            for problem in self.check(obj, parameters):
                yield sentence(f"{name}: {problem.path}: {problem.message}")


@dataclass(frozen=True)
class StackRule(Rule[P]):
    """A rule that checks all objects of a stack together."""

    check: Callable[[list[Object], P], Iterator[str]]

    def sentences(self, objects: Iterable[Object], parameters: P) -> Iterator[str]:
        violations = self.check([obj for obj in objects if not _is_exempt(name_of(obj), parameters)], parameters)
        return (sentence(each) for each in violations)


def sentence(text: str) -> str:
    """A rule's message as one line without secrets, which no terminal, CI runner or comment takes for a command."""
    return brief(without_secrets(text), _LONGEST)


def name_of(obj: Object) -> str:
    """``Kind namespace/name``."""
    metadata = obj.get("metadata", {})
    name, namespace = metadata.get("name"), metadata.get("namespace")
    where = f"{namespace}/{name}" if isinstance(namespace, str) and namespace else str(name)
    return f"{obj['kind']} {where}"


def _is_exempt(name: str, parameters: Parameters) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in parameters.exempt)
