"""The shell scripts of the init containers, assembled from the ``.sh`` files of this folder.

They run in busybox ash and in dash. Pods get them without comments and empty lines.
"""

from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from ..sources import HUGGING_FACE


class Variant(NamedTuple):
    """Which download script a container gets. ``cached``: into a cache that other pods share."""

    origin: Literal["http", "s3", "node"]
    several: bool = False
    cached: bool = True
    on_change: bool = False
    ca_bundle: bool = False
    sha256: str = ""
    hub: str = ""
    """A mirror of Hugging Face."""

    def parts(self) -> list[str]:
        """Names of the script's parts, in order."""
        source = ["node"] if self.origin == "node" else ["fetch", self.origin]
        authorities = ["ca-bundle"] if self.ca_bundle else []
        return ["basics", *authorities, *source, "several-files" if self.several else "one-file"]


def prepare(owner: str, mode: str) -> str:
    """Script that gives the cache's root to ``owner`` (uid:gid) with ``mode``."""
    return "\n".join([f"OWNER={owner}", f"MODE={mode}", _part("prepare")])


@lru_cache(maxsize=256)
def download(variant: Variant) -> str:
    """Script that downloads one model; the environment says what and where."""
    settings = {
        "POLICY": "OnChange" if variant.on_change else "IfNotPresent",
        "STORAGE": "cache" if variant.cached else "emptyDir",
        "SHA256": variant.sha256,
    }
    assignments = [f"{name}={value}" for name, value in settings.items()]
    script = "\n".join([*assignments, *map(_part, variant.parts())])
    return script.replace(HUGGING_FACE, variant.hub) if variant.hub else script


@lru_cache
def _part(name: str) -> str:
    lines = Path(__file__).with_name(f"{name}.sh").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
