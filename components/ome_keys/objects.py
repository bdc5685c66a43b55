"""Objects that the keys add to the family's: a claim, NetworkPolicies, PodMonitors."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.access_modes import is_of_one_node
from ..kubernetes.objects import Object
from ..kubernetes.rendered import RenderedComponent
from . import keys, names
from .service import Keys, workloads

Effective = Mapping[str, Any]

INFERENCE_ONLY = "allow-inference-only"
"""Value of the network-policy key that makes a policy; other values name an existing one."""


def beside(known: Keys, rendered: RenderedComponent, labels: Mapping[str, Any]) -> Iterator[tuple[str, Object]]:
    """Role and object of the policies and monitors for each workload."""
    made, namespace = workloads(rendered), known.manifest.namespace
    monitored = known.effective.get(keys.MONITORING_SCRAPE) == "true" and not has_monitor(rendered)
    for one in made:
        if known.effective.get(keys.SECURITY_NETWORK_POLICY) == INFERENCE_ONLY:
            others = [other.pods for other in made]
            policy = network_policy(one.name, namespace, one.pods, one.ports, others, known.effective)
            yield f"{one.prefix}network-policy", _labelled(policy, labels)
        if monitored and known.settings.podMonitors:
            port = one.main.get("ports", [{}])[0].get("containerPort", 0)
            monitor = pod_monitor(one.name, namespace, one.pods, known.effective, port)
            yield f"{one.prefix}pod-monitor", _labelled(monitor, labels)


def has_monitor(rendered: RenderedComponent) -> bool:
    return any(record.body["kind"] == "PodMonitor" for record in rendered.flat())


def _labelled(obj: Object, labels: Mapping[str, Any]) -> Object:
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, "labels": {**labels, **metadata.get("labels", {})}}}


def network_policy(
    owner: str,
    namespace: str,
    pods: Mapping[str, Any],
    ports: Iterable[int],
    peers: Iterable[Mapping[str, Any]],
    effective: Effective,
) -> Object:
    """Lets requests reach the pods at these ports, and at any port the pods of their service, with which they share
    their work; Prometheus too where a key names its port; nothing else gets in. ``pods`` and ``peers`` are labels."""
    metrics = [int(effective[keys.MONITORING_PORT])] if effective.get(keys.MONITORING_PORT) else []
    requests = [{"port": port, "protocol": "TCP"} for port in sorted({*ports, *metrics})]
    selectors = [{"podSelector": {"matchLabels": dict(peer)}} for peer in peers]
    spec = {
        "podSelector": {"matchLabels": dict(pods)},
        "policyTypes": ["Ingress"],
        "ingress": [{"ports": requests}, {"from": selectors}],
    }
    metadata = {"name": names.shortened(f"{owner}-{INFERENCE_ONLY}"), "namespace": namespace}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def pod_monitor(name: str, namespace: str, pods: Mapping[str, Any], effective: Effective, port: int) -> Object:
    """``pods`` are their labels, copied to the metrics; ``port`` applies unless a key names a port for metrics."""
    endpoint = {
        "targetPort": int(effective.get(keys.MONITORING_PORT, port)),
        "path": effective.get(keys.MONITORING_PATH, "/metrics"),
    }
    spec = {
        "selector": {"matchLabels": dict(pods)},
        "podTargetLabels": sorted(pods),
        "podMetricsEndpoints": [endpoint],
    }
    metadata = {"name": name, "namespace": namespace, "labels": dict(pods)}
    return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": metadata, "spec": spec}


def persistent_volume_claim(
    owner: str, namespace: str, labels: Mapping[str, Any], effective: Effective
) -> dict[str, Object]:
    """The claim of a service or job by its role, where the keys give its size."""
    if keys.STORAGE_SIZE not in effective:
        return {}
    spec: dict[str, Any] = {
        "accessModes": [effective.get(keys.STORAGE_ACCESS_MODE, "ReadWriteOnce")],
        "resources": {"requests": {"storage": effective[keys.STORAGE_SIZE]}},
    }
    if keys.STORAGE_CLASS in effective:
        spec["storageClassName"] = effective[keys.STORAGE_CLASS]
    metadata = {"name": names.claim(owner), "namespace": namespace, "labels": dict(labels)}
    return {"storage": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}}


def storage_problems(effective: Effective, pods: int) -> Iterator[Problem]:
    """Warns about storage keys without a size, and a claim that several pods can't share."""
    path = "metadata.annotations"
    if keys.STORAGE_SIZE not in effective:
        for key in (keys.STORAGE_CLASS, keys.STORAGE_ACCESS_MODE):
            if key in effective:
                message = f"{key} has no effect without {keys.STORAGE_SIZE}; add {keys.STORAGE_SIZE}"
                yield Problem(path, message, "warning", "no-claim")
    elif pods > 1 and is_of_one_node([effective.get(keys.STORAGE_ACCESS_MODE, "ReadWriteOnce")]):
        message = f"{pods} replicas can't share a ReadWriteOnce volume across nodes; write {keys.STORAGE_ACCESS_MODE}"
        yield Problem(path, f'{message}: "ReadWriteMany"', "warning", "shared-claim")
