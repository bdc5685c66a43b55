"""Platform settings of a stack: one typed model, a key for each family, the operators' defaults."""

from __future__ import annotations

from ..families.inference_extension.settings import InferenceExtensionSettings
from ..families.kserve.settings import KServeSettings
from ..families.llmkube.settings import LLMKubeSettings
from ..families.ome.settings import OMESettings
from ..families.otterscale.settings import OtterScaleSettings
from ..kubernetes.model import Spec
from ..kubernetes.scalars import Boolean, Name


class Settings(Spec):
    """``modelservices:settings`` in ``Pulumi.<stack>.yaml``, or the file given by ``--settings``."""

    llmkube: LLMKubeSettings = LLMKubeSettings()
    """Settings of LLMKube services."""
    otterscale: OtterScaleSettings = OtterScaleSettings()
    """Settings of OtterScale services."""
    kserve: KServeSettings = KServeSettings()
    """Settings of KServe services."""
    inferenceExtension: InferenceExtensionSettings = InferenceExtensionSettings()
    """Settings of the Gateway API Inference Extension kinds."""
    ome: OMESettings = OMESettings()
    """Settings of OME services and jobs."""
    passthrough: list[PassedKind] = []
    """Kinds that a CRD defines and that are registered as they stand in the manifests."""
    allowReplace: Boolean = False
    """Accept a change that replaces a workload under its fixed name, which is an outage."""


class PassedKind(Spec):
    apiVersion: Name
    """API version of the objects, as they write it."""
    kind: Name
    """Their kind."""


Settings.model_rebuild()
