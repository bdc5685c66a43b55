"""Faults that users of KServe and similar operators have reported, as an LLMInferenceService meets them here.

The numbers are those of the reports. Not proved: what needs the engine or a cluster, such as updates in place, previews
and waits.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
import yaml

from modelservices.findings import errors
from modelservices.kubernetes.scalars import Opaque
from modelservices.manifests.documents import parse
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings

from .services import container, env, findings, flags, main, manifest, messages, objects, of, pod

GPU = {"limits": {"nvidia.com/gpu": "1"}}
IMAGE = "registry.example.com/vllm-openai:v0.15.1"
SERVER = main(image=IMAGE, resources=GPU)
QUEUE = {"kueue.x-k8s.io/queue-name": "queue-one", "kueue.x-k8s.io/priority-class": "batch-low"}
LEGAL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
PIPELINE = {"presets": {"kserve-config-llm-worker-pipeline-parallel": {"template": main(), "worker": main()}}}


def selectors(made: dict[str, Any]) -> dict[str, Any]:
    return {role: obj["spec"]["selector"] for role, obj in made.items() if "selector" in obj.get("spec", {})}


def server_of(made: dict[str, Any]) -> dict[str, Any]:
    return container(pod(made["decode-deployment"]))


def test_01_queue_labels_reach_workload_and_pods_but_no_selector() -> None:
    spec = {"template": SERVER, "router": {"scheduler": {}}}
    made = of(spec, labels=QUEUE)
    deployment = made["decode-deployment"]
    assert deployment["metadata"]["labels"].items() > QUEUE.items()
    assert deployment["spec"]["template"]["metadata"]["labels"].items() > QUEUE.items()
    assert "kueue" not in str(selectors(made))
    assert selectors(of(spec, labels={**QUEUE, "kueue.x-k8s.io/queue-name": "queue-two"})) == selectors(made)
    before = copy.deepcopy(deployment["spec"]["selector"])
    deployment["spec"]["template"]["metadata"]["labels"]["more"] = "x"
    assert deployment["spec"]["selector"] == before and "more" not in deployment["metadata"]["labels"]


def test_03_tensor_parallelism_reaches_the_command_line_once() -> None:
    gpus = {"limits": {"nvidia.com/gpu": "2"}}
    spec = {"parallelism": {"tensor": 2}, "template": main(image=IMAGE, resources=gpus)}
    item = server_of(of(spec))
    words = " ".join([*item["command"], *item.get("args", [])]).split()
    assert [words[i + 1] for i, word in enumerate(words) if word == "--tensor-parallel-size"] == ["2"]
    assert item["resources"] == gpus
    assert {"name": "dshm", "mountPath": "/dev/shm"} in item["volumeMounts"]
    assert "--pipeline-parallel-size 2" in flags(server_of(of({"parallelism": {"pipeline": 2}, "template": SERVER})))
    (message,) = messages(manifest({"parallelism": {"tensor": 2}, "template": SERVER}))
    assert "needs 2 accelerators" in message and "has 1" in message


def test_04_slow_models_have_time_to_start() -> None:
    item = server_of(
        of({"parallelism": {"tensor": 4}, "template": main(resources={"limits": {"nvidia.com/gpu": "4"}})})
    )
    probe = item["startupProbe"]
    assert probe["httpGet"] == {"path": "/health", "port": 8000, "scheme": "HTTP"}
    assert probe["failureThreshold"] * probe["periodSeconds"] >= 600
    assert all("initialDelaySeconds" not in item[f"{kind}Probe"] for kind in ("liveness", "readiness"))
    own = {"httpGet": {"path": "/health", "port": 8000}, "failureThreshold": 360, "periodSeconds": 10}
    changed = server_of(of({"template": main(startupProbe=own)}))["startupProbe"]
    assert changed == {**own, "httpGet": {**own["httpGet"], "scheme": "HTTP"}}


@pytest.mark.parametrize("worker", [False, True])
def test_05_rollouts_are_passed_on(worker: bool) -> None:
    spec = {"replicas": 2, "rolloutStrategy": {"maxSurge": 0, "maxUnavailable": 1}, "template": SERVER}
    if worker:
        made = of({**spec, "parallelism": {"data": 2, "dataLocal": 1}, "worker": SERVER})["decode-group"]["spec"]
        assert made["rolloutStrategy"]["rollingUpdateConfiguration"] == {"maxSurge": 0, "maxUnavailable": 1}
    else:
        made = of(spec)["decode-deployment"]["spec"]
        assert made["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}


@pytest.mark.parametrize(
    ("rollout", "path", "value"),
    [
        ({"maxSurge": 0, "maxUnavailable": 0}, "", "zero"),
        ({"maxSurge": "0%", "maxUnavailable": 0}, "", "zero"),
        ({"maxSurge": -1}, ".maxSurge", "-1"),
        ({"maxSurge": "abc%"}, ".maxSurge", "abc%"),
    ],
)
def test_05_rollouts_that_can_not_be(rollout: dict[str, Any], path: str, value: str) -> None:
    (message,) = messages(manifest({"rolloutStrategy": rollout}))
    assert message.startswith(f"spec.rolloutStrategy{path}: ") and value in message
    kept = of({"rolloutStrategy": {"maxSurge": "25%"}})["decode-deployment"]["spec"]["strategy"]
    assert kept["rollingUpdate"] == {"maxSurge": "25%"}


def test_07_timeouts_are_text_or_absent() -> None:
    router = {"route": {}, "gateway": {"refs": [{"name": "shared-gw", "namespace": "gateways"}]}}
    spec = {"router": router, "template": SERVER}
    made = of(spec)["route"]["spec"]
    assert all(rule["timeouts"] == {"request": "0s", "backendRequest": "0s"} for rule in made["rules"])
    assert (made["parentRefs"][0]["name"], made["parentRefs"][0]["namespace"]) == ("shared-gw", "gateways")
    without = of(spec, {"ingress": {"disableHTTPRouteTimeout": True}})["route"]["spec"]
    assert "timeouts" not in str(without)
    own = {"http": {"spec": {"rules": [{"timeouts": {"request": "5m"}}]}}}
    assert of({"router": {"route": own}})["route"]["spec"]["rules"] == [{"timeouts": {"request": "5m"}}]


def test_09_a_variable_is_there_once_with_a_value_or_a_source() -> None:
    base_env = [
        {"name": "HF_HUB_OFFLINE", "value": "0"},
        {"name": "AWS_DEFAULT_REGION", "valueFrom": {"configMapKeyRef": {"name": "region", "key": "region"}}},
        {"name": "AWS_SECRET_ACCESS_KEY", "value": ""},
    ]
    own_env = [
        {"name": "HF_HUB_OFFLINE", "value": "1"},
        {"name": "AWS_DEFAULT_REGION", "value": "eu-west-9"},
        {"name": "AWS_SECRET_ACCESS_KEY", "valueFrom": {"secretKeyRef": {"name": "s3", "key": "secret"}}},
    ]
    base = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceServiceConfig",
        "metadata": {"name": "base-env", "namespace": "models"},
        "spec": {"template": main(image=IMAGE, env=base_env)},
    }
    spec = {"baseRefs": [{"name": "base-env"}], "template": main(env=own_env)}
    variables = server_of(objects(manifest(spec), base))["env"]
    assert len({variable["name"] for variable in variables}) == len(variables)
    assert [variable for variable in variables if variable["name"] in {item["name"] for item in own_env}] == own_env
    twice = {"template": main(env=[own_env[0], {"name": "HF_HUB_OFFLINE", "value": "2"}])}
    assert env(server_of(of(twice)))["HF_HUB_OFFLINE"] == "2"


def test_10_a_group_has_a_size_and_the_set_has_replicas() -> None:
    eight = main(image=IMAGE, resources={"limits": {"nvidia.com/gpu": "8"}})
    parallelism = {"data": 16, "dataLocal": 8, "tensor": 1, "expert": True}
    spec = {"replicas": 3, "parallelism": parallelism, "template": eight, "worker": eight, "router": {"scheduler": {}}}
    made = of(spec)
    group = made["decode-group"]["spec"]
    assert (group["replicas"], group["leaderWorkerTemplate"]["size"]) == (3, 2)
    leader, worker = (
        group["leaderWorkerTemplate"][f"{name}Template"]["metadata"]["labels"] for name in ("leader", "worker")
    )
    for selector in (
        made["service"]["spec"]["selector"],
        made["epp/inference-pool"]["spec"]["selector"]["matchLabels"],
    ):
        assert selector.items() <= leader.items() and not selector.items() <= worker.items()
    (message,) = messages(manifest({**spec, "parallelism": {"data": 10, "dataLocal": 4}}))
    assert "data 10" in message and "dataLocal 4" in message
    deep = {"parallelism": {"pipeline": 4, "tensor": 8}, "template": eight, "worker": eight}
    assert of(deep, PIPELINE)["decode-group"]["spec"]["leaderWorkerTemplate"]["size"] == 4


def test_12_mig_slices_are_kept_on_every_pod() -> None:
    slices = main(image=IMAGE, resources={"limits": {"cpu": "5", "nvidia.com/mig-1g.10gb": "1"}})
    made = of({"parallelism": {"pipeline": 2}, "template": slices, "worker": slices}, PIPELINE)["decode-group"]
    for name in ("leaderTemplate", "workerTemplate"):
        spec = pod(made, name)
        assert container(spec)["resources"] == {"limits": {"cpu": "5", "nvidia.com/mig-1g.10gb": "1"}}
        assert "tolerations" not in spec
    assert "nvidia.com/gpu" not in str(made)
    assert findings(manifest({"parallelism": {"tensor": 1}, "template": slices})) == []


def test_24_names_with_dots_or_a_digit_in_front_are_refused() -> None:
    spec = {"model": {"uri": "hf://o/m", "name": "demo-3.2b"}, "router": {"route": {}, "gateway": {}, "scheduler": {}}}
    (message,) = messages(manifest(spec, name="3.2-chat.large"))
    assert message.startswith("metadata.name: must start with a lower-case letter") and "no dots" in message
    made = of(spec, name="chat-large")
    services = [obj["metadata"]["name"] for obj in made.values() if obj["kind"] == "Service"]
    assert all(LEGAL.fullmatch(name) for name in services)
    backends = {ref["name"] for rule in made["route"]["spec"]["rules"] for ref in rule["backendRefs"]}
    assert backends == {"chat-large-inference-pool", "chat-large-kserve-workload-svc"}
    assert made["epp/inference-pool"]["spec"]["endpointPickerRef"]["name"] in services
    assert "--served-model-name demo-3.2b publishers/models/models/demo-3.2b" in flags(server_of(made))


def test_27_the_scheduler_has_rights_of_its_own() -> None:
    router = {"route": {}, "gateway": {"refs": [{"name": "gw", "namespace": "gateways"}]}, "scheduler": {}}
    made = of({"router": router, "template": SERVER}, namespace="llm-prod")
    spec = pod(made["epp/deployment"])
    assert made["epp/service-account"]["metadata"] | {"labels": 0} == {
        "name": spec["serviceAccountName"],
        "namespace": "llm-prod",
        "labels": 0,
    }
    rules = made["epp/role"]["rules"]
    for group, resource in (
        ("", "pods"),
        ("inference.networking.k8s.io", "inferencepools"),
        ("inference.networking.x-k8s.io", "inferenceobjectives"),
    ):
        (rule,) = [rule for rule in rules if group in rule["apiGroups"] and resource in rule["resources"]]
        assert {"get", "list", "watch"} <= set(rule["verbs"])
    for role in ("epp/role-binding", "epp/cluster-role-binding"):
        (subject,) = made[role]["subjects"]
        assert (subject["name"], subject["namespace"]) == (spec["serviceAccountName"], "llm-prod")
    assert made["epp/cluster-role-binding"]["metadata"]["name"] == "llm-prod-chat-epp-auth-rb"
    command = container(spec)["command"]
    assert command[command.index("--pool-name") + 1] == made["epp/inference-pool"]["metadata"]["name"]
    assert command[command.index("--pool-namespace") + 1] == "llm-prod"
    picker = made["epp/inference-pool"]["spec"]["endpointPickerRef"]
    assert (picker["kind"], picker["name"]) == ("Service", made["epp/service"]["metadata"]["name"])
    assert picker["port"]["number"] in [port["port"] for port in made["epp/service"]["spec"]["ports"]]


def test_32_names_of_groups_are_shortened() -> None:
    name = "customer-support-assistants-xlarge-mixture-of-experts"
    spec = {"replicas": 12, "parallelism": {"data": 16, "dataLocal": 8}, "template": main(), "worker": main()}
    queue = {"kueue.x-k8s.io/queue-name": "gpu-queue"}
    queued = of(spec, name=name, labels=queue)["decode-group"]["metadata"]["name"]
    plain = of(spec, name=name)["decode-group"]["metadata"]["name"]
    assert len(queued) <= 39 - 1 and len(plain) <= 51 - 1
    assert LEGAL.fullmatch(queued) and LEGAL.fullmatch(plain)
    assert queued.startswith("customer-support") and plain.startswith("customer-support")
    assert of(spec, name=name, labels=queue)["decode-group"]["metadata"]["name"] == queued
    assert of({}, name=name)["decode-deployment"]["metadata"]["name"] == f"{name}-kserve"


def test_40_zero_replicas() -> None:
    made = of({"replicas": 0, "template": SERVER})
    assert made["decode-deployment"]["spec"]["replicas"] == 0
    assert not [obj for obj in made.values() if obj["kind"] in ("PodDisruptionBudget", "HorizontalPodAutoscaler")]
    least = {"scaling": {"minReplicas": 0, "maxReplicas": 2, "wva": {"hpa": {}}}}
    assert findings(manifest(least)) == [("spec.scaling.minReplicas", "error", "bad-value")]


UNITS = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: units, namespace: llm}
spec:
  model: {uri: "hf://example-org/demo-8b", name: demo-8b}
  template:
    containers:
      - name: main
        resources:
          requests: {cpu: 1000m, memory: 2048Mi, ephemeral-storage: 1073741824}
          limits: {cpu: 1, memory: 2Gi, nvidia.com/gpu: 1}
"""


