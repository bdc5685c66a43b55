"""Where a model's weights are: what each form of ``source`` means.

Decisions: L4 (docs/decisions).
"""

import posixpath
import re
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import quote, unquote, urlsplit

HUGGING_FACE = "https://huggingface.co"

_REPOSITORY = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([^\s@]+))?", re.ASCII)
_REPOSITORY_URL = re.compile(
    r"https?://(?:(?:www\.)?huggingface\.co|hf\.co)/(?!(?:datasets|spaces|api)/)([\w.-]+/[\w.-]+)"
    r"(?:/(?:tree|resolve|blob)/([^/?#]+))?/?(?:[?#].*)?",
    re.ASCII,
)

_NO_FILE = re.compile(
    r"https?://(?:(?:www\.)?huggingface\.co/([\w.-]+/[\w.-]+)/(?:raw|tree)|hf\.co/([\w.-]+/[\w.-]+)/(?:blob|raw|tree))"
    r"/([^/?#]+/[^?#]+)(?:[?#].*)?",
    re.ASCII,
)
_PART = re.compile(r"(.*)-([0-9]{5})-of-([0-9]{5})\.gguf")
_FILE = r"(?a)hf://([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)/([\w./-]+)"

Kind = Literal["repository", "http", "s3", "pvc", "local", "unknown"]


class Source(NamedTuple):
    """``place`` is the repository (org/name), bucket or claim, ``path`` the key, the path in the claim or on the node,
    ``revision`` a repository's branch, tag or commit."""

    kind: Kind
    text: str
    place: str = ""
    path: str = ""
    revision: str = ""

    @property
    def model_id(self) -> str:
        """What a server that loads models itself gets: the repository, otherwise the source unchanged."""
        return self.place if self.kind == "repository" else self.text

    @property
    def base_url(self) -> str:
        """Base URL of a repository's files."""
        return f"{HUGGING_FACE}/{self.place}/resolve/{quote(self.revision or 'main', safe='')}/"


def parse(text: str) -> Source:
    """Parse a ``source``; kind ``unknown`` if it has no known form."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return Source("local", text, path=text) if text.startswith("/") else _repository(text, text)
    if scheme == "file":
        return Source("local", text, path=rest)
    if scheme in ("pvc", "s3"):
        place, _, path = rest.partition("/")
        return Source("pvc" if scheme == "pvc" else "s3", text, place=place, path=path)
    if scheme == "hf":
        return _repository(text, rest.rstrip("/"))
    match = _REPOSITORY_URL.fullmatch(text)
    if match:
        return Source("repository", text, place=match[1], revision=unquote(match[2] or ""))
    return Source("http" if _host(text) else "unknown", text)


def _repository(text: str, repository: str) -> Source:
    match = _REPOSITORY.fullmatch(repository)
    return Source("repository", text, place=match[1], revision=match[2] or "") if match else Source("unknown", text)


def file_of_repository(text: str) -> str:
    """URL of the file that ``hf://org/name/file`` seems to mean, which LLMKube does not accept; otherwise empty."""
    match = re.fullmatch(_FILE, text)
    return f"{HUGGING_FACE}/{match[1]}/resolve/main/{match[2]}" if match else ""


def page_of_hub(text: str) -> str:
    """URL of the file whose page, pointer or folder on Hugging Face a source names; otherwise empty."""
    match = _NO_FILE.fullmatch(text)
    return f"{HUGGING_FACE}/{match[1] or match[2]}/resolve/{match[3]}" if match else ""


class Part(NamedTuple):
    """One of the files into which a GGUF model is split: ``name-00001-of-00003.gguf``."""

    model: str
    number: int
    count: int

    @property
    def others(self) -> list[str]:
        """Names of the other parts."""
        numbers = [number for number in range(1, min(self.count, _MOST_PARTS) + 1) if number != self.number]
        return [f"{self.model}-{number:05}-of-{self.count:05}.gguf" for number in numbers]


_MOST_PARTS = 1000


def part_of(file: str) -> Part | None:
    """The part that a file's name describes; None for a whole model."""
    match = _PART.fullmatch(file)
    return Part(match[1], int(match[2]), int(match[3])) if match and int(match[3]) > 1 else None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def cache_key(text: str) -> str:
    """Cache folder of a source, shared by all Models with the same source."""
    return sha256(text.encode()).hexdigest()[:16]


def is_below(path: str, roots: list[str]) -> bool:
    """Whether a path of the node is within one of the allowed folders."""
    clean = posixpath.normpath(path)
    return ".." not in path.split("/") and any(
        clean.startswith(posixpath.normpath(root).rstrip("/") + "/") for root in roots
    )


def file_set(files: list[str], projector: str) -> list[str]:
    """The files to stage: each once, in order, and the projector last unless it is among them."""
    return list(dict.fromkeys([*files, projector] if projector else files))
