"""The RayClusters of an engine that spans two nodes.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/multinodevllm/ray.go at v0.1.5.
"""

from typing import Any

from ....kubernetes.objects import Object
from ....kubernetes.probes import PROBE_FIELDS
from .. import names
from .component import Component, TemplateOf
from .labels import Identity, workload


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
    return workload(identity, component, "ray.io/v1", "RayCluster", name, "ray", spec)


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
    main = {field: value for field, value in template["spec"]["containers"][0].items() if field not in PROBE_FIELDS}
    containers = [{**main, **join}, *template["spec"]["containers"][1:]]
    return {**template, "spec": {**template["spec"], "containers": containers}}
