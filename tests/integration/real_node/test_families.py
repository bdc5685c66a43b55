"""Services of all families in containers: they become ready, answer, and are adopted without a restart.

GPU images are replaced (`stand_ins`); command line, probes, ports, Services and the start order of containers are as
rendered. The endpoint picker is a real one. Not proven here: what the engines do with their flags, and llm-d's plugins
for prefill and decode.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes.dynamic import DynamicClient

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.integration.conftest import SharedCluster
from tests.integration.operators import Operator, create, install_definitions
from tests.integration.real_node import stand_ins
from tests.integration.real_node.pods import core, model, service
from tests.integration.stacks import Stack
from tests.integration.test_commands import command
from tests.integration.waiting import eventually
from tools.node.layout import Layout

FAMILIES = (Path(__file__).parent / "families.yaml").read_text()
PLUGINS = {
    "plugins": [{"type": "queue-scorer"}],
    "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": "queue-scorer"}]}],
}
"""The plugins that the endpoint picker here supports."""
SETTINGS = {"ome": {"modelNodeSelector": False}, "otterscale": {"epp": {"prefillDecodePluginsConfig": PLUGINS}}}
NAMES = {"chat", "single", "split", "otter", "picked", "ome"}


@pytest.fixture(autouse=True)
def images(cluster: SharedCluster) -> None:
    stand_ins.add(Layout(cluster.kubeconfig.parent))


def test_services_of_every_family_answer(stack: Stack) -> None:
    stack.config({"settings": SETTINGS})
    stack.write(FAMILIES + model() + service())

    stack.up()

    asked = json.loads(command(stack, "smoke", "--format", "json").stdout)
    assert {item["service"].partition("/")[2] for item in asked} == NAMES
    assert [item for item in asked if not item["answered"]] == []


def test_a_take_over_restarts_no_container(stack: Stack, api: DynamicClient, tmp_path: Path) -> None:
    install_definitions(api)
    stack.config({"settings": SETTINGS, "adopted": str(tmp_path / "adopted.yaml")})
    documents = list(yaml.safe_load_all(FAMILIES + model() + service()))
    operate(Operator(api, stack.namespace), documents)
    eventually(lambda: are_ready(api, stack.namespace), "the operator's pods")
    before = started(api, stack.namespace)
    stack.write(FAMILIES + model() + service())

    done = command(stack, "adopt", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    stack.up()

    after = started(api, stack.namespace)  # pickers are new: `operate` creates only the services' own objects
    assert {container: after.get(container) for container in before} == before
    assert len(before) > len(NAMES)


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
