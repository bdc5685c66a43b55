"""Platform settings of the LLMKube family: the flags and values of its operator and chart, with the same defaults."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ...kubernetes.metadata import is_subdomain
from ...kubernetes.model import Spec, defaults
from ...kubernetes.quantities import amount
from ...kubernetes.scalars import Boolean, Integer, Name, PassedText, Quantity, Strings, Text
from ...kubernetes.startup import StartupSettings


def _size(value: Any) -> Any:
    if isinstance(value, str) and amount(value) <= 0:
        raise ValueError(f"must be more than 0, got {value}")
    return value


def _class(value: Any) -> Any:
    if isinstance(value, str) and value and not is_subdomain(value):
        raise ValueError(f"must be the name of a StorageClass, got {value!r}")
    return value


class RuntimeImages(Spec):
    llamacpp: PassedText | None = None
    """Image of runtime llamacpp for services that set none."""
    vllm: PassedText | None = None
    """Image of runtime vllm for services that set none."""
    sglang: PassedText | None = None
    """Image of runtime sglang for services that set none."""
    tgi: PassedText | None = None
    """Image of runtime tgi for services that set none."""


class PodMonitor(Spec):
    enabled: Boolean = False
    """Make one PodMonitor for the pods of all services; the cluster needs the Prometheus operator's CRDs."""
    name: Name = "llmkube-inference"
    """Name of the PodMonitor."""
    namespace: Name = "llmkube-system"
    """Namespace of the PodMonitor, which Prometheus must watch."""
    interval: Annotated[Text, Field(pattern=r"^[0-9]+(ms|[smhdwy])([0-9]+(ms|[smhdwy]))*$")] = "30s"
    """Time between scrapes."""
    additionalLabels: Strings = {}
    """Labels by which Prometheus selects monitors."""


class LLMKubeSettings(Spec):
    ignoreUnknown: Boolean = False
    """Warn about unknown fields instead of rejecting them."""
    modelCachePath: Text = "/models"
    """Empty turns the model cache off, so that every pod downloads its own copy. Any other text leaves it on."""
    modelCacheMode: Literal["shared", "perService"] = "shared"
    """One claim for all services of a namespace, or one for each service."""
    modelCacheSize: Annotated[Quantity, AfterValidator(_size)] = "100Gi"
    """Size of a cache claim."""
    modelCacheStorageClass: Annotated[PassedText, AfterValidator(_class)] = ""
    """Storage class of cache claims; the cluster's default when empty."""
    modelCacheAccessMode: Literal["ReadWriteOnce", "ReadWriteMany"] = "ReadWriteOnce"
    """Access mode of the shared claim; a claim of one service is always ReadWriteOnce."""
    deleteCache: Boolean = False
    """Delete a namespace's shared claim, with all its models, when the stack's last service that uses it is removed."""
    prepareModelCache: Boolean = True
    """Run the container that gives the cache's root to the downloader's group. It needs uid 0: turn it off in
    namespaces that forbid that, if the storage honours fsGroup."""
    initContainerImage: PassedText = "docker.io/curlimages/curl:8.18.0"
    """Image of the containers that prepare the cache and download models."""
    defaultFSGroup: Integer = 102
    """Group of the pods' volumes for services that name none; 0 leaves it out."""
    driRenderGID: Integer = 0
    """Group of the nodes' render devices, added to pods that use them; 0 adds none."""
    emitScrapeAnnotations: Boolean = False
    """Put prometheus.io annotations on the pods."""
    caCertConfigMap: PassedText = ""
    """ConfigMap with additional certificate authorities for downloads, in each service's namespace."""
    gpuSharingSharedPoolSelector: Strings = {}
    """Labels of the nodes whose GPUs are shared; `gpuSharing.mode: shared` needs it, unless the GPUs are AMD's."""
    enablePyrraSLO: Boolean = False
    """Make a ServiceLevelObjective for services with `slo`; the cluster needs Pyrra's CRD."""
    runtimeImages: RuntimeImages = defaults(RuntimeImages)
    """Images for services that set none."""
    allowedHostPathRoots: list[Annotated[Text, Field(pattern=r"^/")]] = []
    """Folders of the nodes from which models may be read; none by default."""
    existingClaims: list[Annotated[Text, Field(pattern=r"^[^/]+/[^/]+$")]] = []
    """Existing claims (namespace/name) that pvc:// sources may use without a manifest."""
    featureGates: list[Name] = []
    """Feature gates that the cluster enables although they are off by default; only SELinuxMount has an effect."""
    startup: StartupSettings = defaults(StartupSettings)
    """How long pods may take to start."""
    podMonitor: PodMonitor = defaults(PodMonitor)
    """One PodMonitor for all services."""
