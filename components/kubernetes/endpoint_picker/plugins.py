"""The picker's config file, with built-in plugins or the user's."""

from .config import EndpointPickerConfig, config_text
from .spec import EndpointPickerSpec

DEFAULT_FILE = "default-plugins.yaml"
PREFILL_DECODE_FILE = "pd-config.yaml"

DEFAULT_PLUGINS = EndpointPickerConfig.model_validate(
    {
        "plugins": [
            {"type": "queue-scorer"},
            {"type": "kv-cache-utilization-scorer"},
            {"type": "prefix-cache-scorer"},
        ],
        "schedulingProfiles": [
            {
                "name": "default",
                "plugins": [
                    {"pluginRef": "queue-scorer", "weight": 2},
                    {"pluginRef": "kv-cache-utilization-scorer", "weight": 2},
                    {"pluginRef": "prefix-cache-scorer", "weight": 3},
                ],
            }
        ],
    }
)
"""For pools whose pods do both prefill and decode."""


def _profile(role: str) -> dict[str, object]:
    return {
        "name": role,
        "plugins": [
            {"pluginRef": f"{role}-filter"},
            {"pluginRef": "max-score-picker"},
            {"pluginRef": "prefix-cache-scorer", "weight": 2},
            {"pluginRef": "queue-scorer", "weight": 1},
        ],
    }


PREFILL_DECODE_PLUGINS = EndpointPickerConfig.model_validate(
    {
        "featureGates": ["prepareDataPlugins"],
        "plugins": [
            {"type": "prefill-header-handler"},
            {
                "type": "prefix-cache-scorer",
                "parameters": {"maxPrefixBlocksToMatch": 256, "lruCapacityPerServer": 31250},
            },
            {"type": "queue-scorer"},
            {"type": "prefill-filter"},
            {"type": "decode-filter"},
            {"type": "max-score-picker"},
            {"type": "prefix-based-pd-decider", "parameters": {"nonCachedTokens": 16}},
            {
                "type": "pd-profile-handler",
                "parameters": {"primaryPort": 0, "deciderPluginName": "prefix-based-pd-decider"},
            },
        ],
        "schedulingProfiles": [_profile("prefill"), _profile("decode")],
    }
)
"""For pools with prefill pods: a request goes to a prefill pod first if enough of its prompt is not cached."""


def config_file(spec: EndpointPickerSpec) -> str:
    """Name of the config file in /config."""
    return PREFILL_DECODE_FILE if spec.prefill else DEFAULT_FILE


def config_data(spec: EndpointPickerSpec) -> dict[str, str]:
    """The ConfigMap's data, a single file."""
    built_in = PREFILL_DECODE_PLUGINS if spec.prefill else DEFAULT_PLUGINS
    return {config_file(spec): config_text(spec.pluginsConfig or built_in, spec.configApiVersion)}
