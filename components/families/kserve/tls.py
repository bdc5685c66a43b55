"""Encrypted traffic inside a service: the Secret with its certificate, and for which names that certificate is made.

A key can't be rendered: rendering is deterministic and its output may be printed. So the Secret is rendered without
data, with TLS on or where a command line reads it. The component that registers it makes a self-signed certificate for
these names once, keeps it in Pulumi's state as a secret (keys ``tls.crt``, ``tls.key`` and ``ca.crt``) and notes its
end in an annotation. ``render`` leaves the object out.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/workload_tls_self_signed.go at v0.20.0-rc0.
Decisions: K2 (docs/decisions).
"""

from collections.abc import Iterable, Iterator

from ...kubernetes.model import dump
from ...kubernetes.pod import PodSpec
from ...kubernetes.rendered import Certificate, RenderedObject
from . import names
from .context import Service
from .labels import metadata
from .listening import reads_certificates
from .pods import Pod

ROLE = "self-signed-certs"
"""Role of the Secret that gets a certificate when it is registered."""


def certificates_secret(service: Service, others: Iterable[RenderedObject]) -> RenderedObject:
    """``others`` are the service's other objects. The certificate is for localhost and each of its Services, by short
    and full name: addresses of pods and Services are not known before they exist."""
    services = [record.body["metadata"] for record in others if record.body["kind"] == "Service"]
    hosts = [f"{each['name']}.{each['namespace']}.svc" for each in services]
    subjects = ("localhost", *sorted(name for host in hosts for name in (host, f"{host}.cluster.local")))
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(service, "workload parts", names.certificates(service.name)),
        "type": "kubernetes.io/tls",
    }
    certificate = Certificate(subjects, ("127.0.0.1",), "certificates.kserve.io/expiration")
    return RenderedObject(ROLE, body, certificate=certificate)


def needs_certificate(service: Service) -> bool:
    """Whether the Secret is rendered: TLS is on, or a command line of the service reads the certificate."""
    return service.tls or any(reads_certificates(dump(pod)) for pod in _templates(service))


def _templates(service: Service) -> Iterator[PodSpec]:
    for each in service.workloads:
        yield from (pod for _, pod in each.pods)
    if service.scheduler.template:
        yield service.scheduler.template


def without_waiting(pod: Pod, service: Service) -> Pod:
    """Let pods that mount the Secret start even if it is not rendered."""
    if needs_certificate(service) or "volumes" not in pod:
        return pod
    secret = {"secretName": names.certificates(service.name)}
    volumes = [
        {**volume, "secret": {**secret, "optional": True}} if volume.get("secret") == secret else volume
        for volume in pod["volumes"]
    ]
    return {**pod, "volumes": volumes}
