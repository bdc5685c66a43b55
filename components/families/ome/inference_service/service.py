"""The Services: one for each component, and one for clients if there is no ingress.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/reconcilers/service/service_reconciler.go at v0.1.5.
Decisions: M10 (docs/decisions).
"""

from typing import Any

from ....kubernetes.objects import Object
from .. import names
from .component import DEFAULT_PORT, Component, serving_runner
from .context import Context
from .labels import (
    COMPONENT_LABEL,
    NODE_TYPE,
    SERVICE_LABEL,
    component_annotations,
    external_annotations,
    metadata_of,
)

_TYPE = "ome.io/service-type"
_LOAD_BALANCER_IP = "ome.io/load-balancer-ip"
_RAY_PORTS = (("dashboard", 8265), ("metrics", 8000), ("redis", 6379))


def component_service(context: Context, component: Component) -> Object:
    """Selects the serving pods: the leaders if a model spans nodes, the head of a Ray cluster."""
    ray = component.workload == "RayCluster"
    target = {"LeaderWorkerSet": "lws-service", "RayCluster": "ray-service"}.get(component.workload, "service")
    annotations = component_annotations(context, component)
    spec: dict[str, Any] = {
        "type": _type(annotations.get(_TYPE)),
        "selector": _selector(context, component),
        "ports": [*_ports(component), *(_port(name, number) for name, number in _RAY_PORTS if ray)],
    }
    if spec["type"] == "LoadBalancer" and annotations.get(_LOAD_BALANCER_IP):
        spec["loadBalancerIP"] = annotations[_LOAD_BALANCER_IP]
    metadata = metadata_of(context, component, names.shortened(component.name), target)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _selector(context: Context, component: Component) -> dict[str, Any]:
    app = {"app": names.shortened(component.name)}
    if component.workload == "LeaderWorkerSet":
        return {**app, NODE_TYPE: "head"}
    if component.workload == "RayCluster":
        return {
            "app.kubernetes.io/created-by": "kuberay-operator",
            "app.kubernetes.io/name": "kuberay",
            NODE_TYPE: "head",
            SERVICE_LABEL: context.service.name,
        }
    return app


def _ports(component: Component) -> list[dict[str, Any]]:
    ports = serving_runner(component).ports or []
    if not ports:
        return [_port("http", DEFAULT_PORT)]
    several = len(ports) > 1
    return [
        _port(port.name or (f"port-{port.containerPort}" if several else ""), port.containerPort, port.protocol)
        for port in ports
    ]


def _port(name: str, number: int, protocol: str | None = None) -> dict[str, Any]:
    named = {"name": name} if name else {}
    return {**named, "port": number, "protocol": protocol or "TCP", "targetPort": number}


def serving_port(component: Component) -> int:
    return _ports(component)[0]["port"]


def external_service(context: Context, entry: Component) -> Object:
    """The Service named after the InferenceService. It selects the router or, without one, the engine."""
    selector = {SERVICE_LABEL: context.service.name, COMPONENT_LABEL: entry.role}
    if entry.workload in ("LeaderWorkerSet", "RayCluster"):
        selector[NODE_TYPE] = "head"
    metadata: dict[str, Any] = {
        "name": names.shortened(context.service.name),
        "namespace": context.service.namespace,
        "labels": {SERVICE_LABEL: context.service.name, COMPONENT_LABEL: "external-service"},
    }
    annotations = external_annotations(context)
    if annotations:
        metadata["annotations"] = annotations
    spec = {
        "type": _type(context.annotations.get(_TYPE)),
        "selector": selector,
        "ports": [_port("http", serving_port(entry))],
    }
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def endpoint(context: Context) -> str:
    """Where the InferenceService answers inside the cluster."""
    entry, namespace = context.entry, context.service.namespace
    name = names.shortened(entry.name)
    port = "" if entry.workload == "KnativeService" else f":{serving_port(entry)}"
    return f"http://{name}.{namespace}.svc.cluster.local{port}"


def _type(asked: Any) -> str:
    return asked if asked in ("NodePort", "LoadBalancer") else "ClusterIP"
