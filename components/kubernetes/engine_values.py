"""Values that have a special meaning for Pulumi's engine, anywhere in a registered object.

The engine reads a mapping with its signature as an asset (a local file, a URL), an archive, a secret or a resource, and
some texts as values that are not known yet. No manifest may contain them.

They are refused when manifests and configs are read, when rendered objects are planned, and again when an object is
registered (`registration/apply.py`).
"""

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from ..findings import Problem
from .values import field_path

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_KINDS = (
    "c44067f5952c0a294b673a41bacd8c17",
    "0def7320c3a5731c473e5ecbe6d01bc7",
    "1b47061264138c4ac30d75fd1eb44270",
    "5cf8f73096256a8f31e491e813e4eb8e",
    "d0e6a833031e9bbcd3f4e8bde6ca49a4",
)
"""Values of the signature key: asset, archive, secret, resource, output."""
_UNKNOWN = (
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
)
"""Placeholders for values that are not known yet: boolean, number, string, list, asset, archive, mapping."""
CONSTANTS = (_SIGNATURE, *_KINDS, *_UNKNOWN)
_SHORTEST = min(map(len, CONSTANTS))
_ANY = re.compile("|".join(CONSTANTS))

INTERNAL_KEYS = frozenset(
    ["__defaults", "__provider", "__inputs", "__fieldManager", "__initialApiVersion", "__internal"]
)
"""Keys of the engine and its providers in an object, besides its fields. They are left out of diffs, and tell a
provider about the previous state."""

PROVIDER_PREFIX = "pulumi.com/"
"""Prefix of the annotations that tell Pulumi's provider how long to wait, what to replace and what to leave running."""

_MESSAGE = (
    "has a value by which Pulumi's engine knows files, secrets or what is not known yet: it would read it as its own "
    "and not hand it to the cluster; use another value"
)


def means_something(text: Any) -> bool:
    """Whether a text contains one of the engine's constants, ignoring case."""
    return isinstance(text, str) and len(text) >= _SHORTEST and _ANY.search(text.lower()) is not None


def engine_paths(value: Any) -> Iterator[str]:
    """The path of each value, and of each mapping with a key, that the engine would interpret. Other types (an Output)
    come from the program and are not checked."""
    waiting: list[tuple[Any, str]] = [(value, "")]
    while waiting:
        item, path = waiting.pop()
        if isinstance(item, Mapping):
            for name, inner in item.items():
                if name in INTERNAL_KEYS or means_something(name):
                    yield path
                elif isinstance(inner, str):
                    if len(inner) >= _SHORTEST and means_something(inner):
                        yield field_path(path, str(name))
                else:
                    waiting.append((inner, field_path(path, str(name))))
        elif isinstance(item, list | tuple):
            waiting.extend((inner, f"{path}[{index}]") for index, inner in enumerate(item))
        elif means_something(item):
            yield path


def without_provider_keys(value: Any, allowed: Container[str], path: str = "") -> tuple[Any, list[str]]:
    """The value without the keys by which a manifest controls Pulumi's provider, and the paths of those keys."""
    if isinstance(value, Mapping):
        kept: dict[str, Any] = {}
        left_out: list[str] = []
        for name, inner in value.items():
            where = field_path(path, str(name))
            if steers(name, allowed):
                left_out.append(where)
                continue
            kept[name], below = without_provider_keys(inner, allowed, where)
            left_out += below
        return (kept if left_out else value), left_out
    if isinstance(value, list):
        results = [without_provider_keys(item, allowed, f"{path}[{index}]") for index, item in enumerate(value)]
        left_out = [where for _, below in results for where in below]
        return ([item for item, _ in results] if left_out else value), left_out
    return value, []


def steers(name: Any, allowed: Container[str]) -> bool:
    """Whether a key is an annotation for Pulumi's provider that the platform doesn't allow."""
    return isinstance(name, str) and name[: len(PROVIDER_PREFIX)].lower() == PROVIDER_PREFIX and name not in allowed


def engine_problems(value: Any, path: str = "") -> list[Problem]:
    """An error for each value that the engine would interpret."""
    paths = dict.fromkeys(engine_paths(value))
    return [Problem(".".join(filter(None, (path, where))), _MESSAGE, code="engine-value") for where in paths]


def blanked(value: Any) -> Any:
    """A cluster's value without the engine's constants: such keys are dropped, such texts replaced."""
    if isinstance(value, Mapping):
        return {name: blanked(inner) for name, inner in value.items() if not means_something(name)}
    if isinstance(value, list | tuple):
        return [blanked(item) for item in value]
    return "…" if means_something(value) else value
