"""Each of the 60 documented keys on a service of each other family: what it changes, or the finding that it gives.

Not proved here: what an engine makes of a flag or a variable; how keys play together (the modules beside this one).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from modelservices.kubernetes.pod_templates import pod_templates
from modelservices.kubernetes.rendered import RenderedComponent
from modelservices.ome_keys.vocabulary import vocabulary

from .helpers import MAIN, SERVICES, about, planned, rendered, with_keys

Shown = Callable[[str, str, str], None]

SETTINGS = {"ome": {"podMonitors": True, "profiles": {"h100-profile": {"nodeSelector": {"gpu": "h100"}}}}}


def made(service: str, keys: Mapping[str, str], **spec: Any) -> RenderedComponent:
    return rendered(with_keys(SERVICES[service], keys, **spec), settings=SETTINGS)


def pods(service: str, result: RenderedComponent) -> list[Mapping[str, Any]]:
    """The pod templates of the main workload."""
    return [template for _, template in pod_templates(result.objects[MAIN[service]])]


def main(template: Mapping[str, Any]) -> dict[str, Any]:
    containers = template["spec"]["containers"]
    return next((c for c in containers if c["name"] == "main"), containers[0])


def env(template: Mapping[str, Any]) -> dict[str, Any]:
    return {entry["name"]: entry.get("value") for entry in main(template).get("env", [])}


def _copied(service: str, key: str, value: str) -> None:
    result = made(service, {key: value})
    for obj in result.all_objects():
        for holder in (obj, *(template for _, template in pod_templates(obj))):
            assert holder["metadata"]["labels"][key] == value
        assert key not in str(obj.get("spec", {}).get("selector"))


def _kept(service: str, key: str, value: str) -> None:
    result = made(service, {key: value})
    assert result.objects[MAIN[service]]["metadata"]["annotations"][key] == value
    assert all(key not in str(template) for template in pods(service, result))


def _finding(code: str, severity: str = "warning") -> Shown:
    def shown(service: str, key: str, value: str) -> None:
        plan = planned(with_keys(SERVICES[service], {key: value}), settings=SETTINGS)
        assert (severity, code) in [(f.severity, f.code) for f in about(plan, key)]
        plain = rendered(SERVICES[service], settings=SETTINGS)
        assert _without(key, plan.services[0].objects) == plain.objects

    return shown


def _without(key: str, value: Any) -> Any:
    """Objects without copies of a key, and without the empty mappings that are left then."""
    if isinstance(value, dict):
        kept = {name: _without(key, item) for name, item in value.items() if name != key}
        return {n: item for n, item in kept.items() if n != "annotations" or item}
    return [_without(key, item) for item in value] if isinstance(value, list) else value


def _variable(name: str) -> Shown:
    def shown(service: str, key: str, value: str) -> None:
        templates = pods(service, made(service, {key: value}))
        assert [env(template)[name] for template in templates] == [value] * len(templates)

    return shown


def _flag(name: str, value_of: Callable[[str], str] = str) -> Shown:
    def shown(service: str, key: str, value: str) -> None:
        for template in pods(service, made(service, {key: value})):
            args = [word.strip("'") for word in main(template)["args"]]
            assert args[args.index(name) + 1] == value_of(value)

    return shown


def _annotation(name: str) -> Shown:
    def shown(service: str, key: str, value: str) -> None:
        templates = pods(service, made(service, {key: value}))
        assert [t["metadata"]["annotations"][name] for t in templates] == [value] * len(templates)

    return shown


def _autoscaler(key: str, service: str, *more: tuple[str, str]) -> dict[str, Any]:
    result = made(service, {"ome.io/max-replicas": "7", **dict(more)})
    assert "replicas" not in result.objects[MAIN[service]]["spec"]
    role = "scaled-object" if ("autoscaling.ome.io/enable-keda", "true") in more else "autoscaler"
    return result.objects[role]["spec"]


def _min(service: str, key: str, _value: str) -> None:
    assert made(service, {key: "2"}).objects[MAIN[service]]["spec"]["replicas"] == 2
    assert _autoscaler(key, service, (key, "2"))["minReplicas"] == 2


def _max(service: str, key: str, _value: str) -> None:
    spec = _autoscaler(key, service)
    assert (spec["minReplicas"], spec["maxReplicas"]) == (1, 7)


def _utilization(service: str, key: str, _value: str) -> None:
    (metric,) = _autoscaler(key, service, (key, "55"))["metrics"]
    # A sidecar requests nothing: beside one the server's container is measured alone.
    (measured,) = [metric[field] for field in ("resource", "containerResource") if field in metric]
    assert (measured["name"], measured["target"]) == ("cpu", {"type": "Utilization", "averageUtilization": 55})


def _keda(service: str, key: str, _value: str) -> None:
    spec = _autoscaler(key, service, (key, "true"))
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (1, 7)


def _metric(service: str, key: str, _value: str) -> None:
    spec = _autoscaler(key, service, (key, "rps"), ("autoscaling.ome.io/enable-keda", "true"))
    name = spec["scaleTargetRef"]["name"]
    query = spec["triggers"][0]["metadata"]["query"]
    assert query == f'sum(rate(vllm:request_success_total{{namespace="llm",pod=~"{name}-.*"}}[1m]))'


def _target(service: str, key: str, _value: str) -> None:
    spec = _autoscaler(key, service, (key, "25"), ("autoscaling.ome.io/enable-keda", "true"))
    assert spec["triggers"][0]["metadata"]["threshold"] == "25"
    (metric,) = _autoscaler(key, service, (key, "25"))["metrics"]
    (measured,) = [metric[field] for field in ("resource", "containerResource") if field in metric]
    assert measured["target"]["averageUtilization"] == 25


def _mode(service: str, key: str, _value: str) -> None:
    assert list(made(service, {key: "VirtualDeployment"}).all_objects()) == []
    _finding("no-effect")(service, key, "Serverless")
    fitting = "MultiNode" if service == "kserve-group" else "RawDeployment"
    plan = planned(with_keys(SERVICES[service], {key: fitting}), settings=SETTINGS)
    assert about(plan, key) == []


def _cluster(service: str, key: str, value: str) -> None:
    result = made(service, {key: value})
    labels = [t["metadata"]["labels"] for t in (result.objects[MAIN[service]], *pods(service, result))]
    assert all(label["volcano.sh/queue-name"] == value for label in labels)
    queued = with_keys(SERVICES[service], {key: value, "kueue-enabled": "true"})
    assert rendered(queued).objects[MAIN[service]]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == value


def _hardware(service: str, key: str, value: str) -> None:
    for template in pods(service, made(service, {key: value})):
        assert template["spec"]["nodeSelector"]["gpu"] == "h100"


def _storage_uri(service: str, key: str, value: str) -> None:
    _variable("MODEL_STORAGE_URI")(service, key, value)
    plan = planned(with_keys(SERVICES[service], {key: value}))
    assert [f.code for f in about(plan, key)] == ["overridden"]


def _restricted(service: str, key: str, _value: str) -> None:
    for template in pods(service, made(service, {key: "restricted"})):
        assert template["spec"]["securityContext"]["runAsNonRoot"] is True
        assert main(template)["securityContext"]["allowPrivilegeEscalation"] is False


def _network_policy(service: str, key: str, value: str) -> None:
    result = made(service, {key: value})
    policy = result.objects["network-policy" if service == "llmkube" else "decode-network-policy"]["spec"]
    for template in pods(service, result):
        labels = {**template["metadata"]["labels"], "leaderworkerset.sigs.k8s.io/name": "chat-kserve-mn"}
        assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    (requests, own) = policy["ingress"]
    assert 8000 in [entry["port"] for entry in requests["ports"]]
    assert policy["podSelector"] in [peer["podSelector"] for peer in own["from"]]
    for template in pods(service, made(service, {key: "our-policy"})):
        assert template["metadata"]["labels"]["network-policy"] == "our-policy"


def _secret(service: str, key: str, value: str) -> None:
    for template in pods(service, made(service, {key: value})):
        assert {"secretRef": {"name": value}} in main(template)["envFrom"]


def _claim(service: str, key: str, value: str) -> None:
    keys = {"storage.ome.io/size": "1Gi", "storage.ome.io/access-mode": "ReadWriteMany", key: value}
    result = made(service, keys)
    spec = result.objects["storage"]["spec"]
    fields = {"class": "storageClassName", "size": "resources", "access-mode": "accessModes"}
    expected = {"class": value, "size": {"requests": {"storage": value}}, "access-mode": [value]}
    name = key.rpartition("/")[2]
    assert spec[fields[name]] == expected[name]
    assert next(iter(result.objects)) == "storage"
    for template in pods(service, result):
        assert {"name": "storage", "mountPath": "/mnt/storage"} in main(template)["volumeMounts"]
        if not service.startswith("kserve"):  # its pods have the model in a place of its own
            assert "/mnt/storage" in env(template)["HF_HOME"]


def _scrape(service: str, key: str, value: str) -> None:
    _annotation("prometheus.io/scrape")(service, key, value)
    result = made(service, {key: value})
    role = "pod-monitor" if service == "llmkube" else "decode-pod-monitor"
    port = 8200 if service == "otterscale" else 8000  # there the routing proxy has the pods' own port
    assert result.objects[role]["spec"]["podMetricsEndpoints"] == [{"targetPort": port, "path": "/metrics"}]


def _zone(service: str, key: str, value: str) -> None:
    _variable("OCI_AVAILABILITY_DOMAIN")(service, key, value)
    for template in pods(service, made(service, {key: value})):
        assert template["spec"]["nodeSelector"]["topology.kubernetes.io/zone"] == "PHX-AD-1"


WRONG_KIND = _finding("wrong-kind")

SHOWN: dict[str, Shown] = {
    **dict.fromkeys(
        [
            "ome.io/managed-by",
            "ome.io/component",
            "ome.io/part-of",
            "ome.io/version",
            "serving.ome.io/inferenceservice",
            "serving.ome.io/component",
            "serving.ome.io/revision",
            "serving.ome.io/model",
            "serving.ome.io/runtime",
            "infrastructure.ome.io/capacity-reservation",
            "model.ome.io/name",
            "model.ome.io/type",
            "model.ome.io/vendor",
            "model.ome.io/format",
            "model.ome.io/size",
        ],
        _copied,
    ),
    **{key: WRONG_KIND for key in vocabulary().entries if key.startswith(("training.", "benchmark."))},
    "infrastructure.ome.io/cluster": _cluster,
    "infrastructure.ome.io/profile": _hardware,
    "ome.io/last-applied-configuration": _kept,
    "ome.io/resource-version": _kept,
    "ome.io/deploymentMode": _mode,
    "ome.io/min-replicas": _min,
    "ome.io/max-replicas": _max,
    "ome.io/target-utilization": _utilization,
    "autoscaling.ome.io/enable-keda": _keda,
    "autoscaling.ome.io/metric": _metric,
    "autoscaling.ome.io/target": _target,
    "autoscaling.knative.dev/metric": _finding("no-effect", "info"),
    "autoscaling.knative.dev/target": _finding("no-effect", "info"),
    "model.ome.io/storage-uri": _storage_uri,
    "model.ome.io/quantization": _flag("--dtype", lambda _: "float16"),
    "model.ome.io/max-tokens": _flag("--override-generation-config", lambda v: f'{{"max_new_tokens": {v}}}'),
    "model.ome.io/context-length": _flag("--max-model-len"),
    "performance.ome.io/gpu-memory-fraction": _flag("--gpu-memory-utilization"),
    "performance.ome.io/batch-size": _flag("--max-num-seqs"),
    "performance.ome.io/max-batch-delay": _variable("MAX_BATCH_DELAY"),
    "security.ome.io/pod-security-policy": _restricted,
    "security.ome.io/network-policy": _network_policy,
    "security.ome.io/secret-ref": _secret,
    "storage.ome.io/class": _claim,
    "storage.ome.io/size": _claim,
    "storage.ome.io/access-mode": _claim,
    "monitoring.ome.io/scrape": _scrape,
    "monitoring.ome.io/port": _annotation("prometheus.io/port"),
    "monitoring.ome.io/path": _annotation("prometheus.io/path"),
    "oci.ome.io/compartment-id": _variable("OCI_COMPARTMENT_ID"),
    "oci.ome.io/region": _variable("OCI_REGION"),
    "oci.ome.io/availability-domain": _zone,
}


def test_no_key_is_forgotten() -> None:
    assert SHOWN.keys() == vocabulary().entries.keys()
    assert len(SHOWN) == 60


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("key", SHOWN)
def test_key(key: str, service: str) -> None:
    SHOWN[key](service, key, vocabulary().entries[key].examples[0])


@pytest.mark.parametrize("service", SERVICES)
def test_nothing_acts_in_the_upstream_profile(service: str) -> None:
    """There the keys are for OME's controllers, which have nothing to do with other families."""
    plain = rendered(SERVICES[service])
    for key, entry in vocabulary().entries.items():
        keys = with_keys(SERVICES[service], {key: entry.examples[0]})
        found = rendered(keys, settings={"ome": {"profile": "upstream"}})
        assert (found.objects, found.parts.keys()) == (plain.objects, plain.parts.keys())
