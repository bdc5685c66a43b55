"""Literal secrets: refused wherever they stand, because a manifest is read by many and kept for ever.

One walk over a document of any kind, the stack's settings, or a rendered object. A secret gives itself away by its form
(``hf_…``, a private key, a URL with a password) or by the name of what holds it (``HF_TOKEN``, ``--api-key``, an
``Authorization`` header). References pass (``valueFrom.secretKeyRef``, ``$(NAME)``), and so do paths, digests and
fillers such as ``EMPTY``.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ..findings import Problem
from ..secret_forms import TOKENS, URL_PASSWORD
from .values import field_path

NOT_SECRET = "modelservices/not-secret"
"""Annotation of a manifest: names (of a variable, flag, header, key) or field paths, separated by commas, that look
like secrets and are none. The policy pack has a list of its own, so that the platform decides."""

_QUERY = re.compile(r"[?&]([A-Za-z0-9_.-]{1,60})=([^\s&#\"']+)")
_SIGNATURES = frozenset(["sig", "signature", "x-amz-signature", "x-amz-security-token", "x-goog-signature", "token"])
_HEADER = re.compile(
    r"\b(authorization|proxy-authorization|x-api-key|api-key|cookie)\s*:\s*([^\s\"'\\][^\"'\\\n]*)", re.IGNORECASE
)
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_VARIABLE = re.compile(r"\$[({]?[A-Za-z_]")
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)

_FILLERS = re.compile(
    r"|empty|none|null|nil|dummy|unused|redacted|example|placeholder|test|true|false|yes|no|x{3,}|[*.]+|[^\n]*%s[^\n]*|<.*>|\[.*\]|\{\{.*\}\}"
    r"|[^\n]*\$\([A-Za-z_][A-Za-z0-9_.-]*\)[^\n]*"  # a variable of Kubernetes, and two of a shell
    r"|[^\n]*\$\{[A-Za-z_][^}\n]*\}[^\n]*|\$[A-Za-z_][A-Za-z0-9_]*\W*"
    r"|(?:file:|\.{0,2}/)\S*"  # a file
    r"|ENC\[[A-Z0-9_]+,data:.*\]"  # encrypted by SOPS
    r"|(?:vault|secret|ref\+[a-z0-9]+):\S+"  # where another tool finds it
    r"|(?:sample|example|dummy|fake)[-_ ]?(?:api[-_ ]?)?(?:token|key|secret|password)"
    r"|.*\b(?:your|my)[-_ ](?:[a-z]+[-_ ])*(?:token|key|secret|password)\b.*|not[-_ ](?:needed|used|a[-_ ]secret).*",
    re.IGNORECASE,
)
_NAME_LIKE = re.compile(r"[A-Za-z]+(?:[-_./][A-Za-z]+)*")
_PATH = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?")
_DIGEST = re.compile(r"(?:sha\d+[:-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})")

_PASSWORD = re.compile(r"PASSWORDS?|PASSWD|PASSPHRASES?")
_STRONG = re.compile(
    r"(?:.*_)?(?:PASS|TOKEN|APIKEY|AUTHORIZATION|HFT|CONNECTION_STRING"
    r"|(?:API|SECRET|ACCESS|PRIVATE|ACCOUNT|SIGNING|ENCRYPTION)_KEY|(?:API|CLIENT|APP|JWT|SESSION|WEBHOOK)_SECRET)"
)
"""Names of a secret itself, of whatever value."""
_WEAK = re.compile(r"(?:.*_)?(?:KEY|SECRET|PWD|CREDENTIALS?|COOKIE|SAS)")
"""Names of a secret, or of the object that has it."""
_NO_SECRET = re.compile(
    r"(?:OLD)?PWD|KEY|COOKIE"
    r"|(?:.*_)?(?:ADD|AUDIO|BATCH|BATCHED|BOS|BYTE|CHUNK|CLS|COMPLETION|CONTEXT|CUSTOM|DECODE|DRAFT|END|EOS|FIRST|GENERATED|IMAGE"
    r"|INPUT|LAST|MASK|MAX|MIN|NEW|NEXT|NUM|OUTPUT|PAD|PER|PREFILL|PROMPT|SEP|SKIP|SPECIAL|START|STOP|THINK|TOOL|TOTAL|UNK"
    r"|VIDEO)_TOKEN"  # those of a text
    r"|(?:.*_)?(?:AFFINITY|ANNOTATION|CACHE|CONFIG|DEDUP|FOREIGN|GROUP|HASH|HEADER|INDEX|LABEL|LOOKUP|MAP|MERGE|METRIC"
    r"|OBJECT|ORDER|PARTITION|PRIMARY|PUBLIC|QUERY|RANGE|REGISTRY|ROUTING|SHARD|SORT|STICKY|TAINT|TOLERATION|TOPOLOGY)_KEY"
    r"|.*_(?:AGE|COUNT|DIR|ENABLED|ENV|EXPIRY|FIELD|FILE|FORMAT|HEADER|ID|LENGTH|LIMIT|MODE|NAME|PATH|POLICY|PROVIDER|REF"
    r"|REFERENCE|REQUIRED|SIZE|TTL|TYPE|URL)"  # what is said about one
    r"|(?:.*_)?PASSWORD_(?:KEY|SECRET)"
)

Strength = Literal["strong", "weak", ""]


class _Found(NamedTuple):
    """A secret: where it is, and the name of what holds it (empty: its form alone gives it away)."""

    path: str
    name: str
    advice: str


_ENV = "put it into a Secret and refer to it with valueFrom.secretKeyRef (name, key)"
_WORD = "put it into a Secret, read it into a variable with valueFrom.secretKeyRef, and write $(NAME) here"
_URL = "take it out of the URL and give it by a Secret"
_OTHER = "put it into a Secret, and refer to that or mount it"


def secret_problems(value: Any, path: str = "", *, exempt: Collection[str] = ()) -> list[Problem]:
    """An error for each literal secret within a value. ``exempt`` are names and paths that are known to hold none."""
    by_path: dict[str, _Found] = {}
    for found in _search(value, path):
        if found.name not in exempt and found.path not in exempt:
            by_path.setdefault(found.path, found)
    return [Problem(found.path, _sentence(found), code="literal-secret") for found in by_path.values()]


def object_secrets(obj: Mapping[str, Any], *, exempt: Collection[str] = ()) -> list[Problem]:
    """The same for an object of any kind: some hold secrets that are encrypted, or the names of a Secret's keys."""
    kind = obj.get("kind")
    if kind == "SealedSecret" and isinstance(obj.get("spec"), Mapping):
        spec = {field: value for field, value in obj["spec"].items() if field != "encryptedData"}
        obj = {**obj, "spec": spec}
    names = ("secretKey",) if kind in _WITH_NAMES_OF_KEYS else ()
    return secret_problems(obj, exempt=(*exempt, *names))


