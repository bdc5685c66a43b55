"""What follows the live pod templates that are kept. That pods answer there is proven in tests/integration."""

from typing import Any

import pytest

from modelservices.cluster.followers import followers
from modelservices.kubernetes.objects import Object, key
from modelservices.kubernetes.rendered import Certificate, RenderedComponent, RenderedObject
from modelservices.kubernetes.status import ServiceStatus
from modelservices.planning.adopted import AdoptedFile, adopted_workload, dump_adopted, load_adopted, with_adopted
from modelservices.planning.plan import StackPlan

APP = {"app": "chat"}


def obj(api_version: str, kind: str, name: str = "chat", **fields: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "n"}, **fields}


def workload(port: int, labels: dict[str, str] = APP, *volumes: Object, image: str = "a:1") -> Object:
    container = {"name": "server", "image": image, "ports": [{"name": "http", "containerPort": port}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "volumes": list(volumes)}}
    return obj("apps/v1", "Deployment", spec={"selector": {"matchLabels": APP}, "template": template})


def service(port: int, target: Any = None, selector: dict[str, str] = APP, **spec: Any) -> Object:
    ports = [{"name": "http", "port": port, "targetPort": target or port}]
    return obj("v1", "Service", spec={"selector": selector, "ports": ports, **spec})


def route(port: int) -> Object:
    backend = {"name": "chat", "port": port}
    return obj("gateway.networking.k8s.io/v1", "HTTPRoute", spec={"rules": [{"backendRefs": [backend]}]})


def pool(port: int, selector: dict[str, str] = APP) -> Object:
    spec = {"selector": {"matchLabels": selector}, "targetPorts": [{"number": port}]}
    return obj("inference.networking.k8s.io/v1", "InferencePool", spec=spec)


def adopted(rendered: list[Object], live: list[Object]) -> AdoptedFile:
    """What `adopt` writes down; the first object is the workload."""
    entry = adopted_workload(rendered[0], live[0])
    kept = followers([entry], {key(o): o for o in rendered}, {key(o): o for o in live})
    return AdoptedFile(workloads=[entry], objects=kept)


def registered(rendered: list[Object], file: AdoptedFile, **fields: Any) -> tuple[Object, ...]:
    found = planned(rendered, file, **fields)
    return tuple(found.services[0].objects.values())


def planned(
    rendered: list[Object], file: AdoptedFile, certificate: Certificate | None = None, **fields: Any
) -> StackPlan:
    """The certificate is that of the second object."""
    records = [
        RenderedObject(str(i), obj, certificate=certificate if i == 1 else None) for i, obj in enumerate(rendered)
    ]
    one = RenderedComponent("C", "InferenceService", "n", "chat", tuple(records), **fields)
    return with_adopted(StackPlan((one,), (), (), (), ()), file, "dev.adopted.yaml")


def test_service_pool_and_route_follow_the_kept_pods_until_the_service_changes(tmp_path: Any):
    rendered, live = [workload(8000), service(8000), route(8000)], [workload(8080), service(8080), route(8080)]
    file = adopted(rendered, live)
    assert registered(rendered, file) == tuple(live)
    (tmp_path / "x.yaml").write_text(dump_adopted(file.workloads, file.objects))
    assert registered(rendered, load_adopted(tmp_path / "x.yaml")) == tuple(live)
    changed = [workload(8000, image="a:2"), *rendered[1:]]
    assert registered(changed, file) == tuple(changed)
    assert [finding.object for finding in planned(changed, file).findings] == [
        "Deployment n/chat",
        "Service n/chat",
        "HTTPRoute n/chat",
    ]
    theirs = {"app": "chat", "theirs": "yes"}
    rendered = [workload(8000), pool(8000)]
    live = [workload(8080, theirs), pool(8080, theirs)]
    assert registered(rendered, adopted(rendered, live)) == tuple(live)


@pytest.mark.parametrize(
    ("rendered", "live"),
    [
        (service(80, 8000), service(80, 8000, selector={"app": "chat", "more": "1"})),  # leads to the pods as rendered
        (service(8000), service(9999)),  # the operator's own leads nowhere
        (service(8000), service(8000, "http")),
    ],
)
def test_what_leads_to_the_kept_pods_is_as_rendered(rendered: Object, live: Object):
    pods = workload(8000, {**APP, "more": "1"})
    assert adopted([workload(8000), rendered], [pods, live]).objects == []


def test_clients_addresses_stay():
    """The pods would be found, but no longer under the port that clients know."""
    rendered, live = [workload(8000), service(8000)], [workload(8000), service(80, 8000)]
    assert registered(rendered, adopted(rendered, live)) == tuple(live)


def test_node_ports_are_kept_for_services_that_have_them():
    there = service(8080)
    there["spec"] |= {"type": "NodePort"}
    there["spec"]["ports"][0]["nodePort"] = 31000
    for kind, node_port in (("NodePort", 31000), ("ClusterIP", None)):
        rendered = [workload(8000), service(8000, type=kind)]
        (_, kept) = registered(rendered, adopted(rendered, [workload(8080), there]))
        assert (kept["spec"]["type"], kept["spec"]["ports"][0].get("nodePort")) == (kind, node_port)


def test_a_mounted_configuration_stays_unless_a_secret_stands_in_it():
    volume = {"name": "c", "configMap": {"name": "chat"}}
    ours, theirs = obj("v1", "ConfigMap", data={"a": "1"}), obj("v1", "ConfigMap", data={"a": "2"})
    rendered, live = [workload(8000, APP, volume), ours], [workload(8000, APP, volume), theirs]
    assert registered(rendered, adopted(rendered, live)) == tuple(live)
    secret = obj("v1", "ConfigMap", data={"PASSWORD": "hunter2-a-secret"})
    assert adopted(rendered, [live[0], secret]).objects == []
    assert adopted([workload(8000), ours], [workload(8000), theirs]).objects == []  # not mounted


def test_a_certificate_that_kept_pods_mount_stays():
    volume = {"name": "tls", "secret": {"secretName": "chat"}}
    ours, theirs = obj("v1", "Secret", type="kubernetes.io/tls"), obj("v1", "Secret", data={"tls.key": "eA=="})
    rendered, live = [workload(8000, APP, volume), ours], [workload(8000, APP, volume), theirs]
    file = adopted(rendered, live)
    assert "eA==" not in dump_adopted(file.workloads, file.objects)
    certificate = Certificate(("chat",), (), "expires")
    found = planned(rendered, file, certificate=certificate).services[0].records[1].certificate
    assert found is not None and found.is_live
    changed = [workload(8000, APP, volume, image="a:2"), ours]
    found = planned(changed, file, certificate=certificate).services[0].records[1].certificate
    assert found is not None and not found.is_live


def test_the_endpoint_names_the_port_that_is_kept():
    rendered, live = [workload(8000), service(8000)], [workload(8080), service(8080)]
    status = ServiceStatus("Ready", "http://chat.n.svc.cluster.local:8000/v1")
    (found,) = planned(rendered, adopted(rendered, live), observe=lambda live: status).services
    assert found.observe is not None
    assert found.observe({}).endpoint == "http://chat.n.svc.cluster.local:8080/v1"
