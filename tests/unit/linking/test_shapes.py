"""Parts that are only handed on, against the API of their object. Not proved here: that the schemas are of the release
that a cluster has."""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.manifests.documents import Document
from modelservices.planning.plan import make_plan
from modelservices.planning.settings import Settings
from tests.unit.families.kserve.services import main

GPU = {"limits": {"nvidia.com/gpu": "1"}}
CRON = {
    "type": "cron",
    "metadata": {"start": "0 8 * * *", "end": "0 9 * * *", "timezone": "UTC", "desiredReplicas": "2"},
}


def found(**spec: Any) -> list[tuple[str, str, str]]:
    data = {
        "apiVersion": "serving.kserve.io/v1alpha2",
        "kind": "LLMInferenceService",
        "metadata": {"name": "chat", "namespace": "models"},
        "spec": {"model": {"uri": "hf://example/tiny", "name": "tiny"}, "template": main(resources=GPU), **spec},
    }
    findings = make_plan([Document("x.yaml", 1, 1, data)], Settings.model_validate({})).findings
    return [(each.path, each.code, each.message) for each in findings if each.severity == "error"]


def keda(**options: Any) -> dict[str, Any]:
    return {"scaling": {"minReplicas": 1, "maxReplicas": 4, "keda": {"triggers": [CRON], **options}}}


def hpa(behavior: dict[str, Any]) -> dict[str, Any]:
    return {"scaling": {"minReplicas": 1, "maxReplicas": 4, "wva": {"hpa": {"behavior": behavior}}}}


def route(**rule: Any) -> dict[str, Any]:
    rules = [{"backendRefs": [{"name": "own", "port": 80}], **rule}]
    return {"router": {"gateway": {}, "route": {"http": {"spec": {"rules": rules}}}}}


POLICY = {"type": "Pods", "value": 1, "periodSeconds": 60}
SLOW = {"scaleDown": {"stabilizationWindowSeconds": 600, "selectPolicy": "Min", "policies": [POLICY]}}
HEADER = {"type": "RequestHeaderModifier", "requestHeaderModifier": {"set": [{"name": "X-Team", "value": "a"}]}}


@pytest.mark.parametrize(
    "spec",
    [
        hpa(SLOW),
        keda(
            advanced={"horizontalPodAutoscalerConfig": {"behavior": SLOW}},
            fallback={"failureThreshold": 3, "replicas": 2},
        ),
        route(filters=[HEADER], retry={"attempts": 2}, sessionPersistence={"type": "Cookie"}),
    ],
)
def test_what_the_apis_have(spec: dict[str, Any]) -> None:
    assert found(**spec) == []


@pytest.mark.parametrize(
    ("spec", "path", "code", "message"),
    [
        (
            hpa({"scaleDown": {"stabilizationWindow": 600}}),
            "spec.scaling.wva.hpa.behavior.scaleDown.stabilizationWindow",
            "unknown-field",
            "is not a known field; did you mean stabilizationWindowSeconds? "
            "(spec.behavior.scaleDown.stabilizationWindow of HorizontalPodAutoscaler chat-kserve-hpa)",
        ),
        (
            hpa({"scaleUp": {"policies": [{**POLICY, "type": "Pod"}]}}),
            "spec.scaling.wva.hpa.behavior.scaleUp.policies[0].type",
            "bad-value",
            "must be one of Percent, Pods, got 'Pod' (spec.behavior.scaleUp.policies[0].type of "
            "HorizontalPodAutoscaler chat-kserve-hpa)",
        ),
        (
            keda(advanced={"horizontalPodAutoScalerConfig": {"behavior": SLOW}}),
            "spec.scaling.keda.advanced.horizontalPodAutoScalerConfig",
            "unknown-field",
            "is not a known field; did you mean horizontalPodAutoscalerConfig? "
            "(spec.advanced.horizontalPodAutoScalerConfig of ScaledObject chat-kserve-keda)",
        ),
        (
            keda(triggers=[{**CRON, "metricType": "Average"}]),
            "spec.scaling.keda.triggers[0].metricType",
            "bad-value",
            "must be one of AverageValue, Utilization, Value, got 'Average' (spec.triggers[0].metricType of "
            "ScaledObject chat-kserve-keda)",
        ),
        (
            keda(fallback={"replicas": 2}),
            "spec.scaling.keda.fallback.failureThreshold",
            "required",
            "is required (spec.fallback.failureThreshold of ScaledObject chat-kserve-keda)",
        ),
        (
            route(filters=[{"type": "RequestHeaderModifier", "requestHeaderModifer": {}}]),
            "spec.router.route.http.spec.rules[0].filters[0].requestHeaderModifer",
            "unknown-field",
            "is not a known field; did you mean requestHeaderModifier? (spec.rules[0].filters[0].requestHeaderModifer "
            "of HTTPRoute chat-kserve-route)",
        ),
    ],
)
def test_what_they_do_not_have(spec: dict[str, Any], path: str, code: str, message: str) -> None:
    assert found(**spec) == [(path, code, message)]


