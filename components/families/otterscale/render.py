"""The OtterScale family: its kind, and what a stack's ModelServices become."""

from collections.abc import Mapping, Sequence

from ...kubernetes.model import Manifest
from ...kubernetes.source import Source
from .. import Plan
from .model_service import render_model_service
from .settings import OtterScaleSettings
from .spec import API_VERSION, ModelService

KINDS: Mapping[tuple[str, str], type[Manifest]] = {(API_VERSION, "ModelService"): ModelService}


def render(sources: Sequence[Source], settings: OtterScaleSettings) -> Plan:
    services = [(source, manifest) for source in sources if isinstance(manifest := source.manifest, ModelService)]
    return Plan(services=[render_model_service(service, settings).of(source) for source, service in services])
