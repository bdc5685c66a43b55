"""Self-signed certificates for encrypted traffic inside a service: made once, then kept in Pulumi's state as secrets.

Rendering always gives the same result and may be printed, so it can't make a key. A service's TLS Secret is rendered
without data and gets it here, at registration. Each run makes a new pair, which the engine ignores unless the names in
the certificate have changed: then the Secret is replaced. Pods that were taken over trust their current certificate
and read it only once, so it is registered as it is in the cluster until their service changes.
"""

import datetime
import ipaddress
from collections.abc import Mapping
from typing import Any

import pulumi

from ..kubernetes.objects import Object
from ..kubernetes.rendered import Certificate
from ..kubernetes.values import mapping

YEARS = 10
"""How long a certificate is valid. `pulumi up --replace <urn>` makes a new one earlier."""


_KEPT = "live"
"""Part of the replacement trigger while the cluster's certificate is kept."""


def with_certificate(obj: Object, wanted: Certificate, live: Mapping[str, Any] | None = None) -> Object:
    """The TLS Secret with a new key pair (PEM) and its expiration date, or with those of the ``live`` Secret."""
    if live and live.get("data"):
        return _with_live(obj, wanted, live)
    end = datetime.datetime.now(datetime.UTC).replace(microsecond=0) + datetime.timedelta(days=365 * YEARS)
    certificate, key = _self_signed(wanted, end)
    pairs = {"tls.crt": certificate, "tls.key": key, "ca.crt": certificate}
    metadata = obj["metadata"]
    annotations = {**metadata.get("annotations", {}), wanted.expiration: end.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {
        **obj,
        "metadata": {**metadata, "annotations": annotations},
        "stringData": {name: pulumi.Output.secret(text) for name, text in pairs.items()},
    }


def _with_live(obj: Object, wanted: Certificate, live: Mapping[str, Any]) -> Object:
    metadata = obj["metadata"]
    end = mapping(live["metadata"].get("annotations")).get(wanted.expiration)
    annotations = {**metadata.get("annotations", {}), **({wanted.expiration: end} if end else {})}
    data = {name: pulumi.Output.secret(text) for name, text in live["data"].items()}
    return {**obj, "metadata": {**metadata, "annotations": annotations}, "data": data}


def kept(wanted: Certificate, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """Options that keep the first certificate until its names change."""
    keeping = pulumi.ResourceOptions(
        ignore_changes=["stringData", "data", f'metadata.annotations["{wanted.expiration}"]'],
        replacement_trigger=[*wanted.names, *([_KEPT] if wanted.is_live else [])],
        delete_before_replace=True,
    )
    return pulumi.ResourceOptions.merge(opts, keeping)


def _self_signed(wanted: Certificate, end: datetime.datetime) -> tuple[str, str]:
    # Imported here because it is slow and most programs don't need it.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "modelservices")])
    alternatives = [
        *(x509.DNSName(name) for name in wanted.names),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in wanted.addresses),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1))
        .not_valid_after(end)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(encoding).decode(), private.decode()
