"""The cache folder that every clone on a machine shares: keys, locks, and folders that are complete or not there."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def folder() -> Path:
    """The cache of this project; follows the XDG rule that an empty variable counts as unset."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "modelservices"


def key(*facts: str, files: Path | None = None) -> str:
    """A short hash of some facts and of all files of a folder, the same on every machine."""
    digest = hashlib.sha256(repr(facts).encode())
    for file in sorted(files.iterdir()) if files else []:
        digest.update(repr((file.name, file.read_bytes())).encode())
    return digest.hexdigest()[:12]


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Held by one process at a time; the kernel frees it when its holder dies."""
    locks = folder() / "locks"
    locks.mkdir(parents=True, exist_ok=True)
    with (locks / name).open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def fill_once(final: Path) -> Iterator[Path | None]:
    """Yields the folder to fill, or None when `final` is there already (perhaps since another process filled it).

    What is filled is renamed to `final` at the end, so that a broken or interrupted run leaves nothing that looks
    finished.
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
