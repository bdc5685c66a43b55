"""Manifests that Go modules carry: CRDs and webhook registrations, copied once from the module cache."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from tools import cache, go_command
from tools.versions import CRDS, FURTHER_CRDS, WEBHOOKS, ManifestSource

_CRD_MARK = "kind: CustomResourceDefinition"


def crd_groups() -> list[str]:
    """The names of the groups of CRDs that a cluster has unless it is to have others."""
    return [source.name for source in CRDS]


def further_groups() -> list[str]:
    """The names of groups that are installed only where they are asked for."""
    return [source.name for source in FURTHER_CRDS]


def crd_files(groups: Iterable[str], progress: Callable[[str], object]) -> list[Path]:
    """The YAML files of some groups of CRDs; a file may hold several documents."""
    folder = _ensure(progress)
    return [file for group in groups for file in sorted((folder / "crds" / group).iterdir())]


def webhook_file(name: str, progress: Callable[[str], object]) -> Path:
    """The webhook registrations that a controller needs, as its own project writes them."""
    return _ensure(progress) / "webhooks" / f"{name}.yaml"


def _ensure(progress: Callable[[str], object]) -> Path:
    final = cache.folder() / f"manifests-{cache.key(repr((CRDS, FURTHER_CRDS, WEBHOOKS)))}"
    if final.is_dir():
        return final
    with cache.fill_once(final) as folder:
        if folder is not None:
            progress("copying CRDs from their Go modules …")
            for source in (*CRDS, *FURTHER_CRDS):
                _copy_crds(source, folder / "crds" / source.name)
            (folder / "webhooks").mkdir()
            for source in WEBHOOKS:
                shutil.copyfile(_origin(source), folder / "webhooks" / f"{source.name}.yaml")
    return final


def _copy_crds(source: ManifestSource, target: Path) -> None:
    target.mkdir(parents=True)
    origin = _origin(source)
    for file in [origin] if origin.is_file() else origin.glob("*.yaml"):
        if _CRD_MARK in file.read_text():
            shutil.copyfile(file, target / file.name)


def _origin(source: ManifestSource) -> Path:
    module = f"{source.module}@{source.version}"
    return go_command.module_folder(module, Path(__file__).parent, source.checksum) / source.path
