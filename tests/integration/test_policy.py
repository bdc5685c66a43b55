"""The policy pack on the real engine, and identity labels compared with the stack's state.

Not proven here: that an installed engine starts the folder `policy`; the built one starts the program in it.
"""

import json
from pathlib import Path
from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.engine import Result
from tests.integration.live import everything, objects
from tests.integration.manifests import model, service
from tests.integration.stacks import REPOSITORY, Stack

PACK = REPOSITORY / "policy"
SHIPPED = PACK / "config.json"
OF_THE_STACK = {"gpu-budget", "service-accounts"}
"""Rules about all objects together. The engine evaluates them only if no single object has failed."""
AUTOSCALED = {
    "minReplicas": 1,
    "maxReplicas": 5,
    "metrics": [{"type": "Resource", "name": "cpu", "targetAverageUtilization": 80}],
}


def rules(stack: Stack, config: dict[str, Any]) -> list[str]:
    """The flags for a test's own config."""
    file = stack.folder / "policy.json"
    file.write_text(json.dumps(config))
    return flags(file)


def flags(config: Path) -> list[str]:
    return ["--policy-pack", str(PACK / "run"), "--policy-pack-config", str(config)]


def findings(result: Result) -> set[tuple[str, str, str]]:
    """(rule, level, sentence) of all the pack's findings."""
    events = [event["policyEvent"] for event in result.events if "policyEvent" in event]
    return {(e["policyName"], e["enforcementLevel"], e["message"].partition("\n")[2].strip()) for e in events}


def live(api: DynamicClient, stack: Stack) -> set[tuple[str, str, int]]:
    """Kind, uid and generation of each object, which reveal any change of a spec."""
    items = everything(api, stack.namespace)
    return {(item["kind"], item["metadata"]["uid"], item["metadata"].get("generation", 0)) for item in items}


def test_an_advisory_finding_is_printed_and_the_update_goes_on(stack: Stack, api: DynamicClient) -> None:
    enough = {"cpu": "1", "memory": "1Gi"}
    stack.write(model() + service("web", image="example/server:latest", resources=enough))

    result = stack.preview_and_up(*flags(SHIPPED))

    where = f"Deployment {stack.namespace}/web: spec.template.spec.containers[0].image"
    sentence = (
        f"{where}: the image example/server:latest moves with its tag latest; name a version, or a digest (@sha256:…)"
    )
    assert findings(result) == {("image-tag", "advisory", sentence)}
    assert sentence in result.text
    assert objects(api, stack.namespace) == {("Deployment", "web"), ("Service", "web")}
    stack.up("--expect-no-changes", *flags(SHIPPED))


def test_a_mandatory_finding_stops_the_update_before_anything_changes(stack: Stack, api: DynamicClient) -> None:
    config = rules(stack, {"all": "disabled", "image-tag": "mandatory"})
    stack.write(model() + service("web"))
    stack.preview_and_up(*config)
    before = live(api, stack)
    stack.write(model() + service("another") + service("web", image="example/server", replicas=2))

    result = stack.preview_and_up(*config, fails=True)

    where = f"Deployment {stack.namespace}/web: spec.template.spec.containers[0].image"
    wrong = "the image example/server has no tag, which means latest; name a version, or a digest (@sha256:…)"
    assert findings(result) == {("image-tag", "mandatory", f"{where}: {wrong}")}
    assert f"{where}: {wrong}" in result.text
    assert live(api, stack) == before


def test_every_rule_about_objects_is_kept_to(stack: Stack) -> None:
    container = {
        "name": "server",
        "image": "quay.io/example/server",
        "securityContext": {"privileged": True, "procMount": "Unmasked", "capabilities": {"add": ["SYS_ADMIN"]}},
        "ports": [{"containerPort": 80, "hostPort": 80}],
        "readinessProbe": {"httpGet": {"path": "/", "port": 80, "host": "169.254.169.254"}},
        "env": [{"name": "HF_TOKEN", "value": "abc"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}],
    }
    labels = {"app": "raw", "serving.ome.io/modle": "x", "ome.io/part-of": "a b"}
    metadata = {"labels": labels, "annotations": {"monitoring.ome.io/port": "http"}}
    reach = {"hostPID": True, "nodeName": "cp", "serviceAccountName": "admin"}
    volumes = [{"name": "root", "hostPath": {"path": "/"}}]
    pod = {"containers": [container], "priorityClassName": "system-node-critical", "volumes": volumes, **reach}
    raw = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        # Exempts from the check of manifests, but not from the pack.
        "metadata": {"name": "raw", "annotations": {"modelservices/not-secret": "HF_TOKEN"}},
        "spec": {
            "serviceName": "raw",
            "selector": {"matchLabels": {"app": "raw"}},
            "template": {"metadata": metadata, "spec": pod},
        },
    }
    stack.config({"settings": {"passthrough": [{"apiVersion": "apps/v1", "kind": "StatefulSet"}]}})
    stack.write(yaml.safe_dump(raw))
    parameters = {
        "image-registry": {"registries": ["ghcr.io"]},
        "priority-class": {"classes": ["low"]},
        "namespaces": {"allowed": ["team-*"]},
    }

    result = stack.preview(*rules(stack, {"all": "mandatory", **parameters}), fails=True)

    shipped = set(json.loads(SHIPPED.read_text()))
    assert {rule for rule, _, _ in findings(result)} == shipped - OF_THE_STACK
    assert {level for _, level, _ in findings(result)} == {"mandatory"}


