"""CRDs and webhook registrations, copied once from Go modules in the module cache."""

import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from tools import cache, go_command
from tools.versions import CRDS, FURTHER_CRDS, WEBHOOKS, ManifestSource

_DESCRIPTION = re.compile(r"^( *)description: [^\s{].*\n(?:(?:\1 .*)?\n)*", re.MULTILINE)
"""A description with its continuation lines; a property named `description` has a mapping instead."""


def crd_groups() -> list[str]:
    """The groups of CRDs that a cluster has by default."""
    return [source.name for source in CRDS]


def further_groups() -> list[str]:
    """The groups of CRDs that are installed only on request."""
    return [source.name for source in FURTHER_CRDS]


def crd_files(groups: Iterable[str], progress: Callable[[str], object]) -> list[Path]:
    """The YAML files of some groups of CRDs, one for each CRD and named after it."""
    folder = _ensure(progress)
    return [file for group in groups for file in sorted((folder / "crds" / group).iterdir())]


def webhook_file(name: str, progress: Callable[[str], object]) -> Path:
    """A controller's webhook registrations, as its project publishes them."""
    return _ensure(progress) / "webhooks" / f"{name}.yaml"


def _ensure(progress: Callable[[str], object]) -> Path:
    final = cache.folder() / f"manifests-{cache.key(repr((CRDS, FURTHER_CRDS, WEBHOOKS, _DESCRIPTION)))}"
    if final.is_dir():
        return final
    with cache.fill_once(final) as folder:
        if folder is not None:
            progress("copying CRDs from their Go modules …")
            for source in (*CRDS, *FURTHER_CRDS):
                copy_crds(source, folder / "crds" / source.name)
            (folder / "webhooks").mkdir()
            for source in WEBHOOKS:
                shutil.copyfile(_origin(source), folder / "webhooks" / f"{source.name}.yaml")
    return final


def copy_crds(source: ManifestSource, target: Path) -> None:
    """Writes the CRDs of a source into a folder, one file each."""
    target.mkdir(parents=True, exist_ok=True)
    for file in files(source):
        for name, document in crd_documents(file.read_text()):
            if not source.kinds or _kind(document) in source.kinds:
                (target / f"{name}.yaml").write_text(without_descriptions(document))


def files(source: ManifestSource) -> list[Path]:
    """The files of a source in the module cache."""
    origin = _origin(source)
    return [origin] if origin.is_file() else sorted(origin.glob("*.yaml"))


def crd_documents(text: str) -> list[tuple[str, str]]:
    """(name, document) of each CRD in a YAML stream. Only the name is extracted: the API server parses the YAML."""
    documents = [part for part in re.split(r"^---\s*$", text, flags=re.MULTILINE) if "\nkind: Custom" in f"\n{part}"]
    return [(_found(r"^metadata:\n(?:[ ].*\n)*?  name: (\S+)$", document), document) for document in documents]


def without_descriptions(document: str) -> str:
    """A CRD without field descriptions: they are two thirds of it, and each client reads it at each command."""
    return _DESCRIPTION.sub("", document)


def _kind(document: str) -> str:
    return _found(r"^  names:\n(?:    .*\n)*?    kind: (\S+)$", document)


def _found(pattern: str, document: str) -> str:
    found = re.search(pattern, document, re.MULTILINE)
    if not found:
        raise ValueError(f"a CRD without name or kind: {document[:200]}")
    return found.group(1).strip("\"'")


def _origin(source: ManifestSource) -> Path:
    module = f"{source.module}@{source.version}"
    return go_command.module_folder(module, Path(__file__).parent, source.checksum) / source.path
