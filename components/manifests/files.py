"""Reads files written by others as text: regular files of limited size. A file that can't be read is a finding."""

import stat
from pathlib import Path

from ..findings import Finding
from ..kubernetes.quantities import amount
from ..planning.settings import MAX_FILE_SIZE

MAX_SIZE = int(amount(MAX_FILE_SIZE))
"""Limit in bytes where no settings apply: for the files of settings and of stacks themselves."""
YAML = (".yaml", ".yml", ".json")
_OF_THE_PROGRAM = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Paths of pipes that the program's caller has opened for it. Any other pipe may never have a writer."""


def text_of(file: Path, limit: int = MAX_SIZE) -> str | Finding:
    """The text of a file of at most ``limit`` bytes, or the finding that says why not."""
    try:
        mode = file.stat().st_mode
        if not stat.S_ISREG(mode) and not (stat.S_ISFIFO(mode) and str(file).startswith(_OF_THE_PROGRAM)):
            return unreadable(file, "is a folder" if stat.S_ISDIR(mode) else "is a pipe or a device, not a file")
        with file.open("rb") as stream:
            content = stream.read(limit + 1)
    except (OSError, ValueError) as error:
        return missing(file, error)
    if len(content) > limit:
        return too_large(file, limit)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Finding(str(file), "", "", "is not UTF-8 text; save it as UTF-8", code="encoding")


def missing(file: Path, error: Exception) -> Finding:
    """The finding for a path that can't be read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Finding(str(file), "", "", "does not exist", code="not-found")
    return unreadable(file, f"can't be read: {getattr(error, 'strerror', None) or error}")


def too_large(file: Path, limit: int) -> Finding:
    message = f"is larger than the {limit} bytes that settings.maxFileSize allows; split it, or raise the limit"
    return Finding(str(file), "", "", message, code="too-large")


def unreadable(file: Path, why: str) -> Finding:
    return Finding(str(file), "", "", why, code="unreadable")
