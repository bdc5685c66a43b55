"""Flags as tables: which field of a spec sets which flag of an engine, and how.

Decisions: L19, L23 (docs/decisions).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ..kubernetes.args import Argument
from ..kubernetes.values import value_at


class Launch(NamedTuple):
    """What an engine needs to know about its pod.

    ``values`` are the fields of the user's spec by name, as in YAML. ``path`` is the model's path in the pod; if it is
    empty, the server loads ``source`` itself, in its ``revision``. ``gpu`` is what the model asks for. ``foreign_user``
    says whether the pod runs as a user that the image may not know.
    """

    values: Mapping[str, Any]
    port: int
    gpus: int = 0
    path: str = ""
    source: str = ""
    projector: str = ""
    revision: str = ""
    foreign_user: bool = False
    gpu: Mapping[str, Any] = {}

    @property
    def has_gpus(self) -> bool:
        """Whether the pod has GPUs, by number or through resource claims."""
        return self.gpus > 0 or bool(self.gpu.get("resourceClaims"))

    def get(self, path: str) -> Any:
        """The value at a path such as ``vllmConfig.dtype``, or None."""
        first, *rest = path.split(".")
        return value_at(self.values.get(first), *rest)


class Flag(NamedTuple):
    """One row of an engine's table: which field sets which flag, and how.

    ``kind``: ``value`` (flag and value), ``switch`` (the flag if the field is true), ``off`` (the flag if it is false),
    ``on`` (flag and the word ``on`` if it is true), ``each`` (flag and value for every entry), ``all`` (flag and all
    entries).
    """

    name: str
    field: str
    kind: Literal["value", "switch", "off", "on", "each", "all"] = "value"
    before: str = ""
    """A field that takes precedence over ``field``."""
    above: int | None = None
    """The number must be greater than this."""
    never: Any = None
    """A value for which the flag is left out."""
    needs: str = ""
    """Another field that must be set."""
    unless: tuple[str, Any] = ("", None)
    """A field, and the value of it that excludes this flag."""
    gpus: bool = False
    """Only in a pod with GPUs."""
    spelled: tuple[tuple[str, str], ...] = ()
    """Values of the field that the engine spells differently, with its spelling."""
    yields_to: tuple[str, ...] = ()
    """Flags of the user that replace this one."""

    def arguments(self, launch: Launch) -> Iterator[Argument]:
        source, value = self._value(launch)
        if value is None or value == self.never or (self.above is not None and value <= self.above):
            return
        if (self.gpus and not launch.has_gpus) or (self.needs and launch.get(self.needs) is None):
            return
        if self.unless[0] and launch.get(self.unless[0]) == self.unless[1]:
            return
        for words in self._words(value):
            yield Argument(words, source, self.yields_to)

    def _value(self, launch: Launch) -> tuple[str, Any]:
        value = launch.get(self.before) if self.before else None
        return (self.before, value) if value not in (None, "") else (self.field, launch.get(self.field))

    def _words(self, value: Any) -> Iterator[tuple[Any, ...]]:
        if self.kind == "each":
            yield from ((self.name, word(item)) for item in value)
        elif self.kind == "value":
            yield (self.name, word(dict(self.spelled).get(value, value) if isinstance(value, str) else value))
        elif self.kind == "all":
            yield from [(self.name, *map(word, value))] if value else []
        elif bool(value) != (self.kind == "off"):
            yield (self.name, "on") if self.kind == "on" else (self.name,)


def listen(flag: str, launch: Launch) -> Argument:
    """The address on which the server listens: all addresses, unless the user sets one."""
    address = launch.get("bindAddress")
    return Argument((flag, address or "::"), "bindAddress" if address else "")


def word(value: Any) -> Any:
    """A value as an argument: numbers in their shortest form, a value that is not known yet unchanged."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value) if isinstance(value, int) else value


def from_table(flags: Sequence[Flag], launch: Launch) -> list[Argument]:
    """The arguments of a table for a launch, in the table's order."""
    return [argument for flag in flags for argument in flag.arguments(launch)]


def fields_of(flags: Sequence[Flag], *others: str) -> frozenset[str]:
    """Top-level fields of a spec that a table of flags reads, and ``others``."""
    paths = [path for flag in flags for path in (flag.field, flag.before) if path]
    return frozenset([*(path.partition(".")[0] for path in paths), *others])


def all_gpus(flag: str, launch: Launch, unless: str = "") -> list[Argument]:
    """Makes a model use all GPUs of its pod, unless the field ``unless`` sets the parallelism."""
    if launch.gpus < 2 or (unless and launch.get(unless) is not None):
        return []
    return [Argument((flag, str(launch.gpus)))]


def revision(launch: Launch) -> list[Argument]:
    """The branch, tag or commit of a repository that the server loads itself."""
    return [Argument(("--revision", launch.revision))] if launch.revision and not launch.path else []


def home(launch: Launch) -> list[dict[str, Any]]:
    """Sets HOME for a user whom the image does not know: it would be /, where caches can't be created."""
    return [{"name": "HOME", "value": "/tmp"}] if launch.foreign_user else []
