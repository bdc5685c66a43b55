"""The table of families and their components; all other code reads it from here.

A family is imported when the first manifest of its group is read, a component on first use.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from ..kubernetes.model import Spec
    from . import Entry


class Family(NamedTuple):
    """One row of the table.

    ``components`` maps component class to module. ``settings`` is the key under ``modelservices:settings``, and
    ``settings_class`` the model that reads it. ``cluster_kinds`` are the kinds without a namespace. ``has_templates``
    tells whether template expressions in manifests have a meaning. ``converter`` is the module that converts a chart's
    values to manifests. ``config_maps`` names the ConfigMaps with an operator's settings, and ``namespace`` is where
    that operator reads them.
    """

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

SETTINGS_OBJECTS = {("ConfigMap", name): family.namespace for family in FAMILIES for name in family.config_maps}
"""Kind and name of each object with an operator's settings, mapped to the only namespace where the operator reads
it."""

_GROUPS = {group: family for family in FAMILIES for group in family.groups}


def family_of(api_version: str) -> Family | None:
    """The family of an API version (``ome.io/v1beta1``), None for an unknown group."""
    return _GROUPS.get(api_version.partition("/")[0])


def converter() -> Any:
    """The module whose ``convert`` handles values of the only supported chart."""
    family = next(family for family in FAMILIES if family.converter)
    return importlib.import_module(f"{__package__}.{family.folder}.{family.converter}")


def arguments_of(component: str) -> str:
    """The name of a component's argument class."""
    return f"{component.removesuffix('Component')}Args"
