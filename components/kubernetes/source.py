"""Origin of a rendered object: the manifest, the document that it was read from, and its owner."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator

from ..findings import Finding, Problem
from .model import Manifest, ObjectMeta, Spec
from .scalars import Boolean, Name
from .values import mapping


@dataclass(frozen=True)
class Document:
    """One object of a file, as read. ``index`` is its number in the file, from 1; ``line`` is where it starts."""

    file: str
    index: int
    line: int
    data: dict[str, Any]

    @property
    def object(self) -> str:
        """Its name in findings: ``Kind namespace/name``, as far as the document states them."""
        metadata = mapping(self.data.get("metadata"))
        name = "/".join(str(metadata[key]) for key in ("namespace", "name") if metadata.get(key))
        kind = self.data.get("kind")
        return f"{kind} {name}" if kind and name else f"document {self.index}"


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Tenant(Spec):
    """One team: its files, and what they may contain. In names, ``*`` and ``?`` are wildcards."""

    manifests: Annotated[list[Name], BeforeValidator(_as_list)]
    """Its files and folders, relative to the project; `*` and `**` work as in a shell. A file belongs to the first
    tenant that lists it."""
    namespaces: list[Name]
    """Namespaces that its manifests may write into."""
    kinds: list[Name] = []
    """Further kinds that it may use: cluster-scoped ones, kinds under `settings.passthrough`, and configs, runtimes or
    objects that only exist in other namespaces."""
    secrets: list[Name] = []
    """Keys of the Pulumi config secrets that its Secrets may use."""
    remoteBases: list[Name] = []
    """Addresses that its kustomizations may use as bases, as written there (`https://github.com/our-org/*?ref=*`)."""
    shared: Boolean = False
    """Whether its presets, runtimes and models apply to the services of all tenants; for the platform's folder."""

    @property
    def title(self) -> str:
        return f"the tenant of {', '.join(self.manifests)}"


PLATFORM = Tenant.model_construct(manifests=[], namespaces=["*"], kinds=["*"], secrets=["*"], shared=True)
"""Author of the stack's config, who owns its contents, and everything in a stack without tenants."""


@dataclass(frozen=True, eq=False)
class Source:
    """A manifest, where it was read, and its owner. Compared by identity: two files may have the same object."""

    manifest: Manifest
    document: Document
    tenant: Tenant = PLATFORM

    def finding(self, problem: Problem) -> Finding:
        manifest = self.manifest
        name = f"{manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.name
        return Finding.of(problem, self.document.file, f"{manifest.kind} {name}", self.document.line)


NO_SOURCE = Source(
    Manifest.model_construct(apiVersion="", kind="", metadata=ObjectMeta.model_construct(name="")),
    Document("", 0, 0, {}),
)
"""Source of what no manifest describes: a component whose arguments are an endpoint picker's."""


def manifests_of(sources: Iterable[Source]) -> list[Manifest]:
    return [source.manifest for source in sources]


def at(source: Source, problems: Iterable[Problem]) -> Iterator[tuple[Source, Problem]]:
    """Each problem with its source."""
    return ((source, problem) for problem in problems)
