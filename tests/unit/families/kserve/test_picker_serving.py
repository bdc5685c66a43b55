"""What of an endpoint picker renders and would not work: TLS, its election, its configuration by release.

Not proved: that the picker behaves as its rules here say; its flags are the engines' tests.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from .services import ROUTER, SCHEDULER, TLS, container, findings, main, manifest, objects, of, pod


def gateway(class_name: str, name: str = "edge", namespace: str = "gateways") -> dict[str, Any]:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"gatewayClassName": class_name},
    }


REFERRED = {"router": {"route": {}, "gateway": {"refs": [{"name": "edge", "namespace": "gateways"}]}, "scheduler": {}}}


@pytest.mark.parametrize(
    ("spec", "beside", "settings", "made"),
    [
        (REFERRED, gateway("istio"), {}, True),
        (REFERRED, gateway("envoy"), {}, False),
        (REFERRED, gateway("istio", name="other"), {}, False),
        (ROUTER, gateway("istio", "kserve-ingress-gateway", "kserve"), {}, True),
        (ROUTER, gateway("envoy"), {"gatewayProvider": "istio"}, True),
        (REFERRED, gateway("openshift-default"), {}, True),
    ],
)
def test_istio_talks_tls_to_the_picker(spec: Any, beside: dict[str, Any], settings: Any, made: bool) -> None:
    found = objects(manifest(spec), beside, settings=settings).get("epp/destination-rule")
    assert (found is not None) == made
    if found:
        assert found["spec"] == {
            "host": "chat-epp-service.models.svc.cluster.local",
            "trafficPolicy": {"tls": {"mode": "SIMPLE", "insecureSkipVerify": True}},
        }


def test_a_gateway_is_istio_s_by_the_controller_of_its_class() -> None:
    def made(controller: str) -> bool:
        header = {"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": "mesh"}}
        kind = {**header, "spec": {"controllerName": controller}}
        return "epp/destination-rule" in objects(manifest(REFERRED), gateway("mesh"), kind)

    assert made("istio.io/gateway-controller") and made("openshift.io/gateway-controller/v1")
    assert not made("gateway.envoyproxy.io/gatewayclass-controller")


def test_a_gateway_that_a_route_of_ones_own_belongs_to() -> None:
    route = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "own", "namespace": "models"},
        "spec": {"parentRefs": [{"name": "edge", "namespace": "gateways"}]},
    }
    spec = {"router": {"route": {"http": {"refs": [{"name": "own"}]}}, "scheduler": {}}}
    assert "epp/destination-rule" in objects(manifest(spec), gateway("istio"), route)
    assert "epp/destination-rule" not in objects(manifest(spec), gateway("envoy"), route)


@pytest.mark.parametrize(
    ("args", "plain"),
    [
        (["--secure-serving=false"], True),
        (["-secure-serving=0"], True),
        (["--secureServing=False"], True),
        (["--secure-serving=false", "--secure-serving"], False),
        (["--secure-serving", "false"], False),
        (["--secure-serving=true"], False),
    ],
)
def test_a_picker_without_tls_needs_no_destination_rule(args: list[str], plain: bool) -> None:
    """A switch of a Go program has its value behind an equals sign only."""
    spec = {"router": {**REFERRED["router"], "scheduler": {"template": main(args=args)}}}
    assert ("epp/destination-rule" not in objects(manifest(spec), gateway("istio"))) == plain


@pytest.mark.parametrize("scheduler", [{"replicas": 2}, {"template": main(args=["--ha-enable-leader-election"])}])
def test_a_leader_may_record_its_election(scheduler: dict[str, Any]) -> None:
    events = {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]}
    assert of({"router": {"scheduler": scheduler}})["epp/role"]["rules"][-1] == events
    assert events not in of(SCHEDULER)["epp/role"]["rules"]


def config(*plugins: dict[str, Any], profile: list[str]) -> dict[str, Any]:
    return {
        "apiVersion": "llm-d.ai/v1alpha1",
        "kind": "EndpointPickerConfig",
        "plugins": [{"type": "single-profile-handler"}, *plugins],
        "schedulingProfiles": [{"name": "default", "plugins": [{"pluginRef": name} for name in profile]}],
    }


def configured(inline: dict[str, Any]) -> dict[str, Any]:
    return {"router": {"scheduler": {"config": {"inline": inline}}}}


def written(inline: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Names that the rendered configuration declares, and those that its profile refers to."""
    args = container(pod(of(configured(inline))["epp/deployment"]))["args"]
    found = yaml.safe_load(args[args.index("--config-text") + 1])
    declared = [plugin.get("name") or plugin["type"] for plugin in found["plugins"]]
    return declared, [item["pluginRef"] for item in found["schedulingProfiles"][0]["plugins"]]


