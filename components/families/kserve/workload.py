"""The objects of decode and prefill: a Deployment of single pods, or a LeaderWorkerSet of groups over several nodes,
whose controller must be in the cluster; accounts and rights, the autoscaler; and the Service in front of both.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload.go at v0.20.0-rc0, workload_single_node.go and
workload_multi_node.go beside it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...kubernetes.labels import QUEUE
from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.pod import PodSpec
from ...kubernetes.propagation import Propagation, propagate
from ...kubernetes.rendered import RenderedObject, owned_records
from . import names, service_account
from .autoscaling import autoscaler
from .context import Service, Workload
from .labels import label_layers, metadata, owned_labels, propagation, template_metadata, workload_selector
from .listening import SERVICE_PORT, serves_tls, serving_port
from .server_pod import server_pod

_TEMPLATES = "spec.leaderWorkerTemplate"


def workload_role(workload: Workload) -> str:
    """The role of the workload's main object."""
    return f"{workload.role}-{'group' if workload.multi_node else 'deployment'}"


def records(service: Service, workload: Workload) -> Iterator[RenderedObject]:
    """A workload's objects in the order of registration: what its pods need comes first."""
    main = leader_worker_set(service, workload) if workload.multi_node else deployment(service, workload)
    before = {f"{workload.role}-{role}": obj for role, obj in service_account.objects(service, workload).items()}
    after = {f"{workload.role}-{role}": obj for role, obj in autoscaler(service, workload, main).items()}
    yield from owned_records(before)
    (record,) = owned_records({workload_role(workload): main}, replicas=replicas_path(service))
    yield replace(record, layers=layers(service, workload))
    yield from owned_records(after)


def replicas_path(service: Service) -> str:
    """The field that sets how many pods a service has."""
    return "spec.scaling.maxReplicas" if service.spec.scaling else "spec.replicas"


def targets(workload: Workload) -> tuple[str, dict[str, str]]:
    """Where labels and annotations go: the main object, and its pod templates by their paths."""
    role, worker = workload.role, f"{_TEMPLATES}.workerTemplate"
    if not workload.multi_node:
        return role, {"spec.template": f"{role} pod"}
    if workload.spec.template is None:
        return f"{role} group without leader", {worker: f"{role} pod without leader"}
    return f"{role} group", {f"{_TEMPLATES}.leaderTemplate": f"{role} leader pod", worker: f"{role} worker pod"}


def layers(service: Service, workload: Workload) -> Propagation:
    return propagation(service, *targets(workload))


def deployment(service: Service, workload: Workload) -> Object:
    target, templates = targets(workload)
    name = names.prefill_deployment if workload.is_prefill else names.decode_deployment
    spec: dict[str, Any] = {
        "selector": {"matchLabels": owned_labels(service, target)},
        "template": {
            "metadata": template_metadata(service, templates["spec.template"]),
            "spec": server_pod(service, workload, workload.spec.template or PodSpec()),
        },
        **_replicas(workload),
    }
    rollout = dump(workload.spec.rolloutStrategy) if workload.spec.rolloutStrategy else {}
    if rollout:
        spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": rollout}
    described = metadata(service, target, name(service.name))
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": described, "spec": spec}


def _replicas(workload: Workload) -> dict[str, Any]:
    return {} if workload.spec.replicas is None else {"replicas": workload.spec.replicas}


def is_queued(service: Service, workload: Workload) -> bool:
    """Whether Kueue admits the group and derives labels from its name."""
    return QUEUE in propagate(label_layers(service), targets(workload)[0])


def leader_worker_set(service: Service, workload: Workload) -> Object:
    name = names.prefill_group if workload.is_prefill else names.decode_group
    spec: dict[str, Any] = {
        "leaderWorkerTemplate": _groups(service, workload),
        "rolloutStrategy": _rollout(workload),
        "startupPolicy": "LeaderCreated",
        **_replicas(workload),
    }
    described = metadata(service, targets(workload)[0], name(service.name, queued=is_queued(service, workload)))
    return {"apiVersion": "leaderworkerset.x-k8s.io/v1", "kind": "LeaderWorkerSet", "metadata": described, "spec": spec}


def _groups(service: Service, workload: Workload) -> dict[str, Any]:
    groups: dict[str, Any] = {"restartPolicy": "RecreateGroupOnPodRestart"}
    if workload.size is not None:
        groups["size"] = workload.size
    if workload.is_prefill and workload.parallelism.data_parallel:
        groups["subGroupPolicy"] = {"subGroupSize": workload.size}
    pods = {"leaderTemplate": workload.spec.template, "workerTemplate": workload.spec.worker}
    for path, target in targets(workload)[1].items():
        field = path.rpartition(".")[2]
        pod = pods[field]
        if pod is not None:
            spec = server_pod(service, workload, pod)
            groups[field] = {"metadata": template_metadata(service, target), "spec": spec}
    return groups


def _rollout(workload: Workload) -> dict[str, Any]:
    """The API's default replaces a missing value. Both are always written, as the API server rejects one alone."""
    rollout = dump(workload.spec.rolloutStrategy) if workload.spec.rolloutStrategy else {}
    if not rollout:
        return {"type": "RollingUpdate"}
    return {"type": "RollingUpdate", "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0, **rollout}}


def workload_service(service: Service) -> Object:
    """The Service in front of all pods that take requests; in a group, only the leader does."""
    scheme, port = _scheme(service), serving_port(service, service.decode)
    named = {"name": scheme, "appProtocol": scheme, "protocol": "TCP"}
    spec = {
        "ports": [{**named, "port": SERVICE_PORT, "targetPort": port}],
        "selector": workload_selector(service),
        "type": "ClusterIP",
    }
    described = metadata(service, "workload parts", names.workload_service(service.name))
    return {"apiVersion": "v1", "kind": "Service", "metadata": described, "spec": spec}


def address(service: Service) -> str:
    """The service's URL inside the cluster, without a gateway."""
    host = f"{names.workload_service(service.name)}.{service.namespace}.svc.cluster.local"
    return f"{_scheme(service)}://{host}:{SERVICE_PORT}"


def _scheme(service: Service) -> str:
    return "https" if serves_tls(service, service.decode) else "http"
