"""Platform settings. Not proved: that an installation's ConfigMap has no other keys than those known here."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.kserve.settings import KServeSettings
from modelservices.kubernetes.model import read


def problems(data: dict[str, Any]) -> list[str]:
    return [f"{problem.path}: {problem.message}" for problem in read(KServeSettings, data)[1]]


def test_the_gateway_has_a_namespace_and_a_name() -> None:
    settings = KServeSettings()
    assert (settings.ingress.gateway_namespace, settings.ingress.gateway_name) == ("kserve", "kserve-ingress-gateway")
    model, _ = read(KServeSettings, {"ingress": {"kserveIngressGateway": "edge"}})
    assert model and (model.ingress.gateway_namespace, model.ingress.gateway_name) == ("kserve", "edge")


def test_the_autoscalers_settings_have_the_config_maps_key() -> None:
    model, _ = read(KServeSettings, {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://p"}}})
    assert model and model.wva.prometheus.url == "https://p"


def test_the_config_maps_other_keys_have_no_effect() -> None:
    others = {"logger": {}, "deploy": {}, "ingress": {"urlScheme": "https"}, "credentials": {"gcs": {}}}
    assert read(KServeSettings, others) == (KServeSettings(), [])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"autoscaling-wva-controler-config": {}},
            "autoscaling-wva-controler-config: is not a known field; did you mean",
        ),
        ({"gatewayProvider": "envoy"}, "gatewayProvider: must be one of istio, got 'envoy'"),
        (
            {"ingress": {"kserveIngressGatway": "a/b"}},
            "ingress.kserveIngressGatway: is not a known field; did you mean",
        ),
        ({"inferencePoolApis": []}, "inferencePoolApis: must not be empty"),
        ({"inferencePoolApis": ["v2"]}, "inferencePoolApis[0]: must be one of v1, v1alpha2, got 'v2'"),
        ({"gatewayResolves": "v2"}, "gatewayResolves: must be one of v1, v1alpha2, got 'v2'"),
        ({"storageInitializer": {"memoryLimit": "lots"}}, "storageInitializer.memoryLimit: "),
        ({"images": {"vllm": ""}}, "images.vllm: must not be empty"),
    ],
)
def test_wrong_settings(data: dict[str, Any], message: str) -> None:
    (found,) = problems(data)
    assert found.startswith(message)
