"""A program with a command line, and what its releases parse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kubernetes.args import Dialect
from .bounds import Bounds
from .releases import Release, program

_GO_FALSE = frozenset(["0", "f", "F", "false", "FALSE", "False"])


def is_off(words: Sequence[Any], flag: str) -> bool:
    """Whether a switch of a Go program is off. ``--flag=false`` turns it off, but ``--flag false`` turns it on."""
    parts = [word.partition("=") for word in map(str, words) if word.startswith("-")]
    values = [value for name, _, value in parts if name.lstrip("-") == flag.lstrip("-")]
    return bool(values) and values[-1] in _GO_FALSE


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A program: an inference engine, or one that runs alongside an engine."""

    title: str = ""
    """Its common name."""
    table: str = ""
    """Its table of releases, if there is one."""
    image_names: tuple[str, ...] = ()
    """Parts of image names that only its images have."""
    dialect: Dialect = field(default_factory=Dialect)
    """How its flags are spelled."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """Flags that it no longer has, and what to write in their place."""
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    """Numbers that it takes, by the flag's main name; with any other, it ends at start or reads something else."""
    suffixes: str = ""
    """Letters after a number that stand for thousands, millions and so on."""
    env_prefix: str = ""
    """Prefix of its environment variables."""
    lists: bool = False
    """Whether a value may be a list with commas."""
    one_dash: bool = False
    """Whether ``-flag`` is ``--flag``, as in Go's programs."""

    def is_in(self, image: Any) -> bool:
        """Whether an image contains it, by the image's name. The tags of other images don't tell its release."""
        return isinstance(image, str) and any(part in image for part in self.image_names)

    def release_of(self, image: Any) -> Release | None:
        """What the release in an image parses; None for a program without a table."""
        return program(self.table).release_of(image) if self.table else None
