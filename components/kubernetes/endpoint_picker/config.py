"""EndpointPickerConfig: the plugins of an endpoint picker, and the scheduling profiles that combine them.

The picker reads it from a file. It is no API object, so the API server doesn't check it, and a wrong reference shows
only when the picker fails to start. Both known API versions are supported; they differ in a few top-level fields.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from ...findings import Problem
from ..model import Spec, dump
from ..scalars import Boolean, Name, Number, Quantity, Text, describe, resolve, shape
from ..values import mapping, mappings
from ..yaml_text import document

KIND = "EndpointPickerConfig"

ApiVersion = Literal["inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"]
"""Pickers of the Inference Extension and of llm-d up to 0.6 read the first version, later llm-d pickers the second."""

_SHOWN = 5
_DISAGGREGATING = ("pd-profile-handler", "disagg-profile-handler")
"""Handlers that run a profile for decode and, if a decider says so, one for prefill."""
_ONE_PROFILE = "single-profile-handler"
# Fields that name a plugin, at any depth.
_REFERENCES = frozenset(
    [
        "pluginRef",
        "crossReplicaSyncerPluginRef",
        "deciderPluginName",
        "encodeDeciderPluginName",
        "prefillDeciderPluginName",
        "usageLimitPolicyPluginRef",
    ]
)
_DECIDERS = "deciders"
"""Parameter whose fields all name a plugin."""


def _json(value: Any) -> Any:
    """A value that can be written to the file; values that are known only after deployment can't be."""
    value = resolve(value)
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise ValueError(f"becomes part of the picker's config file, so it must be a plain value, got {describe(value)}")


Json = Annotated[Any, BeforeValidator(_json)]
"""Any plain value; the plugin defines its meaning."""

Section = dict[Text, Json]
"""A part of the file that is only searched for references to plugins."""

PlainQuantity = Annotated[Quantity, AfterValidator(_json)]


class Plugin(Spec):
    """A plugin that the picker creates."""

    name: Text = ""
    """Name that references use; the plugin's type by default."""
    type: Name
    """Type of the plugin: queue-scorer, prefix-cache-scorer, decode-filter, …"""
    parameters: Section | None = None
    """Settings of the plugin."""


class ProfilePlugin(Spec):
    """A plugin's part in a scheduling profile."""

    pluginRef: Name
    """Name of an entry of the config's plugins."""
    weight: Annotated[Number, Field(allow_inf_nan=False)] | None = None
    """Weight of a scorer's result."""


class SchedulingProfile(Spec):
    """A way to choose an endpoint: filters, weighted scorers, a picker."""

    name: Name
    """Name of the profile. The profile handler treats the names prefill and decode specially."""
    plugins: list[ProfilePlugin]
    """Plugins of the profile."""


class DataLayer(Spec):
    """Sources of the picker's data about endpoints. Both API versions have this section, under different names."""

    injectDefaults: Boolean | None = None
    """Whether the default metrics source is added; true by default."""
    sources: list[Section] | None = None
    """Data sources, each with a pluginRef and extractors."""
    discovery: Section | None = None
    """Plugin that finds the endpoints in place of Kubernetes."""
    peerDiscovery: Section | None = None
    """Plugin that finds the other replicas of the picker."""
    crossReplicaSyncerPluginRef: Text | None = None
    """Plugin that shares state between replicas."""
    crossReplicaSyncInterval: Text | None = None
    """Interval at which state is shared."""


class FlowControl(Spec):
    """Queueing of requests while endpoints are saturated; requires the flowControl feature gate."""

    maxBytes: PlainQuantity | None = None
    """Maximum total size of the queued requests, in bytes."""
    maxRequests: PlainQuantity | None = None
    """Maximum number of queued requests."""
    defaultRequestTTL: Text | None = None
    """How long a request may wait for a saturated endpoint."""
    noEndpointRequestTTL: Text | None = None
    """How long a request may wait while there is no endpoint."""
    enableEviction: Boolean | None = None
    """Whether queued requests are evicted in favor of more important ones."""
    saturationDetector: Section | None = None
    """Plugin that detects saturated endpoints."""
    defaultPriorityBand: Section | None = None
    """Limits for priorities without a band."""
    priorityBands: list[Section] | None = None
    """Limits for each priority."""
    usageLimitPolicyPluginRef: Text | None = None
    """Plugin that adapts the limits."""


