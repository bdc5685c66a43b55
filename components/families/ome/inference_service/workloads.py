"""The workloads of a service's components, each made by the function of its kind, and what belongs to one.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers at v0.1.5: deployment, knative, lws, pdb,
and multinodevllm for Ray clusters and their probers.
"""

from typing import Any

from ....kubernetes.labels import QUEUE
from ....kubernetes.model import dump
from ....kubernetes.objects import Object
from ....kubernetes.probes import PROBE_FIELDS, http
from .. import names
from ..settings import MultiNodeProber, resources
from .component import Component, TemplateOf
from .component_spec import DeploymentStrategy
from .context import Context
from .labels import SERVICE_LABEL, metadata_of, queue_labels, workload
from .scaling import Scaling

_ROLLING = {"maxSurge": 1, "maxUnavailable": 0}
_PORT = 8080
"""Of a prober, and of the server that it asks."""


def deployment(scaling: Scaling, template: TemplateOf) -> Object:
    """Has no ``replicas``, which the autoscaler sets, unless it stays at zero."""
    context, component = scaling.context, scaling.component
    spec: dict[str, Any] = {
        "selector": {"matchLabels": {"app": names.shortened(component.name)}},
        "strategy": _strategy(component.spec.deploymentStrategy),
        "template": template("pod"),
    }
    if scaling.stays_at_zero:
        spec["replicas"] = 0
    return workload(context, component, "apps/v1", "Deployment", component.name, "deployment", spec)


def _strategy(stated: DeploymentStrategy | None) -> dict[str, Any]:
    """By default, an update adds one pod and keeps all others available."""
    strategy = {"type": "RollingUpdate", **(dump(stated) if stated else {})}
    rolling = {"rollingUpdate": _ROLLING} if strategy["type"] == "RollingUpdate" else {}
    return {**rolling, **strategy}


def leader_worker_set(context: Context, component: Component, template: TemplateOf) -> Object:
    queued = QUEUE in queue_labels(context, component)
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
    return workload(context, component, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, "lws", spec)


def knative_service(scaling: Scaling, template: TemplateOf) -> Object:
    component, spec, revision = scaling.component, scaling.component.spec, template("revision")
    annotations = {**revision["metadata"]["annotations"], **_scale_annotations(scaling)}
    revision["metadata"] = {**revision["metadata"], "annotations": annotations}
    limits = {
        "containerConcurrency": spec.containerConcurrency,
        "timeoutSeconds": spec.timeoutSeconds,
        "responseStartTimeoutSeconds": spec.timeoutSeconds,
    }
    revision["spec"] = {**revision["spec"], **{field: value for field, value in limits.items() if value is not None}}
    traffic: dict[str, Any] = {"latestRevision": True, "percent": 100}
    if scaling.annotations.get("ome.io/enable-tag-routing") == "true":
        traffic["tag"] = "latest"
    body = {"template": revision, "traffic": [traffic]}
    return workload(scaling.context, component, "serving.knative.dev/v1", "Service", component.name, "knative", body)


def _scale_annotations(scaling: Scaling) -> dict[str, Any]:
    values = {
        "min-scale": str(scaling.component.low),
        "max-scale": str(scaling.component.high),
        "class": scaling.annotations.get("autoscaling.knative.dev/class", "kpa.autoscaling.knative.dev"),
        **scaling.knative,
    }
    return {f"autoscaling.knative.dev/{key}": value for key, value in values.items()}


def ray_cluster(context: Context, component: Component, index: int, template: TemplateOf) -> Object:
    """One cluster with a head and a worker; a service has one for each replica."""
    name = names.ray_cluster(component.name, index)
    worker = _with_ray_stop(_ray_worker(template("ray-pod")))
    spec = {
        "headGroupSpec": {
            "headService": {"metadata": {"name": f"{name}-head-svc", "namespace": context.service.namespace}},
            "rayStartParams": {"dashboard-host": "0.0.0.0", "metrics-export-port": "8000"},
            "serviceType": "ClusterIP",
            "template": _with_ray_stop(template("ray-pod")),
        },
        "workerGroupSpecs": [{"groupName": "wg", "rayStartParams": {}, "replicas": 1, "template": worker}],
    }
    return workload(context, component, "ray.io/v1", "RayCluster", name, "ray", spec)


def _with_ray_stop(template: dict[str, Any]) -> dict[str, Any]:
    """Make Ray leave its cluster before the container stops."""
    stop = {"preStop": {"exec": {"command": ["/bin/bash", "-lc", "ray stop"]}}}
    containers = [{"lifecycle": stop, **container} for container in template["spec"]["containers"]]
    return {**template, "spec": {**template["spec"], "containers": containers}}


def _ray_worker(template: dict[str, Any]) -> dict[str, Any]:
    """A worker that joins the cluster by KubeRay's generated command instead of serving."""
    join = {"command": ["/bin/bash", "-lc", "--"], "args": ["ulimit -n 65536; $KUBERAY_GEN_RAY_START_CMD"]}
    main = {field: value for field, value in template["spec"]["containers"][0].items() if field not in PROBE_FIELDS}
    containers = [{**main, **join}, *template["spec"]["containers"][1:]]
    return {**template, "spec": {**template["spec"], "containers": containers}}


def prober(context: Context, component: Component, index: int, config: MultiNodeProber) -> Object:
    """One prober for each cluster, distinguished from the others by its label."""
    name = names.prober(component.name, index)
    metadata = metadata_of(context, component, name, "prober")
    mark = {"prober": names.shortened(name)}
    selector = {"app": metadata["labels"]["app"], SERVICE_LABEL: context.service.name, **mark}
    pod = {
        "metadata": {"labels": {**metadata["labels"], **mark}, "annotations": metadata["annotations"]},
        "spec": {"containers": [_prober_container(context, component, index, config)]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": selector}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def _prober_container(context: Context, component: Component, index: int, config: MultiNodeProber) -> dict[str, Any]:
    head = f"{names.ray_cluster(component.name, index)}-head-svc.{context.service.namespace}.svc.cluster.local"
    timing = {"timeoutSeconds": 5, "periodSeconds": 30, "successThreshold": 1, "failureThreshold": 3}
    return {
        "name": "multinode-prober",
        "image": config.image,
        "imagePullPolicy": "IfNotPresent",
        "args": ["--vllm-endpoint", f"http://{head}:{_PORT}", "--addr", f"0.0.0.0:{_PORT}"],
        "ports": [{"name": "http", "containerPort": _PORT, "protocol": "TCP"}],
        "readinessProbe": {**http("/healthz", _PORT), **timing},
        "livenessProbe": {**http("/readyz", _PORT), **timing},
        "startupProbe": {
            **http("/startupz", _PORT),
            "timeoutSeconds": config.startupTimeoutSeconds,
            "periodSeconds": config.startupPeriodSeconds,
            "successThreshold": 1,
            "failureThreshold": config.startupFailureThreshold,
            "initialDelaySeconds": config.startupInitialDelaySeconds,
        },
        "resources": resources(config),
    }


def pod_disruption_budget(context: Context, component: Component) -> Object:
    least, most = component.spec.minAvailable, component.spec.maxUnavailable
    bounds = {"minAvailable": least} if least is not None else {"maxUnavailable": 1 if most is None else most}
    metadata = metadata_of(context, component, component.name, "budget")
    spec = {**bounds, "selector": {"matchLabels": {"app": names.shortened(component.name)}}}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
