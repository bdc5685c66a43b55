"""Fields of a Model: ``spec`` of ``inference.llmkube.dev/v1alpha1``, kind Model.

Mirrors defilantech/LLMKube api/v1alpha1/model_types.go at v0.9.19.
"""

from typing import Annotated, Literal

from pydantic import Field

from ...kubernetes.core import LocalObjectReference, Toleration
from ...kubernetes.model import Spec, defaults
from ...kubernetes.pod import PodResourceClaim
from ...kubernetes.scalars import Boolean, Int32, Later, Number, Text

KNOWN = "LLMKube 0.8.1 to 0.9.19"


class LLMKubeSpec(Spec):
    """Base of the family's specs. The error for an unknown field names the known releases."""

    RELEASES = KNOWN


SOURCE = r"^(https?|file|pvc|hf|s3)://.+$|^/[^\s]+$|^[a-zA-Z0-9][\w\-./]+$"
"""What the API server accepts as a source; :mod:`.sources` says what each form means."""

DEVICE = r"^[a-z0-9.\-]+/[a-z0-9._\-]+$"

Vendor = Literal["nvidia", "amd", "intel"]


class Sharding(LLMKubeSpec):
    layerSplit: list[Text] = []
    """Layers of each GPU as ranges, one `start-end` a GPU; an even split by default."""
    strategy: Literal["layer", "tensor", "row", "pipeline", "none"] = "layer"
    """How llama.cpp spreads the model: whole layers, rows of each tensor (`tensor`, `row`), or not at all."""


class GPU(LLMKubeSpec):
    count: Annotated[Int32, Field(ge=0, le=8)] = 0
    """GPUs of each pod; takes precedence over the service's `resources.gpu`."""
    enabled: Boolean = False
    """Whether the model is meant for GPUs; chooses the image, never the number of GPUs."""
    layers: Annotated[Int32, Field(ge=-1)] = 0
    """Layers that llama.cpp puts on the GPU; all of them (99) if it is 0 or -1."""
    memory: Text = ""
    """GPU memory that the model needs; informational, no effect."""
    resourceClaims: Annotated[list[PodResourceClaim], Field(max_length=16)] = []
    """Devices by dynamic resource allocation: claims or claim templates of the namespace, in place of a count."""
    resourceName: Annotated[Text, Field(pattern=DEVICE)] | None = None
    """Device resource to request, such as a MIG profile; the vendor's by default."""
    runtime: Literal["vulkan", "rocm"] | None = None
    """Compute backend of AMD GPUs: chooses llama.cpp's image and the device resource."""
    sharding: Sharding | None = None
    """How the model is spread over several GPUs."""
    tolerationKey: Annotated[Text, Field(pattern=DEVICE)] | None = None
    """Taint that the pods tolerate; the device resource's name by default."""
    vendor: Vendor = "nvidia"
    """Maker of the GPUs: chooses the device resource and the default image."""


class Hardware(LLMKubeSpec):
    accelerator: Literal["cpu", "metal", "cuda", "rocm", "intel", "vulkan"] = "cpu"
    """Kind of machine. `metal` is served by LLMKube's agent outside the cluster: nothing is rendered."""
    gpu: GPU | None = None
    """GPU settings."""
    memoryBudget: Text = ""
    """Memory limit for the metal agent; no effect in a cluster."""
    memoryFraction: Number | None = None
    """Memory share for the metal agent; no effect in a cluster."""


class ModelResources(LLMKubeSpec):
    cpu: Text = ""
    """CPU that the model needs; informational, the service's `resources` apply."""
    memory: Text = ""
    """Memory that the model needs; informational, the service's `resources` apply."""


class ModelSpec(LLMKubeSpec):
    files: list[Text] = []
    """Files of a Hugging Face repository or S3 prefix to stage; the first one is the model."""
    format: Literal["gguf", "mlx", "safetensors", "pytorch", "custom"] = "gguf"
    """File format; with `files`, vLLM gets the directory unless it is `gguf`."""
    hardware: Hardware = defaults(Hardware)
    """Machine that the model is meant for."""
    mmproj: Text = ""
    """Vision projector among `files`, staged with them (llama.cpp `--mmproj`)."""
    prefetch: Boolean = False
    """Download into the shared cache now, with a Job, instead of when a service starts."""
    prefetchTolerations: list[Toleration] = []
    """Node taints that the Job of `prefetch` tolerates."""
    quantization: Text = ""
    """Quantization of the weights; informational, no effect."""
    refreshPolicy: Literal["IfNotPresent", "OnChange"] = "IfNotPresent"
    """`OnChange` downloads again when the size at the source differs."""
    resources: ModelResources = defaults(ModelResources)
    """What the model needs; informational, no effect."""
    sha256: Annotated[Text, Field(pattern=r"^[a-fA-F0-9]{64}$")] | None = None
    """Checksum that a downloaded file must have, for models of one file."""
    source: Annotated[Text, Field(pattern=SOURCE), Later("https://{}.invalid/model.gguf")]
    """Where the weights are: a URL, `hf://org/name[@revision]` or `org/name`, `s3://bucket/key`, `pvc://claim/path`,
    or a path on the node."""
    sourceSecretRef: LocalObjectReference | None = None
    """Secret whose keys the downloader gets as environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION,
    AWS_ENDPOINT_URL for S3, HF_TOKEN for Hugging Face."""
