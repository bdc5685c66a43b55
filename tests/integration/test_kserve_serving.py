"""Settings that follow the server's command line converge: port, TLS, a leader's rights, Istio's rule for the
scheduler.

Not proven here: that vLLM and the scheduler serve; pods are simulated.
"""

from __future__ import annotations

from typing import Any

import yaml
from kubernetes.dynamic import DynamicClient

from tests.integration.live import read
from tests.integration.stacks import Stack
from tests.integration.test_kserve import deployment, service, status

CERTIFICATE = "--ssl-certfile=/var/run/kserve/tls/tls.crt --ssl-keyfile=/var/run/kserve/tls/tls.key"


def main(*args: str) -> dict[str, Any]:
    return {"containers": [{"name": "main", "args": list(args)}]}


def test_a_server_with_its_own_port_and_certificate_converges(stack: Stack, api: DynamicClient) -> None:
    stack.write(service(template=main("--port", "9443", *CERTIFICATE.split())))
    stack.up()
    port = read(api, "v1", "Service", "chat-kserve-workload-svc", stack.namespace)["spec"]["ports"][0]
    assert (port["port"], port["targetPort"], port["appProtocol"]) == (8000, 9443, "https")
    pod = deployment(api, stack, "chat-kserve")["spec"]["template"]["spec"]
    probe = pod["containers"][0]["readinessProbe"]["httpGet"]
    assert (probe["port"], probe["scheme"]) == (9443, "HTTPS")
    secret = read(api, "v1", "Secret", "chat-kserve-self-signed-certs", stack.namespace)
    assert {*secret["data"]} >= {"tls.crt", "tls.key"}
    assert status(stack)["phase"] == "Ready"
    assert stack.up("--expect-no-changes").changes == ()


def test_two_schedulers_behind_istio_converge(stack: Stack, api: DynamicClient) -> None:
    gateway = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": "edge"},
        "spec": {"gatewayClassName": "istio", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]},
    }
    router = {"route": {}, "gateway": {"refs": [{"name": "edge"}]}, "scheduler": {"replicas": 2}}
    stack.write(f"---\n{yaml.safe_dump(gateway)}{service(router=router)}")
    stack.up()
    rule = read(api, "networking.istio.io/v1beta1", "DestinationRule", "chat-epp-service", stack.namespace)
    assert rule["spec"]["host"] == f"chat-epp-service.{stack.namespace}.svc.cluster.local"
    role = read(api, "rbac.authorization.k8s.io/v1", "Role", "chat-epp-role", stack.namespace)
    assert {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "patch"]} in role["rules"]
    assert stack.up("--expect-no-changes").changes == ()
