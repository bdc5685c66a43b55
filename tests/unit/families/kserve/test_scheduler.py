"""The scheduler with its configuration, pool and rights.

Not proved: that the endpoint picker runs with these rights and this configuration.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from modelservices.kubernetes.finishing import finished

from .services import (
    PREFILL,
    ROUTER,
    SCHEDULER,
    TLS,
    config,
    container,
    env,
    findings,
    main,
    manifest,
    messages,
    objects,
    of,
    pod,
)

ALL = {"inferencePoolApis": ["v1", "v1alpha2"]}
OLD = {"app.kubernetes.io/version": "0.6.0"}
CONFIG = {"kind": "EndpointPickerConfig", "plugins": [{"type": "queue-scorer"}, {"type": "max-score-picker"}]}


def scheduler(settings: Any = None, **fields: Any) -> dict[str, Any]:
    return of({"router": {"scheduler": fields}}, settings)


def picker(settings: Any = None, **fields: Any) -> dict[str, Any]:
    return container(pod(scheduler(settings, **fields)["epp/deployment"]))


def config_of(item: dict[str, Any]) -> Any:
    return yaml.safe_load(item["args"][item["args"].index("--config-text") + 1])


def config_map(name: str, namespace: str = "models", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def test_the_objects_of_a_scheduler() -> None:
    made = scheduler()
    assert {role: (obj["kind"], obj["metadata"]["name"]) for role, obj in made.items() if role.startswith("epp/")} == {
        "epp/deployment": ("Deployment", "chat-kserve-router-scheduler"),
        "epp/service": ("Service", "chat-epp-service"),
        "epp/role": ("Role", "chat-epp-role"),
        "epp/role-binding": ("RoleBinding", "chat-epp-rb"),
        "epp/cluster-role-binding": ("ClusterRoleBinding", "models-chat-epp-auth-rb"),
        "epp/service-account": ("ServiceAccount", "chat-epp-sa"),
        "epp/inference-pool": ("InferencePool", "chat-inference-pool"),
    }
    assert made["epp/deployment"]["spec"]["strategy"] == {"type": "Recreate"}
    assert "replicas" not in made["epp/deployment"]["spec"]


def test_rights() -> None:
    made = scheduler()
    (subject,) = made["epp/role-binding"]["subjects"]
    assert subject == {"kind": "ServiceAccount", "name": "chat-epp-sa", "namespace": "models"}
    assert made["epp/cluster-role-binding"]["roleRef"]["name"] == "system:auth-delegator"
    assert "namespace" not in made["epp/cluster-role-binding"]["metadata"]
    assert pod(made["epp/deployment"])["serviceAccountName"] == "chat-epp-sa"


def test_an_account_of_ones_own() -> None:
    made = scheduler(template={**main(), "serviceAccountName": "mine"})
    assert "epp/service-account" not in made
    assert made["epp/role-binding"]["subjects"][0]["name"] == "mine"
    assert pod(made["epp/deployment"])["serviceAccountName"] == "mine"


@pytest.mark.parametrize(
    ("replicas", "flags"),
    [(None, []), (0, []), (1, []), (2, ["--ha-enable-leader-election"])],
)
def test_several_schedulers_elect_a_leader(replicas: int | None, flags: list[str]) -> None:
    fields = {} if replicas is None else {"replicas": replicas}
    assert picker(**fields)["args"][:-2] == flags
    assert scheduler(**fields)["epp/deployment"]["spec"].get("replicas") == replicas


def test_a_flag_of_ones_own_for_leader_election_stands() -> None:
    item = picker(replicas=2, template=main(args=["--ha-enable-leader-election=false"]))
    assert item["args"][:-2] == ["--ha-enable-leader-election=false"]


def test_arguments_with_and_without_tls() -> None:
    without = [
        *("/app/epp", "--pool-name", "chat-inference-pool", "--pool-namespace", "models", "--zap-encoder", "json"),
        *("--grpc-port", "9002", "--grpc-health-port", "9003"),
    ]
    assert picker()["command"] == without
    item = picker(TLS)
    assert item["command"] == [
        *without,
        "--enable-cert-reload=true",
        "--secure-serving=true",
        "--cert-path=/var/run/kserve/tls",
    ]
    assert config_of(item)["plugins"][-1] == {"type": "metrics-data-source", "parameters": {"scheme": "https"}}


def test_an_old_release_has_flags_instead() -> None:
    item = picker(TLS, annotations=OLD)
    assert item["command"][-1] == "--model-server-metrics-scheme=https"
    assert "metrics-data-source" not in str(config_of(item))


def test_flags_of_the_user_move_into_the_configuration() -> None:
    item = picker(template=main(args=["--lora-info-metric", "x", "--v=3", "--total-queued-requests-metric=y"]))
    assert item["args"][0] == "--v=3" and "--lora-info-metric" not in item["args"]
    assert config_of(item)["plugins"][-1]["parameters"]["engineConfigs"] == [
        {"name": "vllm", "queuedRequestsSpec": "y", "loraSpec": "x"}
    ]


def test_the_configuration_of_the_service_is_rewritten_for_the_release() -> None:
    item = picker(config={"inline": {**CONFIG, "apiVersion": "old/v1"}})
    assert config_of(item) == {**CONFIG, "apiVersion": "llm-d.ai/v1alpha1"}


@pytest.mark.parametrize(
    ("flag", "written"),
    [
        ("--config-file", "--config-file"),
        ("--config-text", "--config-text"),
        ("-config-text", "-config-text"),
        ("--configFile", "--config-file"),
    ],
)
def test_a_configuration_that_the_container_names_stands(flag: str, written: str) -> None:
    item = picker(template=main(args=[flag, "/etc/config"]))
    assert item["args"] == [written, "/etc/config"]


def test_the_services_own_configuration_counts_before_the_containers() -> None:
    item = picker(config={"inline": CONFIG}, template=main(args=["--v=1"]))
    assert item["args"][:2] == ["--v=1", "--config-text"]


def test_no_configuration_is_the_default_one() -> None:
    assert config_of(picker(config={})) == config_of(picker())


def test_a_configuration_from_a_config_map() -> None:
    spec = {"router": {"scheduler": {"config": {"ref": {"name": "cfg", "key": "c.yaml"}}}}}
    made = objects(manifest(spec), config_map("cfg", **{"c.yaml": yaml.safe_dump(CONFIG)}))
    assert config_of(container(pod(made["epp/deployment"]))) == {**CONFIG, "apiVersion": "llm-d.ai/v1alpha1"}
    for_all = config_map("cfg", "kserve", **{"c.yaml": yaml.safe_dump(CONFIG)})
    assert objects(manifest(spec), for_all)["epp/deployment"] == made["epp/deployment"]
    other = config_map("cfg", "kserve", **{"c.yaml": "plugins: []"})
    first = config_map("cfg", **{"c.yaml": yaml.safe_dump(CONFIG)})
    assert objects(manifest(spec), other, first)["epp/deployment"] == made["epp/deployment"]


@pytest.mark.parametrize(
    ("fields", "others", "path"),
    [
        ({"ref": {"name": "cfg", "key": "x"}}, [], "ref.name"),
        ({"ref": {"name": "cfg", "key": "x"}}, [config_map("cfg", y="z")], "ref.key"),
        ({"ref": {"name": "", "key": "x"}}, [], "ref.name"),
        ({"ref": {"name": "cfg"}}, [config_map("cfg", y="z")], "ref.key"),
        ({"inline": CONFIG, "ref": {"name": "a", "key": "b"}}, [], ""),
        ({"inline": "text"}, [], "inline"),
    ],
)
def test_configurations_that_are_not_there(fields: dict[str, Any], others: list[Any], path: str) -> None:
    spec = {"router": {"scheduler": {"config": fields}}}
    found = [item for item, severity, _ in findings(manifest(spec), *others) if severity == "error"]
    assert found == [".".join(filter(None, ["spec.router.scheduler.config", path]))]


@pytest.mark.parametrize("version", ["latest", "1", "0.10"])
def test_a_release_must_be_a_version(version: str) -> None:
    spec = {"router": {"scheduler": {"annotations": {"app.kubernetes.io/version": version}}}}
    assert messages(manifest(spec)) == [
        'spec.router.scheduler.annotations["app.kubernetes.io/version"]: must be a version such as 0.10.0'
    ]


def test_the_service_has_the_ports_by_their_names() -> None:
    ports = [{"containerPort": 9090, "name": "stats"}, {"containerPort": 7001, "name": "metrics"}]
    made = scheduler(template=main(ports=ports))["epp/service"]["spec"]["ports"]
    assert {port["name"]: port["port"] for port in made} == {
        "grpc": 9002,
        "grpc-health": 9003,
        "metrics": 7001,
        "zmq": 5557,
    }
    assert [port["name"] for port in made] == sorted(port["name"] for port in made)
    assert all(port["targetPort"] == port["name"] and port["protocol"] == "TCP" for port in made)


def test_pools_in_both_apis() -> None:
    made = scheduler(ALL)
    selector = {
        "app.kubernetes.io/name": "chat",
        "app.kubernetes.io/part-of": "llminferenceservice",
        "kserve.io/component": "workload",
    }
    assert made["epp/inference-pool"]["apiVersion"] == "inference.networking.k8s.io/v1"
    assert made["epp/inference-pool"]["spec"] == {
        "endpointPickerRef": {
            "group": "",
            "kind": "Service",
            "name": "chat-epp-service",
            "port": {"number": 9002},
            "failureMode": "FailOpen",
        },
        "selector": {"matchLabels": selector},
        "targetPorts": [{"number": 8000}],
    }
    assert made["epp/inference-pool-v1alpha2"]["apiVersion"] == "inference.networking.x-k8s.io/v1alpha2"
    assert made["epp/inference-pool-v1alpha2"]["spec"] == {
        "extensionRef": {
            "group": "",
            "kind": "Service",
            "name": "chat-epp-service",
            "portNumber": 9002,
            "failureMode": "FailOpen",
        },
        "selector": selector,
        "targetPortNumber": 8000,
    }


def test_a_pool_of_the_user_is_merged_over_the_default_one() -> None:
    own = {
        "selector": {"matchLabels": {"tier": "gold"}},
        "targetPorts": [{"number": 9000}, {"number": 9001}],
        "endpointPickerRef": {"name": "my-epp"},
    }
    made = scheduler(ALL, pool={"spec": own})
    spec = made["epp/inference-pool"]["spec"]
    assert spec["selector"]["matchLabels"].items() > {"tier": "gold", "kserve.io/component": "workload"}.items()
    assert spec["targetPorts"] == [{"number": 9000}, {"number": 9001}]
    assert spec["endpointPickerRef"]["failureMode"] == "FailClose"
    assert spec["endpointPickerRef"]["port"] == {"number": 9002}
    assert made["epp/service"]["metadata"]["name"] == "my-epp"
    assert made["epp/inference-pool-v1alpha2"]["spec"]["targetPortNumber"] == 9000


def test_a_protocol_that_older_releases_do_not_know() -> None:
    spec = {"router": {"scheduler": {"pool": {"spec": {"appProtocol": "kubernetes.io/h2c"}}}}}
    assert findings(manifest(spec)) == [("spec.router.scheduler.pool.spec.appProtocol", "warning", "needs-release")]
    assert of(spec)["epp/inference-pool"]["spec"]["appProtocol"] == "kubernetes.io/h2c"
    assert "appProtocol" not in scheduler()["epp/inference-pool"]["spec"]


def test_a_pool_of_ones_own_needs_no_scheduler() -> None:
    made = of({"router": {"route": {}, "scheduler": {"pool": {"ref": {"name": "mine"}}}}})
    assert set(made) == {"decode-deployment", "service", "route"}


def test_a_pool_is_described_or_named() -> None:
    spec = {"router": {"scheduler": {"pool": {"ref": {"name": "mine"}, "spec": {"targetPorts": [{"number": 1}]}}}}}
    assert [path for path, _, _ in findings(manifest(spec))] == ["spec.router.scheduler.pool"]


def test_tracing_of_the_scheduler() -> None:
    item = container(pod(of({"tracing": {}, **SCHEDULER})["epp/deployment"]))
    assert item["args"][-1] == "--tracing=true"
    assert env(item)["OTEL_SERVICE_NAME"] == "inference-scheduler"
    own = {"tracing": {}, "router": {"scheduler": {"template": main(args=["--tracing=false"])}}}
    assert "--tracing=true" not in container(pod(of(own)["epp/deployment"]))["args"]


def test_the_scheduler_of_prefill_and_decode() -> None:
    item = container(pod(of({**PREFILL, **ROUTER})["epp/deployment"]))
    assert [profile["name"] for profile in config_of(item)["schedulingProfiles"]] == ["prefill", "decode"]


def test_what_the_presets_miss_is_asked_for() -> None:
    spec = {"router": {"scheduler": {"template": {"containers": [{"name": "extra"}]}}}}
    assert findings(manifest(spec)) == [("spec.router.scheduler.template.containers[0].image", "error", "required")]


OLDER_POOL = {
    "selector": {"team": "a"},
    "targetPortNumber": 8080,
    "extensionRef": {"name": "mine", "portNumber": 9010, "failureMode": "FailClose"},
}


@pytest.mark.parametrize("in_config", [False, True])
def test_a_pool_in_the_older_form(in_config: bool) -> None:
    spec = {"router": {"scheduler": {"pool": {"spec": OLDER_POOL}}}}
    manifests = [manifest(spec, api="v1alpha1")]
    if in_config:
        older = {**config(spec), "apiVersion": "serving.kserve.io/v1alpha1"}
        manifests = [manifest({"baseRefs": [{"name": "base"}], **SCHEDULER}), older]
    pool = objects(*manifests)["epp/inference-pool"]["spec"]
    assert pool["targetPorts"] == [{"number": 8080}]
    assert pool["selector"]["matchLabels"].items() > {"team": "a"}.items()
    reference = {"group": "", "kind": "Service", "name": "mine", "port": {"number": 9010}, "failureMode": "FailClose"}
    assert pool["endpointPickerRef"] == reference
    assert findings(*manifests) == []


def test_a_mistake_in_the_older_form_is_named() -> None:
    spec = {"router": {"scheduler": {"pool": {"spec": {**OLDER_POOL, "targetPortNumber": "x"}}}}}
    ((path, severity, _),) = findings(manifest(spec, api="v1alpha1"))
    assert (path, severity) == ("spec.router.scheduler.pool.spec.targetPortNumber", "error")


@pytest.mark.parametrize(
    ("server", "scheduler", "own", "used"),
    [
        ("mirror.example/vllm:1", "mirror.example/epp:1", None, [{"name": "login"}]),
        ("mirror.example/vllm:1", "other.example/epp:1", None, None),
        ("mirror.example/vllm:1", "mirror.example/epp:1", [{"name": "own"}], [{"name": "own"}]),
    ],
)
def test_a_scheduler_of_the_servers_registry_is_pulled_as_the_server_is(
    server: str, scheduler: str, own: Any, used: Any
) -> None:
    template = {**main(image=scheduler), **({"imagePullSecrets": own} if own else {})}
    spec = {
        "template": {**main(image=server), "imagePullSecrets": [{"name": "login"}]},
        "router": {"scheduler": {"template": template}},
    }
    assert pod(of(spec)["epp/deployment"]).get("imagePullSecrets") == used


@pytest.mark.parametrize(("stated", "policy"), [({}, "ClusterFirstWithHostNet"), ({"dnsPolicy": "Default"}, "Default")])
def test_a_scheduler_in_the_node_s_network_knows_the_cluster_s_names(stated: dict[str, str], policy: str) -> None:
    template = {"hostNetwork": True, "containers": [{"name": "main"}], **stated}
    made = scheduler(template=template, tokenizer={"template": template})
    for role in ("epp/deployment", "tokenizer-deployment"):
        assert finished(made[role])["spec"]["template"]["spec"]["dnsPolicy"] == policy