def of_text(text: str) -> Any:
    documents, found = parse(text, "test.yaml")
    assert found == []
    return make_plan(documents, Settings())


def test_41_quantities_are_texts() -> None:
    (service,) = of_text(UNITS).raise_for_errors().services
    resources = container(pod(service.objects["decode-deployment"]))["resources"]
    assert resources == {
        "requests": {"cpu": "1", "memory": "2Gi", "ephemeral-storage": "1073741824"},
        "limits": {"cpu": "1", "memory": "2Gi", "nvidia.com/gpu": "1"},
    }


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("nvidia.com/gpu: 1", "nvidia.com/gpu: 0.5", 'limits["nvidia.com/gpu"]'),
        ("nvidia.com/gpu: 1", "nvidia.com/gpu: 1500m", 'limits["nvidia.com/gpu"]'),
        ("memory: 2Gi", "memory: 2gb", "limits.memory"),
        ("memory: 2Gi", "memory: 16 Gi", "limits.memory"),
        ("memory: 2Gi", "memory: 1Gi", "requests.memory"),
    ],
)
def test_41_quantities_that_can_not_be(old: str, new: str, path: str) -> None:
    found = [finding.path for finding in errors(of_text(UNITS.replace(old, new)).findings)]
    assert found == [f"spec.template.containers[0].resources.{path}"]


