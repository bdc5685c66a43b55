"""Options of a component that Pulumi does not hand on to its objects: they act where they fit, or it is said."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pulumi

from ..kubernetes.objects import Object

_PARTS = re.compile(r'\["([^"]*)"\]|\[([^\]]*)\]|([^.\[\]]+)')
"""The parts of a property path: ``["app.kubernetes.io/name"]``, ``[0]``, ``spec``."""


def inherited(opts: pulumi.ResourceOptions | None, obj: Object | None = None) -> pulumi.ResourceOptions:
    """The options of a component as those of one of its objects, with the paths that the object has, or of a part.
    Pulumi itself hands on aliases, protect, the provider and transforms."""
    if opts is None:
        return pulumi.ResourceOptions()
    return pulumi.ResourceOptions(
        ignore_changes=_fitting(opts.ignore_changes, obj),
        replace_on_changes=_fitting(opts.replace_on_changes, obj),
        custom_timeouts=opts.custom_timeouts,
        retain_on_delete=opts.retain_on_delete,
    )


def warn_of_other_paths(name: str, opts: pulumi.ResourceOptions | None, objects: Iterable[Object]) -> None:
    """A warning for each path of the options that none of the component's objects has."""
    bodies = list(objects) if opts and (opts.ignore_changes or opts.replace_on_changes) else []
    for option in ("ignore_changes", "replace_on_changes") if bodies else ():
        for path in getattr(opts, option) or ():
            if not any(_has(body, path) for body in bodies):
                pulumi.log.warn(
                    f"{name}: {option} names {path}, which no object of the component has, so it has no effect; write "
                    "a path of a Kubernetes object, such as spec.template.spec.containers[0].image, or use transforms"
                )


def _fitting(paths: Sequence[str] | None, obj: Object | None) -> list[str] | None:
    return [path for path in paths if obj is None or _has(obj, path)] or None if paths else None


def _has(obj: Object, path: str) -> bool:
    values: list[Any] = [obj]
    for quoted, index, name in _PARTS.findall(path):
        values = [item for value in values for item in _items(value, quoted or index or name)]
    return bool(values)


def _items(value: Any, part: str) -> list[Any]:
    """What stands in a value under a part of a path; ``*`` is every item."""
    if isinstance(value, dict):
        return list(value.values()) if part == "*" else [value[part]] if part in value else []
    if isinstance(value, list):
        if part == "*":
            return value
        return [value[int(part)]] if part.isdecimal() and int(part) < len(value) else []
    return []
