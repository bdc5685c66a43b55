"""EndpointPickerConfig: which plugins an endpoint picker runs and how its scheduling profiles combine them.

It is a file for the picker and no API object, so the API server checks nothing of it: a wrong reference shows only as a
picker that does not start. Both known API versions are covered; they differ in a few top-level fields.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from ...findings import Problem
from ..model import Spec, dump
from ..scalars import Boolean, Name, Number, Quantity, Text, describe, resolve, shape
from ..values import mappings
from ..yaml_text import document

KIND = "EndpointPickerConfig"

ApiVersion = Literal["inference.networking.x-k8s.io/v1alpha1", "llm-d.ai/v1alpha1"]
"""Read by pickers of the Inference Extension and of llm-d up to 0.6, and by later ones of llm-d."""

_SHOWN = 5
_ONE_PROFILE = "single-profile-handler"
# Fields that name a plugin, wherever they stand.
_REFERENCES = frozenset(["pluginRef", "deciderPluginName", "usageLimitPolicyPluginRef", "crossReplicaSyncerPluginRef"])


def _json(value: Any) -> Any:
    """A value that can be written into the file: what is known only after deployment can't."""
    value = resolve(value)
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise ValueError(f"becomes part of the picker's config file, so it must be a plain value, got {describe(value)}")


Json = Annotated[Any, BeforeValidator(_json)]
"""Any plain value, where the plugin decides what it means."""

Section = dict[Text, Json]
"""A part of the file that is only looked through for references to plugins."""

PlainQuantity = Annotated[Quantity, AfterValidator(_json)]


class Plugin(Spec):
    """A plugin that the picker creates."""

    name: Text = ""
    """What references call it; its type by default."""
    type: Name
    """Which plugin: queue-scorer, prefix-cache-scorer, decode-filter, …"""
    parameters: Section | None = None
    """Settings of the plugin."""


class ProfilePlugin(Spec):
    """A plugin's part in a scheduling profile."""

    pluginRef: Name
    """Name of an entry of the config's plugins."""
    weight: Annotated[Number, Field(allow_inf_nan=False)] | None = None
    """How much a scorer's verdict counts."""


class SchedulingProfile(Spec):
    """A way to choose an endpoint: filters, weighted scorers, a picker."""

    name: Name
    """Name of the profile; prefill and decode have a meaning for the profile handler."""
    plugins: list[ProfilePlugin]
    """The plugins that take part."""


class DataLayer(Spec):
    """Where the picker gets its data about endpoints from. Both API versions have it, under different names."""

    injectDefaults: Boolean | None = None
    """Whether the default metrics source is added; it is by default."""
    sources: list[Section] | None = None
    """Data sources, each a pluginRef with its extractors."""
    discovery: Section | None = None
    """Plugin that finds the endpoints instead of Kubernetes."""
    peerDiscovery: Section | None = None
    """Plugin that finds the other replicas of the picker."""
    crossReplicaSyncerPluginRef: Text | None = None
    """Plugin that shares state between replicas."""
    crossReplicaSyncInterval: Text | None = None
    """How often state is shared."""


class FlowControl(Spec):
    """Queueing of requests in front of saturated endpoints; needs the flowControl feature gate."""

    maxBytes: PlainQuantity | None = None
    """Most bytes of all queued requests."""
    maxRequests: PlainQuantity | None = None
    """Most requests in the queue."""
    defaultRequestTTL: Text | None = None
    """How long a request may wait for a saturated endpoint."""
    noEndpointRequestTTL: Text | None = None
    """How long a request may wait while there is no endpoint."""
    enableEviction: Boolean | None = None
    """Whether queued requests make room for more important ones."""
    saturationDetector: Section | None = None
    """Plugin that says when endpoints are saturated."""
    defaultPriorityBand: Section | None = None
    """Limits of priorities that have no band."""
    priorityBands: list[Section] | None = None
    """Limits by priority."""
    usageLimitPolicyPluginRef: Text | None = None
    """Plugin that adapts the limits."""


