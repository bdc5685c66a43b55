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


def test_a_picker_without_tls_needs_no_destination_rule() -> None:
    scheduler = {"template": main(args=["--secure-serving=false"])}
    spec = {"router": {**REFERRED["router"], "scheduler": scheduler}}
    assert "epp/destination-rule" not in objects(manifest(spec), gateway("istio"))


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
