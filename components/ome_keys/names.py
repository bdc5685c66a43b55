"""Names of objects that the keys request, each defined only here."""

import hashlib

MAX_LABEL = 63
_GROUP = 51
_QUEUED_GROUP = 39


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def shortened(name: str, limit: int = MAX_LABEL) -> str:
    """A name for a Service or the label ``app``: unchanged, or ``<8 hex, a letter first>-<tail>``."""
    if len(name) <= limit:
        return name
    hashed = digest(name)
    first = hashed[0] if hashed[0].isalpha() else "a"
    return f"{first}{hashed[1:]}-{name[len(name) - (limit - 9) :]}"


def scaled_object(workload: str) -> str:
    return f"scaledobject-{workload[-50:]}"


def claim(owner: str) -> str:
    return f"{owner}-storage"


def leader_worker_set_limit(*, queued: bool) -> int:
    """Maximum length of a LeaderWorkerSet's name: its controller (and Kueue's) derive names and labels from it."""
    return _QUEUED_GROUP if queued else _GROUP
