"""TLS from the routing sidecar of a decode pod to the prefill pods, which it calls by their addresses.

A certificate that is made once can't have the addresses of pods that come later, and a controller that makes it anew is
what this product does without. So the sidecar encrypts and doesn't verify: it says so for the prefiller only, the way
its command line asks for TLS. Which pods it calls is no matter of the certificate: it takes the address from the
endpoint picker, and only addresses of the service's pool (--enable-ssrf-protection). Whoever verifies by other
means says --tls-insecure-skip-verify (or --prefiller-tls-insecure-skip-verify) themselves.

Decisions: K10 (docs/decisions).
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ...engines.tool import is_off
from .context import Service
from .pods import Pod, change_container, container
from .serve import words
from .service_account import SIDECAR

_WAYS = (
    ("--enable-tls", "--tls-insecure-skip-verify"),
    ("--prefiller-use-tls", "--prefiller-tls-insecure-skip-verify"),
)
"""How a command line asks for TLS to the prefiller, and how it says not to verify: today, and before 0.10."""
_PREFILLER = "prefiller"


def with_encrypted_prefiller(pod: Pod, service: Service) -> Pod:
    sidecar = container(pod, SIDECAR, "initContainers")
    if not service.tls or sidecar is None:
        return pod
    flag = _unverified(sidecar)
    if not flag:
        return pod
    place = "args" if sidecar.get("args") else "command"
    return change_container(pod, lambda item: {**item, place: [*item[place], flag]}, SIDECAR, "initContainers")


def _unverified(sidecar: Mapping[str, Any]) -> str:
    """The option that the command line lacks; empty where nothing is encrypted or the user says how to verify."""
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
    """Whether one of the values of a flag that may be repeated, or with commas, is the prefiller."""
    line = [*map(str, words(sidecar))]
    values = [word.partition("=")[2] for word in line if word.startswith(f"{flag}=")]
    values += [after for word, after in pairwise(line) if word == flag]
    return any(_PREFILLER in value.split(",") for value in values)
