"""The certificate of a service with TLS: created once, kept, never in plain text, replaced when its names change.

Not proven here: that vLLM and the picker serve with it.
"""

import base64
import json
from pathlib import Path

from cryptography import x509
from kubernetes.dynamic import DynamicClient

from tests.integration.conftest import SharedCluster
from tests.integration.stacks import Stack

SERVICE = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat}
spec:
  model: {uri: "pvc://weights/chat", name: demo/chat}
  replicas: 0
  ROUTER
"""
TLS = {"settings": {"kserve": {"ingress": {"enableLLMInferenceServiceTLS": True}}}}


def test_a_certificate_is_made_once(cluster: SharedCluster, api: DynamicClient, namespace: str, tmp_path: Path):
    stack = Stack(tmp_path, cluster, namespace)
    stack.config(TLS)
    stack.write(SERVICE.replace("ROUTER", "router: {}"))
    result = stack.up()
    first = secret(api, namespace)
    assert names(first) >= {"localhost", f"chat-kserve-workload-svc.{namespace}.svc"}
    key = base64.b64decode(first["tls.key"]).decode()
    assert "PRIVATE KEY" in key
    line = key.splitlines()[1]
    assert line not in json.dumps(stack.state()) + result.text
    assert stack.up().changes == ()
    assert secret(api, namespace) == first

    stack.write(SERVICE.replace("ROUTER", "router: {scheduler: {}}"))
    stack.up()
    second = secret(api, namespace)
    assert names(second) - names(first) == {f"chat-epp-service.{namespace}.svc{end}" for end in ("", ".cluster.local")}
    assert second["tls.key"] != first["tls.key"]
    assert stack.preview("--refresh").changes == ()
    stack.destroy()


def secret(api: DynamicClient, namespace: str) -> dict[str, str]:
    secrets = api.resources.get(api_version="v1", kind="Secret")
    found = secrets.get(name="chat-kserve-self-signed-certs", namespace=namespace)
    assert found.type == "kubernetes.io/tls"
    return dict(found.data)


def names(data: dict[str, str]) -> set[str]:
    certificate = x509.load_pem_x509_certificate(base64.b64decode(data["tls.crt"]))
    extension = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    return set(extension.value.get_values_for_type(x509.DNSName))
