"""Encrypted traffic inside a service: the Secret with its certificate, and for which names that certificate is made.

A key can't be rendered: rendering is deterministic and its output may be printed. So the Secret is rendered without
data, with TLS on or where a command line reads it. The component that registers it makes a self-signed certificate for
the names and addresses of certificates.py once, keeps it in Pulumi's state as a secret (keys ``tls.crt``, ``tls.key``
and ``ca.crt``) and notes its end in an annotation. ``render`` leaves the object out.
"""

from collections.abc import Iterable, Iterator

from ...kubernetes.model import dump
from ...kubernetes.pod import PodSpec
from ...kubernetes.rendered import RenderedObject
from . import names
from .certificates import ROLE, certificate
from .context import Service
from .labels import metadata
from .listening import reads_certificates
from .pods import Pod


def certificates_secret(service: Service, others: Iterable[RenderedObject]) -> RenderedObject:
    """``others`` are the service's other objects: the certificate has the names of its Services."""
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(service, "workload parts", names.certificates(service.name)),
        "type": "kubernetes.io/tls",
    }
    return RenderedObject(ROLE, body, certificate=certificate(record.body for record in others))


def needs_certificate(service: Service) -> bool:
    """Whether the Secret is made: with TLS on, or where a command line of the service reads the certificate."""
    return service.tls or any(reads_certificates(dump(pod)) for pod in _templates(service))


def _templates(service: Service) -> Iterator[PodSpec]:
    for each in service.workloads:
        yield from (pod for _, pod in each.pods)
    if service.scheduler.template:
        yield service.scheduler.template


def without_waiting(pod: Pod, service: Service) -> Pod:
    """Where there is no Secret, pods that mount it start all the same."""
    if needs_certificate(service) or "volumes" not in pod:
        return pod
    secret = {"secretName": names.certificates(service.name)}
    volumes = [
        {**volume, "secret": {**secret, "optional": True}} if volume.get("secret") == secret else volume
        for volume in pod["volumes"]
    ]
    return {**pod, "volumes": volumes}
