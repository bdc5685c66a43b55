"""The endpoint picker's configuration: the default one, and migrations of older ones.

The scheduler's annotation ``app.kubernetes.io/version`` names the running release. Each migration applies from the
release that needs it.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...engines.companions import RENAMED_PLUGINS
from ...engines.releases.table import as_number
from ...kubernetes.values import mapping, mappings
from ...kubernetes.yaml_text import load
from .flag_values import TOKENIZER_PATH

Config = dict[str, Any]
Plugin = Mapping[str, Any]
Version = tuple[int, int, int]

API_VERSION = "llm-d.ai/v1alpha1"
CURRENT_NAMES: Version = (0, 7, 0)
"""The first release that has the plugin names of the default configuration."""
_HANDLER = "disagg-profile-handler"
_PREFIX_SCORER = "prefix-cache-scorer"
_PRECISE = "precise-prefix-cache-scorer"
_PRECISE_PRODUCER = "precise-prefix-cache-producer"
_TOKENS: Plugin = {"type": "token-producer"}
_OTHER_BACKENDS = frozenset(["estimate", "udsTokenizerConfig"])
"""Parameters of a token producer that does without the tokenizer's server."""
_METRICS_SOURCE = "metrics-data-source"
_LORA = "lora-affinity-scorer"
_LORA_WEIGHT = 4

# Plugins of each profile, with their weights; a plugin without a weight filters or picks.
_SINGLE = {
    "default": {
        "queue-scorer": 2,
        "kv-cache-utilization-scorer": 2,
        _PREFIX_SCORER: 3,
        "no-hit-lru-scorer": 2,
        "max-score-picker": None,
    }
}
_DISAGGREGATED = {
    "prefill": {
        "prefill-filter": None,
        _PREFIX_SCORER: 3,
        "queue-scorer": 2,
        "kv-cache-utilization-scorer": 2,
        "max-score-picker": None,
    },
    "decode": {
        "decode-filter": None,
        "active-request-scorer": 2,
        _PREFIX_SCORER: 3,
        "max-score-picker": None,
    },
}
_SINGLE_PLUGINS = ("single-profile-handler", *_SINGLE["default"])
_DISAGGREGATED_PLUGINS = (
    "disagg-headers-handler",
    "prefill-filter",
    "decode-filter",
    "queue-scorer",
    "kv-cache-utilization-scorer",
    "active-request-scorer",
    _PREFIX_SCORER,
    "max-score-picker",
    "always-disagg-pd-decider",
)


def default_config(*, disaggregated: bool, adapters: bool) -> Config:
    plugins: list[Plugin] = [{"type": name} for name in (_DISAGGREGATED_PLUGINS if disaggregated else _SINGLE_PLUGINS)]
    if disaggregated:
        plugins.append({"type": _HANDLER, "parameters": {"deciders": {"prefill": "always-disagg-pd-decider"}}})
    lora = {_LORA: _LORA_WEIGHT} if adapters else {}
    plugins += [{"type": name} for name in lora]
    profiles = _DISAGGREGATED if disaggregated else _SINGLE
    return {
        "apiVersion": API_VERSION,
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": [
            {"name": name, "plugins": [_reference(p, w) for p, w in _weights(weights, lora)]}
            for name, weights in profiles.items()
        ],
    }


def _weights(weights: Mapping[str, int | None], lora: Mapping[str, int]) -> list[tuple[str, int | None]]:
    """The adapters' scorer comes after the filters."""
    filters = [(name, weight) for name, weight in weights.items() if name.endswith("-filter")]
    rest = [(name, weight) for name, weight in weights.items() if not name.endswith("-filter")]
    return [*filters, *lora.items(), *rest]


def _reference(plugin: str, weight: int | None) -> dict[str, Any]:
    return {"pluginRef": plugin} if weight is None else {"pluginRef": plugin, "weight": weight}


def parse(config: str) -> Config | None:
    """Parse a text; None if it is not a mapping."""
    try:
        value = load(config)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def version(annotation: Any) -> Version | None:
    """Parse a version such as 0.10.3; None if it is invalid. A missing version counts as older than every migration."""
    parts = str(annotation or "0.0.0").removeprefix("v").partition("-")[0].partition("+")[0].split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return None
    return int(parts[0]), int(parts[1]), int(parts[2])


