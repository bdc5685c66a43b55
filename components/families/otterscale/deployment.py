"""Deployment of a serving role: vLLM, the container that unpacks its model, and on decode the routing proxy.

Mirrors otterscale/model-operator internal/modelservice/deployment.go at v0.9.0-alpha.2.
Decisions: O1 (docs/decisions).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...engines.probes import PROBES, with_budget
from ...engines.vllm import VLLM, serving
from ...kubernetes.env import merge_env
from ...kubernetes.metadata import metadata
from ...kubernetes.model import dumps
from ...kubernetes.objects import Object
from ...kubernetes.probes import http, probe
from ...kubernetes.security import POD, container_security
from ...kubernetes.values import without_empty
from .devices import device_count, with_devices
from .labels import DECODE
from .routing_proxy import routing_proxy
from .settings import OtterScaleSettings
from .spec import ModelServiceSpec, ModelSource, Parallelism, RoleSpec
from .unpack import MODEL_VOLUME, model_volumes, mount_path, unpack_container

SHM_VOLUME, SHM_PATH = "shm", "/dev/shm"


class Role(NamedTuple):
    """One serving role: its name (decode, prefill), its Deployment's name, and its spec."""

    name: str
    deployment: str
    spec: RoleSpec

    @property
    def parallelism(self) -> Parallelism:
        return self.spec.parallelism or Parallelism()


class RoleLabels(NamedTuple):
    """Labels of a role's Deployment, of its pods, and of the selector that joins the two."""

    deployment: Mapping[str, str]
    pods: Mapping[str, str]
    selector: Mapping[str, str]


def serving_deployment(
    spec: ModelServiceSpec, role: Role, namespace: str, labels: RoleLabels, settings: OtterScaleSettings
) -> Object:
    """``spec`` has its default images filled in. Only the role named decode gets the routing proxy."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(role.deployment, namespace, labels.deployment),
        "spec": {
            "replicas": role.spec.replicas,
            "selector": {"matchLabels": dict(labels.selector)},
            "template": {"metadata": {"labels": dict(labels.pods)}, "spec": _pod(spec, role, settings)},
        },
    }


def engine_port(spec: ModelServiceSpec, role: str) -> int:
    """The port of vLLM; behind the proxy, it differs from the pod's port."""
    return spec.routingProxy.targetPort if spec.routingProxy and role == DECODE else spec.engine.port


def _pod(spec: ModelServiceSpec, role: Role, settings: OtterScaleSettings) -> dict[str, Any]:
    model = spec.model
    size = {} if settings.shmSizeLimit is None else {"sizeLimit": settings.shmSizeLimit}
    memory = {"name": SHM_VOLUME, "emptyDir": {"medium": "Memory", **size}}
    pod = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": VLLM.service_links,
        "securityContext": dict(POD),
        "imagePullSecrets": dumps(model.imagePullSecrets),
        "nodeSelector": dict(role.spec.nodeSelector),
        "tolerations": dumps(role.spec.tolerations),
        "initContainers": list(_init_containers(spec, role, settings)),
        "containers": [_engine(spec, role, settings)],
        "volumes": [*model_volumes(model), *([memory] if has_shm(role.spec, model, settings) else [])],
    }
    return without_empty(pod)


def _init_containers(spec: ModelServiceSpec, role: Role, settings: OtterScaleSettings) -> Iterator[dict[str, Any]]:
    """The model comes first: otherwise the proxy, a sidecar, would start before the model is unpacked."""
    unpack = unpack_container(spec.model, settings.kitImage, plain_http=settings.plainHTTP)
    if unpack:
        yield unpack
    if spec.routingProxy and role.name == DECODE:
        yield routing_proxy(spec.routingProxy, spec.engine.port, settings.epp.tracing)


def _engine(spec: ModelServiceSpec, role: Role, settings: OtterScaleSettings) -> dict[str, Any]:
    engine, path, port = spec.engine, mount_path(spec.model), engine_port(spec, role.name)
    words = [*engine.args, *(variable.value for variable in engine.env)]
    mounts: list[dict[str, Any]] = [{"name": MODEL_VOLUME, "mountPath": path, "readOnly": True}]
    if has_shm(role.spec, spec.model, settings):
        mounts.append({"name": SHM_VOLUME, "mountPath": SHM_PATH})
    container = {
        "name": VLLM.container,
        "image": engine.image,
        "imagePullPolicy": engine.imagePullPolicy,
        "command": list(VLLM.command),
        "args": [path, *_arguments(spec, role), *engine.args],
        "env": merge_env([*_sizes(role.parallelism), *serving.side_channel(words)], engine.env),
        "ports": [{"name": "http", "containerPort": port, "protocol": "TCP"}],
        **(_probes(port, engine.args, settings) if settings.servingProbes else {}),
        "resources": with_devices(role.spec.resources, spec.accelerator.type, device_count(role.spec.parallelism)),
        "securityContext": container_security(None),
        "volumeMounts": mounts,
    }
    return without_empty(container)


def _arguments(spec: ModelServiceSpec, role: Role) -> list[str]:
    sizes = {name: size for name in ("tensor", "data", "dataLocal") if (size := getattr(role.parallelism, name)) > 1}
    flags = [
        serving.port(engine_port(spec, role.name)),
        serving.names(spec.model.name),
        *serving.sizes(sizes),
    ]
    return [word for words in flags for word in words]


def _sizes(parallelism: Parallelism) -> list[dict[str, Any]]:
    sizes = {"TP_SIZE": parallelism.tensor, "DP_SIZE": parallelism.data, "DP_SIZE_LOCAL": parallelism.dataLocal}
    return [{"name": name, "value": str(size)} for name, size in sizes.items()]


def _probes(port: int, args: list[Any], settings: OtterScaleSettings) -> dict[str, Any]:
    """The same health check for all three probes: vLLM listens only after the model is loaded."""
    timings, scheme = with_budget(PROBES, settings.startup.budgetSeconds), VLLM.scheme(VLLM.dialect.names(args))
    return {f"{kind}Probe": probe(http(VLLM.health, port, scheme), timing) for kind, timing in timings.items()}


def has_shm(role: RoleSpec, model: ModelSource, settings: OtterScaleSettings) -> bool:
    """Tensor parallelism uses shared memory, and NCCL needs more of it than a container's 64 MiB."""
    tensor = role.parallelism.tensor if role.parallelism else 1
    return settings.shmForTensorParallel and tensor > 1 and mount_path(model).rstrip("/") != SHM_PATH
