"""Objects that the keys ask for beside those of the family: a claim, NetworkPolicies, PodMonitors."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..kubernetes.objects import Object
from ..kubernetes.rendered import RenderedComponent
from . import keys, names
from .network_policy import INFERENCE_ONLY, metrics_port, network_policy
from .persistent_volume_claim import claim, claim_name
from .pod_monitor import pod_monitor
from .service import Keys, workloads

CLAIM = "storage"
"""Role of the claim."""


def before(known: Keys, labels: Mapping[str, Any]) -> Iterator[tuple[str, Object]]:
    """Role and object of what the pods need."""
    made = claim(claim_name(known.manifest.name), known.manifest.namespace, labels, known.effective)
    if made:
        yield CLAIM, made


def beside(known: Keys, rendered: RenderedComponent, labels: Mapping[str, Any]) -> Iterator[tuple[str, Object]]:
    """Role and object of what selects the pods, for each workload by itself."""
    made, namespace = workloads(rendered), known.manifest.namespace
    monitored = known.effective.get(keys.MONITORING_SCRAPE) == "true" and not has_monitor(rendered)
    for one in made:
        if known.effective.get(keys.SECURITY_NETWORK_POLICY) == INFERENCE_ONLY:
            name = names.shortened(f"{one.name}-{INFERENCE_ONLY}")
            ports = [*one.ports, *metrics_port(known.effective)]
            policy = network_policy(name, namespace, one.pods, ports, [other.pods for other in made])
            yield f"{one.prefix}network-policy", _labelled(policy, labels)
        if monitored and known.settings.podMonitors:
            port = one.main.get("ports", [{}])[0].get("containerPort", 0)
            monitor = pod_monitor(one.name, namespace, one.pods, known.effective, port)
            yield f"{one.prefix}pod-monitor", _labelled(monitor, labels)


def has_monitor(rendered: RenderedComponent) -> bool:
    """Whether the family has the pods monitored already."""
    return any(obj["kind"] == "PodMonitor" for obj in (record.body for record in rendered.flat()))


def _labelled(obj: Object, labels: Mapping[str, Any]) -> Object:
    metadata = obj["metadata"]
    return {**obj, "metadata": {**metadata, "labels": {**labels, **metadata.get("labels", {})}}}
