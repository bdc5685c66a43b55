"""Adoption in different orders: others' fields stay, drift before and after, a custom resource deleted first, pods that
listen on another port than rendered.

LLMKube's services, as rendered for another manifest, represent the operator's. Not proven here: real controllers.
"""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.integration.live import edit, read
from tests.integration.manifests import model, service
from tests.integration.operators import Object, Operator, install_definitions
from tests.integration.stacks import Stack
from tests.integration.test_adoption import are_ready, pods
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

LOAD_BALANCER = "service.beta.kubernetes.io/aws-load-balancer-internal"
GPU = {"runtime": "vllm", "resources": {"gpu": 1}}
OTHER_STRATEGY = {"spec": {"strategy": {"type": "RollingUpdate"}}}


def test_what_others_have_set_and_clients_know_stays(stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    install_definitions(api)
    stack.config({"settings": {}, "adopted": str(tmp_path / "adopted.yaml")})
    # The stack's own service has the priority class that all pods name, which operators' charts install.
    own = model() + service("own")
    stack.write(own)
    stack.up()
    made = _made(stack, model(), service("chat", endpoint={"port": 8080}, **GPU), service("orphan"))
    operator = Operator(api, stack.namespace)
    for name, custom, objects in made:
        # What the operator's release had otherwise: its clients' port, an annotation, a variable that stands twice.
        operator.reconcile(custom, [_with_port(obj, 8080) if name == "chat" else obj for obj in objects])
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before, address = pods(api, stack.namespace), _service(stack, api)["spec"]["clusterIP"]
    _delete_leaving_its_objects(api, made[1][1], stack.namespace)
    annotations = {"metadata": {"annotations": {LOAD_BALANCER: "true"}, "finalizers": ["example.com/balancer"]}}
    edit(api, "v1", "Service", "chat", stack.namespace, annotations, "balancer")
    edit(api, "v1", "Service", "chat", stack.namespace, {"spec": {"sessionAffinity": "ClientIP"}}, "kubectl-patch")
    _drift(stack, api)
    # As it is in Git, without the port that the definition sets by default.
    stack.write(own + service("chat", **GPU) + service("orphan"))

    looked = command(stack, "adopt")
    done = command(stack, "adopt", "--yes")
    stack.up()

    assert f"Service {stack.namespace}/chat: these fields stay with those who set them: " in looked.stdout
    assert "take over, live ports kept" in looked.stdout
    assert done.returncode == 0, done.stderr
    assert pods(api, stack.namespace) == before
    kept = _service(stack, api)
    ports = [(port["port"], port["targetPort"]) for port in kept["spec"]["ports"]]
    assert (kept["spec"]["clusterIP"], ports) == (address, [(8080, 8080)])
    assert kept["metadata"]["finalizers"] == ["example.com/balancer"]
    assert kept["metadata"]["annotations"][LOAD_BALANCER] == "true"
    assert kept["spec"]["sessionAffinity"] == "ClientIP"
    assert _strategy(stack, api) == {"type": "Recreate"}
    stack.up("--expect-no-changes")

    _drift(stack, api)
    stack.up("--refresh")
    assert _strategy(stack, api) == {"type": "Recreate"}
    assert pods(api, stack.namespace) == before
    assert "unchanged" in command(stack, "adopt").stdout

    time.sleep(1)  # the API server stores whole seconds, so a write within the same second doesn't count as later
    edit(api, "apps/v1", "Deployment", "chat", stack.namespace, {"spec": {"revisionHistoryLimit": 3}}, "manager")
    warned = stack.preview()
    assert "written by manager since the stack's last update" in warned.text
    assert "written by manager" in command(stack, "status").stderr

    stack.write(own + service("chat", image="example/server:2", **GPU) + service("orphan"))
    stack.up()
    listening = read(api, "apps/v1", "Deployment", "chat", stack.namespace)["spec"]["template"]["spec"]["containers"][0]
    targets = {port["targetPort"] for port in _service(stack, api)["spec"]["ports"]}
    assert targets <= {port[field] for port in listening["ports"] for field in ("name", "containerPort")}
    assert _service(stack, api)["metadata"]["finalizers"] == ["example.com/balancer"]
    edit(api, "v1", "Service", "chat", stack.namespace, {"metadata": {"finalizers": None}}, "balancer")


def _made(stack: Stack, *texts: str) -> list[tuple[str, Object, list[Object]]]:
    """Name, custom resource and objects of each service."""
    documents = [document for text in texts for document in yaml.safe_load_all(text) if document]
    planned = make_plan(
        [Document("x.yaml", i, 1, document) for i, document in enumerate(documents)],
        Settings(),
        namespace=stack.namespace,
    )
    names = [(document["metadata"]["name"], document) for document in documents if document["kind"] != "Model"]
    return [
        (name, document, [obj for obj in planned.all_objects() if obj["metadata"]["name"] == name])
        for name, document in names
    ]


def _with_port(obj: Object, port: int) -> Object:
    obj = copy.deepcopy(obj)
    if obj["kind"] == "Deployment":
        for container in obj["spec"]["template"]["spec"]["containers"]:
            container["ports"] = [{"name": "http", "containerPort": port, "protocol": "TCP"}]
            container["env"] = [{"name": "TWICE", "value": value} for value in ("1", "2")]
        obj["spec"]["template"]["metadata"].setdefault("annotations", {})["theirs"] = "yes"
    if obj["kind"] == "Service":
        obj["spec"]["ports"] = [{"name": "http", "port": port, "targetPort": port, "protocol": "TCP"}]
    return obj


def _delete_leaving_its_objects(api: DynamicClient, custom: Object, namespace: str) -> None:
    """Deletes the custom resource like `kubectl delete --cascade=orphan`."""
    name = custom["metadata"]["name"]
    resource = api.resources.get(api_version=custom["apiVersion"], kind=custom["kind"])
    resource.delete(name=name, namespace=namespace, body={"propagationPolicy": "Orphan"})

    def is_orphaned() -> bool:
        live = read(api, "apps/v1", "Deployment", name, namespace)
        gone = read(api, custom["apiVersion"], custom["kind"], name, namespace) is None
        return gone and not live["metadata"].get("ownerReferences")

    eventually(is_orphaned, "the custom resource gone, its objects there")


def _drift(stack: Stack, api: DynamicClient) -> None:
    edit(
        api, "apps/v1", "Deployment", "chat", stack.namespace, {"spec": {"strategy": {"type": "RollingUpdate"}}}, "k9s"
    )


def _strategy(stack: Stack, api: DynamicClient) -> Any:
    return read(api, "apps/v1", "Deployment", "chat", stack.namespace)["spec"]["strategy"]


def _service(stack: Stack, api: DynamicClient) -> Any:
    return read(api, "v1", "Service", "chat", stack.namespace)
