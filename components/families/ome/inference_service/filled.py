"""Texts of a main container that name the service: ``{{.Name}}``, ``{{.Namespace}}``, ``{{.Labels.team}}``."""

import re
from collections.abc import Mapping
from typing import Any

from .spec import InferenceService

_VALUE = r"\{\{ *\.(Name|Namespace|(?:Annotations|Labels)\.\w+) *\}\}"


def filled(value: Any, service: InferenceService) -> Any:
    """A value with the service's metadata in its texts; what the service does not have stays as it is."""
    if isinstance(value, Mapping):
        return {key: filled(item, service) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, service) for item in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    metadata = service.metadata
    known = {"Name": service.name, "Namespace": service.namespace}
    known |= {f"Labels.{key}": label for key, label in metadata.labels.items()}
    known |= {f"Annotations.{key}": text for key, text in metadata.annotations.items()}
    return re.sub(_VALUE, lambda match: str(known.get(match[1], match[0])), value)