def test_plugins_are_called_as_the_release_knows_them() -> None:
    declared, referred = written(config({"type": "kv-cache-scorer"}, profile=["kv-cache-scorer"]))
    assert declared == ["single-profile-handler", "kv-cache-utilization-scorer"]
    assert referred == ["kv-cache-utilization-scorer"]


def test_a_plugin_under_its_old_and_its_new_name_is_there_once() -> None:
    names = ["kv-cache-scorer", "kv-cache-utilization-scorer"]
    declared, referred = written(config(*({"type": name} for name in names), profile=names))
    assert declared == ["single-profile-handler", "kv-cache-utilization-scorer"]
    assert referred == ["kv-cache-utilization-scorer"]


def test_the_precise_prefix_scorer_takes_the_plain_ones_place() -> None:
    names = ["prefix-cache-scorer", "precise-prefix-cache-scorer"]
    declared, referred = written(config(*({"type": name} for name in names), profile=names))
    assert declared == [
        "single-profile-handler",
        "token-producer",
        "precise-prefix-cache-producer",
        "prefix-cache-scorer",
    ]
    assert referred == ["prefix-cache-scorer"]


@pytest.mark.parametrize(
    ("inline", "path", "severity", "code"),
    [
        (
            config({"type": "queue-scorer"}, {"type": "queue-scorer"}, profile=["queue-scorer"]),
            "plugins",
            "error",
            "duplicate-name",
        ),
        (config(profile=["queue-scorer"]), "schedulingProfiles[0].plugins[0].pluginRef", "error", "plugin-ref"),
        (
            config({"type": "prefix-cache-scorer", "parameters": {"lruCapacityPerServer": 9}}, profile=[]),
            "plugins[1].parameters",
            "warning",
            "dropped-parameter",
        ),
    ],
)
def test_what_the_picker_would_refuse_or_drop(inline: dict[str, Any], path: str, severity: str, code: str) -> None:
    where = f"spec.router.scheduler.config.inline.{path}"
    assert findings(manifest(configured(inline))) == [(where, severity, code)]


@pytest.mark.parametrize(
    ("inline", "path"),
    [
        ({"plugins": {"a": {}}}, "plugins"),
        ({"plugins": ["queue-scorer"]}, "plugins[0]"),
        ({"plugins": [{"name": "a"}]}, "plugins[0].type"),
        ({"plugins": [], "schedulingProfiles": [{"plugins": []}]}, "schedulingProfiles[0].name"),
        (
            {"schedulingProfiles": [{"name": "a", "plugins": [{"weight": 1}]}]},
            "schedulingProfiles[0].plugins[0].pluginRef",
        ),
    ],
)
def test_a_configuration_of_another_shape(inline: dict[str, Any], path: str) -> None:
    found = [where for where, severity, _ in findings(manifest(configured(inline))) if severity == "error"]
    assert found == [f"spec.router.scheduler.config.inline.{path}"]


def test_old_flags_are_written_as_the_release_reads_them() -> None:
    args = ["--poolName", "p", "--grpcPort=9002", "--modelServerMetricsScheme", "https", "--configText", "plugins: []"]
    made = of({"router": {"scheduler": {"template": main(args=args)}}})
    found = container(pod(made["epp/deployment"]))["args"]
    assert found[:4] == ["--pool-name", "p", "--grpc-port=9002", "--config-text"]
    assert yaml.safe_load(found[4])["plugins"] == [{"type": "metrics-data-source", "parameters": {"scheme": "https"}}]


def test_a_release_before_kebab_case_keeps_its_flags() -> None:
    notes = {"app.kubernetes.io/version": "0.2.0"}
    made = of({"router": {"scheduler": {"annotations": notes, "template": main(args=["--poolName", "p"])}}})
    assert container(pod(made["epp/deployment"]))["args"][:2] == ["--poolName", "p"]


def test_a_configuration_in_a_file_can_not_take_up_a_flag() -> None:
    """With TLS the preset says the scheme of the metrics by a flag that this release no longer takes."""
    spec = {"router": {"scheduler": {"template": main(args=["--config-file", "/config/c.yaml"])}}}
    item = container(pod(of(spec, TLS)["epp/deployment"]))
    assert "model-server-metrics-scheme" not in json.dumps([item["command"], item["args"]])
    path = "spec.router.scheduler.template.containers[main].args"
    assert findings(manifest(spec), settings=TLS) == [(path, "warning", "dropped-flag")]
    assert findings(manifest(spec)) == []


