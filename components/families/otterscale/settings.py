"""Platform settings of the OtterScale family: the command-line options of upstream's operator, and this program's
own."""

from typing import Annotated

from pydantic import Field

from ...kubernetes.endpoint_picker.config import ApiVersion, CheckedConfig
from ...kubernetes.endpoint_picker.spec import CONFIG_API_VERSION, IMAGE, PROVIDER, FlagName, Provider, TracingSettings
from ...kubernetes.model import Spec, defaults
from ...kubernetes.scalars import Boolean, PassedText, Quantity, Text
from ...kubernetes.startup import StartupSettings

Duration = Annotated[Text, Field(pattern=r"^([0-9]{1,5}(h|m|s|ms)){1,4}$")]
"""A duration as the Gateway API writes it: 0s, 90s, 1h30m."""


class DefaultImages(Spec):
    """Images for services that name none."""

    engine: PassedText = "ghcr.io/llm-d/llm-d-cuda:v0.5.1"
    """Image of the vLLM containers."""
    epp: PassedText = IMAGE
    """Image of the endpoint picker; it must match epp.configApiVersion."""
    routingProxy: PassedText = "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0"
    """Image of the routing proxy beside decode pods."""


class EndpointPickerSettings(Spec):
    """Settings of all services' endpoint pickers."""

    provider: Provider = PROVIDER
    """Provider of the gateway: istio gets a DestinationRule, gke scrapes metrics without a token."""
    flags: dict[FlagName, Text] = {}
    """Further command line flags, names without dashes."""
    metricsEndpointAuth: Boolean = True
    """Whether reading the picker's metrics needs a token."""
    defaultGatewayName: Text = "llm-d-infra-inference-gateway"
    """Gateway (in the namespace llm-d) of services without httpRoute; if empty, they get no route."""
    tracing: TracingSettings = defaults(TracingSettings)
    """Traces of the picker and the routing proxy."""
    configApiVersion: ApiVersion = CONFIG_API_VERSION
    """apiVersion of the picker's config file, as defaultImages.epp reads it."""
    pluginsConfig: CheckedConfig | None = None
    """EndpointPickerConfig for every service, instead of the built-in ones."""
    prefillDecodePluginsConfig: CheckedConfig | None = None
    """EndpointPickerConfig for services with prefill; pluginsConfig by default."""


class OtterScaleSettings(Spec):
    """Settings of OtterScale services. The defaults are those of upstream's operator."""

    version: Text = "devel"
    """Value of the app.kubernetes.io/version label; empty leaves the label out."""
    kitImage: PassedText = "ghcr.io/kitops-ml/kitops:v1.11.0"
    """Image whose `kit` unpacks the model; if empty, nothing is unpacked."""
    plainHTTP: Boolean = False
    """Whether models are pulled without TLS, from a registry inside the cluster that has none."""
    defaultImages: DefaultImages = defaults(DefaultImages)
    """Images for services that name none."""
    epp: EndpointPickerSettings = defaults(EndpointPickerSettings)
    """Settings of the endpoint pickers."""
    startup: StartupSettings = defaults(StartupSettings)
    """How long pods may take to start."""
    servingProbes: Boolean = True
    """Give the vLLM containers startup, readiness and liveness probes."""
    shmForTensorParallel: Boolean = True
    """Give pods with tensor parallelism a memory-backed /dev/shm."""
    shmSizeLimit: Quantity | None = None
    """Maximum size of /dev/shm; half of the node's memory by default."""
    routeTimeout: Duration | None = None
    """Request and backend timeout of the routes; 0s means none. By default the gateway's timeouts apply."""
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