TYPED = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata:
  name: typed
  namespace: llm
  annotations:
    expiry: 2026-03-25T13:37:11Z
    day: 2026-03-25
spec:
  annotations: {prometheus.io/scrape: true, prometheus.io/port: 8000, feature: yes, ratio: 1e3, empty: ""}
  labels: {rev: 0010, on: "x", version: 1.10}
  model: {uri: "hf://example-org/demo-8b", name: demo-8b}
  template:
    containers:
      - name: main
        args: ["--max-model-len", 8192, "--trust-remote-code", true]
        env: [{name: FLAG, value: on}, {name: N, value: 08}]
        resources: {limits: {nvidia.com/gpu: "1"}}
"""


def test_42_what_is_not_quoted_is_the_text_that_stands_there() -> None:
    (service,) = of_text(TYPED).raise_for_errors().services
    deployment = service.objects["decode-deployment"]
    metadata = deployment["spec"]["template"]["metadata"]
    assert metadata["annotations"] == {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "8000",
        "feature": "yes",
        "ratio": "1e3",
        "empty": "",
    }
    assert metadata["labels"].items() > {"rev": "0010", "on": "x", "version": "1.10"}.items()
    item = container(pod(deployment))
    assert item["args"] == ["--max-model-len", "8192", "--trust-remote-code", "true"]
    assert (env(item)["FLAG"], env(item)["N"]) == ("on", "08")
    assert "expiry" not in str(deployment)


def test_42_nothing_is_no_text() -> None:
    plan = of_text(TYPED.replace('empty: ""', "nothing: null"))
    assert errors(plan.findings) == []
    made = [obj for service in plan.services for obj in service.all_objects()]
    assert "ratio" in yaml.safe_dump(made) and "nothing" not in yaml.safe_dump(made)


def test_44_optional_kinds_are_made_only_when_asked_for() -> None:
    router = {"route": {}, "gateway": {}, "scheduler": {}}
    spec = {"replicas": 1, "parallelism": {"pipeline": 2}, "router": router, "template": SERVER, "worker": SERVER}
    kinds = {obj["kind"] for obj in of(spec, PIPELINE).values()}
    assert kinds == {
        "ClusterRoleBinding",
        "Deployment",
        "HTTPRoute",
        "InferencePool",
        "LeaderWorkerSet",
        "Role",
        "RoleBinding",
        "Service",
        "ServiceAccount",
    }


class Later(Opaque):
    """Stands in for an Output of Pulumi: its text must never be used."""

    def __init__(self) -> None:
        super().__init__(None)

    def __str__(self) -> str:
        raise AssertionError("an Output as a text")

    __repr__ = __str__


def test_46_outputs_are_handed_through() -> None:
    later = Later()
    template = main(image=later, env=[{"name": "A", "value": later}], args=["--a", later])
    made = of({"template": template, "labels": {"team": later}, "router": {"route": {}, "scheduler": {}}})
    item = server_of(made)
    assert item["image"] is later and item["args"][1] is later and env(item)["A"] is later
    assert made["decode-deployment"]["spec"]["template"]["metadata"]["labels"]["team"] is later


@pytest.mark.parametrize(
    "spec",
    [
        {"model": {"uri": Later(), "name": "m"}},
        {"model": {"uri": "hf://o/m", "name": Later()}},
        {"replicas": Later()},
        {"parallelism": {"tensor": Later()}},
        {"template": {"containers": [{"name": Later()}]}},
    ],
)
def test_46_an_output_that_decides_what_is_rendered_is_refused(spec: dict[str, Any]) -> None:
    assert {code for _, _, code in findings(manifest(spec))} == {"output"}
