"""Services of all families in containers: their models arrive in each way, they answer, and are adopted without a
restart.

GPU images and the programs that download are replaced (`stand_ins`), and the node has the hub, the registry and the
model agent. Command line, probes, ports, Services and the start order of containers are as rendered. The endpoint
picker is the Gateway API project's. Not proven here: what the engines do with their flags, and llm-d's plugins for
prefill and decode, which that picker lacks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.integration.operators import Operator, create, install_definitions
from tests.integration.real_node import model_agent
from tests.integration.real_node.pods import core, model, service
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.waiting import eventually

FAMILIES = (Path(__file__).parent / "families.yaml").read_text()
PLUGINS = {
    "plugins": [{"type": "queue-scorer"}],
    "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}],
}
"""Plugins for the picker of a service with prefill. The default ones (prefill-filter, decode-filter, pd-profile-handler
and more) are llm-d's; the picker here is the Gateway API project's, which has none of them and would not start."""
SETTINGS = {"otterscale": {"plainHTTP": True, "epp": {"prefillDecodePluginsConfig": PLUGINS}}}
MODELS = {
    "single": "/mnt/models/single.gguf",
    "split": "/mnt/models/split.gguf",
    "car": "/mnt/models/car.gguf",
    "otter": "/models/otter.gguf",
    "picked": "/models/picked.gguf",
    "ome": "/run/models/base/base.gguf",
}
"""The file that the stand-in of each service's engine serves."""


def test_services_of_every_family_serve_the_model_that_they_downloaded(stack: Stack, api: DynamicClient) -> None:
    stack.config({"settings": SETTINGS})
    stack.write(FAMILIES + model() + service())
    model_agent.start(api, stack.namespace, "base")

    stack.up()

    asked = json.loads(command(stack, "smoke", "--format", "json").stdout)
    served = {item["service"].partition("/")[2]: item.get("model", item.get("reason")) for item in asked}
    assert served == {**MODELS, "chat": f"/models/{stack.namespace}-tiny.gguf"}


def test_a_take_over_restarts_no_container(stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    install_definitions(api)
    stack.config({"settings": SETTINGS, "adopted": str(tmp_path / "adopted.yaml")})
    documents = list(yaml.safe_load_all(FAMILIES + model() + service()))
    model_agent.start(api, stack.namespace, "base")
    operate(Operator(api, stack.namespace), documents)
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before = started(api, stack.namespace)
    stack.write(FAMILIES + model() + service())

    done = command(stack, "adopt", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    stack.up()

    after = started(api, stack.namespace)  # pickers are new: `operate` creates only the services' own objects
    assert {container: after.get(container) for container in before} == before
    assert len(before) > len(MODELS)


def operate(operator: Operator, documents: list[dict[str, Any]]) -> None:
    """Creates the objects of services as their operators would."""
    settings = Settings.model_validate(SETTINGS)
    numbered = [Document("x.yaml", index, 1, document) for index, document in enumerate(documents)]
    plan = make_plan(numbered, settings, namespace=operator.namespace).raise_for_errors()
    for obj in plan.chart:
        create(operator.api, obj)
    services = {component.name: component for component in plan.services}
    for document in documents:
        made = services.get(document["metadata"]["name"])
        if made:
            operator.reconcile(document, made.objects.values())


def are_ready(api: DynamicClient, namespace: str) -> bool:
    pods = core(api).list_namespaced_pod(namespace).items
    return bool(pods) and all(status.ready for pod in pods for status in pod.status.container_statuses or [])


def started(api: DynamicClient, namespace: str) -> dict[str, Any]:
    """The start time of each container in a namespace, by its id."""
    pods = core(api).list_namespaced_pod(namespace).items
    statuses = [status for pod in pods for status in pod.status.container_statuses]
    return {status.container_id: status.state.running.started_at for status in statuses}