def migrated(
    config: Config,
    release: Version,
    flags: Mapping[str, str],
    tokenizer_url: str | None,
    tokenizer_model: str = TOKENIZER_PATH,
) -> Config:
    """Migrate a configuration to a release. ``flags`` are the flags that became part of it; ``tokenizer_url`` is the
    stand-alone tokenizer's address, None without one, and ``tokenizer_model`` the name of its model."""
    for since, migration in _MIGRATIONS:
        if release >= since:
            config = migration(config)
    if release >= (0, 7, 0):
        config = _each_plugin(config, lambda plugin: [_without_gone(plugin, release)])
    if release >= (0, 9, 0) and tokenizer_url:
        config = _with_tokenizer(_with_precise_prefix_split(config), tokenizer_url, tokenizer_model)
    engine = {field: flags[flag] for flag, field in _ENGINE_FLAGS.items() if flag in flags}
    if engine:
        config = _with_engine_metrics(config, engine, renamed=release >= (0, 8, 0))
    source = {field: _typed(flags[flag]) for flag, field in _SOURCE_FLAGS.items() if flag in flags}
    return _with_metrics_source(config, source) if source else config


_ENGINE_FLAGS = {
    "total-queued-requests-metric": "queuedRequestsSpec",
    "total-running-requests-metric": "runningRequestsSpec",
    "kv-cache-usage-percentage-metric": "kvUsageSpec",
    "lora-info-metric": "loraSpec",
    "cache-info-metric": "cacheInfoSpec",
}
SCRAPE_PORT = "model-server-metrics-port"
"""Removed without a replacement: the picker scrapes the pool's port."""
_SOURCE_FLAGS = {
    "model-server-metrics-scheme": "scheme",
    "model-server-metrics-path": "path",
    "model-server-metrics-https-insecure-skip-verify": "insecureSkipVerify",
}


def flags_moved(release: Version, *, with_file: bool) -> frozenset[str]:
    """Command-line flags to move to the configuration or to drop: those that the release no longer accepts. If the
    configuration is a text that can be changed (``with_file`` is false), also those that it accepts in both places."""
    moved: set[str] = set()
    if release >= (0, 7, 0) and not with_file:
        moved.update(_ENGINE_FLAGS)
    if release >= (0, 10, 0):
        moved.update([*_SOURCE_FLAGS, SCRAPE_PORT])
    return frozenset(moved)


def _typed(value: str) -> Any:
    return {"true": True, "false": False}.get(value, value)


def _plugins(config: Config) -> list[Plugin]:
    return mappings(config.get("plugins"))


def _each_plugin(config: Config, change: Callable[[Plugin], list[Plugin]]) -> Config:
    if not isinstance(config.get("plugins"), list):
        return config
    return {**config, "plugins": [new for plugin in _plugins(config) for new in change(plugin)]}


def _renamed(old: str, new: str) -> Callable[[Config], Config]:
    """A migration that renames a plugin where it is declared and where profiles refer to it. If both names are
    declared, only one declaration stays, as the release rejects duplicates."""

    def rename(config: Config) -> Config:
        if {old, new} <= {*_names(config)}:
            config = _folded(config, old, new)
        config = _each_plugin(
            config, lambda p: [{k: new if k in ("type", "name") and v == old else v for k, v in p.items()}]
        )
        return _each_profile(config, lambda references: [_referring(item, old, new) for item in references])

    return rename


def _folded(config: Config, old: str, new: str) -> Config:
    """Remove the plugin named ``old``; references to it become references to ``new``, once per profile."""
    config = _each_plugin(config, lambda p: [] if _name(p) == old else [p])

    def fold(references: list[Any]) -> list[Any]:
        if any(_refers(item, new) for item in references):
            return [item for item in references if not _refers(item, old)]
        return [_referring(item, old, new) for item in references]

    return _each_profile(config, fold)


def _name(plugin: Plugin) -> str:
    return str(plugin.get("name") or plugin.get("type"))


def _names(config: Config) -> list[str]:
    return [_name(plugin) for plugin in _plugins(config)]