def test_a_pod_runs_as_an_account_that_the_stack_makes(stack: Stack) -> None:
    config = rules(stack, {"all": "disabled", "service-accounts": "mandatory"})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "runner"}}
    containers = [{"name": "server", "image": "example/server:1"}]
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers, "serviceAccountName": "runner"}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    daemon = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "web"}, "spec": spec}
    kinds = [{"apiVersion": each["apiVersion"], "kind": each["kind"]} for each in (account, daemon)]
    stack.config({"settings": {"passthrough": kinds}})
    stack.write(yaml.safe_dump(daemon))

    (finding,) = findings(stack.preview(*config, fails=True))

    assert finding == (
        "service-accounts",
        "mandatory",
        f"DaemonSet {stack.namespace}/web: spec.template.spec.serviceAccountName: runs as the account "
        f"{stack.namespace}/runner, which the stack does not make; leave it out, or let the platform list it under "
        "service-accounts.accounts",
    )
    stack.write(yaml.safe_dump_all([account, daemon]))
    assert findings(stack.preview(*config)) == set()


def test_the_gpu_budget_counts_what_autoscalers_go_up_to(stack: Stack, api: DynamicClient) -> None:
    gpus = {"gpu": 1, "cpu": "1", "memory": "1Gi"}
    stack.write(
        model() + service("web", resources=gpus, autoscaling=AUTOSCALED) + service("two", resources=gpus, replicas=2)
    )
    stack.preview(*rules(stack, {"all": "disabled", "gpu-budget": {"enforcementLevel": "mandatory", "maximum": 7}}))

    tight = rules(stack, {"all": "disabled", "gpu-budget": {"enforcementLevel": "mandatory", "maximum": 6}})
    result = stack.preview_and_up(*tight, fails=True)

    (finding,) = findings(result)
    assert finding == (
        "gpu-budget",
        "mandatory",
        f"the stack uses up to 7 accelerators, more than its budget of 6 (Deployment {stack.namespace}/web: 5 x 1; "
        f"Deployment {stack.namespace}/two: 2 x 1): lower replicas or what autoscalers go up to, or raise "
        "gpu-budget.maximum",
    )
    assert everything(api, stack.namespace) == []


def labelled(**labels: str) -> str:
    """A service with labels in OME's domain."""
    read = yaml.safe_load(service("web"))
    read["metadata"]["labels"] = {f"ome.io/{name}": value for name, value in labels.items()}
    return model() + "---\n" + yaml.safe_dump(read)


def test_a_changed_identity_label_is_refused_at_preview(stack: Stack, api: DynamicClient) -> None:
    stack.write(labelled(**{"part-of": "search", "version": "v0.8.0"}))
    stack.up()
    name = f"InferenceService.inference.llmkube.dev {stack.namespace}/web"
    assert stack.outputs()["identity"] == {name: {"ome.io/part-of": "search"}}
    before = live(api, stack)
    stack.write(labelled(**{"part-of": "chat", "version": "v0.8.1"}))
    sentence = (
        f'InferenceService {stack.namespace}/web: metadata.labels["ome.io/part-of"]: changes to chat (it was search), '
        "but it identifies the object; make a new object instead"
    )

    assert sentence in stack.up(fails=True).text
    assert live(api, stack) == before
    assert sentence in stack.preview(fails=True).text  # the failed update has not lost the label

    stack.write(model())
    stack.up()
    stack.write(labelled(**{"part-of": "chat"}))
    stack.preview()
