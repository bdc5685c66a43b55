"""Which tenant a file belongs to, and which files a tenant's kustomizations may read. No other file is opened."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from pathlib import Path

from ..findings import Finding
from ..manifests.kustomization import Reference
from ..manifests.kustomize_copy import Access
from .tenants import NOBODY, Tenant

Owner = Callable[[str], Tenant | None]


def file_owner(tenants: Sequence[Tenant], root: Path) -> Callable[[str], Tenant | None]:
    """A function from a file's path to its tenant, or None for a file that no tenant has."""
    places = [(place, tenant) for tenant in tenants for place in _places(tenant, root)]

    @cache
    def owner(file: str) -> Tenant | None:
        real = Path(os.path.realpath(file))
        return next((tenant for place, tenant in places if real.is_relative_to(place)), None)

    return owner


def _places(tenant: Tenant, root: Path) -> Iterator[Path]:
    for pattern in tenant.manifests:
        yield from (Path(os.path.realpath(root / path)) for path in glob(pattern, root_dir=root, recursive=True))


def access(tenants: Sequence[Tenant], root: Path) -> Access:
    """Access to files that have a tenant. A kustomization may build only on files of its tenant and on shared ones."""
    owner = file_owner(tenants, root)
    return Access(
        lambda path: [] if owner(str(path)) else [_no_tenant(path)],
        lambda reference, folder: _beyond(reference, owner(str(folder)) or NOBODY, owner),
    )


def _no_tenant(path: Path) -> Finding:
    message = "is in no tenant's folder; move it, or let the platform add a tenant to modelservices:tenants"
    return Finding(str(path), "", "", message, code="no-tenant")


def _beyond(reference: Reference, tenant: Tenant, owner: Owner) -> str:
    """Why a tenant may not build on a reference; empty if it may."""
    if reference.place is None:
        if is_allowed(reference.text, tenant.remoteBases):
            return ""
        return (
            f"{reference.text} is not here, and what is fetched from elsewhere changes without review; copy it into "
            "the folder, or let the platform list it under remoteBases of modelservices:tenants"
        )
    other = owner(str(reference.place))
    if other is tenant or (other is not None and other.shared):
        return ""
    whose = f"of {other.title}" if other else "in no tenant's folder"
    return f"{reference.text} is {whose}, not of {tenant.title}; copy it into the folder"


def is_allowed(address: str, patterns: Iterable[str]) -> bool:
    """Whether an address, fetched as it is written, matches a pattern."""
    return _is_plain(address) and any(_fits(address, pattern) for pattern in patterns)


def _is_plain(text: str) -> bool:
    """Whether an address is fetched as written: nothing is resolved, decoded or dropped, and its only user is git."""
    return (
        re.fullmatch(r"[!$&-,./0-9:;=?A-Z_a-z~@-]+", text) is not None
        and not re.search(r"(^|[/:])\.{1,2}(/|[?:]|$)", text)
        and "@" not in re.sub(r"^(ssh://)?git@", "", text)
    )


def _fits(text: str, pattern: str) -> bool:
    """Whether an address matches a pattern. A ``*`` in the host does not match any of the path."""
    address, wanted = _split(text), _split(pattern)
    return all(fnmatchcase(part, each) for part, each in zip(address, wanted, strict=True))


def _split(address: str) -> tuple[str, str, str]:
    """Scheme and user, host, and the rest of an address."""
    match = re.fullmatch(r"((?:[A-Za-z0-9+.*-]*:{1,2})*//)?((?:[^/@?]*@)?)([^/:?]*(?::[0-9]+(?=/))?)(.*)", address)
    scheme, user, host, rest = match.groups() if match else ("", "", "", address)
    return f"{scheme or ''}{user}", host, rest
