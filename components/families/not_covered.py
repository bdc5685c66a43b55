"""Kinds of an operator that only the operator itself can serve: known, but nothing is made of them."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import ConfigDict

from ..findings import Problem
from ..kubernetes.model import Manifest


class NotCovered(Manifest):
    """An object of such a kind. Each family has a class, with the reason of each kind."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    REASONS: ClassVar[Mapping[str, str]] = {}

    def problems(self) -> Iterator[Problem]:
        message = f"{self.kind} is not covered here and has no effect, because {self.REASONS[self.kind]}"
        yield Problem("kind", message, "warning", "not-covered")
