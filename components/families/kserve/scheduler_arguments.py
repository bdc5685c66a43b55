"""The scheduler's command line: its configuration as text, and flags in the form that its release accepts.

The configuration comes from the service or from the container's command line, or is the default one.
``scheduler_config.py`` rewrites it for the release.

Decisions: K18 (docs/decisions).
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from ...engines.companions import ENDPOINT_PICKER
from ...engines.releases.table import image_number
from ...kubernetes import yaml_text
from ...kubernetes.endpoint_picker.plugins import DEFAULT_PLUGINS, PREFILL_DECODE_PLUGINS
from ...kubernetes.endpoint_picker.spec import CONFIG_API_VERSION
from ...kubernetes.labels import VERSION
from ...kubernetes.model import defaults, dump
from ...kubernetes.pod import PodSpec
from . import scheduler_config, serve, tokenizer
from . import user_config as written
from .context import Service
from .labels import template_metadata
from .pods import Pod, change_container, container
from .spec import ServiceSpec

TARGET = "scheduler"
POD = "scheduler pod"
KEBAB_CASE: scheduler_config.Version = (0, 3, 0)
"""The first release whose flags are written in kebab case."""

_PARTS = 3
_FILE = frozenset(["config-file", "configFile"])
CAMEL_CASE = re.compile(r"--?[a-z]+[A-Z][A-Za-z]*(=.*)?", re.DOTALL)


def template(service: Service) -> PodSpec:
    return service.scheduler.template or defaults(PodSpec)


def release(service: Service) -> scheduler_config.Version | None:
    """The endpoint picker's release, by the annotation. If only presets set the annotation, a version in the tag of
    llm-d's image takes precedence. None if the annotation is not a version."""
    return _image_release(service) or annotated_release(service)


def _running(service: Service) -> scheduler_config.Version:
    """The release; before all others if it is unknown, so that nothing is changed."""
    return release(service) or (0, 0, 0)


def _image_release(service: Service) -> scheduler_config.Version | None:
    if any(_says_release(source.spec) for source in service.sources if not source.name.startswith("preset ")):
        return None
    image = (container(dump(template(service))) or {}).get("image")
    number = image_number(image) if ENDPOINT_PICKER.is_in(image) else ()
    return (number[0], number[1], number[2]) if len(number) == _PARTS else None


def _says_release(spec: ServiceSpec) -> bool:
    return bool(spec.router and spec.router.scheduler and VERSION in spec.router.scheduler.annotations)


def annotated_release(service: Service) -> scheduler_config.Version | None:
    return scheduler_config.version(template_metadata(service, POD).get("annotations", {}).get(VERSION))


def user_config(service: Service) -> written.UserConfig | None:
    """The user's configuration; None if it is missing, unknown or not a mapping."""
    return written.user_config(dump(service.scheduler), service.config_text)


def with_config(pod: Pod, service: Service) -> Pod:
    main = container(pod)
    if main is None:
        return pod
    running = _running(service)
    command, args = ([*written.one_word_each(main.get(field, []))] for field in ("command", "args"))
    config = _stated_config(service)
    if config is None and not any(written.flag_name(word) in written.TEXT_FLAGS | _FILE for word in [*command, *args]):
        config = _default_config(service)
    if config is not None:
        args += ["--config-text", config if isinstance(config, str) else yaml_text.document(config)]
    if running >= KEBAB_CASE:
        command, args = [*map(kebab_case, command)], [*map(kebab_case, args)]
    flags = scheduler_config.flags_moved(running, with_file=not any(map(written.is_text, [*command, *args])))
    args, moved = without_flags(args, flags)
    command, more = without_flags(command, flags)
    there = {**moved, **more}
    pairs = pairwise([None, *args])
    args = [_migrated(arg, service, there) if written.is_text(before) else arg for before, arg in pairs]
    return change_container(pod, lambda item: {**item, **({"command": command} if command else {}), "args": args})


def _default_config(service: Service) -> scheduler_config.Config:
    """The configuration if the user writes none. A picker whose image is older than today's plugin names gets the old
    names."""
    image = _image_release(service)
    if image and image < scheduler_config.CURRENT_NAMES:
        built_in = PREFILL_DECODE_PLUGINS if service.prefill else DEFAULT_PLUGINS
        return built_in.document(CONFIG_API_VERSION)
    adapters = bool(service.spec.model.lora and service.spec.model.lora.adapters)
    return scheduler_config.default_config(disaggregated=service.prefill is not None, adapters=adapters)


def main_words(service: Service) -> list[Any]:
    """The words of the picker's command line, in the form of today's releases."""
    main = container(dump(template(service))) or {}
    return [*map(kebab_case, written.one_word_each(serve.words(main)))]


def picker_flags(service: Service) -> dict[str, Any]:
    return ENDPOINT_PICKER.dialect.flags(main_words(service))


def lost_flags(service: Service) -> dict[str, str]:
    """Flags, with their values, that the release no longer accepts and that are lost: the metrics port, and flags that
    belong in the configuration if it is a file in the image or a volume, which can't be changed here."""
    words = main_words(service)
    lost = without_flags(words, scheduler_config.flags_moved(_running(service), with_file=True))[1]
    in_file = any(written.flag_name(word) in _FILE for word in words)
    if _stated_config(service) is None and in_file and not any(map(written.is_text, words)):
        return lost
    return {flag: value for flag, value in lost.items() if flag == scheduler_config.SCRAPE_PORT}


def kebab_case(word: Any) -> Any:
    """``--poolName`` as ``--pool-name``; other words unchanged."""
    if not isinstance(word, str) or not CAMEL_CASE.fullmatch(word):
        return word
    flag, equals, value = word.lstrip("-").partition("=")
    return f"--{re.sub('[A-Z]', lambda letter: f'-{letter[0].lower()}', flag)}{equals}{value}"


def _migrated(text: Any, service: Service, flags: Mapping[str, str]) -> Any:
    """A configuration in the form of the picker's release. ``flags`` are those that become part of it."""
    config = scheduler_config.parse(text) if isinstance(text, str) else None
    if config is None:
        return text
    url, model = None, ""
    if tokenizer.wanted(service):
        url, model = tokenizer.url(service), tokenizer.model_name(service)
    return yaml_text.document(scheduler_config.migrated(config, _running(service), flags, url, model))


def _stated_config(service: Service) -> Any:
    return written.stated_config(dump(service.scheduler), service.config_text)


def without_flags(args: Iterable[Any], names: frozenset[str]) -> tuple[list[Any], dict[str, str]]:
    """The arguments without some flags, and the values of those (``--flag=value`` and ``--flag value``)."""
    kept: list[Any] = []
    values: dict[str, str] = {}
    waiting = ""
    for arg in args:
        flag, equals, value = arg.lstrip("-").partition("=") if isinstance(arg, str) else ("", "", "")
        if isinstance(arg, str) and arg.startswith("-") and flag in names:
            values[flag] = value if equals else "true"
            waiting = "" if equals else flag
        elif waiting and isinstance(arg, str) and not arg.startswith("-"):
            values[waiting], waiting = arg, ""
        else:
            kept.append(arg)
            waiting = ""
    return kept, values