class EndpointPickerConfig(Spec):
    """The config file of an endpoint picker."""

    apiVersion: ApiVersion | None = None
    """Version of the file format; by default, the version that the picker's default image reads."""
    kind: Literal["EndpointPickerConfig"] = KIND
    """Always EndpointPickerConfig."""
    featureGates: list[Name] | None = None
    """Experimental features to turn on."""
    plugins: list[Plugin]
    """The plugins that profiles and other sections refer to."""
    schedulingProfiles: list[SchedulingProfile]
    """The scheduling profiles."""
    saturationDetector: Section | None = None
    """When an endpoint is saturated: thresholds, or a pluginRef in later versions."""
    data: DataLayer | None = None
    """The data layer, as inference.networking.x-k8s.io/v1alpha1 calls it."""
    dataLayer: DataLayer | None = None
    """The data layer, as llm-d.ai/v1alpha1 calls it."""
    flowControl: FlowControl | None = None
    """Queueing of requests."""
    parser: Section | None = None
    """Plugin that parses requests."""
    requestHandler: Section | None = None
    """Plugins that parse requests, in later versions."""
    discovery: Section | None = None
    """Plugin that finds the endpoints in place of Kubernetes, in some versions of llm-d."""

    def problems(self, path: str = "") -> Iterator[Problem]:
        """Problems that would keep the picker from starting; their paths begin with ``path``."""
        config = dump(self)
        yield from plugin_problems(config, path)
        yield from profile_problems(config, path)

    def document(self, default_version: str) -> dict[str, Any]:
        """The file's content as plain values, with whole numbers as integers."""
        return _whole_numbers({"apiVersion": default_version, "kind": KIND, **dump(self)})


def plugin_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Duplicate names, and references to undeclared plugins."""
    known = [str(plugin.get("name") or plugin.get("type")) for plugin in mappings(config.get("plugins"))]
    yield from _duplicates(known, f"{path}.plugins", "plugins", "give each a different name")
    profiles = [str(profile.get("name")) for profile in mappings(config.get("schedulingProfiles"))]
    yield from _duplicates(profiles, f"{path}.schedulingProfiles", "profiles", "rename or merge them")
    for where, name in _references(config, path):
        if name not in known:
            hint = f"the plugins are {', '.join(known)}" if known else "there are no plugins"
            message = f"must name a plugin, got {describe(name)}; {hint}"
            # Outside of profiles the reference may be to a plugin that the picker adds: utilization-detector,
            # openai-parser.
            severity = "error" if where.startswith(f"{path}.schedulingProfiles") else "warning"
            yield Problem(where.lstrip("."), message, severity, "plugin-ref")


def profile_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Combinations of handlers, profiles and pickers with which the picker doesn't start or requests fail."""
    types = {
        str(each.get("name") or each.get("type")): str(each.get("type")) for each in mappings(config.get("plugins"))
    }
    handlers = [name for name, kind in types.items() if _is_handler(kind)]
    profiles = mappings(config.get("schedulingProfiles"))
    count = len({str(profile.get("name")) for profile in profiles})
    where = f"{path}.schedulingProfiles".lstrip(".")
    if len(handlers) > 1:
        message = (
            f"has {len(handlers)} profile handlers, {' and '.join(handlers)}, but the endpoint picker takes one and "
            "does not start with more; keep one"
        )
        yield Problem(f"{path}.plugins".lstrip("."), message, code="scheduling-profiles")
    elif count > 1 and (not handlers or types[handlers[0]] == _ONE_PROFILE):
        has = f"{handlers[0]} runs only one" if handlers else "no profile handler chooses among them"
        message = (
            f"has {count} profiles, but {has}, so the endpoint picker does not start; keep one profile, or "
            "declare a handler for several, such as disagg-profile-handler for prefill and decode"
        )
        yield Problem(where, message, code="scheduling-profiles")
    for plugin in mappings(config.get("plugins")):
        for role, name in _profiles_of(plugin).items():
            if profiles and name not in [profile.get("name") for profile in profiles]:
                message = (
                    f"has no profile {name}, which {plugin.get('name') or plugin['type']} runs for {role}, so requests "
                    "fail; add it, or name another in the handler's parameters"
                )
                yield Problem(where, message, "warning", "scheduling-profiles")
    for index, profile in enumerate(profiles):
        names = [str(each.get("pluginRef")) for each in mappings(profile.get("plugins"))]
        pickers = [name for name in names if types.get(name, "").endswith("-picker")]
        if len(pickers) > 1:
            message = (
                f"has {len(pickers)} pickers, {' and '.join(pickers)}, but a profile takes one, so the endpoint picker "
                "does not start; keep one"
            )
            yield Problem(f"{where}[{index}].plugins", message, code="scheduling-profiles")


