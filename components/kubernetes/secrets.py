"""Literal secrets, which are refused everywhere, because many people read a manifest and it is kept.

The search covers documents of any kind, the stack's settings and rendered objects. A secret is recognized by its form
(``hf_…``, a private key, a URL with a password) or by the name of what holds it (``HF_TOKEN``, ``--api-key``, an
``Authorization`` header). References (``valueFrom.secretKeyRef``, ``$(NAME)``), paths, digests and fillers such as
``EMPTY`` are allowed.
"""

import base64
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple
from urllib.parse import unquote

from ..findings import Problem
from ..secret_forms import TOKENS, URL_PASSWORD, URL_TOKEN
from .json_text import from_json as from_json_text
from .secret_names import SCHEME, is_filler, is_literal, is_word, strength
from .values import field_path

NOT_SECRET = "modelservices/not-secret"
"""Annotation of a manifest: comma-separated names (of variables, flags, headers, keys) or field paths that look like
secrets but aren't. The policy pack has a separate list, so that the platform decides."""

_WORD = re.compile(r"(?:--)?[A-Za-z0-9_/.][A-Za-z0-9_/.-]*")
"""A text without sentences or assignments: a name, a number, a path, a flag."""
_QUERY = re.compile(r"[?&]([A-Za-z0-9_.%-]{1,60})=([^\s&#\"']+)")
_SIGNATURES = frozenset(
    ["sig", "signature", "x-amz-signature", "x-amz-security-token", "x-goog-signature", "token", "auth"]
)
_USER = re.compile(
    r"\bcurl[ \t][^\n;|&]{0,500}?(?<![\w-])(-u|--user)(?:=|[ \t]{0,3})[\"']?[^\s\"':$]{1,200}:([^\s\"']{1,500})"
)
"""A user with a password that curl gets."""
_REGISTRY_PASSWORD = re.compile(r"[^\s/@:]{1,200}:([^\s/@]{1,500})@[^\s/@]{1,200}/")
"""A password in front of an image's registry."""
_COOKIES = frozenset(["cookie", "set-cookie"])
_HEADER = re.compile(
    r"\b(authorization|proxy-authorization|x-api-key|api-key|cookie)\s*:\s*([^\s\"'\\][^\"'\\\n]*)", re.IGNORECASE
)
_VARIABLE = re.compile(r"\$[({]?[A-Za-z_]")
_AUTHORIZED = re.compile(
    r"\b(?:bearer|basic)\s{1,3}(?=[A-Za-z._~+/-]{0,60}[0-9])([A-Za-z0-9._~+/=-]{6,500})", re.IGNORECASE
)
_SET = re.compile(
    r"""(?<![A-Za-z0-9_])_{0,2}([A-Za-z][A-Za-z0-9_.-]{1,60})[\\"'\])]{0,4}[ \t]{0,3}[:=]"""
    r"""(?=[ \t]{0,3}[\\"']{0,4}([^\s"'&;,<>{}()\[\]\\]{1,500}+)(?![(\[]))"""
)
"""A name and its value in any text: code, a config file, a connection string."""
_VARIABLES = re.compile(r"""(?<![\w$./-])([A-Za-z_]\w{0,60})=["']?([^\s"';&|]{1,500})""")
"""Variables that a command line sets, with their values."""
_OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w.-]{0,60})(?:=|[ \t]{1,3})[\"']?([^\s\"';&|-][^\s\"';&|]{0,500})")
"""A flag and its value in a text."""
_BLOCK = re.compile(
    r"""(?<![\w.-])([A-Za-z][A-Za-z0-9_.-]{1,60})["']?:[ \t]{1,3}[|>][+-]?[ \t]{0,3}\n[ \t]{1,60}(\S{1,500}+)"""
)
"""A name and its value in a YAML block."""
_ELEMENT = re.compile(r"<([A-Za-z][A-Za-z0-9_.-]{1,60})>([^<>\s]{1,500}+)</")
"""A name and its value in XML."""
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,10000}={0,2}")
_LOGIN = re.compile(r"[A-Za-z0-9+/]{8,500}={0,2}")
_PATHS_IN_VAULT = "vault.hashicorp.com/agent-inject-"
"""Prefix of annotations that tell Vault's agent where a secret is."""


class _Literal(NamedTuple):
    """Path of a secret, and the name of what holds it (empty if it is recognized only by its form)."""

    path: str
    name: str
    advice: str


