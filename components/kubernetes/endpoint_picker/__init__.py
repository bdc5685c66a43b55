"""The endpoint picker (EPP): which pod gets a request. One module for each Kubernetes object, usable alone."""

from .render import render_endpoint_picker
from .spec import EndpointPickerSpec

__all__ = ["EndpointPickerSpec", "render_endpoint_picker"]
