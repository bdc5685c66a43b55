"""Which files of a folder are manifests: a repository also has charts, kustomizations, and files of other tools."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ..findings import Finding
from .files import YAML, unreadable
from .kustomization import not_named
from .kustomize import NAMES

_CHART = "Chart.yaml"

Report = Callable[[Finding], None]


def manifest_files(folder: Path, report: Report) -> Iterator[Path]:
    """The YAML files of a folder and its subfolders, by name, including broken links.

    Hidden files and folders belong to other tools, and links to folders are not followed. Helm charts and
    kustomizations in subfolders are reported, but their files are not read, because other programs render them.
    """
    files: list[Path] = []
    kustomizations: list[Path] = []
    for parent, names in _folders(folder, report):
        if _CHART in names:
            report(_chart(parent))
        elif any(name in names for name in NAMES):
            kustomizations.append(parent)
        elif not any(parent.is_relative_to(each) for each in kustomizations):
            files += [parent / name for name in names if Path(name).suffix in YAML]
    if kustomizations:
        report(not_named(folder, kustomizations))
    if not files and not kustomizations:
        report(Finding(str(folder), "", "", "holds no YAML file", code="empty"))
    yield from sorted(files)


def _folders(folder: Path, report: Report) -> Iterator[tuple[Path, list[str]]]:
    """Each folder with the names of its files, except the folders below a chart."""

    def failed(error: OSError) -> None:
        report(unreadable(Path(error.filename or folder), f"can't be read: {error.strerror}"))

    for parent, inner, names in os.walk(folder, onerror=failed):
        inner[:] = [] if _CHART in names else sorted(name for name in inner if not name.startswith("."))
        yield Path(parent), [name for name in names if not name.startswith(".")]


def _chart(folder: Path) -> Finding:
    message = "is a Helm chart, which Helm renders; use the output of `helm template` as a manifest instead"
    return Finding(str(folder), "", "", message, code="helm-chart")