_ENV = "put it in a Secret, and refer to it with valueFrom.secretKeyRef (name, key)"
_IN_COMMAND = "put it in a Secret, read it into a variable with valueFrom.secretKeyRef, and write $(NAME) here"
_URL = "remove it from the URL, and pass it through a Secret"
_IMAGE = "remove it, and log in to the registry with imagePullSecrets"
_OTHER = "put it in a Secret, and refer to the Secret or mount it"


def secret_problems(value: Any, path: str = "", *, exempt: Collection[str] = ()) -> list[Problem]:
    """An error for each literal secret in a value. ``exempt`` has names and paths that are known to hold none."""
    by_path: dict[str, _Literal] = {}
    for literal in _search(value, path):
        if literal.name not in exempt and literal.path not in exempt:
            by_path.setdefault(literal.path, literal)
    return [Problem(literal.path, _sentence(literal), code="literal-secret") for literal in by_path.values()]


def object_secrets(obj: Mapping[str, Any], *, exempt: Collection[str] = ()) -> list[Problem]:
    """Errors for an object of any kind. Encrypted values, and names of a Secret's keys, are allowed in the kinds that
    have them."""
    kind = obj.get("kind")
    if kind == "SealedSecret" and isinstance(obj.get("spec"), Mapping):
        spec = {field: value for field, value in obj["spec"].items() if field != "encryptedData"}
        obj = {**obj, "spec": spec}
    names = ("secretKey",) if kind in _WITH_NAMES_OF_KEYS else ()
    return secret_problems(obj, exempt=(*exempt, *names))


_WITH_NAMES_OF_KEYS = frozenset(["ClusterExternalSecret", "ExternalSecret", "PushSecret"])


def exemptions(annotations: Mapping[str, Any]) -> frozenset[str]:
    """Names and paths in a manifest's ``modelservices/not-secret`` annotation."""
    names = annotations.get(NOT_SECRET)
    return frozenset(name.strip() for name in names.split(",")) - {""} if isinstance(names, str) else frozenset()


def _sentence(literal: _Literal) -> str:
    return (
        f"{literal.name} holds a literal secret; {literal.advice}" if literal.name else f"is a secret; {literal.advice}"
    )


def _search(value: Any, path: str) -> Iterator[_Literal]:
    if isinstance(value, str):
        yield from _in_text(value, path)
    elif isinstance(value, list):
        if value and all(isinstance(item, str) for item in value):
            yield from _in_words(value, path)
        for index, item in enumerate(value):
            yield from _search(item, f"{path}[{index}]")
    elif isinstance(value, Mapping):
        yield from _in_mapping(value, path)


def _in_mapping(value: Mapping[str, Any], path: str) -> Iterator[_Literal]:
    name, text = value.get("name"), value.get("value")
    if (
        isinstance(name, str)
        and isinstance(text, str)
        and (_holds(name, text) or (name.lower() in _COOKIES and _has_cookie(text)))
    ):
        yield _Literal(field_path(path, "value"), str(name), _ENV)
    for field, item in value.items():
        where = field_path(path, str(field))
        if not isinstance(item, str):
            yield from _search(item, where)
        elif _is_secret_field(str(field), item):
            yield _Literal(where, str(field), _OTHER)
        elif str(field) == "image" and (login := _REGISTRY_PASSWORD.match(item)) and not is_filler(login[1]):
            yield _Literal(where, "", _IMAGE)
        else:
            yield from _in_text(item, where)


def _is_secret_field(field: str, value: str) -> bool:
    key = field.rpartition("/")[2]
    if field.startswith(_PATHS_IN_VAULT):
        return False
    return _holds(key, value, field=key.isalnum()) or _is_registry_login(key, value)


def _holds(name: str, value: str, *, field: bool = False) -> bool:
    """Whether a value under this name is a secret. JSON under a name such as ``credentials`` is judged by content."""
    if not is_literal(name, value, field=field):
        return False
    return strength(name) == "strong" or not isinstance(_json(value), Mapping)


def _in_text(text: str, path: str) -> Iterator[_Literal]:
    """A secret in any text, recognized by its form."""
    token = TOKENS.search(text)
    if token and not is_filler(token[0]):
        yield _Literal(path, "", _OTHER)
    if not _WORD.fullmatch(text):
        yield from _in_phrase(text, path)
    elif _has_secret_in_base64(text):
        yield _Literal(path, "", _OTHER)


