"""The OtterScale family: its kind, and what a stack's ModelServices become."""

from collections.abc import Mapping, Sequence

from ...kubernetes.model import Manifest
from .. import Plan
from .model_service import render_model_service
from .settings import OtterScaleSettings
from .spec import API_VERSION, ModelService

KINDS: Mapping[tuple[str, str], type[Manifest]] = {(API_VERSION, "ModelService"): ModelService}


def render(manifests: Sequence[Manifest], settings: OtterScaleSettings) -> Plan:
    own = [manifest for manifest in manifests if isinstance(manifest, ModelService)]
    return Plan(services=[(service, render_model_service(service, settings)) for service in own])
