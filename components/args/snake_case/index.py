"""Generated from the models by `make generate`: index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

import pulumi

from . import inference_extension, kserve, kubernetes, llmkube, ome, otterscale


class BenchmarkJobArgs(TypedDict):
    """A BenchmarkJob of OME."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: ome.BenchmarkJobSpec
    """The spec of the BenchmarkJob, as in its YAML. The endpoint may be another component's output."""


class EPPArgs(TypedDict):
    """An endpoint picker for one InferencePool of its namespace."""

    pool_name: str
    """The InferencePool whose pods it picks from."""
    name: NotRequired[str | None]
    """Name of its Deployment, Service, ServiceAccount and Role; the component's name by default."""
    namespace: NotRequired[str | None]
    """Namespace of the picker, its pool and the pods; `default` by default."""
    spec: NotRequired[kubernetes.EndpointPickerOptions]
    """Everything else: image, replicas, resources, plugins, monitoring."""


class InferenceServiceArgs(TypedDict):
    """An InferenceService of LLMKube and the Model that it serves."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: llmkube.InferenceServiceSpec
    """The spec of the InferenceService, as in its YAML. Values only passed on may be Outputs."""
    model: llmkube.ModelSpec
    """The spec of the Model, as in its YAML. Its name is the service's modelRef."""


class LLMInferenceServiceArgs(TypedDict):
    """A LLMInferenceService of KServe."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: kserve.ServiceSpec
    """The spec of the LLMInferenceService (v1alpha2), as in its YAML. Values only passed on may be Outputs."""


class OMEInferenceServiceArgs(TypedDict):
    """An InferenceService of OME."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: ome.InferenceServiceSpec
    """The spec of the InferenceService, as in its YAML. Models and runtimes it names stand in `manifests`."""


class PassedKind(TypedDict):
    """PassedKind, as in its YAML."""

    api_version: str
    """API version of the objects, as their manifests state it."""
    kind: str
    """Their kind."""


class PrefillDecodeArgs(TypedDict):
    """A ModelService of OtterScale."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: otterscale.ModelServiceSpec
    """The spec of the ModelService, as in its YAML. Values only passed on may be Outputs."""


class Settings(TypedDict):
    """``modelservices:settings`` in ``Pulumi.<stack>.yaml``, or the file of ``--settings``. The families' keys come
    from their registry."""

    llmkube: NotRequired[llmkube.LLMKubeSettings]
    """Settings of LLMKube services."""
    otterscale: NotRequired[otterscale.OtterScaleSettings]
    """Settings of OtterScale services."""
    kserve: NotRequired[kserve.KServeSettings]
    """Settings of KServe services."""
    ome: NotRequired[ome.OMESettings]
    """Settings of OME services and jobs."""
    inference_extension: NotRequired[inference_extension.InferenceExtensionSettings]
    """Settings of the Gateway API Inference Extension kinds."""
    images: NotRequired[kubernetes.Images]
    """Where images come from: a mirror for sites without the internet, and digests."""
    drain: NotRequired[kubernetes.DrainSettings]
    """How servers shut down while they still receive requests."""
    restart_on_change: NotRequired[bool | None]
    """Restart servers when a Secret or ConfigMap of the stack changes that their pods read at start. Default:
    `false`."""
    beside: NotRequired[Mapping[str, Literal["read", "apply", "refuse"]] | None]
    """What is done with objects beside the services, by kind (`NetworkPolicy`, or with its group
    `Gateway.networking.istio.io`, or all kinds of a group, `*.networking.istio.io`): `read` them as existing objects of
    the cluster (the default), `apply` them as they are, or `refuse` them. A kind's own name takes precedence over a
    pattern."""
    passthrough: NotRequired[Sequence[PassedKind] | None]
    """CRD kinds whose objects are registered as they are in the manifests."""
    require_nodes: NotRequired[bool | None]
    """Stop before a workload starts pods whose node selector no node matches; a warning otherwise. Default: `false`."""
    allow_replace: NotRequired[bool | None]
    """Accept a change that replaces a workload under its fixed name, which is an outage. Default: `false`."""
    system_namespaces: NotRequired[Sequence[str] | None]
    """System namespaces (`kube-…`, `openshift-…`) that manifests may write into."""
    pulumi_annotations: NotRequired[Sequence[str] | None]
    """Annotations for Pulumi's provider (`pulumi.com/skipAwait`, …) that manifests may have; others are left out."""
    reference_grants: NotRequired[Sequence[str] | None]
    """Namespaces that accept routes from other namespaces (`*` for any text): ReferenceGrants are created there."""
    max_file_size: NotRequired[pulumi.Input[str | int | float] | None]
    """Maximum size of a file of manifests; a larger file is refused. Default: `4Mi`."""


class TrainingJobArgs(TypedDict):
    """A TrainingJob of OME."""

    name: NotRequired[str | None]
    """Name in the cluster; the component's name by default."""
    namespace: NotRequired[pulumi.Input[str] | None]
    """Namespace of all objects; `default` by default."""
    labels: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Labels, as in the manifest's metadata."""
    annotations: NotRequired[Mapping[str, pulumi.Input[str]] | None]
    """Annotations, as in the manifest's metadata."""
    manifests: NotRequired[Sequence[Mapping[str, Any]] | None]
    """Further manifests that this one refers to: a Model, a base config, a claim that exists."""
    settings: NotRequired[Settings]
    """Platform settings, as in the stack's config."""
    spec: ome.TrainingJobSpec
    """The spec of the TrainingJob, as in its YAML."""
