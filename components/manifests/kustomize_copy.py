"""Copies what a kustomization may read into a fresh folder, where Kustomize runs and finds nothing else.

Kustomizations and plugin configurations are rewritten from what was read of them; other files are copied unchanged.
"""

import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..findings import Finding
from .files import MAX_SIZE, text_of
from .kustomization import Kustomization, Reference, plugin_references, read_kustomization, rewritten
from .kustomize import build

Beyond = Callable[[Reference, Path], str]
"""Why the kustomization of a folder may not build on a reference; empty if it may."""


@dataclass(frozen=True)
class Access:
    """``refused`` says why a file or folder may not be opened, ``beyond`` what a folder's kustomization may not build
    on. Without ``beyond`` it is built in place."""

    refused: Callable[[Path], list[Finding]]
    beyond: Beyond | None


EVERYTHING = Access(lambda path: [], None)

_MAX_DEPTH = 20
_MAX_FILES = 1000
_MAX_BYTES = 16 * MAX_SIZE


@dataclass
class Copy:
    """A fresh folder with what may be read. ``fetches``: some of it is at an address that the platform lists."""

    stage: Path
    fetches: bool = False
    findings: list[Finding] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)
    _bytes: int = 0

    def place(self, original: Path) -> Path:
        """The path of a file or folder in the copy, which has the same layout as the original."""
        return self.stage / original.relative_to(original.anchor)

    def add(self, folder: Path, beyond: Beyond, depth: int = 0) -> None:
        """Copy a kustomization with all it builds on. What it may not build on is a finding."""
        folder = folder.resolve()
        if folder in self._seen:
            return
        self._seen.add(folder)
        try:
            if depth > _MAX_DEPTH:
                raise ValueError(f"builds on more than {_MAX_DEPTH} folders one after the other")
            kustomization = read_kustomization(folder)
            self._write(kustomization.file, rewritten(kustomization.content).encode())
            for reference in kustomization.references:
                self._follow(reference, folder, beyond, depth)
            for reference in [] if self.findings else self._of_plugins(kustomization, folder):
                self._follow(reference, folder, beyond, depth)
        except ValueError as error:
            message = f"has a kustomization that can't be read: {error}"
            self.findings.append(Finding(str(folder), "", "", message, code="kustomize"))

    def _of_plugins(self, kustomization: Kustomization, folder: Path) -> Iterator[Reference]:
        """What the plugin configurations of a kustomization name."""
        for reference in kustomization.references:
            if reference.role == "plugin" and reference.place and reference.place.is_file():
                text = text_of(reference.place)
                if isinstance(text, Finding):
                    raise ValueError(f"{reference.text}: {text.message}")
                written, named = plugin_references(kustomization.file, folder, reference.path, text)
                self._write(reference.place, written.encode())
                yield from named

    def _follow(self, reference: Reference, folder: Path, beyond: Beyond, depth: int) -> None:
        message = beyond(reference, folder) or _odd(reference)
        if message:
            finding = Finding(str(reference.kustomization), "", reference.path, message, code="tenant")
            self.findings.append(finding)
        elif reference.place is None:
            self.fetches = True
        elif reference.place.is_dir():
            self.add(reference.place, beyond, depth + 1)
        elif not self.place(reference.place).exists():
            self._write(reference.place, _content(reference.place))

    def _write(self, original: Path, content: bytes) -> None:
        self._seen.add(original)
        self._bytes += len(content)
        if len(self._seen) > _MAX_FILES or self._bytes > _MAX_BYTES:
            raise ValueError(f"builds on more than {_MAX_FILES} files, or {_MAX_BYTES} bytes")
        target = self.place(original)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def built(folder: Path, limit: int, beyond: Beyond | None) -> str | list[Finding]:
    """What Kustomize prints for a copy of a folder, or without ``beyond`` for the folder itself; or findings."""
    if beyond is None:
        return build(folder, limit)
    import tempfile

    with tempfile.TemporaryDirectory() as stage:
        copy = Copy(Path(stage).resolve())
        copy.add(folder, beyond)
        return copy.findings or build(folder, limit, stage=copy.stage, fetches=copy.fetches)


def _odd(reference: Reference) -> str:
    if reference.link:
        return f"{reference.text} is reached by a symbolic link: name what the link leads to"
    if reference.role == "plugin" and (reference.place is None or reference.place.is_dir()):
        return f"{reference.text} is no file: name the files with the configurations of plugins"
    return ""


def _content(file: Path) -> bytes:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise ValueError(f"{file} is a pipe or a device, not a file")
        with file.open("rb") as stream:
            content = stream.read(MAX_SIZE + 1)
    except OSError as error:
        raise ValueError(f"{file} can't be read: {error.strerror}") from None
    if len(content) > MAX_SIZE:
        raise ValueError(f"{file} is larger than {MAX_SIZE} bytes")
    return content
