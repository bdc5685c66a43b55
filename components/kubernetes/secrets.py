"""Literal secrets: refused wherever they stand, because a manifest is read by many and kept for ever.

One walk over a document of any kind, the stack's settings, or a rendered object. A secret gives itself away by its form
(``hf_…``, a private key, a URL with a password) or by the name of what holds it (``HF_TOKEN``, ``--api-key``, an
``Authorization`` header). References pass (``valueFrom.secretKeyRef``, ``$(NAME)``), and so do paths, digests and
fillers such as ``EMPTY``.
"""

from __future__ import annotations

import base64
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

_URL_TOKEN = re.compile(r"://(?=[A-Za-z_-]{0,60}[0-9])([A-Za-z0-9_-]{20,200})@")
_QUERY = re.compile(r"[?&]([A-Za-z0-9_.-]{1,60})=([^\s&#\"']+)")
_SIGNATURES = frozenset(
    ["sig", "signature", "x-amz-signature", "x-amz-security-token", "x-goog-signature", "token", "auth"]
)
_HEADER = re.compile(
    r"\b(authorization|proxy-authorization|x-api-key|api-key|cookie)\s*:\s*([^\s\"'\\][^\"'\\\n]*)", re.IGNORECASE
)
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_COMMAND_END = re.compile(r"[;&|\n]\s|;$")
_VARIABLE = re.compile(r"\$[({]?[A-Za-z_]")
_AUTHORIZED = re.compile(
    r"\b(?:bearer|basic)\s{1,3}(?=[A-Za-z._~+/-]{0,60}[0-9])([A-Za-z0-9._~+/=-]{6,500})", re.IGNORECASE
)
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SET = re.compile(
    r"""(?<![A-Za-z0-9_])([A-Za-z][A-Za-z0-9_.-]{1,60})["'\])]{0,3}[ \t]{0,3}[:=]"""
    r"""(?=[ \t]{0,3}["']?([^\s"'&;,<>{}()\[\]]{1,500}+)(?![(\[]))"""
)
"""A name and its value within a text of any kind: code, a config file, a connection string."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,10000}={0,2}")
_LOGIN = re.compile(r"[A-Za-z0-9+/]{8,500}={0,2}")
_CLIENTS = frozenset(["curl", "http", "https", "wget", "xh"])
"""Programs whose ``-u`` takes a user and a password."""
_LONG = 20_000
"""From so many characters on a text is split at its blanks only: as a shell would, it takes seconds."""

_FILLERS = re.compile(
    r"|empty|none|null|nil|dummy|fake|unused|redacted|example|placeholder|change-?(?:it|me)|test|true|false|yes|no"
    r"|x{3,}|[*.]+|[^\n]*%s[^\n]*|<.*>|\[.*\]|\{\{.*\}\}"
    r"|[^\n]*\$\([^\n]*|`.*"  # a variable of Kubernetes, what a command of a shell prints, and variables of one
    r"|[^\n]*\$\{[A-Za-z_][^}\n]*\}[^\n]*|\$[A-Za-z_][A-Za-z0-9_]*\W*"
    r"|(?:file:|\.{0,2}/)\S*"  # a file
    r"|ENC\[[A-Z0-9_]+,data:.*\]"  # encrypted by SOPS
    r"|(?:vault|secret|ref\+[a-z0-9]+):\S+"  # where another tool finds it
    r"|(?:sample|example|dummy|fake)[-_ ]?(?:api[-_ ]?)?(?:token|key|secret|password)"
    r"|.*\b(?:your|my)[-_ ](?:[a-z]+[-_ ])*(?:token|key|secret|password)\b.*"
    r"|(?:[a-z]+-)?no(?:t|-key)?[-_ ](?:needed|required|used|a[-_ ]secret).*",
    re.IGNORECASE,
)
_NAME_LIKE = re.compile(r"[A-Za-z]+(?:[-_./](?:[A-Za-z]+|v?[0-9]{1,3}))*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_PATH = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?")
_DIGEST = re.compile(r"(?:sha\d+[:-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})")

_PASSWORD = re.compile(r"PASSWORDS?|PASSWD|PASSPHRASES?")
_STRONG = re.compile(
    r"(?:.*_)?(?:PASS|TOKEN|APIKEY|AUTHORIZATION|HFT|CONNECTION_STRING"
    r"|(?:API|SECRET|ACCESS|PRIVATE|ACCOUNT|SIGNING|ENCRYPTION)_KEY|(?:API|CLIENT|APP|JWT|SESSION|WEBHOOK)_SECRET)"
)
"""Names of a secret itself, of whatever value."""
_WEAK = re.compile(r"(?:.*_)?(?:KEY|SECRET|PWD|CREDENTIALS?|COOKIE|SAS|AUTH)")
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
        if isinstance(item, str) and (_is_literal(key, item, field=key.isalnum()) or _is_registry_login(key, item)):
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
    if any(not _is_filler(found) for found in _AUTHORIZED.findall(text)):
        yield _Found(path, "", _OTHER)
    if ":" in text or "=" in text:
        yield from _in_assignments(text, path)
    if " --" in text or text.startswith("--"):
        yield from _in_words(_split(text), path, inner=True)
    if _is_secret_in_base64(text):
        yield _Found(path, "", _OTHER)
    if text.lstrip()[:1] in "{[" and '"' in text:
        yield from (found._replace(path=path) for found in _search(_json(text), ""))


def _in_assignments(text: str, path: str) -> Iterator[_Found]:
    """``api_key: abc1``, ``Password=abc1;``: of prose, only names of secrets themselves, with more than a word."""
    for name, value in _SET.findall(text):
        is_word = _NAME_LIKE.fullmatch(value) or _NUMBER.fullmatch(value) or value.startswith(("$", "/", "-", "%"))
        if not is_word and strength(name) == "strong" and not _is_filler(value) and not _SCHEME.fullmatch(f"{value} "):
            yield _Found(path, name, _OTHER)


def _is_secret_in_base64(text: str) -> bool:
    if len(text) % 4 or not _BASE64.fullmatch(text):
        return False
    decoded = base64.b64decode(text).decode("latin-1")
    return bool(TOKENS.search(decoded) or URL_PASSWORD.search(decoded))


def _is_registry_login(key: str, value: str) -> bool:
    """``auth`` of a Docker config: user and password in base64."""
    if key != "auth" or len(value) % 4 or not _LOGIN.fullmatch(value):
        return False
    return b":" in base64.b64decode(value)


def _in_url(text: str, path: str) -> Iterator[_Found]:
    if any(not _is_filler(found) for pattern in (URL_PASSWORD, _URL_TOKEN) for found in pattern.findall(text)):
        yield _Found(path, "", _URL)
    for name, value in _QUERY.findall(text):
        if (name.lower() in _SIGNATURES or strength(name) == "strong") and not _is_filler(value):
            yield _Found(path, name, _URL)


def _in_words(words: Sequence[str], path: str, inner: bool = False) -> Iterator[_Found]:
    """Command lines: a flag with a secret, and those of a shell (``sh -c "…"``) in one of the words."""
    is_client = False
    for index, word in enumerate(words):
        where = path if inner else f"{path}[{index}]"
        is_client = is_client or word.rpartition("/")[2] in _CLIENTS
        flag, equals, value = word.partition("=")
        if not equals and index + 1 < len(words):
            value = words[index + 1]
        if flag.startswith("-") and _is_literal(flag.lstrip("-"), value) and not value.startswith("--"):
            yield _Found(where, flag, _WORD)
        if is_client and flag.startswith(("-u", "--user")) and _has_password(flag, value):
            yield _Found(where, flag[:2] if flag[1] != "-" else flag, _WORD)
        assigned = _ASSIGNED.fullmatch(word)
        if assigned and not _COMMAND_END.search(word) and _is_literal(assigned[1], assigned[2]):
            yield _Found(where, assigned[1], _WORD)
        if not inner and any(char.isspace() for char in word):
            yield from _in_shell(word, where)


def _has_password(flag: str, value: str) -> bool:
    """``-u user:password`` and ``-uuser:password``, of a client of HTTP."""
    text = value if flag in ("-u", "--user") else flag[2:]
    return ":" in text and not _is_filler(text.partition(":")[2])


def _in_shell(text: str, path: str) -> Iterator[_Found]:
    """The words of a shell's command, and of a shell's command in there."""
    words = _split(text)
    yield from _in_words(words, path, inner=True)
    for word in words:
        if word != text and any(char.isspace() for char in word):
            yield from _in_words(_split(word), path, inner=True)


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text, comments=False) if len(text) <= _LONG else text.split()
    except ValueError:
        words = text.split()
    return [word.strip(";&|()\"'") for word in words]


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
        return not any(pattern.fullmatch(value) for pattern in (_NAME_LIKE, _NUMBER, _DIGEST, _PATH))
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
