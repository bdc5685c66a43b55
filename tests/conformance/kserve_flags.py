"""vLLM's flags in start scripts, ours and KServe's, as comparable sets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

Flags = set[tuple[str, ...]]

_VARIABLES = ("${ACCESS_LOG_ARGS}", "${SHUTDOWN_TIMEOUT_ARGS}", "${KV_TRANSFER_ARGS}", "${VLLM_ADDITIONAL_ARGS}", "$@")
_OURS = ('"${optional[@]}"', '"${more[@]}"')


def of_reference(line: str, variables: dict[str, str]) -> Flags:
    """The flags in a line of expected-serve.yaml, with the values that its script sets (``KV_TRANSFER_ARGS``, …)."""
    line = line.replace("$START_RANK", variables.get("START_RANK", "")).removesuffix('"')
    for name in _VARIABLES:
        line = line.replace(name, "")
    more = [value.replace('\\"', '"') for name, value in variables.items() if name.endswith("_ARGS")]
    return set(_flags(" ".join([line.replace("${DP_ADDRESS}", "<address>"), *more])))


def of_script(script: str) -> Flags:
    """The flags in one of our scripts: in its last command, and options that depend on the engine's version."""
    line = script.rpartition("exec ")[2].replace("\\\n", " ")
    for name in _OURS:
        line = line.replace(name, "")
    more = re.findall(r"^since [0-9.]+ && optional\+=\( (.*) \)$", script, re.MULTILINE)
    return set(_flags(" ".join([line.replace('"$address"', "<address>"), *more])))


def of_recorded(script: str) -> Flags:
    """The flags in a script from KServe itself, with the longest value of each variable."""
    line = script.rpartition('eval "exec ')[2].replace("\\\n", " ")
    names = ("START_RANK", "SHUTDOWN_TIMEOUT_ARGS", "KV_TRANSFER_ARGS")
    found = {name: re.findall(rf'^ *{name}="?(.*?)"?$', script, re.MULTILINE) for name in names}
    return of_reference(line, {name: max(values, key=len) for name, values in found.items() if values})


def _flags(text: str) -> Iterator[tuple[str, ...]]:
    """Each flag with its values; the words before the first flag are the program."""
    text = re.sub(r"\$\(\((.*?)\)\)", lambda match: f"'$(({match[1].replace(' ', '')}))'", text)
    current: list[str] = []
    for word in shlex.split(text):
        if word.startswith("--") and current:
            yield tuple(current)
            current = []
        current.append(word)
    yield tuple(current)
