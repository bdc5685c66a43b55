"""settings.otterscale: defaults, what is refused, and what the settings decide beyond upstream's.

That upstream's own settings act as upstream's operator has it is in the conformance tests.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from modelservices.families.otterscale.settings import OtterScaleSettings
from modelservices.kubernetes.model import read
from modelservices.planning.settings import Settings

from .services import PREFILL, container, findings, objects

PROFILE = {"name": "default", "plugins": [{"pluginRef": "queue-scorer", "weight": 3}]}
CONFIG = {"plugins": [{"type": "queue-scorer"}], "schedulingProfiles": [PROFILE]}


def test_defaults_are_those_of_the_operator() -> None:
    settings = OtterScaleSettings()
    assert settings.version == "devel"
    assert settings.kitImage == "ghcr.io/kitops-ml/kitops:v1.11.0"
    assert settings.defaultImages.model_dump() == {
        "engine": "ghcr.io/llm-d/llm-d-cuda:v0.5.1",
        "epp": "ghcr.io/llm-d/llm-d-inference-scheduler:v0.6.0",
        "routingProxy": "ghcr.io/llm-d/llm-d-routing-sidecar:v0.6.0",
    }
    assert settings.epp.model_dump(exclude_none=True) == {
        "provider": "istio",
        "flags": {},
        "metricsEndpointAuth": True,
        "defaultGatewayName": "llm-d-infra-inference-gateway",
        "tracing": {
            "enabled": False,
            "otelExporterEndpoint": "",
            "sampler": "parentbased_traceidratio",
            "samplerArg": "0.01",
        },
        "configApiVersion": "inference.networking.x-k8s.io/v1alpha1",
    }


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"kitimage": "x"}, "otterscale.kitimage"),
        ({"epp": {"provider": "traefik"}}, "otterscale.epp.provider"),
        ({"epp": {"flags": {"-v": "4"}}}, "otterscale.epp.flags.-v"),
        ({"epp": {"configApiVersion": "v1"}}, "otterscale.epp.configApiVersion"),
        ({"routeTimeout": "1 hour"}, "otterscale.routeTimeout"),
        ({"shmSizeLimit": "big"}, "otterscale.shmSizeLimit"),
        ({"epp": {"pluginsConfig": {"plugins": []}}}, "otterscale.epp.pluginsConfig.schedulingProfiles"),
        ({"epp": {"pluginsConfig": {**CONFIG, "plugins": []}}}, "otterscale.epp.pluginsConfig"),
    ],
)
def test_refused(settings: dict[str, Any], path: str) -> None:
    model, problems = read(Settings, {"otterscale": settings})
    assert model is None
    assert [problem.path for problem in problems] == [path]


def plugins(spec: dict[str, Any] | None, epp: dict[str, Any]) -> tuple[str, list[str]]:
    (text,) = objects(spec, {"epp": epp})["epp/config-map"]["data"].items()
    return text[0], [profile["name"] for profile in yaml.safe_load(text[1])["schedulingProfiles"]]


def test_own_plugins_of_all_services() -> None:
    own = {"pluginsConfig": CONFIG}
    assert plugins(None, own) == ("default-plugins.yaml", ["default"])
    assert plugins(PREFILL, own) == ("pd-config.yaml", ["default"])


def test_own_plugins_of_services_with_prefill() -> None:
    profiles = [{**PROFILE, "name": name} for name in ("prefill", "decode")]
    disaggregated = {"plugins": [*CONFIG["plugins"], {"type": "pd-profile-handler"}], "schedulingProfiles": profiles}
    own = {"pluginsConfig": CONFIG, "prefillDecodePluginsConfig": {**CONFIG, **disaggregated}}
    assert plugins(None, own) == ("default-plugins.yaml", ["default"])
    assert plugins(PREFILL, own) == ("pd-config.yaml", ["prefill", "decode"])


def test_warnings_about_plugins_name_the_setting() -> None:
    handler = {"type": "disagg-profile-handler", "parameters": {"deciders": {"prefill": "nobody"}}}
    wrong = {**CONFIG, "plugins": [*CONFIG["plugins"], handler]}
    setting = "settings.otterscale.epp.pluginsConfig"
    found = findings(settings={"epp": {"pluginsConfig": wrong}})
    assert [each for each in found if each[0].startswith(setting)] == [
        (f"{setting}.plugins[1].parameters.deciders.prefill", "warning", "plugin-ref"),
        (f"{setting}.schedulingProfiles", "warning", "scheduling-profiles"),
        (f"{setting}.schedulingProfiles", "warning", "scheduling-profiles"),
    ]


def test_image_and_config_version_go_together() -> None:
    settings = {"defaultImages": {"epp": "epp:1"}, "epp": {"configApiVersion": "llm-d.ai/v1alpha1"}}
    made = objects(settings=settings)
    assert container(made["epp/deployment"], "epp")["image"] == "epp:1"
    text = made["epp/config-map"]["data"]["default-plugins.yaml"]
    assert text.startswith("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n")


def test_a_version_that_is_no_label_value_is_refused() -> None:
    assert findings(settings={"version": "v1 (beta)"}) == [("settings.otterscale.version", "error", "bad-value")]


def test_unknown_fields_can_be_ignored() -> None:
    assert findings({"autoscaling": {}}, settings={"ignoreUnknown": True}) == [
        ("spec.autoscaling", "warning", "unknown-field")
    ]
