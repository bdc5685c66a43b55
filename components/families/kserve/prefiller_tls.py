"""TLS from the routing sidecar of a decode pod to the prefill pods, which it calls by their addresses.

A certificate that is made once can't have the addresses of later pods, and this product has no controller to renew it.
So the sidecar encrypts but doesn't verify, for the prefiller only. The added flag fits the way its command line asks
for TLS. The certificate doesn't decide which pods the sidecar calls: it takes the address from the endpoint picker and
accepts only addresses of the service's pool (--enable-ssrf-protection). Users who verify by other means set
--tls-insecure-skip-verify (or --prefiller-tls-insecure-skip-verify) themselves.

Decisions: K10 (docs/decisions).
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ...engines.server import takes
from ...engines.tool import is_off
from .context import Service
from .pods import Pod, change_container, container
from .serve import words
from .service_account import SIDECAR

_WAYS = (
    ("--enable-tls", "--tls-insecure-skip-verify"),
    ("--prefiller-use-tls", "--prefiller-tls-insecure-skip-verify"),
)
"""The flags that turn on TLS to the prefiller and that turn off its verification: today's, and those before 0.10."""
_PREFILLER = "prefiller"


def with_encrypted_prefiller(pod: Pod, service: Service) -> Pod:
    sidecar = container(pod, SIDECAR, "initContainers")
    if not service.tls or sidecar is None:
        return pod
    flag = missing_flag(sidecar)
    if not flag or takes(sidecar) == "nothing":
        return pod
    place = "args" if sidecar.get("args") else "command"
    return change_container(pod, lambda item: {**item, place: [*item[place], flag]}, SIDECAR, "initContainers")


def missing_flag(sidecar: Mapping[str, Any]) -> str:
    """The flag to add; empty if nothing is encrypted or the user sets how to verify."""
    options = [word.partition("=")[0].lstrip("-") for word in map(str, words(sidecar))]
    if any(skip.lstrip("-") in options for _, skip in _WAYS):
        return ""
    listed, old = _WAYS
    if _encrypts(sidecar, listed[0]):
        return f"{listed[1]}={_PREFILLER}"
    if old[0].lstrip("-") in options and not is_off(words(sidecar), old[0]):
        return old[1]
    return ""


def _encrypts(sidecar: Mapping[str, Any], flag: str) -> bool:
    """Whether ``prefiller`` is a value of the flag, which may be repeated or have values with commas."""
    line = [*map(str, words(sidecar))]
    values = [word.partition("=")[2] for word in line if word.startswith(f"{flag}=")]
    values += [after for word, after in pairwise(line) if word == flag]
    return any(_PREFILLER in value.split(",") for value in values)
