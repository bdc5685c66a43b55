"""Deployment of the endpoint picker.

Mirrors otterscale/model-operator internal/modelservice/epp_deployment.go at v0.9.0-alpha.2.
Decisions: O8 (docs/decisions).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..metadata import metadata
from ..model import dump, dumps
from ..objects import Object
from ..propagation import propagate
from ..resources import with_whole_pairs
from ..security import POD, container_security
from .config_map import config_map_name
from .labels import picker_pod_layers
from .plugins import config_file
from .spec import (
    EXT_PROC_PORT_NAME,
    HEALTH_PORT,
    METRICS_PORT,
    METRICS_PORT_NAME,
    EndpointPickerSpec,
    picker_tracing_env,
)

CONFIG_VOLUME = "epp-config"
CONFIG_PATH = "/config"
LEADER_ELECTION = "ha-enable-leader-election"

TERMINATION_SECONDS = 130
"""Long enough for responses that are still streaming to finish."""


def deployment(
    spec: EndpointPickerSpec, labels: Mapping[str, str], selector: Mapping[str, str], config_hash: str
) -> Object:
    """``selector`` is the Service's selector. A new ``config_hash`` rolls the pods; an empty one is left out."""
    layers = picker_pod_layers(spec.name, selector, labels)
    pod_metadata: dict[str, Any] = {"labels": propagate(layers, "pods")}
    if config_hash:
        pod_metadata["annotations"] = {"checksum/config": config_hash}
    template = {"metadata": pod_metadata, "spec": _pod(spec)}
    described = metadata(spec.name, spec.namespace, labels)
    return picker_deployment(described, spec.replicas, propagate(layers, "workload-selector"), template)


def picker_deployment(
    metadata: dict[str, Any], replicas: int | None, selector: Mapping[str, str], template: dict[str, Any]
) -> Object:
    """Replaces all pods at once, because two pickers with different configs must not serve one pool."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {
            **({"replicas": replicas} if replicas is not None else {}),
            "selector": {"matchLabels": dict(selector)},
            "strategy": {"type": "Recreate"},
            "template": template,
        },
    }


def _pod(spec: EndpointPickerSpec) -> dict[str, Any]:
    config = {"name": config_map_name(spec.name), "optional": True}
    secrets = dumps(spec.imagePullSecrets)
    return {
        "serviceAccountName": spec.name,
        **({"imagePullSecrets": secrets} if secrets else {}),
        "terminationGracePeriodSeconds": TERMINATION_SECONDS,
        "securityContext": dict(POD),
        "containers": [_container(spec)],
        "volumes": [{"name": CONFIG_VOLUME, "configMap": config}],
    }


def _container(spec: EndpointPickerSpec) -> dict[str, Any]:
    ports = {EXT_PROC_PORT_NAME: spec.port, "grpc-health": HEALTH_PORT, METRICS_PORT_NAME: METRICS_PORT}
    paths = {"NAMESPACE": "metadata.namespace", "POD_NAME": "metadata.name"}
    place = [{"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}} for name, path in paths.items()]
    readiness, liveness = ("readiness", "liveness") if spec.highly_available else ("inference-extension",) * 2
    return {
        "name": "epp",
        "image": spec.image,
        "imagePullPolicy": "IfNotPresent",
        "args": list(_arguments(spec)),
        "env": [*place, *picker_tracing_env(spec.tracing)],
        "ports": [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports.items()],
        "readinessProbe": {"grpc": {"port": HEALTH_PORT, "service": readiness}, "periodSeconds": 2},
        "livenessProbe": {
            "grpc": {"port": HEALTH_PORT, "service": liveness},
            "initialDelaySeconds": 5,
            "periodSeconds": 10,
        },
        "resources": _resources(spec),
        "securityContext": container_security(None),
        "volumeMounts": [{"name": CONFIG_VOLUME, "mountPath": CONFIG_PATH, "readOnly": True}],
    }


def _arguments(spec: EndpointPickerSpec) -> Iterator[str]:
    """One item for each flag: the generated flags that the user doesn't set, then the user's."""
    for argument in _generated(spec):
        if argument.partition("=")[0].removeprefix("--") not in spec.flags:
            yield argument
    for name in sorted(spec.flags):
        yield f"--{name}={spec.flags[name]}"


def _generated(spec: EndpointPickerSpec) -> Iterator[str]:
    yield f"--pool-name={spec.poolName}"
    yield f"--pool-namespace={spec.namespace}"
    yield f"--pool-group={spec.poolGroup}"
    yield f"--config-file={CONFIG_PATH}/{config_file(spec)}"
    yield f"--grpc-port={spec.port}"
    yield "--zap-encoder=json"
    if spec.highly_available:
        yield f"--{LEADER_ELECTION}"
    yield f"--tracing={'true' if spec.tracing.enabled else 'false'}"
    if not spec.metricsEndpointAuth:
        yield "--metrics-endpoint-auth=false"


def _resources(spec: EndpointPickerSpec) -> dict[str, Any]:
    if spec.resources.limits or spec.resources.requests:
        return with_whole_pairs(dump(spec.resources))
    return {"limits": {"memory": "16Gi"}, "requests": {"cpu": "4", "memory": "8Gi"}}