def _refers(item: Any, plugin: str) -> bool:
    return isinstance(item, dict) and item.get("pluginRef") == plugin


def _referring(item: Any, old: str, new: str) -> Any:
    return {**item, "pluginRef": new} if _refers(item, old) else item


def _each_profile(config: Config, change: Callable[[list[Any]], list[Any]]) -> Config:
    profiles = config.get("schedulingProfiles")
    if not isinstance(profiles, list):
        return config
    changed = [
        {**profile, "plugins": change(profile["plugins"])}
        if isinstance(profile, dict) and isinstance(profile.get("plugins"), list)
        else profile
        for profile in profiles
    ]
    return {**config, "schedulingProfiles": changed}


def _with_parameters(plugin: Plugin, parameters: Mapping[str, Any]) -> Plugin:
    rest = {key: value for key, value in plugin.items() if key != "parameters"}
    return {**rest, "parameters": dict(parameters)} if parameters else rest


def _parameters(plugin: Plugin) -> Mapping[str, Any]:
    return mapping(plugin.get("parameters"))


def _with_deciders(config: Config) -> Config:
    """Replace the handler's threshold by a decider, declared before the handler."""
    declared = {str(plugin.get("type")) for plugin in _plugins(config)}
    return _each_plugin(config, lambda plugin: list(_decided(plugin, declared)))


def _decided(plugin: Plugin, declared: set[str]) -> Iterator[Plugin]:
    parameters = _parameters(plugin)
    rest = {key: value for key, value in parameters.items() if key not in ("deciderPluginName", "threshold")}
    if plugin.get("type") != _HANDLER or "deciders" in parameters or len(rest) == len(parameters):
        yield plugin
        return
    decider = parameters.get("deciderPluginName")
    if decider is None:
        new = _decider(parameters["threshold"])
        decider = new["type"]
        if decider not in declared:
            yield new
    yield _with_parameters(plugin, {**rest, "deciders": {"prefill": decider}})


