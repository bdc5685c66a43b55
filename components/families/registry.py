"""The families and their components, a row each: everything else that lists them reads it here.

A family is imported when a manifest of its group is met, a component when it is first used.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from ..kubernetes.model import Spec
    from . import Entry


class Family(NamedTuple):
    """One row. ``components`` is class to module, with the class of its arguments beside it; ``settings`` the key under
    ``modelservices:settings`` and ``settings_class`` what reads it; ``cluster_kinds`` the kinds without a namespace;
    ``has_templates`` whether template expressions in manifests have a meaning; ``converter`` its module that makes
    manifests of a chart's values; ``config_maps`` the names of ConfigMaps that have an operator's settings, and
    ``namespace`` where that operator reads them."""

    folder: str
    title: str
    groups: tuple[str, ...]
    settings: str
    settings_class: str
    components: Mapping[str, str]
    cluster_kinds: tuple[str, ...] = ()
    has_templates: bool = False
    converter: str = ""
    config_maps: tuple[str, ...] = ()
    namespace: str = ""

    def entry(self) -> "Entry":
        """The family's ``render.py``."""
        return cast("Entry", importlib.import_module(f"{__package__}.{self.folder}.render"))

    def settings_model(self) -> "type[Spec]":
        return getattr(importlib.import_module(f"{__package__}.{self.folder}.settings"), self.settings_class)


FAMILIES = (
    Family(
        folder="llmkube",
        title="LLMKube services",
        groups=("inference.llmkube.dev",),
        settings="llmkube",
        settings_class="LLMKubeSettings",
        components={"InferenceServiceComponent": "inference_service"},
    ),
    Family(
        folder="otterscale",
        title="OtterScale services",
        groups=("model.otterscale.io",),
        settings="otterscale",
        settings_class="OtterScaleSettings",
        components={"PrefillDecodeComponent": "prefill_decode", "EPPComponent": "endpoint_picker"},
        converter="chart.conversion",
    ),
    Family(
        folder="kserve",
        title="KServe services",
        groups=("serving.kserve.io",),
        settings="kserve",
        settings_class="KServeSettings",
        components={"LLMInferenceServiceComponent": "llm_inference_service"},
        cluster_kinds=("ClusterStorageContainer", "LocalModelCache", "LocalModelNode", "LocalModelNodeGroup"),
        has_templates=True,
    ),
    Family(
        folder="ome",
        title="OME services and jobs",
        groups=("ome.io",),
        settings="ome",
        settings_class="OMESettings",
        components={
            "OMEInferenceServiceComponent": "ome",
            "BenchmarkJobComponent": "ome",
            "TrainingJobComponent": "ome",
        },
        cluster_kinds=("AcceleratorClass", "ClusterBaseModel", "ClusterServingRuntime", "FineTunedWeight"),
        config_maps=("inferenceservice-config", "benchmarkjob-config"),
        namespace="ome",
    ),
    Family(
        folder="inference_extension",
        title="the Gateway API Inference Extension kinds",
        groups=("inference.networking.k8s.io", "inference.networking.x-k8s.io", "llm-d.ai"),
        settings="inferenceExtension",
        settings_class="InferenceExtensionSettings",
        components={},
    ),
)

COMPONENTS: Mapping[str, str] = {name: module for family in FAMILIES for name, module in family.components.items()}
"""Component class to its module in ``components``."""

CLUSTER_KINDS = frozenset(kind for family in FAMILIES for kind in family.cluster_kinds)
"""Kinds of the families that have no namespace."""

SETTINGS_OBJECTS = {("ConfigMap", name): family.namespace for family in FAMILIES for name in family.config_maps}
"""Kind and name of what has an operator's settings, and the one namespace where the operator reads it."""

_GROUPS = {group: family for family in FAMILIES for group in family.groups}


def family_of(api_version: str) -> Family | None:
    """The family of an API version (``ome.io/v1beta1``), None for a group that no family has."""
    return _GROUPS.get(api_version.partition("/")[0])


def converter() -> Any:
    """The module with ``convert``, for the values of the one chart that is known."""
    family = next(family for family in FAMILIES if family.converter)
    return importlib.import_module(f"{__package__}.{family.folder}.{family.converter}")


def arguments_of(component: str) -> str:
    """The class of a component's arguments."""
    return f"{component.removesuffix('Component')}Args"
