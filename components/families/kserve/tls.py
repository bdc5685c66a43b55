"""Encrypted traffic inside a service: the Secret with its certificate, and for which names that certificate is made.

A key can't be rendered: rendering is deterministic and its output may be printed. So the Secret is rendered without
data, under the role ``self-signed-certs``, only when TLS is on. The component that registers it makes a self-signed
certificate for ``subject_names`` and ``ADDRESSES`` once, keeps it in Pulumi's state as a secret (keys ``tls.crt``,
``tls.key`` and ``ca.crt``) and notes its end in the annotation ``EXPIRATION``. ``render`` leaves the data out and says
so.
"""

from __future__ import annotations

from ...kubernetes.objects import Object, Rendered
from . import names
from .context import Service
from .labels import metadata
from .pods import Pod

ROLE = "self-signed-certs"
EXPIRATION = "certificates.kserve.io/expiration"
ADDRESSES = ("127.0.0.1",)
"""IP addresses in the certificate. Those of pods and Services are not known before they exist: clients use names."""


def certificates_secret(service: Service) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(service, "workload parts", names.certificates(service.name)),
        "type": "kubernetes.io/tls",
    }


def subject_names(rendered: Rendered) -> list[str]:
    """The DNS names of a service's certificate: localhost and each of its Services, short and full, in stable order."""
    services = [obj["metadata"] for obj in rendered.all_objects() if obj["kind"] == "Service"]
    hosts = [f"{service['name']}.{service['namespace']}.svc" for service in services]
    return ["localhost", *sorted(name for host in hosts for name in (host, f"{host}.cluster.local"))]


def without_waiting(pod: Pod, service: Service) -> Pod:
    """With TLS off there is no Secret: pods that mount it start all the same."""
    if service.tls or "volumes" not in pod:
        return pod
    own = {"secretName": names.certificates(service.name)}
    volumes = [
        {**volume, "secret": {**own, "optional": True}} if volume.get("secret") == own else volume
        for volume in pod["volumes"]
    ]
    return {**pod, "volumes": volumes}
