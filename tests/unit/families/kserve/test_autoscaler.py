"""HorizontalPodAutoscalers and KEDA ScaledObjects.

Not proved: that KEDA and the Workload Variant Autoscaler do with these objects what is expected of them.
"""

from __future__ import annotations

from typing import Any

from .services import DATA_PARALLEL, of

PROMETHEUS = {"autoscaling-wva-controller-config": {"prometheus": {"url": "https://prometheus:9090"}}}


def scaling(**fields: Any) -> dict[str, Any]:
    return {"scaling": {"maxReplicas": 4, **fields}}


def test_a_horizontal_autoscaler() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    spec = {
        **scaling(minReplicas=2, wva={"hpa": {"behavior": behavior}}),
        "labels": {"inference.optimization/acceleratorName": "H100"},
    }
    made = of(spec)["decode-hpa"]
    assert made["metadata"]["name"] == "chat-kserve-hpa"
    assert made["metadata"]["labels"]["inference.optimization/acceleratorName"] == "H100"
    assert made["metadata"]["annotations"] == {
        "llm-d.ai/managed": "true",
        "llm-d.ai/model-id": "org/model",
        "llm-d.ai/variant-cost": "10.0",
        "validations.keda.sh/hpa-ownership": "false",
    }
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "chat-kserve"},
        "minReplicas": 2,
        "maxReplicas": 4,
        "metrics": [
            {
                "type": "External",
                "external": {
                    "metric": {
                        "name": "wva_desired_replicas",
                        "selector": {"matchLabels": {"variant_name": "chat-kserve-hpa"}},
                    },
                    "target": {"type": "Value", "value": "1"},
                },
            }
        ],
        "behavior": behavior,
    }


def test_an_autoscaler_through_keda() -> None:
    prometheus = {
        "url": "https://p:9090",
        "authModes": "bearer",
        "triggerAuthName": "auth",
        "triggerAuthKind": "ClusterTriggerAuthentication",
    }
    own = {"autoscaling-wva-controller-config": {"prometheus": prometheus}}
    spec = {
        **DATA_PARALLEL,
        **scaling(wva={"variantCost": "4.5", "keda": {"pollingInterval": 5, "idleReplicaCount": 0}}),
    }
    made = of(spec, own)["decode-keda"]
    assert made["metadata"]["annotations"]["llm-d.ai/variant-cost"] == "4.5"
    assert made["metadata"]["labels"]["inference.optimization/acceleratorName"] == "unknown"
    assert made["spec"] == {
        "scaleTargetRef": {
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "name": "chat-kserve-mn",
        },
        "minReplicaCount": 1,
        "maxReplicaCount": 4,
        "pollingInterval": 5,
        "idleReplicaCount": 0,
        "triggers": [
            {
                "type": "prometheus",
                "name": "wva-desired-replicas",
                "metadata": {
                    "serverAddress": "https://p:9090",
                    "query": 'wva_desired_replicas{variant_name="chat-kserve-keda",exported_namespace="models"}',
                    "threshold": "1",
                    "unsafeSsl": "false",
                    "authModes": "bearer",
                },
                "authenticationRef": {"name": "auth", "kind": "ClusterTriggerAuthentication"},
            }
        ],
    }


def test_keda_triggers_of_ones_own() -> None:
    triggers = [{"type": "cron", "metadata": {"start": "0 8 * * *"}}]
    made = of({"prefill": scaling(keda={"triggers": triggers})})["prefill-keda"]
    assert made["metadata"]["name"] == "chat-kserve-prefill-keda"
    assert "annotations" not in made["metadata"]
    assert "inference.optimization/acceleratorName" not in made["metadata"]["labels"]
    assert made["spec"]["triggers"] == triggers
    assert made["spec"]["scaleTargetRef"]["name"] == "chat-kserve-prefill"


def test_what_is_scaled_has_no_replicas() -> None:
    assert "replicas" not in of(scaling(wva={"hpa": {}}))["decode-deployment"]["spec"]
