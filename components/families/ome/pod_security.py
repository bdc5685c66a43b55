"""What the security keys forbid and allow around a pod."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...findings import Problem
from . import keys
from .pods import Template

Acting = Mapping[str, Any]

INFERENCE_ONLY = "allow-inference-only"
"""Value of the network-policy key that makes a policy; every other value names an existing one."""


def security_problems(template: Template, acting: Acting, path: str) -> Iterator[Problem]:
    """What in a pod breaks the security level that a key asks for."""
    level = acting.get(keys.SECURITY_POD_SECURITY_POLICY)
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


def network_policy(name: str, namespace: str, pods: Mapping[str, Any], ports: list[int]) -> dict[str, Any]:
    """Lets requests reach the pods at their own ports, and nothing else in."""
    metadata = {"name": name, "namespace": namespace}
    allowed = [{"port": port, "protocol": "TCP"} for port in ports]
    spec = {"podSelector": {"matchLabels": dict(pods)}, "policyTypes": ["Ingress"], "ingress": [{"ports": allowed}]}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}
