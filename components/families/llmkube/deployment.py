"""The Deployment that runs the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...engines.probes import PROBES, with_budget
from ...kubernetes import probes
from ...kubernetes.env import merge_env
from ...kubernetes.gpu import toleration
from ...kubernetes.model import dump, dumps
from ...kubernetes.objects import Object
from ...kubernetes.security import container_security
from . import downloader, names
from .context import Context
from .labels import DEPLOYMENT, POD, annotations_of, labels_of, selector
from .security import pod_security

SHM_VOLUME, SHM_PATH = "shm", "/dev/shm"


def deployment(service: Context, *, recreate: bool) -> Object:
    """``recreate``: an old pod goes before a new one comes, because they can't share a GPU or a claim."""
    spec = service.spec
    replicas = {} if service.autoscaling else {"replicas": service.replicas}
    history = {} if spec.revisionHistoryLimit is None else {"revisionHistoryLimit": spec.revisionHistoryLimit}
    strategy = {"strategy": {"type": "Recreate"}} if recreate else {}
    metadata = {"labels": labels_of(service, POD), **_unless_empty("annotations", annotations_of(service, POD))}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": service.name,
            "namespace": service.namespace,
            "labels": labels_of(service, DEPLOYMENT),
        },
        "spec": {
            **replicas,
            **history,
            "selector": {"matchLabels": selector(service)},
            **strategy,
            "template": {"metadata": metadata, "spec": pod(service)},
        },
    }


def pod(service: Context) -> dict[str, Any]:
    spec = service.spec
    gpu = [toleration(service.gpu.tolerationKey or service.device)] if service.gpus else []
    return {
        **_unless_empty("initContainers", downloader.init_containers(service)),
        "containers": [server(service)],
        **_unless_empty("volumes", volumes(service)),
        **_unless_empty("nodeSelector", {**_shared_pool(service), **spec.nodeSelector}),
        **_unless_empty("affinity", spec.affinity),
        **_unless_empty("topologySpreadConstraints", dumps(spec.topologySpreadConstraints)),
        **_unless_empty("tolerations", [*gpu, *dumps(spec.tolerations)]),
        **_unless_empty("resourceClaims", dumps(service.gpu.resourceClaims)),
        "priorityClassName": spec.priorityClassName or names.priority_class(spec.priority),
        **_unless_empty("runtimeClassName", spec.runtimeClassName),
        **_unless_empty("imagePullSecrets", dumps(spec.imagePullSecrets)),
        **({} if service.engine.service_links else {"enableServiceLinks": False}),
        "securityContext": pod_security(service),
    }


def volumes(service: Context) -> list[dict[str, Any]]:
    """The models' and the downloaders' volumes, then the user's; one of the same name takes its place."""
    generated: list[dict[str, Any]] = []
    for each in service.models:
        model = each.storage.volume
        generated += [*([model] if model else []), *downloader.volumes(each)]
    if _shares_memory(service):
        generated.append({"name": SHM_VOLUME, "emptyDir": {"medium": "Memory"}})
    return _merged("name", generated, dumps(service.spec.extraVolumes))


def mounts(service: Context) -> list[dict[str, Any]]:
    """The server's mounts: the models', which it only reads, then the user's; one at the same path takes its place."""
    models = [each.storage.mount for each in service.models]
    generated = [{**mount, "readOnly": True} for mount in models if mount]
    if _shares_memory(service):
        generated.append({"name": SHM_VOLUME, "mountPath": SHM_PATH})
    return _merged("mountPath", generated, dumps(service.spec.extraVolumeMounts))


def _shares_memory(service: Context) -> bool:
    """Whether the server needs more shared memory than a container's 64 MiB, and the user brings none."""
    own = any(mount.mountPath.rstrip("/") == SHM_PATH for mount in service.spec.extraVolumeMounts)
    return service.engine.shares_memory and service.gpus > 1 and not own


def _merged(key: str, generated: list[dict[str, Any]], user: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({item[key]: item for item in [*generated, *user]}.values())


def _shared_pool(service: Context) -> Mapping[str, Any]:
    """Labels of the nodes that share their GPUs, which would else look like all others to the scheduler.

    AMD's integrated GPUs are shared on every node that has them.
    """
    shared = service.gpus > 0 and service.gpu_sharing.mode == "shared" and service.gpu.vendor != "amd"
    return service.settings.gpuSharingSharedPoolSelector if shared else {}


def server(service: Context) -> dict[str, Any]:
    """The container of the inference server."""
    spec, engine = service.spec, service.engine
    return {
        "name": engine.container,
        **_unless_empty("image", image(service)),
        **_unless_empty("command", list(spec.command or engine.command)),
        **_unless_empty("args", service.command_line.words),
        "ports": [{"name": names.PORT, "containerPort": service.port, "protocol": "TCP"}],
        **_unless_empty("env", merge_env(engine.variables(service.launch), spec.env)),
        **_unless_empty("resources", resources(service)),
        **_unless_empty("volumeMounts", mounts(service)),
        **_probes(service),
        "securityContext": container_security(spec.securityContext),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def image(service: Context) -> Any:
    """The service's image, else the platform's for its runtime, else the engine's own."""
    platform = getattr(service.settings.runtimeImages, service.spec.runtime, None)
    return service.spec.image or platform or service.engine.default_image(service.launch)


def resources(service: Context) -> dict[str, Any]:
    """GPUs as limits (an extended resource's request follows its limit), CPU and memory as requests, disk as both: an
    overrun is then charged to this pod and not to its node."""
    given = service.spec.resources
    memory = given.memory if given.hostMemory is None else given.hostMemory
    requests = {name: value for name, value in (("cpu", given.cpu), ("memory", memory)) if value is not None}
    limits = {service.device: str(service.gpus)} if service.gpus else {}
    disk = {} if given.ephemeralStorage is None else {"ephemeral-storage": given.ephemeralStorage}
    return {
        **_unless_empty("limits", {**limits, **disk}),
        **_unless_empty("requests", {**requests, **disk}),
        **_unless_empty("claims", [{"name": claim.name} for claim in service.gpu.resourceClaims]),
    }


def _probes(service: Context) -> dict[str, Any]:
    health, serving = service.engine.health, service.engine.serving or service.engine.health
    scheme = service.engine.scheme(service.command_line.words, [variable.name for variable in service.spec.env])
    found: dict[str, Any] = {}
    for kind, timing in with_budget(PROBES, service.settings.startup.budgetSeconds).items():
        user = getattr(service.spec.probeOverrides, kind)
        path = health if kind == "liveness" else serving
        handler = probes.http(path, service.port, scheme) if path else probes.tcp(service.port)
        found[f"{kind}Probe"] = dump(user) if user else probes.probe(handler, timing)
    return found


def _unless_empty(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}
