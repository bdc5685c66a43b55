"""What the certificate of a service has to say. The certificate itself can't be rendered: see tls.py.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go at v0.20.0-rc0.
Decisions: K2 (docs/decisions).
"""

from collections.abc import Iterable

from ...kubernetes.objects import Object
from ...kubernetes.rendered import Certificate

FOLDER = "/var/run/kserve/tls"
"""Where pods have the certificate: tls.crt and tls.key."""
ROLE = "self-signed-certs"
"""Role of the Secret that gets a certificate when it is registered."""
EXPIRATION = "certificates.kserve.io/expiration"
ADDRESSES = ("127.0.0.1",)
"""IP addresses in the certificate. Those of pods and Services are not known before they exist: clients use names."""


def certificate(objects: Iterable[Object]) -> Certificate:
    return Certificate(tuple(subject_names(objects)), ADDRESSES, EXPIRATION)


def subject_names(objects: Iterable[Object]) -> list[str]:
    """The DNS names of a service's certificate: localhost and each of its Services, short and full, in stable order."""
    services = [obj["metadata"] for obj in objects if obj["kind"] == "Service"]
    hosts = [f"{service['name']}.{service['namespace']}.svc" for service in services]
    return ["localhost", *sorted(name for host in hosts for name in (host, f"{host}.cluster.local"))]
