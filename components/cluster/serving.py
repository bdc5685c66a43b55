"""Where a service's server can be reached over HTTP: through the API server, which reaches addresses in the cluster."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from ..kubernetes.objects import Object
from ..kubernetes.pod_edits import SERVERS
from ..kubernetes.pod_templates import pod_templates
from ..kubernetes.rendered import RenderedComponent
from ..kubernetes.values import mapping, mappings
from .connection import Cluster


class NotServing(Exception):
    """There is no server to ask; the message says why. ``fine``: the manifest asks for that."""

    def __init__(self, reason: str, *, fine: bool = False) -> None:
        self.fine = fine
        super().__init__(reason)


@dataclass(frozen=True)
class Server:
    """The pods that serve a service: their labels, their port, and whether it uses TLS."""

    namespace: str
    labels: Mapping[str, str]
    port: int
    tls: bool


def server_of(service: RenderedComponent) -> Server:
    """The pods of a service's first serving workload. Raises NotServing if there is none."""
    workloads = [obj for obj in service.objects.values() if obj["kind"] in SERVERS]
    if not workloads:
        raise NotServing("is no server", fine=True)
    if workloads[0]["spec"].get("replicas") == 0:
        raise NotServing("is stopped", fine=True)
    _, template = next(pod_templates(workloads[0]))
    container = _serving(template)
    probe = mapping(mapping(container.get("readinessProbe")).get("httpGet"))
    ports = [(port.get("name"), port["containerPort"]) for port in mappings(container.get("ports"))]
    probed = probe.get("port")
    port = dict(ports).get(probed, probed) if probed else next((number for _, number in ports), None)
    if not isinstance(port, int):
        raise NotServing("has no port")
    return Server(service.namespace, _labels(template, workloads[0]), port, probe.get("scheme") == "HTTPS")


def _serving(template: Mapping[str, Any]) -> Mapping[str, Any]:
    """The container whose port others use: one with a readiness probe, or else the first."""
    containers = mappings(template["spec"]["containers"])
    return next((container for container in containers if "readinessProbe" in container), containers[0])


def _labels(template: Mapping[str, Any], workload: Object) -> Mapping[str, str]:
    selector = mapping(mapping(workload["spec"].get("selector")).get("matchLabels"))
    return selector or mapping(mapping(template.get("metadata")).get("labels"))


def address(service: RenderedComponent, cluster: Cluster) -> str:
    """The path of the API server below which the model server's paths begin. Raises NotServing and ClusterError.

    It leads through the Kubernetes Service if there is one, to test the Service as well; otherwise to a ready pod.
    """
    server = server_of(service)
    where = f"/api/v1/namespaces/{quote(server.namespace, safe='')}"
    for obj in service.objects.values():
        if obj["apiVersion"] == "v1" and obj["kind"] == "Service" and (port := _service_port(obj, server)):
            return f"{where}/services/{_target(obj['metadata']['name'], port, server)}/proxy"
    for pod in _ready(server, cluster):
        return f"{where}/pods/{_target(pod, server.port, server)}/proxy"
    raise NotServing("has no pod that is ready")


def _service_port(obj: Object, server: Server) -> int | None:
    selector = mapping(obj["spec"].get("selector"))
    if not selector or not selector.items() <= {**server.labels}.items():
        return None
    ports = mappings(obj["spec"].get("ports"))
    return next((port["port"] for port in ports if port.get("targetPort", port["port"]) == server.port), None) or (
        ports[0]["port"] if ports else None
    )


def _target(name: str, port: int, server: Server) -> str:
    return quote(f"{'https:' if server.tls else ''}{name}:{port}", safe=":")


def _ready(server: Server, cluster: Cluster) -> Iterator[str]:
    selector = ",".join(f"{name}={value}" for name, value in sorted(server.labels.items()))
    pods = cluster.get(f"/api/v1/namespaces/{server.namespace}/pods?{urlencode({'labelSelector': selector})}")
    for pod in mappings(mapping(pods).get("items")):
        conditions = mappings(mapping(pod.get("status")).get("conditions"))
        if any((entry.get("type"), entry.get("status")) == ("Ready", "True") for entry in conditions):
            yield pod["metadata"]["name"]