def test_the_port_of_metrics_is_the_pool_s() -> None:
    args = ["--model-server-metrics-port=8000", "--config-text", "plugins: []"]
    assert container(pod(of({"router": {"scheduler": {"template": main(args=args)}}})["epp/deployment"]))["args"] == [
        "--config-text",
        "plugins: []\napiVersion: llm-d.ai/v1alpha1\n",
    ]
    path = "spec.router.scheduler.template.containers[main].args"
    assert findings(manifest({"router": {"scheduler": {"template": main(args=args)}}})) == []
    other = main(args=["--model-server-metrics-port", "9100", *args[1:]])
    assert findings(manifest({"router": {"scheduler": {"template": other}}})) == [(path, "warning", "dropped-flag")]


@pytest.mark.parametrize(
    ("fields", "severity", "code"),
    [
        ({"args": ["--pool-nam", "p"]}, "warning", "unknown-flag"),
        ({"args": ["/app/epp --grpc-port 9002"]}, "error", "invalid"),
        ({"command": ["sh", "-c", 'epp --poolName p --config-file /c "$@"']}, "error", "unknown-flag"),
        ({"command": ["sh", "-c"], "args": ["/app/epp --grpc-port 9002"]}, "warning", "no-config"),
        ({"command": ["sh", "-c", 'epp "$@"', "--"]}, None, None),
        ({"command": ["/app/epp", "--config-file"], "args": ["/c.yaml", "--tracing"]}, None, None),
    ],
)
def test_a_command_line_that_the_picker_does_not_read(fields: dict[str, Any], severity: Any, code: Any) -> None:
    path = "spec.router.scheduler.template.containers[main].args"
    expected = [(path, severity, code)] if code else []
    assert findings(manifest({"router": {"scheduler": {"template": main(**fields)}}})) == expected


KV = ["--kv-transfer-config", """'{"kv_connector":"NixlConnector","kv_role":"kv_both"}'"""]


def test_a_flag_that_the_routing_sidecar_does_not_know() -> None:
    sidecar = {"name": "llm-d-routing-sidecar", "args": ["--connector=nixlv2"]}
    spec = {"prefill": {"template": main(args=KV)}, "template": {"initContainers": [sidecar], **main(args=KV)}}
    path = "spec.template.initContainers[llm-d-routing-sidecar].args"
    assert findings(manifest(spec)) == [(path, "warning", "unknown-flag")]


PRECISE = config({"type": "precise-prefix-cache-scorer"}, profile=["precise-prefix-cache-scorer"])
TEXT = yaml.safe_dump(PRECISE)
CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "picker", "namespace": "models"},
    "data": {"c.yaml": TEXT},
}


@pytest.mark.parametrize(
    "scheduler",
    [
        {"config": {"inline": PRECISE}},
        {"config": {"ref": {"name": "picker", "key": "c.yaml"}}},
        {"template": main(args=["--configText", TEXT])},
        {"template": main(args=[f"--config-text={TEXT}"])},
    ],
)
def test_a_configuration_that_counts_tokens_brings_the_tokenizer_wherever_it_stands(scheduler: dict[str, Any]) -> None:
    made = objects(manifest({"router": {"scheduler": scheduler}}), CONFIG_MAP)
    args = container(pod(made["epp/deployment"]))["args"]
    declared = yaml.safe_load(args[args.index("--config-text") + 1])["plugins"]
    assert [plugin["type"] for plugin in declared] == [
        "single-profile-handler",
        "token-producer",
        "precise-prefix-cache-producer",
        "prefix-cache-scorer",
    ]
    assert "tokenizer-deployment" in made


@pytest.mark.parametrize("args", [["--poolName", "other"], ["--pool-namespace=elsewhere"]])
def test_a_picker_of_another_pool(args: list[str]) -> None:
    spec = {"router": {"scheduler": {"template": main(args=args)}}}
    path = "spec.router.scheduler.template.containers[0].args[0]"
    assert findings(manifest(spec)) == [(path, "warning", "other-pool")]


def test_the_image_of_the_picker_says_which_configuration_it_reads() -> None:
    old = main(image="ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0")
    made = of({"router": {"scheduler": {"template": old}}, "prefill": {}})
    config = yaml.safe_load(container(pod(made["epp/deployment"]))["args"][-1])
    assert config["apiVersion"] == "inference.networking.x-k8s.io/v1alpha1"
    assert config["plugins"][0] == {"type": "prefill-header-handler"}
    notes = {"app.kubernetes.io/version": "0.10.0"}
    made = of({"router": {"scheduler": {"annotations": notes, "template": old}}})
    assert yaml.safe_load(container(pod(made["epp/deployment"]))["args"][-1])["apiVersion"] == "llm-d.ai/v1alpha1"
