"""The endpoint picker by itself: what its spec decides about its objects, and what is refused.

What a ModelService makes of it is in the conformance tests. Not proved: that a picker runs with these objects.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import yaml

from modelservices.kubernetes.endpoint_picker.render import render_endpoint_picker
from modelservices.kubernetes.endpoint_picker.spec import EndpointPickerSpec
from modelservices.kubernetes.model import read
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.kubernetes.scalars import Opaque
from tests.unit.families.otterscale.services import container, pod

OWN_PLUGINS = {
    "plugins": [{"type": "queue-scorer"}, {"type": "prefix-cache-scorer", "name": "prefix"}],
    "schedulingProfiles": [
        {"name": "default", "plugins": [{"pluginRef": "queue-scorer"}, {"pluginRef": "prefix", "weight": 1.5}]}
    ],
}


def spec(**fields: Any) -> EndpointPickerSpec:
    model, problems = read(EndpointPickerSpec, {"name": "chat-epp", "poolName": "chat", **fields})
    assert model is not None, problems
    return model


def picker(**fields: Any) -> RenderedComponent:
    return render_endpoint_picker(spec(**fields))


def objects(**fields: Any) -> dict[str, Object]:
    return dict(picker(**fields).objects)


def arguments(**fields: Any) -> list[str]:
    return container(objects(**fields)["deployment"], "epp")["args"]


def test_it_is_a_component_of_its_own() -> None:
    made = picker(namespace="models")
    assert (made.component, made.kind, made.namespace, made.name) == (
        "EPPComponent",
        "EndpointPicker",
        "models",
        "chat-epp",
    )
    assert list(made.objects) == [
        "service-account",
        "role",
        "role-binding",
        "cluster-role",
        "cluster-role-binding",
        "token-secret",
        "config-map",
        "deployment",
        "service",
        "destination-rule",
    ]
    assert made.problems == ()


@pytest.mark.parametrize(
    ("fields", "without", "added"),
    [
        ({"provider": "none"}, {"destination-rule"}, set()),
        ({"provider": "gke"}, {"destination-rule", "token-secret"}, set()),
        ({"metricsEndpointAuth": False}, {"cluster-role", "cluster-role-binding", "token-secret"}, set()),
        ({"metricsReader": False}, {"cluster-role", "cluster-role-binding", "token-secret"}, set()),
        ({"monitoring": True}, set(), {"service-monitor"}),
    ],
)
def test_which_objects_there_are(fields: dict[str, Any], without: set[str], added: set[str]) -> None:
    assert set(objects(**fields)) == set(objects()) - without | added


def test_arguments_of_a_single_picker() -> None:
    assert arguments(namespace="models") == [
        "--pool-name=chat",
        "--pool-namespace=models",
        "--pool-group=inference.networking.k8s.io",
        "--config-file=/config/default-plugins.yaml",
        "--grpc-port=9002",
        "--zap-encoder=json",
        "--tracing=false",
    ]


def test_several_pickers_elect_a_leader() -> None:
    made = objects(replicas=3)
    epp = container(made["deployment"], "epp")
    assert epp["args"].count("--ha-enable-leader-election") == 1
    assert (epp["readinessProbe"]["grpc"]["service"], epp["livenessProbe"]["grpc"]["service"]) == (
        "readiness",
        "liveness",
    )
    assert made["role"]["rules"][3:] == [
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"],
        },
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]},
    ]


def test_a_leader_election_flag_of_the_user_is_not_doubled() -> None:
    flags = {"ha-enable-leader-election": "true"}
    given = [argument for argument in arguments(replicas=2, flags=flags) if "leader" in argument]
    assert given == ["--ha-enable-leader-election=true"]


def test_a_flag_of_the_user_takes_the_place_of_a_generated_one() -> None:
    given = arguments(flags={"zap-encoder": "console", "tracing": "true"})
    assert [argument for argument in given if "zap" in argument or "tracing" in argument] == [
        "--tracing=true",
        "--zap-encoder=console",
    ]


def test_replicas_change_neither_names_nor_selectors() -> None:
    one, three = objects(replicas=1), objects(replicas=3)
    assert {role: obj["metadata"] for role, obj in one.items()} == {
        role: obj["metadata"] for role, obj in three.items()
    }
    assert one["deployment"]["spec"]["selector"] == three["deployment"]["spec"]["selector"]
    assert one["role-binding"] == three["role-binding"]


def test_selectors_match_the_pods() -> None:
    made = objects(labels={"team": "ml"}, version="v1", monitoring=True)
    labels = made["deployment"]["spec"]["template"]["metadata"]["labels"]
    selectors = [
        made["deployment"]["spec"]["selector"]["matchLabels"],
        made["service"]["spec"]["selector"],
    ]
    assert all(selector.items() <= labels.items() for selector in selectors)
    assert (
        made["service-monitor"]["spec"]["selector"]["matchLabels"].items()
        <= made["service"]["metadata"]["labels"].items()
    )
    assert all("app.kubernetes.io/version" not in selector for selector in selectors)
    assert labels["team"] == "ml"


def test_an_older_pool_is_watched_in_its_own_group() -> None:
    group = "inference.networking.x-k8s.io"
    made = objects(poolGroup=group)
    assert f"--pool-group={group}" in container(made["deployment"], "epp")["args"]
    assert made["role"]["rules"][2]["apiGroups"] == [group]


def test_the_own_config_replaces_the_built_in_one() -> None:
    made = objects(pluginsConfig=OWN_PLUGINS, configApiVersion="llm-d.ai/v1alpha1")
    assert yaml.safe_load(made["config-map"]["data"]["default-plugins.yaml"]) == {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        **OWN_PLUGINS,
    }


def test_a_changed_config_rolls_the_pods_and_changes_nothing_else() -> None:
    before, after = objects(), objects(pluginsConfig=OWN_PLUGINS)
    data = after["config-map"]["data"]["default-plugins.yaml"]
    expected = hashlib.sha256(f"default-plugins.yaml{data}".encode()).hexdigest()
    template = after["deployment"]["spec"]["template"]
    assert template["metadata"]["annotations"] == {"checksum/config": expected}
    assert {role for role in before if before[role] != after[role]} == {"config-map", "deployment"}
    template["metadata"]["annotations"] = before["deployment"]["spec"]["template"]["metadata"]["annotations"]
    assert before["deployment"] == after["deployment"]


def test_prefill_chooses_the_other_built_in_config() -> None:
    made = objects(prefill=True)
    profiles = yaml.safe_load(made["config-map"]["data"]["pd-config.yaml"])["schedulingProfiles"]
    assert [profile["name"] for profile in profiles] == ["prefill", "decode"]
    assert "--config-file=/config/pd-config.yaml" in container(made["deployment"], "epp")["args"]


def test_gke_reads_the_metrics_without_a_secret_that_is_not_there() -> None:
    with_token, without = (objects(monitoring=True, provider=provider) for provider in ("istio", "gke"))
    assert "authorization" in with_token["service-monitor"]["spec"]["endpoints"][0]
    assert without["service-monitor"]["spec"]["endpoints"] == [{"port": "http-metrics", "interval": "30s"}]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, {"limits": {"memory": "16Gi"}, "requests": {"cpu": "4", "memory": "8Gi"}}),
        ({"requests": {"cpu": "500m"}}, {"requests": {"cpu": "500m"}}),
        ({"limits": {"memory": "4096Mi"}}, {"limits": {"memory": "4Gi"}}),
        ({"claims": [{"name": "a"}]}, {"limits": {"memory": "16Gi"}, "requests": {"cpu": "4", "memory": "8Gi"}}),
    ],
)
def test_resources(resources: dict[str, Any], expected: dict[str, Any]) -> None:
    assert container(objects(resources=resources)["deployment"], "epp")["resources"] == expected


def test_outputs_are_handed_through_as_they_are() -> None:
    image, endpoint, team = Opaque(object()), Opaque(object()), Opaque(object())
    tracing = {"enabled": True, "otelExporterEndpoint": endpoint}
    made = objects(image=image, tracing=tracing, labels={"team": team})
    epp = container(made["deployment"], "epp")
    assert epp["image"] is image
    assert {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": endpoint} in epp["env"]
    assert made["service"]["metadata"]["labels"]["team"] is team


def test_the_account_of_the_pods_is_the_bindings_subject() -> None:
    made = objects(namespace="models")
    account = {"kind": "ServiceAccount", "name": pod(made["deployment"])["serviceAccountName"], "namespace": "models"}
    assert made["role-binding"]["subjects"] == made["cluster-role-binding"]["subjects"] == [account]
    assert made["service-account"]["metadata"]["name"] == account["name"]
    assert made["token-secret"]["metadata"]["annotations"] == {"kubernetes.io/service-account.name": account["name"]}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"name": "chat.epp"}, "name"),
        ({"name": "7b-epp"}, "name"),
        ({"name": "x" * 64}, "name"),
        ({"namespace": "a.b"}, "namespace"),
        ({"poolName": "Chat"}, "poolName"),
        ({"image": ""}, "image"),
        ({"port": 9090}, "port"),
        ({"port": 9003}, "port"),
        ({"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}}, "resources.requests.cpu"),
        ({"labels": {"a b": "c"}}, "labels"),
        ({"labels": {"app.kubernetes.io/name": "other"}}, 'labels["app.kubernetes.io/name"]'),
        ({"labels": {"inferencepool": "other"}}, 'labels["inferencepool"]'),
        ({"version": "a b"}, "version"),
    ],
)
def test_refused_by_us(fields: dict[str, Any], path: str) -> None:
    assert [(problem.path, problem.severity) for problem in picker(**fields).problems] == [(path, "error")]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"replicas": -1}, "replicas"),
        ({"port": 0}, "port"),
        ({"provider": "aws"}, "provider"),
        ({"flags": {"--v": "4"}}, "flags.--v"),
        ({"failureMode": "Open"}, "failureMode"),
        ({"flags": {"v": Opaque(object())}}, "flags.v"),
        (
            {"pluginsConfig": {"plugins": [], "schedulingProfiles": [{"name": "a", "plugins": [{"pluginRef": "b"}]}]}},
            "pluginsConfig",
        ),
        ({"whatever": 1}, "whatever"),
    ],
)
def test_refused_by_the_schema(fields: dict[str, Any], path: str) -> None:
    model, problems = read(EndpointPickerSpec, {"name": "chat-epp", "poolName": "chat", **fields})
    assert model is None
    assert [problem.path for problem in problems] == [path]