_WITH_NAMES_OF_KEYS = frozenset(["ClusterExternalSecret", "ExternalSecret", "PushSecret"])


def exemptions(annotations: Mapping[str, Any]) -> frozenset[str]:
    """What a manifest says about itself in ``modelservices/not-secret``."""
    given = annotations.get(NOT_SECRET)
    return frozenset(name.strip() for name in given.split(",")) - {""} if isinstance(given, str) else frozenset()


def _sentence(found: _Found) -> str:
    return f"{found.name} holds a literal secret: {found.advice}" if found.name else f"is a secret: {found.advice}"


def _search(value: Any, path: str) -> Iterator[_Found]:
    if isinstance(value, Mapping):
        yield from _in_mapping(value, path)
    elif isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield from _in_words(value, path)
        for index, item in enumerate(value):
            yield from _search(item, f"{path}[{index}]")
    elif isinstance(value, str):
        yield from _in_text(value, path)


def _in_mapping(value: Mapping[str, Any], path: str) -> Iterator[_Found]:
    name, given = value.get("name"), value.get("value")
    if isinstance(name, str) and isinstance(given, str) and _is_literal(name, given):
        yield _Found(field_path(path, "value"), str(name), _ENV)
    for field, item in value.items():
        where = field_path(path, str(field))
        key = str(field).rpartition("/")[2]
        if isinstance(item, str) and _is_literal(key, item, field=key.isalnum()):
            yield _Found(where, str(field), _OTHER)
        else:
            yield from _search(item, where)


