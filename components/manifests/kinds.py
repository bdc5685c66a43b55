"""What to do about an unknown kind: which kind was probably meant, or how to include such objects."""

from collections.abc import Iterator
from typing import NamedTuple

from ..families.registry import FAMILIES, family_of
from ..kubernetes.beside import group_of, known_kinds, qualified
from ..kubernetes.spelling import nearest

_SO_MUCH_ALIKE = 0.8


class KnownKind(NamedTuple):
    """``version`` is the whole apiVersion, or only the group of a kind that stands beside the services."""

    version: str
    kind: str

    @property
    def group(self) -> str:
        return group_of(self.version) if "/" in self.version or self.version == "v1" else self.version

    def __str__(self) -> str:
        return f"{self.kind} ({self.version})" if self.version != self.group else qualified(self.group, self.kind)


def meant_kind(api_version: str, kind: str) -> KnownKind | None:
    """The same kind in another version or in a group with a similar name, or a similarly spelled kind of the group."""
    known = [*_of_families(), KnownKind("v1", "Secret"), *_beside()]
    family = family_of(api_version)
    groups = family.groups if family else (group_of(api_version),)
    same = [one for one in known if one.kind.lower() == kind.lower()]
    near = nearest(group_of(api_version), {one.group for one in same})
    return (
        _best(api_version, [one for one in same if one.group in groups])
        or _best(api_version, [one for one in same if one.group == near])
        or _spelled_nearly(kind, [one for one in known if one.group == group_of(api_version)])
    )


def advice(api_version: str, kind: str) -> str:
    """The known kinds of the group, or the setting for such objects."""
    group = group_of(api_version)
    if family_of(api_version):
        return f"known of {group}: {', '.join(sorted({one.kind for one in _of_families() if one.group == group}))}"
    name = qualified(group, kind)
    return f"settings.beside: {{{name}: read}} reads such objects, apply registers them"


def _best(api_version: str, kinds: list[KnownKind]) -> KnownKind | None:
    """The kind of the same version, or of the same group."""
    group, _, version = api_version.rpartition("/")
    return max(kinds, key=lambda one: (one.version.rpartition("/")[2] == version, one.group == group), default=None)


def _spelled_nearly(kind: str, known: list[KnownKind]) -> KnownKind | None:
    near = nearest(kind, [one.kind for one in known], cutoff=_SO_MUCH_ALIKE)
    return next((one for one in known if one.kind == near), None)


def _of_families() -> Iterator[KnownKind]:
    for family in FAMILIES:
        yield from (KnownKind(version, kind) for version, kind in family.entry().KINDS)


def _beside() -> Iterator[KnownKind]:
    for name in known_kinds():
        kind, _, group = name.partition(".")
        yield KnownKind(group, kind)
