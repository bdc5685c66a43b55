"""One service as the rendering functions see it: its effective spec, the settings, and related manifests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...kubernetes.existing import Existing
from ...kubernetes.model import Manifest, ObjectMeta, defaults
from ...kubernetes.pod import PodSpec
from ...kubernetes.values import value_at
from .configs import SYSTEM_NAMESPACE, Effective, Source
from .router_spec import GatewayReference, HTTPRoute, RouterSpec, SchedulerSpec
from .settings import KServeSettings
from .spec import LLMInferenceService, ParallelismSpec, ServiceSpec, WorkloadSpec


@dataclass(frozen=True)
class Known:
    """The manifests, for looking up objects of the platform."""

    manifests: Mapping[tuple[str, str, str], Manifest]

    @classmethod
    def of(cls, manifests: Iterable[Manifest]) -> Known:
        return cls({(m.kind, m.namespace, m.name): m for m in manifests})

    def field(self, kind: str, namespace: str, name: str, field: str) -> Any:
        """A top-level field of an existing object; None if the object or the field is missing."""
        manifest = self.manifests.get((kind, namespace, name))
        return manifest.body(field) if isinstance(manifest, Existing) else None

    def config_text(self, namespace: str, name: str, key: str) -> Any:
        return value_at(self.config_map(namespace, name), key)

    def config_map(self, namespace: str, name: str) -> Any:
        """The data of a ConfigMap in ``namespace``, otherwise in KServe's namespace, which all teams share."""
        of_namespace = self.field("ConfigMap", namespace, name, "data")
        return self.field("ConfigMap", SYSTEM_NAMESPACE, name, "data") if of_namespace is None else of_namespace

    def annotations(self, kind: str, namespace: str, name: str) -> Mapping[str, Any]:
        manifest = self.manifests.get((kind, namespace, name))
        return manifest.metadata.annotations if manifest else {}

    def secret(self, namespace: str, name: str) -> Manifest | None:
        return self.manifests.get(("Secret", namespace, name))


@dataclass(frozen=True)
class Workload:
    """The decode (or only) workload, or prefill. ``path`` is its place in the manifest."""

    role: str
    path: str
    spec: WorkloadSpec

    @property
    def parallelism(self) -> ParallelismSpec:
        return self.spec.parallelism or ParallelismSpec()

    @property
    def is_prefill(self) -> bool:
        return self.role == "prefill"

    @property
    def multi_node(self) -> bool:
        return self.spec.worker is not None

    @property
    def pods(self) -> list[tuple[str, PodSpec]]:
        """Path and spec of each pod: the single pod or a group's leader, then a group's workers."""
        pods = {"template": self.spec.template, "worker": self.spec.worker}
        return [(f"{self.path}.{field}", pod) for field, pod in pods.items() if pod]

    @property
    def size(self) -> int | None:
        """Pods in a group; None if neither data nor pipeline parallelism sets it."""
        parallelism = self.parallelism
        if parallelism.data_parallel:
            return max(1, (parallelism.data or 1) // (parallelism.dataLocal or 1))
        return parallelism.pipeline


@dataclass(frozen=True)
class Service:
    metadata: ObjectMeta
    spec: ServiceSpec
    sources: tuple[Source, ...]
    settings: KServeSettings
    known: Known

    @classmethod
    def of(cls, manifest: LLMInferenceService, merged: Effective, settings: KServeSettings, known: Known) -> Service:
        assert merged.spec is not None
        return cls(manifest.metadata, merged.spec, merged.sources, settings, known)

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace

    @property
    def model_name(self) -> str:
        return self.spec.model.name or self.name

    @property
    def tls(self) -> bool:
        return self.settings.ingress.enableLLMInferenceServiceTLS

    @property
    def decode(self) -> Workload:
        return Workload("decode", "spec", self.spec)

    @property
    def prefill(self) -> Workload | None:
        return Workload("prefill", "spec.prefill", self.spec.prefill) if self.spec.prefill else None

    @property
    def workloads(self) -> tuple[Workload, ...]:
        return (self.decode, self.prefill) if self.prefill else (self.decode,)

    @property
    def router(self) -> RouterSpec:
        return self.spec.router or defaults(RouterSpec)

    @property
    def http(self) -> HTTPRoute:
        return (self.router.route and self.router.route.http) or defaults(HTTPRoute)

    @property
    def gateway_refs(self) -> list[GatewayReference]:
        return (self.router.gateway and self.router.gateway.refs) or []

    @property
    def scheduler(self) -> SchedulerSpec:
        return self.router.scheduler or defaults(SchedulerSpec)

    def config_text(self, name: str, key: str) -> Any:
        return self.known.config_text(self.namespace, name, key)

    @property
    def has_scheduler(self) -> bool:
        """Whether a scheduler and a pool are rendered: the scheduler has a pod, which its preset gives to services that
        ask for one, and no pool of the user's own."""
        return self.scheduler.template is not None and not self.pool_ref

    @property
    def pool_ref(self) -> str | None:
        pool = self.scheduler.pool
        return pool.ref.name if pool and pool.ref else None
