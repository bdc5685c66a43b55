"""The Deployment that runs the server.

Mirrors defilantech/LLMKube internal/controller/deployment_builder.go at v0.9.19.
Decisions: L7, L13, L15 (docs/decisions).
"""

from collections.abc import Mapping
from typing import Any

from ...engines.gpus import gpus_wanted
from ...engines.probes import PROBES, with_budget
from ...engines.vllm import serving
from ...kubernetes import probes
from ...kubernetes.env import merge_env
from ...kubernetes.gpu import toleration
from ...kubernetes.metadata import metadata
from ...kubernetes.model import dump, dumps
from ...kubernetes.propagation import propagate
from ...kubernetes.rendered import RenderedObject
from ...kubernetes.security import container_security
from ...kubernetes.values import without_empty
from . import downloader, names
from .context import Context
from .labels import DEPLOYMENT, POD, propagation, selector
from .security import pod_security

SHM_VOLUME, SHM_PATH = "shm", "/dev/shm"


def deployment(service: Context, *, recreate: bool) -> RenderedObject:
    """``recreate``: stop an old pod before a new one starts, because they can't share a GPU or a claim."""
    layers = propagation(service)
    pods = {"labels": propagate(layers.labels, POD), "annotations": propagate(layers.annotations, POD)}
    spec = {
        "replicas": None if service.autoscaling else service.replicas,
        "revisionHistoryLimit": service.spec.revisionHistoryLimit,
        "selector": {"matchLabels": selector(service)},
        "strategy": {"type": "Recreate"} if recreate else None,
        "template": {"metadata": without_empty(pods), "spec": pod(service)},
    }
    body = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(service.name, service.namespace, propagate(layers.labels, DEPLOYMENT)),
        "spec": without_empty(spec),
    }
    replicas = "spec.autoscaling.maxReplicas" if service.spec.autoscaling else "spec.replicas"
    return RenderedObject("deployment", body, replicas=replicas, layers=layers)


def pod(service: Context) -> dict[str, Any]:
    spec = service.spec
    gpu = [toleration(service.gpu.tolerationKey or service.device)] if service.gpus else []
    fields = {
        "initContainers": downloader.init_containers(service),
        "containers": [server(service)],
        "volumes": volumes(service),
        "nodeSelector": {**_shared_pool(service), **spec.nodeSelector},
        "affinity": spec.affinity,
        "topologySpreadConstraints": dumps(spec.topologySpreadConstraints),
        "tolerations": [*gpu, *dumps(spec.tolerations)],
        "resourceClaims": dumps(service.gpu.resourceClaims),
        "priorityClassName": spec.priorityClassName or names.priority_class(spec.priority),
        "runtimeClassName": spec.runtimeClassName,
        "imagePullSecrets": dumps(spec.imagePullSecrets),
        "enableServiceLinks": None if service.server.engine.service_links else False,
        "securityContext": pod_security(service),
    }
    return without_empty(fields)


def volumes(service: Context) -> list[dict[str, Any]]:
    """Generated volumes (models, downloaders, shared memory), then the user's, which replace those of the same name."""
    generated: list[dict[str, Any]] = []
    for each in service.models:
        model = each.storage.volume
        generated += [*([model] if model else []), *downloader.volumes(each)]
    if _shares_memory(service):
        generated.append({"name": SHM_VOLUME, "emptyDir": {"medium": "Memory"}})
    return _merged("name", generated, dumps(service.spec.extraVolumes))


def mounts(service: Context) -> list[dict[str, Any]]:
    """Generated mounts (models read-only, shared memory), then the user's, which replace those at the same path."""
    models = [each.storage.mount for each in service.models]
    generated = [{**mount, "readOnly": True} for mount in models if mount]
    if _shares_memory(service):
        generated.append({"name": SHM_VOLUME, "mountPath": SHM_PATH})
    return _merged("mountPath", generated, dumps(service.spec.extraVolumeMounts))


def _shares_memory(service: Context) -> bool:
    """Whether the server needs more shared memory than a container's 64 MiB, and the user mounts none."""
    mounted = any(mount.mountPath.rstrip("/") == SHM_PATH for mount in service.spec.extraVolumeMounts)
    running = service.server
    several = service.gpus > 1 or gpus_wanted(running.engine, running.flags) > 1
    return running.engine.shares_memory and several and not mounted


def _merged(key: str, generated: list[dict[str, Any]], user: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lists as one; an item of the user replaces a generated one. A slash at its end makes no other path."""
    texts = (item[key].rstrip("/") if isinstance(item[key], str) else item[key] for item in [*generated, *user])
    return list(dict(zip(texts, [*generated, *user], strict=True)).values())


def _shared_pool(service: Context) -> Mapping[str, Any]:
    """Labels of the nodes that share their GPUs, because the scheduler can't tell these nodes from others.

    AMD's integrated GPUs are shared on every node that has them.
    """
    shared = service.gpus > 0 and service.gpu_sharing.mode == "shared" and service.vendor != "amd"
    return service.settings.gpuSharingSharedPoolSelector if shared else {}


def server(service: Context) -> dict[str, Any]:
    """The container of the inference server."""
    spec, engine = service.spec, service.engine
    command = list(spec.command or engine.command)
    words = [*command, *service.command_line.words, *(variable.value for variable in spec.env)]
    fields = {
        "name": engine.container,
        "image": image(service),
        "command": command,
        "args": service.command_line.words,
        "ports": [{"name": names.PORT, "containerPort": service.port, "protocol": "TCP"}],
        "env": merge_env([*engine.variables(service.launch), *serving.side_channel(words)], spec.env),
        "resources": resources(service),
        "volumeMounts": mounts(service),
        **_probes(service),
        "securityContext": container_security(spec.securityContext),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    return without_empty(fields)


def image(service: Context) -> Any:
    """The service's image, otherwise the platform's for its runtime, otherwise the engine's."""
    platform = getattr(service.settings.runtimeImages, service.spec.runtime, None)
    return service.spec.image or platform or service.engine.default_image(service.launch)


def resources(service: Context) -> dict[str, Any]:
    """GPUs are limits (an extended resource's request follows its limit), CPU and memory are requests, disk is both: an
    overrun is then charged to this pod and not to its node."""
    stated = service.spec.resources
    memory = stated.memory if stated.hostMemory is None else stated.hostMemory
    disk = {"ephemeral-storage": stated.ephemeralStorage}
    fields = {
        "limits": without_empty({service.device: str(service.gpus) if service.gpus else None, **disk}),
        "requests": without_empty({"cpu": stated.cpu, "memory": memory, **disk}),
        "claims": [{"name": claim.name} for claim in service.gpu.resourceClaims],
    }
    return without_empty(fields)


def _probes(service: Context) -> dict[str, Any]:
    health, serving = service.engine.health, service.engine.serving or service.engine.health
    scheme = service.engine.scheme(service.command_line.flags, [variable.name for variable in service.spec.env])
    kubelet_s: dict[str, Any] = {}
    for kind, timing in with_budget(PROBES, service.settings.startup.budgetSeconds).items():
        user = getattr(service.spec.probeOverrides, kind)
        path = health if kind == "liveness" else serving
        handler = probes.http(path, service.port, scheme) if path else probes.tcp(service.port)
        kubelet_s[f"{kind}Probe"] = dump(user) if user else probes.probe(handler, timing)
    return kubelet_s