def _profiles_of(plugin: Mapping[str, Any]) -> dict[str, str]:
    """The profiles that a handler for prefill and decode runs, by role."""
    kind, parameters = plugin.get("type"), mapping(plugin.get("parameters"))
    if kind not in _DISAGGREGATING:
        return {}
    named, prefills = mapping(parameters.get("profiles")), mapping(parameters.get("deciders")).get("prefill")
    roles = ("decode", "prefill") if kind == _DISAGGREGATING[0] or prefills else ("decode",)
    return {role: str(named.get(role) or parameters.get(f"{role}Profile") or role) for role in roles}


def _is_handler(plugin: str) -> bool:
    """Whether a plugin handles profiles. Plugins that handle headers have similar names."""
    return plugin.endswith("-handler") and not plugin.endswith(("-header-handler", "-headers-handler"))


def shape_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Fields that must be lists but aren't, and malformed items."""
    yield from _items(config, "plugins", path, "type")
    yield from _items(config, "schedulingProfiles", path, "name")
    for index, profile in enumerate(mappings(config.get("schedulingProfiles"))):
        where = f"{path}.schedulingProfiles[{index}]"
        yield from _items(profile, "plugins", where, "pluginRef")
        for place, plugin in enumerate(mappings(profile.get("plugins"))):
            weight = plugin.get("weight")
            if isinstance(weight, bool) or not isinstance(weight, int | float | None):
                message = f"must be a number, got {describe(weight)}"
                yield Problem(f"{where}.plugins[{place}].weight", message, code="bad-value")


def _items(holder: Mapping[str, Any], field: str, path: str, required: str) -> Iterator[Problem]:
    items = holder.get(field)
    if items is not None and not isinstance(items, list):
        yield Problem(f"{path}.{field}", f"must be a list, got {shape(items)}", code="bad-value")
        return
    for index, item in enumerate(items or []):
        if not isinstance(item, Mapping | None):  # null is reported elsewhere
            message = f"must be a mapping with {required}, got {shape(item)}"
            yield Problem(f"{path}.{field}[{index}]", message, code="bad-value")
        elif item is not None and not item.get(required):
            yield Problem(f"{path}.{field}[{index}].{required}", "is required", code="required")


def unknown_fields(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Fields that no version of the file has. A picker decodes strictly and would not start."""
    known = EndpointPickerConfig.model_fields
    unknown = [str(field) for field in config if field not in known]
    if unknown:
        rest = [f"{len(unknown) - _SHOWN} more"] if len(unknown) > _SHOWN else []
        message = (
            "has fields that an EndpointPickerConfig does not have, so the endpoint picker does not start: "
            f"{', '.join([*map(describe, unknown[:_SHOWN]), *rest])}; allowed are {', '.join(known)}"
        )
        yield Problem(path, message, code="unknown-field")


def _duplicates(names: Iterable[str], path: str, what: str, advice: str) -> Iterator[Problem]:
    for name, count in Counter(names).items():
        if count > 1:
            message = f"has {count} {what} named {name!r}; {advice}"
            yield Problem(path.lstrip("."), message, code="duplicate-name")


def _references(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _REFERENCES and isinstance(item, str):
                yield f"{path}.{key}", item
            elif key == _DECIDERS and isinstance(item, dict):
                yield from ((f"{path}.{key}.{stage}", name) for stage, name in item.items() if isinstance(name, str))
            else:
                yield from _references(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _references(item, f"{path}[{index}]")


def _whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def config_text(config: EndpointPickerConfig, default_version: str) -> str:
    """The file as YAML, always the same text for the same config."""
    return document(config.document(default_version))


def _checked(config: EndpointPickerConfig) -> EndpointPickerConfig:
    wrong = [f"{problem.path} {problem.message}" for problem in config.problems() if problem.severity == "error"]
    if wrong:
        raise ValueError("; ".join(wrong))
    return config


CheckedConfig = Annotated[EndpointPickerConfig, AfterValidator(_checked)]
"""A config with valid references, for places that can't report problems by path (settings, arguments)."""
