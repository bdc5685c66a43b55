"""Platform settings of the OtterScale family: what upstream's operator takes from its command line, and our own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean, PassedText, Quantity, Text
from ..inference_extension.endpoint_picker_config import ApiVersion, CheckedConfig

Provider = Literal["istio", "gke", "none"]

FlagName = Annotated[Text, Field(pattern=r"^[A-Za-z0-9][-A-Za-z0-9_.]*$")]
"""A command line flag without its leading dashes."""

Duration = Annotated[Text, Field(pattern=r"^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
"""A duration as the Gateway API writes it: 0s, 90s, 1h30m."""


class DefaultImages(Spec):
    """Images for services that name none."""

    engine: PassedText = "ghcr.io/llm-d/llm-d-cuda:v0.5.1"
    """Image of the vLLM containers."""
    epp: PassedText = "ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0"
    """Image of the endpoint picker; it goes with epp.configApiVersion."""
    routingProxy: PassedText = "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0"
    """Image of the routing proxy beside decode pods."""


class TracingSettings(Spec):
    """OpenTelemetry traces of the endpoint picker and the routing proxy."""

    enabled: Boolean = False
    """Whether they send traces."""
    otelExporterEndpoint: PassedText = ""
    """Address of the collector, such as http://otel-collector.observability:4317."""
    sampler: PassedText = "parentbased_traceidratio"
    """Name of the sampler; empty leaves it to the program."""
    samplerArg: PassedText = "0.01"
    """The sampler's argument, such as the share of requests that is traced."""


class EndpointPickerSettings(Spec):
    """What the endpoint pickers of all services share."""

    provider: Provider = "istio"
    """Whose gateway it is: istio gets a DestinationRule, gke scrapes metrics without a token."""
    flags: dict[FlagName, Text] = {}
    """Further command line flags, names without dashes."""
    metricsEndpointAuth: Boolean = True
    """Whether reading the picker's metrics needs a token."""
    defaultGatewayName: Text = "llm-d-infra-inference-gateway"
    """Gateway (in the namespace llm-d) of services without httpRoute; empty makes no route for them."""
    tracing: TracingSettings = TracingSettings()
    """Traces of the picker and the routing proxy."""
    configApiVersion: ApiVersion = "inference.networking.x-k8s.io/v1alpha1"
    """apiVersion of the picker's config file, as defaultImages.epp reads it."""
    pluginsConfig: CheckedConfig | None = None
    """EndpointPickerConfig for every service, instead of the built-in ones."""
    prefillDecodePluginsConfig: CheckedConfig | None = None
    """EndpointPickerConfig for services with prefill, where they need another one than pluginsConfig."""


class OtterScaleSettings(Spec):
    """Settings of OtterScale services. The defaults are those of upstream's operator."""

    version: Text = "devel"
    """Value of the app.kubernetes.io/version label; empty leaves the label out."""
    kitImage: PassedText = "ghcr.io/kitops-ml/kitops:v1.11.0"
    """Image whose `kit` unpacks the model; empty leaves the unpacking out."""
    defaultImages: DefaultImages = DefaultImages()
    """Images for services that name none."""
    epp: EndpointPickerSettings = EndpointPickerSettings()
    """What the endpoint pickers share."""
    servingProbes: Boolean = True
    """Give the vLLM containers startup, readiness and liveness probes."""
    shmForTensorParallel: Boolean = True
    """Give pods with tensor parallelism a memory-backed /dev/shm."""
    shmSizeLimit: Quantity | None = None
    """Most memory that /dev/shm may take; without it half of the node's memory."""
    routeTimeout: Duration | None = None
    """Request and backend timeout of the routes; 0s is none. Without it the gateway's own timeouts hold."""
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
