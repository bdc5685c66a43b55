"""The flags of rendered containers that the release in their image does not parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from modelservices.engines.command_line import flags_of
from modelservices.engines.command_reader import commands, is_shell, script_place
from modelservices.engines.companions import COMPANIONS
from modelservices.engines.generic import GENERIC
from modelservices.engines.known import engine_commands, engine_of
from modelservices.engines.tool import Tool
from modelservices.kubernetes.pod_templates import pod_templates

_SCRIPT = re.compile(r"exec (vllm .*?)(?:\n\s*\n|\Z)", re.DOTALL)


def unknown_flags(objects: Iterable[Mapping[str, Any]], manifest: str) -> Iterator[str]:
    """``container: flag`` for each unknown flag that does not stand in the manifest."""
    for obj in objects:
        for _, pod in pod_templates(obj):
            spec = pod.get("spec", pod)
            for container in [*spec.get("initContainers", []), *spec.get("containers", [])]:
                yield from _of_container(container, manifest)


def _of_container(container: Mapping[str, Any], manifest: str) -> Iterator[str]:
    words = [*container.get("command", []), *container.get("args", [])]
    tool = _tool(container, words)
    release = tool.release_of(container.get("image")) if tool else None
    if tool is None or release is None:
        return
    for _, flag, fact in flags_of(_words(words), tool, release):
        if fact is None and flag.lstrip("-") not in manifest:
            yield f"{container['name']}: {flag} ({tool.title} {release.number})"


def _tool(container: Mapping[str, Any], words: list[Any]) -> Tool | None:
    image = container.get("image")
    found = next((tool for tool in COMPANIONS if tool.is_in(image)), None)
    engine = engine_of(image, [*words, container["name"]])
    return found or (None if engine is GENERIC else engine)


def _words(words: list[Any]) -> list[Any]:
    """The words of the program: of the last line of a start script, of a shell's commands those that start an engine,
    else all."""
    if is_shell(words) and (place := script_place(words)) is not None and not _SCRIPT.search(words[place]):
        return [word for command in engine_commands(commands(words[place])) for word in command]
    texts = [word for word in words if isinstance(word, str)]
    script = next((match[1] for text in texts if (match := _SCRIPT.search(text))), None)
    if script is None:
        return words
    rest = words[words.index(next(text for text in texts if script in text)) + 1 :]
    return [*shlex.split(script.replace("\\\n", " ")), *rest]