def _in_text(text: str, path: str) -> Iterator[_Found]:
    """A secret that its form gives away, in a text of any kind."""
    token = TOKENS.search(text)
    if token and not _is_filler(token[0]):
        yield _Found(path, "", _OTHER)
    if "://" in text:
        yield from _in_url(text, path)
    header = _HEADER.search(text)
    if header and not _is_filler(_SCHEME.sub("", header[2], count=1)) and not _VARIABLE.search(header[2]):
        yield _Found(path, header[1], _OTHER)
    if text.lstrip()[:1] in "{[" and '"' in text:
        yield from (found._replace(path=path) for found in _search(_json(text), ""))


def _in_url(text: str, path: str) -> Iterator[_Found]:
    if any(not _is_filler(password) for password in URL_PASSWORD.findall(text)):
        yield _Found(path, "", _URL)
    for name, value in _QUERY.findall(text):
        if (name.lower() in _SIGNATURES or strength(name) == "strong") and not _is_filler(value):
            yield _Found(path, name, _URL)


def _in_words(words: Sequence[str], path: str, inner: bool = False) -> Iterator[_Found]:
    """Command lines: a flag with a secret, and those of a shell (``sh -c "…"``) in one of the words."""
    for index, word in enumerate(words):
        where = path if inner else f"{path}[{index}]"
        flag, equals, value = word.partition("=")
        if not equals and index + 1 < len(words):
            value = words[index + 1]
        if flag.startswith("-") and _is_literal(flag.lstrip("-"), value) and not value.startswith("--"):
            yield _Found(where, flag, _WORD)
        if flag in ("-u", "--user") and ":" in value and not _is_filler(value.partition(":")[2]):
            yield _Found(where, flag, _WORD)
        assigned = _ASSIGNED.fullmatch(word)
        if assigned and _is_literal(assigned[1], assigned[2]):
            yield _Found(where, assigned[1], _WORD)
        if not inner and any(char.isspace() for char in word):
            yield from _in_shell(word, where)


def _in_shell(text: str, path: str) -> Iterator[_Found]:
    """The words of a shell's command, and of a shell's command in there."""
    words = _split(text)
    yield from _in_words(words, path, inner=True)
    for word in words:
        if word != text and any(char.isspace() for char in word):
            yield from _in_words(_split(word), path, inner=True)


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text, comments=False)
    except ValueError:
        words = text.split()
    return [word.strip(";&|()") for word in words]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_literal(name: str, value: str, *, field: bool = False) -> bool:
    """Whether a value under this name is a secret. ``field``: it may be one of an API, which may name a Secret instead
    (``tlsSecret``)."""
    how = strength(name)
    value = _SCHEME.sub("", value, count=1)
    if not how or _is_filler(value):
        return False
    named = bool(_NAME_LIKE.fullmatch(value))
    if how == "weak":
        return not (named or _DIGEST.fullmatch(value) or _PATH.fullmatch(value))
    return not (field and named and not _PASSWORD.search(_constant(name)))


def _is_filler(value: str) -> bool:
    """What stands where a secret would: ``EMPTY``, ``$(NAME)``, a path, ``hf_xxxxxxxx``."""
    if len(value) > 12 and set(value[-12:].lower()) <= set("x*."):
        return True
    return len(value) <= 1000 and bool(_FILLERS.fullmatch(value.strip()))


def _constant(name: str) -> str:
    """``hfToken``, ``hf-token`` and ``HF_TOKEN`` are ``HF_TOKEN``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    return "_".join(word for word in re.split(r"[^A-Za-z0-9]+", spaced.upper()) if word)


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """How surely what a name holds is a secret."""
    constant = _constant(name)
    if _NO_SECRET.fullmatch(constant):
        return ""
    if _STRONG.fullmatch(constant) or _PASSWORD.search(constant):
        return "strong"
    return "weak" if _WEAK.fullmatch(constant) else ""
