"""What the security keys forbid and allow around a pod."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..findings import Problem
from ..kubernetes.objects import Object
from . import keys
from .pods import Template

Effective = Mapping[str, Any]

INFERENCE_ONLY = "allow-inference-only"
"""Value of the network-policy key that makes a policy; every other value names an existing one."""


def security_problems(template: Template, effective: Effective, path: str) -> Iterator[Problem]:
    """What in a pod breaks the security level that a key asks for."""
    level = effective.get(keys.SECURITY_POD_SECURITY_POLICY)
    if level not in ("restricted", "baseline"):
        return
    spec = template["spec"]
    broken = [name for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    broken += [f"the hostPath volume {v['name']}" for v in spec.get("volumes", []) if "hostPath" in v]
    broken += [
        f"privileged in {c['name']}" for c in spec["containers"] if c.get("securityContext", {}).get("privileged")
    ]
    for what in broken:
        message = f"has {what}, which the level {level} of {keys.SECURITY_POD_SECURITY_POLICY} forbids"
        yield Problem(path, message, "warning", "security-level")


def network_policy(
    name: str, namespace: str, pods: Mapping[str, Any], ports: Iterable[int], peers: Iterable[Mapping[str, Any]]
) -> Object:
    """Lets requests reach the pods at these ports, and at any port the pods of their service, with which they share
    their work; nothing else gets in. ``pods`` and ``peers`` are labels."""
    requests = [{"port": port, "protocol": "TCP"} for port in sorted(set(ports))]
    selectors = [{"podSelector": {"matchLabels": dict(peer)}} for peer in peers]
    spec = {
        "podSelector": {"matchLabels": dict(pods)},
        "policyTypes": ["Ingress"],
        "ingress": [{"ports": requests}, {"from": selectors}],
    }
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def metrics_port(effective: Effective) -> list[int]:
    """The port that Prometheus has to reach, where a key names one."""
    port = effective.get(keys.MONITORING_PORT)
    return [int(port)] if port else []
