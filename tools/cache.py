"""The cache folder that all clones on a machine share: keys, locks, and folders that are either complete or absent."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def folder() -> Path:
    """This project's cache folder; as in the XDG specification, an empty variable counts as unset."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "modelservices"


def key(*facts: str, files: Path | None = None) -> str:
    """A short hash of some facts and of all files in a folder, the same on every machine."""
    digest = hashlib.sha256(repr(facts).encode())
    for file in sorted(files.iterdir()) if files else []:
        digest.update(repr((file.name, file.read_bytes())).encode())
    return digest.hexdigest()[:12]


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Held by one process at a time; the kernel releases it when its holder dies."""
    locks = folder() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with (locks / name).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def fill_once(final: Path) -> Iterator[Path | None]:
    """Yields the folder to fill, or None if `final` already exists (perhaps because another process filled it).

    The folder is renamed to `final` at the end, so a failed or interrupted run leaves nothing that looks finished.
    """
    with lock(final.name):
        if final.is_dir():
            yield None
            return
        unfinished = final.with_name(f"{final.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            yield unfinished
            unfinished.rename(final)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