def _in_phrase(text: str, path: str) -> Iterator[_Literal]:
    """A secret in a text of several words: an address, a command, a sentence, code."""
    if "://" in text:
        yield from _in_url(text, path)
    yield from _in_header(text, path)
    if ":" in text or "=" in text or "</" in text:
        yield from _in_assignments(text, path)
    for flag, value in _OPTION.findall(text):
        if is_literal(flag.lstrip("-"), value):
            yield _Literal(path, flag, _IN_COMMAND)
    for flag, password in _USER.findall(text) if "curl" in text else ():
        if not is_filler(password) and not _VARIABLE.search(password):
            yield _Literal(path, flag, _IN_COMMAND)
    if _has_secret_in_base64(text):
        yield _Literal(path, "", _OTHER)
    if text.lstrip()[:1] in "{[" and '"' in text:
        yield from (literal._replace(path=path) for literal in _search(_json(text), ""))


def _in_header(text: str, path: str) -> Iterator[_Literal]:
    for name, value in _HEADER.findall(text):
        credentials = SCHEME.sub("", value, count=1)
        if (
            not is_filler(credentials)
            and not _VARIABLE.search(value)
            and (name.lower() not in _COOKIES or _has_cookie(value))
        ):
            yield _Literal(path, name, _OTHER)
    if any(not is_filler(token) for token in _AUTHORIZED.findall(text)):
        yield _Literal(path, "", _OTHER)


def _in_assignments(text: str, path: str) -> Iterator[_Literal]:
    """``api_key: abc1``, ``Password=abc1;``. The text may be prose, so only names of secrets themselves are checked,
    and only values that are more than a word."""
    for pattern in (_SET, _BLOCK, _ELEMENT):
        for name, value in pattern.findall(text):
            plain = is_word(value) or value.startswith(("$", "/", "-", "%", "|", ">")) or SCHEME.fullmatch(f"{value} ")
            if not plain and strength(name) == "strong" and not is_filler(value):
                yield _Literal(path, name, _OTHER)


def _has_secret_in_base64(text: str) -> bool:
    for encoded in _BASE64.findall(text):
        decoded = base64.b64decode(encoded.rstrip("=")[: len(encoded.rstrip("=")) // 4 * 4]).decode("latin-1")
        if TOKENS.search(decoded) or URL_PASSWORD.search(decoded):
            return True
    return False


def _is_registry_login(key: str, value: str) -> bool:
    """``auth`` of a Docker config: user and password in base64."""
    if key != "auth" or len(value) % 4 or not _LOGIN.fullmatch(value):
        return False
    return b":" in base64.b64decode(value)


def _in_url(text: str, path: str) -> Iterator[_Literal]:
    if any(not is_filler(password) for pattern in (URL_PASSWORD, URL_TOKEN) for password in pattern.findall(text)):
        yield _Literal(path, "", _URL)
    for quoted, value in _QUERY.findall(text):
        name = unquote(quoted)
        if (name.lower() in _SIGNATURES or strength(name) == "strong") and not is_filler(value):
            yield _Literal(path, name, _URL)


def _in_words(words: Sequence[str], path: str) -> Iterator[_Literal]:
    """Flags (``--api-key VALUE``) and variables of a command line that hold a secret, recognized by their names."""
    for index, (word, following) in enumerate(zip_longest(words, words[1:], fillvalue="")):
        name, equals, value = word.partition("=")
        value = value if equals else following
        pairs = [(name, value)] if name.startswith("-") and not value.startswith("--") else _VARIABLES.findall(word)
        for holder, held in pairs:
            if is_literal(holder.lstrip("-"), held):
                yield _Literal(f"{path}[{index}]", holder, _IN_COMMAND)
    if words[0].rpartition("/")[2] == "curl":
        yield from _in_words_of_curl(words, path)


def _in_words_of_curl(words: Sequence[str], path: str) -> Iterator[_Literal]:
    for index, (flag, user) in enumerate(pairwise(words)):
        _, colon, password = user.partition(":")
        if flag in ("-u", "--user") and colon and not is_filler(password) and not _VARIABLE.search(password):
            yield _Literal(f"{path}[{index}]", flag, _IN_COMMAND)


def _has_cookie(value: str) -> bool:
    """Whether the value of a ``Cookie`` header contains a secret: ``session=9f8a…``, but not ``lang=en``."""
    values = (pair.partition("=")[2].strip() for pair in value.split(";"))
    return any(text and not is_word(text) and not is_filler(text) and "$" not in text for text in values)


def _json(text: str) -> Any:
    try:
        return from_json_text(text)
    except (ValueError, RecursionError):
        return None
