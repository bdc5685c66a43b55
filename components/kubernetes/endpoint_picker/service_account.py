"""ServiceAccount of the endpoint picker's pods.

Mirrors otterscale/model-operator internal/modelservice/epp_serviceaccount.go at v0.9.0-alpha.2.
"""

from collections.abc import Mapping

from .. import rbac
from ..metadata import metadata
from ..objects import Object
from .spec import EndpointPickerSpec


def service_account(spec: EndpointPickerSpec, labels: Mapping[str, str]) -> Object:
    return rbac.service_account(metadata(spec.name, spec.namespace, labels))
