"""Names of settings that hold a secret, and values that are not secrets: ``EMPTY``, ``$(NAME)``, paths, digests."""

import re
from functools import lru_cache
from typing import Literal

SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
"""Scheme in front of the secret in an ``Authorization`` header."""

_FILLERS = (
    r"(?i)|empty|none|null|nil|dummy|fake|unused|redacted|example|placeholder|change-?(?:it|me)|test|true|false|yes|no"
    r"|x{3,}|[*.]+|[^\n]*%s[^\n]*|<.*>|\[.*\]|\{\{.*\}\}"
    r"|[^\n]*\$\([^\n]*|`.*"  # Kubernetes variables, output of a shell command, and shell variables
    r"|[^\n]*\$\{[A-Za-z_][^}\n]*\}[^\n]*|\$[A-Za-z_][A-Za-z0-9_]*\W*"
    r"|(?:file:|\.{0,2}/)\S*"  # a file
    r"|ENC\[[A-Z0-9_]+,data:.*\]"  # encrypted by SOPS
    r"|(?:vault|secret|env|ref\+[a-z0-9]+):\S+"  # a reference for another tool
    r"|(?:sample|example|dummy|fake)[-_ ]?(?:api[-_ ]?)?(?:token|key|secret|password)"
    r"|.*\b(?:your|my)[-_ ](?:[a-z]+[-_ ])*(?:token|key|secret|password)\b.*"
    r"|(?:[a-z]+-)?no(?:t|-key)?[-_ ](?:needed|required|used|a[-_ ]secret).*"
)
_NAME_LIKE = re.compile(r"[A-Za-z]+(?:[-_./](?:[A-Za-z]+|v?[0-9]{1,3}))*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_PATH = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?")
_DIGEST = r"(?:sha\d+[:-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})"

_PASSWORD = re.compile(r"PASSWORDS?|PASSWD|PASSPHRASES?|PASSCODES?")
_STRONG = re.compile(
    r"(?:.*_)?(?:PASS|PW|TOKEN|APIKEY|AUTHKEY|AUTHORIZATION|HFT|CONNECTION_STRING"
    r"|(?:API|SECRET|ACCESS|PRIVATE|ACCOUNT|SIGNING|ENCRYPTION|SUBSCRIPTION|MASTER)_KEY"
    r"|(?:API|CLIENT|APP|JWT|SESSION|WEBHOOK)_SECRET)"
)
"""Names of a secret itself, with any value."""
_WEAK = re.compile(r"(?:.*_)?(?:KEY|SECRET|PWD|CREDENTIALS?|COOKIE|SAS|AUTH)")
"""Names of a secret, or of the object that holds it."""
_NO_SECRET = re.compile(
    r"(?:OLD)?PWD|KEY|COOKIE"
    r"|(?:.*_)?(?:ADD|AUDIO|BATCH|BATCHED|BOS|BYTE|CHUNK|CLS|COMPLETION|CONTEXT|CUSTOM|DECODE|DRAFT|END|EOS|FIRST|GENERATED|IMAGE"
    r"|INPUT|LAST|MASK|MAX|MIN|NEW|NEXT|NUM|OUTPUT|PAD|PER|PREFILL|PROMPT|SEP|SKIP|SPECIAL|START|STOP|THINK|TOOL|TOTAL|UNK"
    r"|VIDEO)_TOKEN"  # tokens of a text
    r"|(?:.*_)?(?:AFFINITY|ANNOTATION|CACHE|CONFIG|DEDUP|FOREIGN|GROUP|HASH|HEADER|INDEX|LABEL|LOOKUP|MAP|MERGE|METRIC"
    r"|OBJECT|ORDER|PARTITION|PRIMARY|PUBLIC|QUERY|RANGE|REGISTRY|ROUTING|SHARD|SORT|STICKY|TAINT|TOLERATION|TOPOLOGY)_KEY"
    r"|.*_(?:AGE|COUNT|DIR|ENABLED|ENV|EXPIRY|FIELD|FILE|FORMAT|HEADER|ID|LENGTH|LIMIT|MODE|NAME|PATH|POLICY|PROVIDER|REF"
    r"|REFERENCE|REQUIRED|SIZE|STDIN|TTL|TYPE|URL)"  # attributes of a secret
    r"|(?:.*_)?PASSWORD_(?:KEY|SECRET)"
)

Strength = Literal["strong", "weak", ""]


def is_literal(name: str, value: str, *, field: bool = False) -> bool:
    """Whether a value under this name is a secret. ``field``: the name may be an API field, which may name a Secret
    instead (``tlsSecret``)."""
    how = strength(name)
    if not how:
        return False
    value = SCHEME.sub("", value, count=1)
    if is_filler(value):
        return False
    if how == "weak":
        return not (is_word(value) or re.fullmatch(_DIGEST, value) or _PATH.fullmatch(value))
    return not (field and _NAME_LIKE.fullmatch(value) and not _PASSWORD.search(_constant(name)))


def is_word(value: str) -> bool:
    """Whether a value is a name or a number, as settings use them."""
    return bool(_NAME_LIKE.fullmatch(value) or _NUMBER.fullmatch(value))


def is_filler(value: str) -> bool:
    """Whether a value is a placeholder for a secret: ``EMPTY``, ``$(NAME)``, a path, ``hf_xxxxxxxx``."""
    if len(value) > 12 and set(value[-12:].lower()) <= set("x*."):
        return True
    return len(value) <= 1000 and bool(re.fullmatch(_FILLERS, value.strip()))


def _constant(name: str) -> str:
    """``hfToken``, ``hf-token`` and ``HF_TOKEN`` become ``HF_TOKEN``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:200])
    return "_".join(word for word in re.split(r"[^A-Za-z0-9]+", spaced.upper()) if word)


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """How certain it is that a value under this name is a secret."""
    constant = _constant(name)
    if _NO_SECRET.fullmatch(constant):
        return ""
    if _STRONG.fullmatch(constant) or _PASSWORD.search(constant):
        return "strong"
    return "weak" if _WEAK.fullmatch(constant) else ""
