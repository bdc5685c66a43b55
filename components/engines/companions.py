"""Programs that run alongside the engines: llm-d's endpoint picker and routing sidecar, OME's prober, genai-bench."""

from .releases.table import as_number, image_number
from .tool import Tool

_METRIC = "it is no longer a flag; name it in the configuration"

ENDPOINT_PICKER = Tool(
    title="the endpoint picker",
    table="endpoint-picker",
    image_names=("llm-d-inference-scheduler", "llm-d-router-endpoint-picker", "gateway-api-inference-extension/epp"),
    one_dash=True,
    replaced={
        "--total-queued-requests-metric": _METRIC,
        "--total-running-requests-metric": _METRIC,
        "--kv-cache-usage-percentage-metric": _METRIC,
        "--lora-info-metric": _METRIC,
        "--cache-info-metric": _METRIC,
        "--model-server-metrics-scheme": "write the scheme into the configuration",
        "--model-server-metrics-path": "write the path into the configuration",
    },
)


def _release(image: object) -> tuple[int, ...]:
    """llm-d's release of the picker in an image; empty for another picker, or if the image doesn't tell."""
    return image_number(image) if ENDPOINT_PICKER.is_in(image) and "llm-d" in str(image) else ()


CONFIG_VERSIONS = (("0.9.0", "llm-d.ai/v1alpha1"), ("0.0.0", "inference.networking.x-k8s.io/v1alpha1"))
"""apiVersion of the picker's configuration, by llm-d's first release that reads it."""


RENAMED_PLUGINS = {
    "kv-cache-scorer": ("0.3.0", "kv-cache-utilization-scorer"),
    "prefill-header-handler": ("0.7.0", "disagg-headers-handler"),
    "pd-profile-handler": ("0.7.0", "disagg-profile-handler"),
    "model-server-protocol-metrics": ("0.8.0", "core-metrics-extractor"),
}
"""Types of the picker's plugins that were renamed, with llm-d's first release that has the new name, and that name."""


def renamed_plugin(plugin: str, image: object) -> str:
    """New name of a plugin type in an image's picker; empty if it has the old name, or if the image doesn't tell."""
    first, name = RENAMED_PLUGINS.get(plugin, ("", ""))
    release = _release(image)
    return name if first and release and release >= as_number(first) else ""


def config_version(image: object) -> str:
    """apiVersion of the configuration that an image's picker reads; empty if the image doesn't tell."""
    release = _release(image)
    return next((version for first, version in CONFIG_VERSIONS if release and release >= as_number(first)), "")


ROUTING_SIDECAR = Tool(
    title="the routing sidecar",
    table="routing-sidecar",
    image_names=("llm-d-routing-sidecar", "llm-d-router-disagg-sidecar"),
    lists=True,
    one_dash=True,
    replaced={
        "--connector": "write --kv-connector",
        "--prefiller-use-tls": "write --enable-tls=prefiller",
        "--decoder-use-tls": "write --enable-tls=decoder",
        "--prefiller-tls-insecure-skip-verify": "write --tls-insecure-skip-verify=prefiller",
        "--decoder-tls-insecure-skip-verify": "write --tls-insecure-skip-verify=decoder",
        "--inference-pool-name": "write --inference-pool",
        "--inference-pool-namespace": "write --inference-pool",
    },
)

PROBER = Tool(title="the prober", table="multinode-prober", image_names=("multinode-prober",), one_dash=True)

GENAI_BENCH = Tool(title="genai-bench", table="genai-bench", image_names=("genai-bench",))

COMPANIONS = (ENDPOINT_PICKER, ROUTING_SIDECAR, PROBER, GENAI_BENCH)