class EndpointPickerConfig(Spec):
    """The config file of an endpoint picker."""

    apiVersion: ApiVersion | None = None
    """Version of the file format; that of the picker's default image when it is left out."""
    kind: Literal["EndpointPickerConfig"] = KIND
    """Always EndpointPickerConfig."""
    featureGates: list[Name] | None = None
    """Experimental features to turn on."""
    plugins: list[Plugin]
    """The plugins that profiles and other sections refer to."""
    schedulingProfiles: list[SchedulingProfile]
    """The scheduling profiles."""
    saturationDetector: Section | None = None
    """When an endpoint counts as saturated: thresholds, or a pluginRef in later versions."""
    data: DataLayer | None = None
    """The data layer, as inference.networking.x-k8s.io/v1alpha1 calls it."""
    dataLayer: DataLayer | None = None
    """The data layer, as llm-d.ai/v1alpha1 calls it."""
    flowControl: FlowControl | None = None
    """Queueing of requests."""
    parser: Section | None = None
    """Plugin that reads requests."""
    requestHandler: Section | None = None
    """Plugins that read requests, in later versions."""
    discovery: Section | None = None
    """Plugin that finds the endpoints instead of Kubernetes, in some versions of llm-d."""

    def problems(self, path: str = "") -> Iterator[Problem]:
        """What would keep the picker from starting; paths begin with ``path``."""
        config = dump(self)
        yield from plugin_problems(config, path)
        yield from profile_problems(config, path)

    def document(self, default_version: str) -> dict[str, Any]:
        """The file's content as plain values, with whole weights as integers."""
        return _whole_numbers({"apiVersion": default_version, "kind": KIND, **dump(self)})


def plugin_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Names that are declared twice, and references to plugins that are not declared."""
    known = [str(plugin.get("name") or plugin.get("type")) for plugin in mappings(config.get("plugins"))]
    yield from _duplicates(known, f"{path}.plugins", "a plugin", "give each a different name")
    profiles = [str(profile.get("name")) for profile in mappings(config.get("schedulingProfiles"))]
    yield from _duplicates(profiles, f"{path}.schedulingProfiles", "a profile", "rename or merge them")
    for where, name in _references(config, path):
        if name not in known:
            hint = f"the plugins are {', '.join(known)}" if known else "there are no plugins"
            message = f"must name a plugin, got {describe(name)}; {hint}"
            # Outside of profiles it may be one that the picker adds by itself: utilization-detector, openai-parser.
            severity = "error" if where.startswith(f"{path}.schedulingProfiles") else "warning"
            yield Problem(where.lstrip("."), message, severity, "plugin-ref")


def profile_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Handlers, profiles and pickers that the picker refuses to combine: it builds its scheduler once, at the start."""
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
    for index, profile in enumerate(profiles):
        names = {str(each.get("pluginRef")): None for each in mappings(profile.get("plugins"))}
        pickers = [name for name in names if types.get(name, "").endswith("-picker")]
        if len(pickers) > 1:
            message = (
                f"has {len(pickers)} pickers, {' and '.join(pickers)}, but a profile takes one, so the endpoint picker "
                "does not start; keep one"
            )
            yield Problem(f"{where}[{index}].plugins", message, code="scheduling-profiles")


def _is_handler(plugin: str) -> bool:
    """A handler of profiles; those of headers have a similar name."""
    return plugin.endswith("-handler") and not plugin.endswith(("-header-handler", "-headers-handler"))


def shape_problems(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """What should be a list and is not, and items of another shape than the picker's."""
    yield from _items(config, "plugins", path, "type")
    yield from _items(config, "schedulingProfiles", path, "name")
    for index, profile in enumerate(mappings(config.get("schedulingProfiles"))):
        yield from _items(profile, "plugins", f"{path}.schedulingProfiles[{index}]", "pluginRef")


def _items(holder: Mapping[str, Any], field: str, path: str, required: str) -> Iterator[Problem]:
    items = holder.get(field)
    if items is not None and not isinstance(items, list):
        yield Problem(f"{path}.{field}", f"must be a list, got {shape(items)}", code="bad-value")
        return
    for index, item in enumerate(items or []):
        if not isinstance(item, Mapping | None):  # what is null has been said
            message = f"must be a mapping with {required}, got {shape(item)}"
            yield Problem(f"{path}.{field}[{index}]", message, code="bad-value")
        elif item is not None and not item.get(required):
            yield Problem(f"{path}.{field}[{index}].{required}", "is required", code="required")


def unknown_fields(config: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Fields that no version of the file has: a picker decodes strictly and would not start."""
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
    """Every reference to a plugin, with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _REFERENCES and isinstance(item, str):
                yield f"{path}.{key}", item
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
    """The file as YAML text, always the same for the same config."""
    return document(config.document(default_version))


def _checked(config: EndpointPickerConfig) -> EndpointPickerConfig:
    wrong = [f"{problem.path} {problem.message}" for problem in config.problems() if problem.severity == "error"]
    if wrong:
        raise ValueError("; ".join(wrong))
    return config


CheckedConfig = Annotated[EndpointPickerConfig, AfterValidator(_checked)]
"""A config whose references are right, for places that can't show several problems by path (settings, arguments)."""
