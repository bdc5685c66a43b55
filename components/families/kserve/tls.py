"""Encrypted traffic inside a service: the Secret with its certificate, and for which names that certificate is made.

A key can't be rendered: rendering is deterministic and its output may be printed. So the Secret is rendered without
data, only when TLS is on. The component that registers it makes a self-signed certificate for the names and addresses
of certificates.py once, keeps it in Pulumi's state as a secret (keys ``tls.crt``, ``tls.key`` and ``ca.crt``) and notes
its end in an annotation. ``render`` leaves the data out.
"""

from __future__ import annotations

from ...kubernetes.objects import Object
from . import names
from .context import Service
from .labels import metadata
from .pods import Pod


def certificates_secret(service: Service) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(service, "workload parts", names.certificates(service.name)),
        "type": "kubernetes.io/tls",
    }


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
