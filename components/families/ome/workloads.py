"""The workload of a component: Deployment, LeaderWorkerSet, Knative Service or RayCluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...ome_keys.scheduling import is_queued, scheduler_labels
from . import names
from .component import Component
from .metadata import Identity, annotations_of, component_annotations, labels_of
from .scaling import Scaling

TemplateOf = Callable[[str], dict[str, Any]]
"""Gives the pod template of a part: pod, leader, worker, revision or ray-pod."""

_ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
_TAG_ROUTING = "ome.io/enable-tag-routing"


def deployment(identity: Identity, scaling: Scaling, template: TemplateOf) -> Object:
    """Has no replicas where an autoscaler sets them."""
    component = scaling.component
    strategy = dump(component.spec.deploymentStrategy) if component.spec.deploymentStrategy else _ROLLING
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": names.shortened(component.name)}},
        "strategy": strategy,
        "template": template("pod"),
    }
    if scaling.stays_at_zero:
        spec["replicas"] = 0
    return _object(identity, component, "apps/v1", "Deployment", component.name, "deployment", spec)


def leader_worker_set(identity: Identity, component: Component, template: TemplateOf) -> Object:
    found = component_annotations(identity, component)
    queued = is_queued(scheduler_labels(found, identity.service.metadata.labels, identity.effective))
    spec = {
        "replicas": component.low,
        "startupPolicy": "LeaderCreated",
        "networkConfig": {"subdomainPolicy": "Shared"},
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 1},
        },
        "leaderWorkerTemplate": {
            "size": component.workers + 1,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": template("leader"),
            "workerTemplate": template("worker"),
        },
    }
    name = names.leader_worker_set(component.name, queued=queued)
    return _object(identity, component, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, "lws", spec)


def knative_service(identity: Identity, scaling: Scaling, template: TemplateOf) -> Object:
    component = scaling.component
    revision = template("revision")
    revision["metadata"] = {
        **revision["metadata"],
        "annotations": {**revision["metadata"]["annotations"], **_scale_annotations(scaling)},
    }
    spec = component.spec
    limits = {
        "containerConcurrency": spec.containerConcurrency,
        "timeoutSeconds": spec.timeoutSeconds,
        "responseStartTimeoutSeconds": spec.timeoutSeconds,
    }
    revision["spec"] = {**revision["spec"], **{field: value for field, value in limits.items() if value is not None}}
    traffic: dict[str, Any] = {"latestRevision": True, "percent": 100}
    if component_annotations(identity, component).get(_TAG_ROUTING) == "true":
        traffic["tag"] = "latest"
    body = {"template": revision, "traffic": [traffic]}
    return _object(identity, component, "serving.knative.dev/v1", "Service", component.name, "knative", body)


def _scale_annotations(scaling: Scaling) -> dict[str, Any]:
    """Bounds, class, target and metric of the Knative autoscaler."""
    found = {
        "min-scale": str(scaling.component.low),
        "max-scale": str(scaling.component.high),
        "class": scaling.annotations.get("autoscaling.knative.dev/class", "kpa.autoscaling.knative.dev"),
        **scaling.knative,
    }
    return {f"autoscaling.knative.dev/{key}": value for key, value in found.items()}


def ray_cluster(identity: Identity, component: Component, index: int, template: TemplateOf) -> Object:
    """One cluster with a head and a worker; a service has one for each replica."""
    name = names.ray_cluster(component.name, index)
    head = template("ray-pod")
    worker = _ray_worker(template("ray-pod"))
    service = {
        "metadata": {"name": f"{name}-head-svc", "namespace": identity.service.namespace},
    }
    spec = {
        "headGroupSpec": {
            "headService": service,
            "rayStartParams": {"dashboard-host": "0.0.0.0", "metrics-export-port": "8000"},
            "serviceType": "ClusterIP",
            "template": _with_ray_stop(head),
        },
        "workerGroupSpecs": [
            {"groupName": "wg", "rayStartParams": {}, "replicas": 1, "template": _with_ray_stop(worker)}
        ],
    }
    return _object(identity, component, "ray.io/v1", "RayCluster", name, "ray", spec)


def _with_ray_stop(template: dict[str, Any]) -> dict[str, Any]:
    """Ray leaves its cluster before the container stops."""
    stop = {"preStop": {"exec": {"command": ["/bin/bash", "-lc", "ray stop"]}}}
    containers = [{"lifecycle": stop, **container} for container in template["spec"]["containers"]]
    return {**template, "spec": {**template["spec"], "containers": containers}}


def _ray_worker(template: dict[str, Any]) -> dict[str, Any]:
    """A worker joins the cluster by the command that KubeRay generates, instead of serving."""
    join = {
        "command": ["/bin/bash", "-lc", "--"],
        "args": ["ulimit -n 65536; $KUBERAY_GEN_RAY_START_CMD"],
    }
    probes = ("startupProbe", "readinessProbe", "livenessProbe")
    main = {field: value for field, value in template["spec"]["containers"][0].items() if field not in probes}
    containers = [{**main, **join}, *template["spec"]["containers"][1:]]
    return {**template, "spec": {**template["spec"], "containers": containers}}


def _object(
    identity: Identity, component: Component, api_version: str, kind: str, name: str, target: str, spec: dict[str, Any]
) -> Object:
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": identity.service.namespace,
        "labels": labels_of(identity, component, target),
    }
    annotations = annotations_of(identity, component, target)
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
