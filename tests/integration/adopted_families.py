"""The services that test_adoption takes over: reference cases of each family, side by side in one namespace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.integration import ome_operator
from tests.integration.operators import Object, moved

CONFORMANCE = Path(__file__).parents[1] / "conformance"


@dataclass(frozen=True)
class Edit:
    """A case's service with another image and fewer fields: ``change`` edits its manifest.

    ``removed`` has kind and name of live objects, each with the path of a field that exists only before the edit; the
    path names list items by their ``name``.
    """

    change: Callable[[Object], object]
    removed: tuple[tuple[str, str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Family:
    """``folder`` has the cases; ``kind`` is their services' kind; ``edits`` are later changes, by case."""

    folder: str
    kind: str
    cases: tuple[str, ...]
    edits: Mapping[str, Edit]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def manifests(self, case: str, namespace: str) -> list[Object]:
        return moved(CONFORMANCE / self.folder / case / "input.yaml", namespace)

    def children(self, case: str, namespace: str) -> list[Object]:
        """The objects that the operator creates for the case."""
        return moved(CONFORMANCE / self.folder / case / "expected.yaml", namespace)


class Ome(Family):
    """Its services share one name, and its reference has no containers."""

    def manifests(self, case: str, namespace: str) -> list[Object]:
        return ome_operator.renamed(super().manifests(case, namespace), _short(case))

    def children(self, case: str, namespace: str) -> list[Object]:
        return ome_operator.children(CONFORMANCE / self.folder / case, _short(case), namespace)


def _short(case: str) -> str:
    """A name that leaves room for OME's prefixes and suffixes."""
    return case[:12].rstrip("-")


def _cases(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _llmkube(manifest: Object) -> None:
    manifest["spec"]["image"] = "example/changed:2"
    del manifest["spec"]["resources"]


def _otterscale(manifest: Object) -> None:
    manifest["spec"]["engine"]["image"] = "example/changed:2"
    del manifest["spec"]["routingProxy"]


def _kserve_single(manifest: Object) -> None:
    manifest["spec"]["template"] = {"containers": [{"name": "main", "image": "example/changed:2"}]}
    del manifest["spec"]["tracing"]


def _kserve_group(manifest: Object) -> None:
    manifest["spec"]["worker"]["containers"][0]["image"] = "example/changed:2"
    del manifest["spec"]["labels"]


def _ome(manifest: Object) -> None:
    manifest["spec"]["engine"]["runner"] = {"name": "ome-container", "image": "example/changed:2"}
    del manifest["metadata"]["labels"]


_POD = ("spec", "template", "spec")
_TEAM = ("spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "labels", "acme.example.com/team")

FAMILIES: Mapping[str, Family] = {
    "llmkube": Family(
        "llmkube/cases",
        "InferenceService",
        _cases("""
            autoscaling-default-metric autoscaling-vllm cpu-minimal endpoint-containerport-mismatch
            endpoint-loadbalancer endpoint-nodeport-default-port generic-full gpu-amd-default gpu-intel
            gpu-multi-even-split gpu-single-nvidia llamacpp-all-tuning llamacpp-custom-image-command
            llamacpp-extraargs-precedence name-with-dots passthrough-probes-mixed passthrough-windows-and-selinux
            personaplex-full pod-metadata probe-overrides replicas-zero skip-model-init-llamacpp source-hf-repo-url
            source-multi-file source-s3 tgi-full vllm-full
        """),
        {
            "gpu-single-nvidia": Edit(
                _llmkube, (("Deployment", "wren", (*_POD, "containers", "llama-server", "resources", "requests")),)
            )
        },
    ),
    "otterscale": Family(
        "otterscale/cases",
        "ModelService",
        _cases("""
            accel-amd-tensor accel-google-tpu decode-minimal engine-overrides epp-explicit-full epp-ha
            monitoring-pd-custom name-dotted parallel-all-three pd-defaults pd-no-proxy pull-secrets-two-mount
            route-explicit-hostnames
        """),
        {
            "pd-defaults": Edit(
                _otterscale, (("Deployment", "llama33-decode", (*_POD, "initContainers", "routing-proxy")),)
            )
        },
        yaml.safe_load((CONFORMANCE / "otterscale/cases/decode-minimal/operator.yaml").read_text()),
    ),
    "kserve": Family(
        "kserve/cases",
        "LLMInferenceService",
        _cases("""
            p05-single-top-kueue-label p10-single-empty-values p11-single-spec-labels p13-single-spec-beats-top
            p21-sched-labels p27-tokenizer-gets-nothing p30-mn-no-metadata p33-mn-spec p42-pd-spec-only
            p45-pd-three-components p51-pdmn-top p53-pd-decode-mn-prefill-single p65-long-name s01-single-no-router
            s02-single-router-defaults s06-inline-pool s09-inline-route s13-oci-model s16-pd-single-router
            s17-mn-dp-ep-router s20-mn-pipeline-own-preset s22-scheduler-ha-inline-config s24-tracing
            s14-storage-initializer-off s28-rollout-strategy
        """),
        {
            "s24-tracing": Edit(
                _kserve_single,
                (("Deployment", "trc-kserve", (*_POD, "containers", "main", "env", "OTEL_TRACES_SAMPLER_ARG")),),
            ),
            "p33-mn-spec": Edit(_kserve_group, (("LeaderWorkerSet", "mns-kserve-mn", _TEAM),)),
        },
        {"inferencePoolApis": ["v1", "v1alpha2"]},
    ),
    "ome": Ome(
        "ome/propagation",
        "InferenceService",
        _cases("""
            autoscaler-external base-model-namespaced component-overrides dedicated-cluster-volcano
            hpa-memory-scalemetric keda-annotations multinode-lws pd-disaggregated raw-default service-loadbalancer
            stripped-annotations
        """),
        {"raw-default": Edit(_ome, (("Deployment", "raw-default-engine", ("metadata", "labels", "team")),))},
        {"profile": "upstream"},
    ),
}
