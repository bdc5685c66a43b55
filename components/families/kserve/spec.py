"""KServe's LLMInferenceService and LLMInferenceServiceConfig.

Presets, base configs and the manifest are merged into a service's effective spec (``configs.py``). Checks across fields
run on that spec (``validation/``).

Mirrors kserve/kserve pkg/apis/serving/v1alpha2/llm_inference_service_types.go at v0.20.0-rc0.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from ...findings import Problem
from ...kubernetes.metadata import is_subdomain, metadata_problems
from ...kubernetes.model import Manifest, ObjectMeta, Spec, defaults
from ...kubernetes.pod import PodSpec
from ...kubernetes.scalars import Boolean, Int32, IntOrString, Port, Strings
from .model_spec import KVCacheOffloadingSpec, ModelSpec, ObjectReference, Positive, StorageInitializerSpec, TracingSpec
from .names import service_name_problem
from .router_spec import RouterSpec
from .scaling_spec import ScalingSpec

STOP = "serving.kserve.io/stop"


class ParallelismSpec(Spec):
    tensor: Positive | None = None
    """GPUs that share each layer (--tensor-parallel-size)."""
    pipeline: Positive | None = None
    """Pods that share the layers; the size of a multi-node group."""
    data: Positive | None = None
    """Copies of the model over all pods of a group (--data-parallel-size)."""
    dataLocal: Positive | None = None
    """Copies of the model in one pod; data / dataLocal is the size of a multi-node group."""
    dataRPCPort: Port | None = None
    """Port of the data-parallel coordination, 5555 by default."""
    expert: Boolean = False
    """Spread the experts of a mixture-of-experts model over the GPUs."""

    @property
    def data_parallel(self) -> bool:
        return self.data is not None or self.dataLocal is not None


class RolloutStrategy(Spec):
    maxUnavailable: IntOrString | None = None
    """How many replicas may be missing during an update."""
    maxSurge: IntOrString | None = None
    """How many extra replicas may run during an update."""


class WorkloadSpec(Spec):
    """A group of model servers: the decode (or only) workload, or prefill."""

    replicas: Annotated[Int32, Field(ge=0)] | None = None
    """Number of pods, or of groups of pods on several nodes; not together with scaling."""
    scaling: ScalingSpec | None = None
    """Bounds and method of autoscaling."""
    parallelism: ParallelismSpec | None = None
    """How the model is spread over GPUs and pods."""
    labels: Strings = {}
    """Labels of the pods."""
    annotations: Strings = {}
    """Annotations of the pods."""
    template: PodSpec | None = None
    """The pod, or the leader of a group, merged over the default one."""
    worker: PodSpec | None = None
    """The workers of a group; with workers, the workload spans several nodes."""
    kvCacheOffloading: KVCacheOffloadingSpec | None = None
    """Where evicted KV cache blocks go."""
    rolloutStrategy: RolloutStrategy | None = None
    """How pods are replaced in an update."""


class ServiceSpec(WorkloadSpec):
    """The whole service. The fields of WorkloadSpec describe the decode workload."""

    HINTS = {
        "speculator": "KServe's speculative decoding is not covered here; pass --speculative-config in args",
        "workload": "its fields stand directly under spec, for example spec.kvCacheOffloading",
    }

    model: ModelSpec = defaults(ModelSpec)
    """The model."""
    storageInitializer: StorageInitializerSpec | None = None
    """How the model reaches the server."""
    router: RouterSpec | None = None
    """How clients reach the server."""
    prefill: WorkloadSpec | None = None
    """A separate workload for prompts; the main workload then only decodes."""
    tracing: TracingSpec | None = None
    """Distributed tracing; {} switches it on."""
    baseRefs: list[ObjectReference] = []
    """LLMInferenceServiceConfigs that this service builds on; later ones override earlier ones, and the service
    overrides all."""


class LLMInferenceService(Manifest):
    """A model that is served by KServe's rules."""

    apiVersion: Literal["serving.kserve.io/v1alpha1", "serving.kserve.io/v1alpha2"]
    kind: Literal["LLMInferenceService"]
    metadata: ObjectMeta
    """Name, labels and annotations; those with an approved prefix reach the workloads."""
    spec: ServiceSpec
    """What is served and how."""

    @property
    def stopped(self) -> bool:
        return str(self.metadata.annotations.get(STOP)).lower() == "true"

    def problems(self) -> Iterator[Problem]:
        yield from metadata_problems(self.metadata)
        if is_subdomain(self.name):  # other invalid names are already reported
            yield from service_name_problem(self.name)


class LLMInferenceServiceConfig(Manifest):
    """Defaults that services build on. Texts may have KServe's templates, so the spec is only read when a service is
    rendered."""

    apiVersion: Literal["serving.kserve.io/v1alpha1", "serving.kserve.io/v1alpha2"]
    kind: Literal["LLMInferenceServiceConfig"]
    metadata: ObjectMeta
    """The name is for baseRefs; labels and annotations are not passed on."""
    spec: dict[str, Any] = {}
    """A part of an LLMInferenceService's spec."""
