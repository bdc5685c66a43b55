"""Platform settings of the KServe family: the operator's ``inferenceservice-config`` ConfigMap, as YAML.

The keys are the ConfigMap's (``ingress``, ``storageInitializer``, ``credentials``,
``autoscaling-wva-controller-config``); the last group of fields is this program's own.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from ...kubernetes.model import Spec, defaults
from ...kubernetes.scalars import Boolean, Integer, Name, Quantity, Text
from ...kubernetes.startup import StartupSettings


class ConfigMapPart(Spec):
    """A part of the ConfigMap. Its keys for KServe's other kinds are accepted and have no effect here."""

    OTHERS: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _without_others(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if key not in cls.OTHERS} if isinstance(data, dict) else data


class IngressSettings(ConfigMapPart):
    OTHERS = frozenset(
        (
            "additionalIngressDomains",
            "disableIngressCreation",
            "disableIstioVirtualHost",
            "domainTemplate",
            "enableGatewayApi",
            "ingressClassName",
            "ingressDomain",
            "ingressGateway",
            "knativeLocalGatewayService",
            "localGateway",
            "localGatewayService",
            "pathTemplate",
            "urlScheme",
        )
    )

    enableLLMInferenceServiceTLS: Boolean = False
    """Encrypt the traffic between gateway, scheduler and model servers."""
    kserveIngressGateway: Name = "kserve/kserve-ingress-gateway"
    """The platform's Gateway, as namespace/name."""
    disableHTTPRouteTimeout: Boolean = False
    """Leave the timeouts out of generated routes, for gateways that refuse them."""
    modelBasedRoutingHeaderName: Name = "X-Gateway-Model-Name"
    """Header that carries the model's name on a shared gateway."""
    modelBasedRoutingMode: Literal["enabled", "forced", "disabled"] = "enabled"
    """Whether routes match that header: enabled lets a Gateway opt out by annotation, forced does not."""

    @property
    def gateway_namespace(self) -> str:
        return self.kserveIngressGateway.rpartition("/")[0] or "kserve"

    @property
    def gateway_name(self) -> str:
        return self.kserveIngressGateway.rpartition("/")[2]


class StorageInitializerSettings(Spec):
    image: Name = "kserve/storage-initializer:v0.16.0"
    """Image that downloads models."""
    cpuRequest: Quantity = "100m"
    """CPU request of the download."""
    cpuLimit: Quantity = "1"
    """CPU limit of the download."""
    memoryRequest: Quantity = "100Mi"
    """Memory request of the download."""
    memoryLimit: Quantity = "1Gi"
    """Memory limit of the download."""
    caBundleConfigMapName: Text = ""
    """ConfigMap in KServe's namespace with a private CA for all downloads. Pods mount the copy in their own namespace,
    named global-ca-bundle like the copies that KServe's controller makes."""
    caBundleVolumeMountPath: Text = "/etc/ssl/custom-certs"
    """Folder of the private CA in the download container."""
    enableModelcar: Boolean = True
    """Whether oci:// models are allowed."""
    cpuModelcar: Quantity = "10m"
    """CPU of a modelcar container."""
    memoryModelcar: Quantity = "15Mi"
    """Memory of a modelcar container."""
    uidModelcar: Integer = 1010
    """User id that model server and modelcar share."""


class S3Settings(Spec):
    s3AccessKeyIDName: Name = "AWS_ACCESS_KEY_ID"
    """Secret key that holds the access key id."""
    s3SecretAccessKeyName: Name = "AWS_SECRET_ACCESS_KEY"
    """Secret key that holds the secret access key; a Secret with this key is used for S3."""
    s3Endpoint: Text = ""
    """S3 endpoint, for Secrets without an annotation."""
    s3UseHttps: Text = ""
    """0 for plain HTTP."""
    s3Region: Text = ""
    """Region."""
    s3VerifySSL: Text = ""
    """0 to skip certificate verification."""
    s3UseVirtualBucket: Text = ""
    """Virtual-host style addresses."""
    s3UseAccelerate: Text = ""
    """Amazon's accelerated endpoints."""
    s3UseAnonymousCredential: Text = ""
    """Anonymous access."""
    s3CABundle: Text = ""
    """Path of a CA bundle."""
    s3CABundleConfigMap: Text = ""
    """ConfigMap with a CA bundle."""


