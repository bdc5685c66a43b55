"""The API families: which kinds each one takes, and how a set of manifests becomes rendered services.

A family is a folder. Its ``plan.py`` has ``KINDS`` (``(apiVersion, kind)`` to model) and ``plan``; ``settings.py`` its
part of the settings.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from ..findings import Problem
from ..kubernetes.model import Manifest
from ..kubernetes.objects import Object, Rendered

if TYPE_CHECKING:
    from ..planning.settings import Settings

GROUPS = {
    "inference.llmkube.dev": "llmkube",
    "model.otterscale.io": "otterscale",
    "serving.kserve.io": "kserve",
    "ome.io": "ome",
    "inference.networking.k8s.io": "inference_extension",
    "inference.networking.x-k8s.io": "inference_extension",
}
"""API group to the family's folder; a family is imported when a manifest of its group is met."""


@dataclass
class Plan:
    """What a family makes of its manifests: services (a component each), single objects, and what is wrong where.

    ``services`` and ``objects`` are pairs with the manifest they come from, so that findings name its file.
    """

    services: list[tuple[Manifest, Rendered]] = field(default_factory=list)
    objects: list[tuple[Manifest, Object]] = field(default_factory=list)
    problems: list[tuple[Manifest, Problem]] = field(default_factory=list)

    def made(self) -> list[tuple[Manifest, Object]]:
        """Every object, with the manifest it comes from."""
        return [(m, obj) for m, service in self.services for obj in service.all_objects()] + self.objects


class Family(Protocol):
    """What a family's ``plan.py`` offers."""

    KINDS: Mapping[tuple[str, str], type[Manifest]]

    def plan(self, manifests: Sequence[Manifest], settings: Settings) -> Plan:
        """All manifests of the stack, of every family, so that references can be followed; only the own are planned."""
        ...


def family(folder: str) -> Family:
    return cast(Family, importlib.import_module(f"{__name__}.{folder}.plan"))