CPU = {"type": "cpu", "metadata": {"value": "60"}}
RULE = "spec.router.route.http.spec.rules[0]"


@pytest.mark.parametrize(
    ("spec", "path", "message"),
    [
        (
            hpa({"scaleDown": {"stabilizationWindowSeconds": 3601}}),
            "spec.scaling.wva.hpa.behavior.scaleDown.stabilizationWindowSeconds",
            "must be between 0 and 3600, got 3601",
        ),
        (
            hpa({"scaleUp": {"policies": [{**POLICY, "value": 0}]}}),
            "spec.scaling.wva.hpa.behavior.scaleUp.policies[0].value",
            "must be between 1 and 2147483647, got 0",
        ),
        (
            hpa({"scaleUp": {"policies": [{"type": "Pods", "value": 1}]}}),
            "spec.scaling.wva.hpa.behavior.scaleUp.policies[0].periodSeconds",
            "is required",
        ),
        (
            keda(advanced={"horizontalPodAutoscalerConfig": {"name": "x" * 64}}),
            "spec.scaling.keda.advanced.horizontalPodAutoscalerConfig.name",
            "must have at most 63 characters, because KEDA makes a label of it, got 64",
        ),
        (
            keda(triggers=[CRON, {**CPU, "metricType": "Value"}]),
            "spec.scaling.keda.triggers[1].metricType",
            "is Value, but a trigger of type cpu takes Utilization and AverageValue only, so KEDA never scales",
        ),
        (
            keda(triggers=[{**CRON, "metricType": "Utilization"}]),
            "spec.scaling.keda.triggers[0].metricType",
            "is Utilization, but a trigger of type cron takes AverageValue and Value only, so KEDA never scales",
        ),
        (
            keda(triggers=[{**CRON, "name": "a"}, {**CRON, "name": "a"}]),
            "spec.scaling.keda.triggers[1].name",
            "is a duplicate: 'a'; KEDA refuses it",
        ),
        (
            keda(advanced={"scalingModifiers": {"formula": "a"}}),
            "spec.scaling.keda.advanced.scalingModifiers.target",
            "is required beside formula: KEDA compares the formula's result with it",
        ),
        (
            keda(fallback={"failureThreshold": -1, "replicas": 2}),
            "spec.scaling.keda.fallback.failureThreshold",
            "must be between 0 and 2147483647, got -1",
        ),
        (
            route(filters=[{"type": "URLRewrite"}]),
            f"{RULE}.filters[0].urlRewrite",
            "is required in a filter of type URLRewrite",
        ),
        (
            route(filters=[{**HEADER, "requestRedirect": {"hostname": "a.example.com"}}]),
            f"{RULE}.filters[0].requestRedirect",
            "belongs to a filter of type RequestRedirect, but this one's type is RequestHeaderModifier; keep one of "
            "them",
        ),
        (
            route(matches=[{"path": {"value": "v1"}}]),
            f"{RULE}.matches[0].path.value",
            "must begin with a slash, got 'v1'",
        ),
    ],
)
def test_what_their_rules_refuse(spec: dict[str, Any], path: str, message: str) -> None:
    ((where, _, said),) = found(**spec)
    assert (where, said.partition(" (spec.")[0]) == (path, message)


def test_a_host_name_with_a_scheme() -> None:
    spec = route()
    spec["router"]["route"]["http"]["spec"]["hostnames"] = ["*.example.com", "https://models.example.com"]
    ((where, _, said),) = found(**spec)
    assert where == "spec.router.route.http.spec.hostnames[1]"
    assert said.startswith("must be a host name in lower case, without scheme and port")