def _decider(threshold: Any) -> Plugin:
    """The old threshold counted characters; the new one counts tokens of about four characters."""
    try:
        characters = float(threshold)
    except (TypeError, ValueError):
        characters = 1.0
    if characters == 0:
        return {"type": "always-disagg-pd-decider"}
    tokens = max(1, math.ceil(characters / 4)) if math.isfinite(characters) else 1
    return {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": tokens}}


def _gone(plugin: Plugin, release: Version) -> list[str]:
    parameters = _parameters(plugin)
    gone = [key for key in parameters if key == "hashBlockSize" and release >= (0, 7, 0)]
    if plugin.get("type") == _PREFIX_SCORER and release >= (0, 9, 0):
        gone += [key for key in parameters if key not in (*gone, "prefixMatchInfoProducerName")]
    return gone


def _without_gone(plugin: Plugin, release: Version) -> Plugin:
    gone = _gone(plugin, release)
    kept = {key: value for key, value in _parameters(plugin).items() if key not in gone}
    return _with_parameters(plugin, kept) if gone else plugin


def dropped_parameters(config: Config, release: Version) -> Iterator[tuple[int, str, list[str]]]:
    """Parameters that the release no longer accepts: the plugin's index in the list, its type, and the parameters'
    names."""
    for index, plugin in enumerate(_plugins(config)):
        if gone := _gone(plugin, release):
            yield index, str(plugin.get("type")), gone


def _with_current_api(config: Config) -> Config:
    return {**config, "apiVersion": API_VERSION}


def _with_precise_prefix_split(config: Config) -> Config:
    """Split the precise prefix scorer into three plugins: tokens, their index, the score. The first two are declared
    once."""
    if not any(plugin.get("type") == _PRECISE for plugin in _plugins(config)):
        return config
    if {_PREFIX_SCORER, _PRECISE} <= {*_names(config)}:
        config = _folded(config, _PREFIX_SCORER, _PRECISE)
    first = next(plugin for plugin in _plugins(config) if plugin.get("type") == _PRECISE)
    declared = {str(plugin.get("type")): _name(plugin) for plugin in reversed(_plugins(config))}
    producers = [each for each in (_TOKENS, _producer(first)) if each["type"] not in declared]
    scored_by = declared.get(_PRECISE_PRODUCER, _PRECISE_PRODUCER)
    config = _each_plugin(
        config,
        lambda p: [p] if p.get("type") != _PRECISE else [*(producers if p is first else ()), _scorer(p, scored_by)],
    )
    return _each_profile(config, lambda references: [_referring(item, _PRECISE, _PREFIX_SCORER) for item in references])


def _producer(plugin: Plugin) -> Plugin:
    """The plugin for the index that a precise prefix scorer used to keep itself."""
    parameters = _parameters(plugin)
    stated = parameters.get("indexerConfig")
    indexer = dict(stated) if isinstance(stated, dict) else {}
    tokens = parameters.get("tokenProcessorConfig", indexer.pop("tokenProcessorConfig", None))
    indexer.pop("tokenProcessorConfig", None)
    indexer.pop("tokenizersPoolConfig", None)
    producer = {
        **parameters,
        "tokenProcessorConfig": tokens,
        "indexerConfig": indexer or None,
        "kvEventsConfig": parameters.get("kvEventsConfig") or {"discoverPods": True},
    }
    return {"type": _PRECISE_PRODUCER, "parameters": {k: v for k, v in producer.items() if v is not None}}


def _scorer(plugin: Plugin, producer: str) -> Plugin:
    name = {"name": plugin["name"]} if "name" in plugin else {}
    return {**name, "type": _PREFIX_SCORER, "parameters": {"prefixMatchInfoProducerName": producer}}


def _with_tokenizer(config: Config, url: str, model: str) -> Config:
    """Make token producers ask the stand-alone tokenizer, unless they name another address or do without one."""
    return _each_plugin(config, lambda p: [_asking(p, url, model)] if _asks_tokenizer(p) else [p])


def _asking(plugin: Plugin, url: str, model: str) -> Plugin:
    parameters = _parameters(plugin)
    vllm = {"url": url, **mapping(parameters.get("vllm"))}
    return _with_parameters(plugin, {"modelName": model, **parameters, "vllm": vllm})


def _asks_tokenizer(plugin: Plugin) -> bool:
    """Whether a plugin counts tokens by requests. It takes one backend only and ends with two."""
    return plugin.get("type") == _TOKENS["type"] and _OTHER_BACKENDS.isdisjoint(_parameters(plugin))


def asked_models(config: Config) -> list[str]:
    """The names by which token producers ask the stand-alone tokenizer for its model, as far as they are written."""
    asking = [_parameters(plugin) for plugin in _plugins(config) if _asks_tokenizer(plugin)]
    own = [each for each in asking if not mapping(each.get("vllm")).get("url")]
    return [each["modelName"] for each in own if isinstance(each.get("modelName"), str) and each["modelName"]]


def _with_engine_metrics(config: Config, engine: Mapping[str, str], *, renamed: bool) -> Config:
    names = ("model-server-protocol-metrics", "core-metrics-extractor")
    if any(plugin.get("type") in names for plugin in _plugins(config)):
        return config
    name = names[renamed]
    parameters = {
        "engineLabelKey": "inference.networking.k8s.io/engine-type",
        "defaultEngine": "vllm",
        "engineConfigs": [{"name": "vllm", **engine}],
    }
    return {**config, "plugins": [*_plugins(config), {"name": name, "type": name, "parameters": parameters}]}


def _with_metrics_source(config: Config, source: Mapping[str, Any]) -> Config:
    """The plugin's own parameters override the flags'."""
    if any(plugin.get("type") == _METRICS_SOURCE for plugin in _plugins(config)):
        return _each_plugin(
            config,
            lambda p: [_with_parameters(p, {**source, **_parameters(p)})] if p.get("type") == _METRICS_SOURCE else [p],
        )
    return {**config, "plugins": [*_plugins(config), {"type": _METRICS_SOURCE, "parameters": dict(source)}]}


_MIGRATIONS: tuple[tuple[tuple[int, ...], Callable[[Config], Config]], ...] = (
    *((as_number(since), _renamed(old, new)) for old, (since, new) in RENAMED_PLUGINS.items()),
    ((0, 7, 0), _with_deciders),
    ((0, 9, 0), _with_current_api),
)
