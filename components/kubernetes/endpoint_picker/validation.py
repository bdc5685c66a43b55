"""What the API server, or Kubernetes later on, would reject in an endpoint picker's objects."""

from collections.abc import Iterator
from typing import NamedTuple

from ...findings import Problem
from ..metadata import MAX_LABEL, is_dns_label, is_label_value, is_subdomain, label_problems
from ..model import dump
from ..pod_checks import claim_problems
from ..propagation import collisions
from ..resources import resource_problems
from ..scalars import describe
from .labels import picker_layers, picker_pod_layers
from .spec import HEALTH_PORT, METRICS_PORT, EndpointPickerSpec


class Paths(NamedTuple):
    """Paths in the user's document of these fields of the picker's spec; None for a field that is already checked."""

    name: str = "name"
    namespace: str | None = "namespace"
    pool: str | None = "poolName"
    image: str = "image"
    port: str = "port"
    resources: str = "resources"
    labels: str = "labels"
    version: str = "version"
    plugins: str = "pluginsConfig"


def problems(spec: EndpointPickerSpec, paths: Paths) -> Iterator[Problem]:
    yield from _name_problems(spec, paths)
    if not spec.image:
        message = "is required: the image of the endpoint picker"
        yield Problem(paths.image, message, code="required")
    taken = {HEALTH_PORT: "health checks", METRICS_PORT: "metrics"}.get(spec.port)
    if taken:
        yield Problem(
            paths.port,
            f"must be another port, because the picker already uses {spec.port} for {taken}",
            code="bad-value",
        )
    yield from resource_problems(dump(spec.resources), paths.resources)
    if spec.pluginsConfig:  # its errors are refused where it is read
        wrong = spec.pluginsConfig.problems(paths.plugins)
        yield from (problem for problem in wrong if problem.severity == "warning")
    yield from claim_problems(spec.resources, paths.resources)
    yield from label_problems(spec.labels, paths.labels)
    yield from collisions(picker_layers(spec.name, spec.version, spec.labels), "objects")
    yield from collisions(picker_pod_layers(spec.name, {}, spec.labels), "pods")
    if not is_label_value(spec.version):
        yield Problem(paths.version, f"is not a label value, got {describe(spec.version)}", code="bad-value")


def _name_problems(spec: EndpointPickerSpec, paths: Paths) -> Iterator[Problem]:
    if len(spec.name) > MAX_LABEL:
        message = (
            f"the endpoint picker's Service would be named {describe(spec.name)}, which has {len(spec.name)} "
            f"characters where {MAX_LABEL} are allowed; shorten the name by {len(spec.name) - MAX_LABEL}"
        )
        yield Problem(paths.name, message, code="name-too-long")
    elif not is_dns_label(spec.name) or spec.name[0].isdigit():
        message = (
            "must be lower-case letters, digits and '-' and begin with a letter, as the name of a Service"
            f", got {describe(spec.name)}"
        )
        yield Problem(paths.name, message, code="bad-value")
    if paths.namespace and not is_dns_label(spec.namespace):
        message = f"must be lower-case letters, digits and '-', at most 63 characters, got {describe(spec.namespace)}"
        yield Problem(paths.namespace, message, code="bad-value")
    if paths.pool and not is_subdomain(spec.poolName):
        message = (
            "must be lower-case letters, digits, '-' and '.', as the name of an InferencePool"
            f", got {describe(spec.poolName)}"
        )
        yield Problem(paths.pool, message, code="bad-value")
