"""Whose a file is, and which files the kustomizations of a tenant may read. Nothing else is opened."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from glob import glob
from pathlib import Path

from ..findings import Finding
from ..manifests.kustomization import Reference, references
from .tenants import NOBODY, Tenant, matches

Owner = Callable[[str], Tenant | None]


def file_owner(tenants: Sequence[Tenant], root: Path) -> Callable[[str], Tenant | None]:
    """A function from a file's path to its tenant; None for a file that no tenant has."""
    places = [(place, tenant) for tenant in tenants for place in _places(tenant, root)]

    @cache
    def owner(file: str) -> Tenant | None:
        real = Path(os.path.realpath(file))
        return next((tenant for place, tenant in places if real.is_relative_to(place)), None)

    return owner


def _places(tenant: Tenant, root: Path) -> Iterator[Path]:
    for pattern in tenant.manifests:
        yield from (Path(os.path.realpath(root / found)) for found in glob(pattern, root_dir=root, recursive=True))


def file_problems(tenants: Sequence[Tenant], root: Path) -> Callable[[Path], list[Finding]]:
    """A function that says why a file, or a folder with a kustomization, may not be read: it is nobody's, or built on
    what its tenant does not have."""
    owner = file_owner(tenants, root)

    def problems(path: Path) -> list[Finding]:
        if owner(str(path)) is None:
            return [_no_tenant(path)]
        return list(_build_problems(path, owner, set())) if path.is_dir() else []

    return problems


def _no_tenant(path: Path) -> Finding:
    message = "is in no tenant's folder: move it, or let the platform add one to modelservices:tenants"
    return Finding(str(path), "", "", message, code="no-tenant")


def _build_problems(folder: Path, owner: Owner, seen: set[Path]) -> Iterator[Finding]:
    """What a build of a folder may not read. Each kustomization on the way has the reach of its own tenant."""
    tenant = owner(str(folder)) or NOBODY
    try:
        found = list(references(folder))
    except ValueError as error:
        yield Finding(str(folder), "", "", f"has a kustomization that can't be read: {error}", code="kustomize")
        return
    for reference in found:
        message = _beyond(reference, tenant, owner)
        if message:
            yield Finding(str(reference.kustomization), "", reference.path, message, code="tenant")
        elif reference.place and reference.place.is_dir() and reference.place not in seen:
            seen.add(reference.place)
            yield from _build_problems(reference.place, owner, seen)


def _beyond(found: Reference, tenant: Tenant, owner: Owner) -> str:
    """Why a tenant may not build on something; empty where it may."""
    if found.place is None:
        if matches(found.text, tenant.remoteBases):
            return ""
        return (
            f"{found.text} is not here, and what is fetched changes without a review: copy it into the folder, or let "
            "the platform list it under remoteBases of modelservices:tenants"
        )
    other = owner(str(found.place))
    if other is tenant or (other is not None and other.shared):
        return ""
    whose = f"of {other.title}" if other else "in no tenant's folder"
    return f"{found.text} is {whose}, not of {tenant.title}: copy it into the folder"
