"""The scheduler's configuration as the user writes it: in the service, or as text in the arguments."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ...kubernetes.values import mapping, mappings, value_at
from . import scheduler_config
from .pods import container

TEXT_FLAGS = frozenset(["config-text", "configText"])

ConfigText = Callable[[str, str], Any]
"""Looks up a text by the name and key of a ConfigMap; None if it is unknown."""


class UserConfig(NamedTuple):
    """A configuration that the user writes, and the path of its field."""

    path: str
    config: scheduler_config.Config


def user_config(scheduler: Mapping[str, Any], text_of: ConfigText) -> UserConfig | None:
    path = "spec.router.scheduler"
    stated = stated_config(scheduler, text_of)
    if stated is not None:
        field = "ref" if value_at(scheduler, "config", "ref") else "inline"
        config = scheduler_config.parse(stated) if isinstance(stated, str) else stated
        return UserConfig(f"{path}.config.{field}", config) if isinstance(config, dict) else None
    main = container(mapping(scheduler.get("template"))) or {}
    for before, arg in pairwise([None, *one_word_each(main.get("args") or [])]):
        config = scheduler_config.parse(arg) if is_text(before) and isinstance(arg, str) else None
        if config is not None:
            return UserConfig(f"{path}.template.containers[main].args", config)
    return None


def stated_config(scheduler: Mapping[str, Any], text_of: ConfigText) -> Any:
    """The configuration in the service: a mapping, or the text of a ConfigMap."""
    ref = value_at(scheduler, "config", "ref")
    return text_of(str(ref.get("name")), str(ref.get("key"))) if ref else value_at(scheduler, "config", "inline")


def plugin_types(scheduler: Mapping[str, Any], text_of: ConfigText) -> set[str]:
    written = user_config(scheduler, text_of)
    return {str(plugin.get("type")) for plugin in mappings(written.config.get("plugins"))} if written else set()


def one_word_each(words: Iterable[Any]) -> Iterator[Any]:
    """Split ``--config-text=<text>`` into two words, the form that callers look for."""
    for word in words:
        if is_text(word) and "=" in word:
            yield from word.split("=", 1)
        else:
            yield word


def flag_name(word: Any) -> str:
    """A flag's name without dashes and value; empty for any other word."""
    return word.lstrip("-").partition("=")[0] if isinstance(word, str) and word.startswith("-") else ""


def is_text(word: Any) -> bool:
    return flag_name(word) in TEXT_FLAGS