class CredentialSettings(ConfigMapPart):
    OTHERS = frozenset(("gcs", "storageSpecSecretName"))

    storageSecretNameAnnotation: Name = "serving.kserve.io/storageSecretName"
    """Annotation of a service that names the Secret with the credentials of its downloads."""
    s3: S3Settings = defaults(S3Settings)
    """S3 credentials."""


class PrometheusSettings(Spec):
    url: Text = ""
    """Address of Prometheus, for autoscaling through KEDA."""
    tlsInsecureSkipVerify: Boolean = False
    """Skip verification of Prometheus' certificate."""
    authModes: Text = ""
    """KEDA authentication modes: bearer, basic, tls."""
    triggerAuthName: Text = ""
    """TriggerAuthentication that KEDA uses."""
    triggerAuthKind: Text = ""
    """TriggerAuthentication or ClusterTriggerAuthentication."""


class WVASettings(Spec):
    prometheus: PrometheusSettings = defaults(PrometheusSettings)
    """The Prometheus that has the autoscaler's metrics."""


class ImageSettings(Spec):
    """Images of the presets."""

    vllm: Name = "ghcr.io/llm-d/llm-d-cuda:v0.9.0"
    """The model server."""
    endpointPicker: Name = "ghcr.io/llm-d/llm-d-router-endpoint-picker:v0.10.0"
    """The scheduler."""
    routingSidecar: Name = "ghcr.io/llm-d/llm-d-router-disagg-sidecar:v0.10.0"
    """The routing sidecar of decode pods in services with prefill."""
    tokenizer: Name = (
        "docker.io/vllm/vllm-openai-cpu:v0.23.0@sha256:89e1fbe829038b1a560601990c8ec89625c622a969fcbc8f10ce48b6139795be"
    )
    """The tokenizer."""


class PropagationSettings(Spec):
    """Further prefixes of a service's labels and annotations that reach its workloads and pods."""

    labelPrefixes: list[Name] = []
    """In addition to kueue.x-k8s.io."""
    annotationPrefixes: list[Name] = []
    """In addition to k8s.v1.cni.cncf.io, kueue.x-k8s.io and prometheus.io."""


class KServeSettings(ConfigMapPart):
    OTHERS = frozenset(
        (
            "_example",
            "agent",
            "autoscaler",
            "batcher",
            "deploy",
            "explainers",
            "inferenceService",
            "localModel",
            "logger",
            "metricsAggregator",
            "multiNode",
            "opentelemetryCollector",
            "resource",
            "router",
            "security",
        )
    )

    ingress: IngressSettings = defaults(IngressSettings)
    """Gateway, TLS and routes."""
    storageInitializer: StorageInitializerSettings = defaults(StorageInitializerSettings)
    """How models are downloaded."""
    credentials: CredentialSettings = defaults(CredentialSettings)
    """Which keys of Secrets are credentials."""
    wva: WVASettings = Field(default=defaults(WVASettings), alias="autoscaling-wva-controller-config")
    """Autoscaling by the Workload Variant Autoscaler through KEDA."""
    gatewayResolves: Literal["v1", "v1alpha2"] | None = None
    """InferencePool API that routes refer to; by default v1alpha2 if a v1alpha2 pool is created, otherwise v1."""
    gatewayProvider: Literal["istio"] | None = None
    """Implementation of the Gateways. Istio's need a DestinationRule to speak TLS to endpoint pickers. Istio's Gateways
    are also recognized by their class, if they are among the manifests."""
    inferencePoolApis: Annotated[list[Literal["v1", "v1alpha2"]], Field(min_length=1)] = ["v1"]
    """APIs in which InferencePools are created: v1, v1alpha2 or both."""
    images: ImageSettings = defaults(ImageSettings)
    """Images of the presets."""
    startup: StartupSettings = defaults(StartupSettings)
    """How long pods may take to start."""
    presets: dict[Text, dict[str, Any]] = {}
    """Changes to presets, by preset name: a part of an LLMInferenceService's spec that is merged over the preset."""
    propagation: PropagationSettings = defaults(PropagationSettings)
    """Which of a service's labels and annotations reach its pods."""
    ignoreUnknown: Boolean = False
    """Warn about fields that the rules don't know instead of refusing them."""
