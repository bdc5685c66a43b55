"""References to objects that have errors themselves: an error is said once, at the object."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from ..findings import Problem
from ..kubernetes.source import Source


class Broken(NamedTuple):
    """``unread``: names of objects that can't be read as what they say they are; ``manifests`` with errors that don't
    come from another one, by name."""

    unread: Set[str]
    manifests: Mapping[str, Set[Source]]

    def as_reported(self, source: Source, problem: Problem) -> Problem:
        """A problem of a manifest as it is, or a note where it would end with what is broken."""
        name = problem.missing
        if not name:
            return problem
        if name not in self.unread and not self.manifests.get(name, frozenset()) - {source}:
            return problem
        message = f"{name} has errors, so this is not checked yet; correct those first"
        return replace(problem, message=message, severity="info", code="broken-reference")


def with_errors(problems: Iterable[tuple[Source, Problem]], names: Collection[str]) -> Mapping[str, Set[Source]]:
    """The manifests with errors, by name. ``names`` are those of all manifests: a reference to one of them that finds
    nothing may come from what is wrong there."""
    wrong: defaultdict[str, set[Source]] = defaultdict(set)
    for source, problem in problems:
        if problem.severity == "error" and problem.missing not in names:
            wrong[source.manifest.name].add(source)
    return wrong
