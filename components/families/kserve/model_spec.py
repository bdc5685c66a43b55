"""Model fields of an LLMInferenceService: source, adapters, loading, KV cache and tracing."""

from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.model import Spec
from ...kubernetes.scalars import Boolean, FreeForm, Int32, Name, NameOrNothing, PassedText, Quantity, Text

Positive = Annotated[Int32, Field(ge=1)]


class ObjectReference(Spec):
    name: Name
    """Name of an object in the service's namespace."""


class AdapterSpec(Spec):
    """A LoRA adapter: an additional model on top of the service's model."""

    name: Name
    """Name by which requests ask for the adapter; differs from the model's."""
    uri: Name
    """Where the adapter is: hf://, s3:// or pvc://."""
    criticality: Literal["Critical", "Standard", "Sheddable"] | None = None
    """v1alpha1 only; has no effect."""


class LoRASpec(Spec):
    adapters: list[AdapterSpec] = []
    """Adapters that are loaded at start."""
    maxRank: Positive | None = None
    """Maximum rank of an adapter (--max-lora-rank)."""
    maxAdapters: Positive | None = None
    """How many adapters one batch may use (--max-loras)."""
    maxCpuAdapters: Positive | None = None
    """How many adapters are kept in CPU memory (--max-cpu-loras)."""


class ConfidentialSpec(Spec):
    """A model that is encrypted where it is stored; the storage initializer decrypts it after the download."""

    enabled: Boolean
    """Whether the model is decrypted."""
    resourceId: Annotated[Text, Field(pattern=r"^(kbs:///[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+)?$")] = ""
    """The key at the Key Broker Service: kbs:///repository/type/tag."""


class ModelSpec(Spec):
    uri: NameOrNothing = None
    """Where the model is: hf://, s3://, pvc:// or oci://. An empty string, which KServe writes into configs, means no
    model."""
    name: Name | None = None
    """Name by which requests ask for the model; the service's name by default."""
    lora: LoRASpec | None = None
    """LoRA adapters."""
    confidential: ConfidentialSpec | None = None
    """v1alpha2 only: decrypt the model with a key that the pod is attested for."""
    criticality: Literal["Critical", "Standard", "Sheddable"] | None = None
    """v1alpha1 only; has no effect."""


class StorageInitializerSpec(Spec):
    enabled: Boolean | None = None
    """Whether the model is fetched or mounted for the server; true by default."""


class TracingSpec(Spec):
    exporterEndpoint: Text | None = None
    """OTLP endpoint, http://otel-collector:4317 by default."""
    sampler: PassedText | None = None
    """Trace sampler, parentbased_traceidratio by default."""
    samplerArg: PassedText | None = None
    """Argument of the sampler, 0.05 by default."""
    exporter: PassedText | None = None
    """Trace exporter, otlp by default."""


class EmptyDirTier(Spec):
    size: Quantity
    """Maximum size of the tier; also requested as ephemeral-storage."""


class ClaimTier(Spec):
    name: Name
    """An existing claim."""
    path: Text | None = None
    """Folder within the claim."""


class PersistentTier(Spec):
    spec: FreeForm = None
    """Spec of a claim that is created for each pod and deleted with it."""
    ref: ClaimTier | None = None
    """An existing claim."""


class FileSystemTier(Spec):
    emptyDir: EmptyDirTier | None = None
    """Disk of the node."""
    pvc: PersistentTier | None = None
    """A claim."""


class SecondaryTier(Spec):
    fileSystem: FileSystemTier | None = None
    """A tier on disk."""


class KVCacheOffloadingSpec(Spec):
    cpu: Quantity | None = None
    """CPU memory for evicted KV cache blocks."""
    evictionPolicy: Literal["lru", "arc"] = "lru"
    """Which blocks leave the CPU tier first."""
    secondary: list[SecondaryTier] = []
    """Further tiers, in the order in which they are used."""
