"""TLS: what the component that makes the certificate is told. Making it is not part of rendering."""

from __future__ import annotations

from modelservices.families.kserve.tls import ROLE

from .services import DATA_PARALLEL, TLS, container, manifest, objects, of, pod, rendered


def secret_volume(spec: dict[str, object]) -> object:
    volumes = spec["volumes"]
    assert isinstance(volumes, list)
    (found,) = [volume["secret"] for volume in volumes if volume["name"] == "tls-certs"]
    return found


def test_the_secret_is_there_with_tls_only_and_has_no_data() -> None:
    assert ROLE not in of()
    assert of(settings=TLS)[ROLE] == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "chat-kserve-self-signed-certs",
            "namespace": "models",
            "labels": {
                "app.kubernetes.io/component": "llminferenceservice-workload",
                "app.kubernetes.io/name": "chat",
                "app.kubernetes.io/part-of": "llminferenceservice",
            },
        },
        "type": "kubernetes.io/tls",
    }


def test_the_names_in_the_certificate() -> None:
    service = rendered(manifest({"router": {"scheduler": {"tokenizer": {}}}}), settings=TLS)
    (secret,) = [record for record in service.records if record.role == ROLE]
    assert secret.certificate is not None
    assert [*secret.certificate.names] == [
        "localhost",
        "chat-epp-service.models.svc",
        "chat-epp-service.models.svc.cluster.local",
        "chat-kserve-workload-svc.models.svc",
        "chat-kserve-workload-svc.models.svc.cluster.local",
        "chat-tokenizer.models.svc",
        "chat-tokenizer.models.svc.cluster.local",
    ]


def test_pods_start_without_the_secret_when_nothing_is_encrypted() -> None:
    spec = {**DATA_PARALLEL, "prefill": {}, "router": {"scheduler": {"tokenizer": {}}}}
    roles = ["prefill-deployment", "epp/deployment", "tokenizer-deployment"]
    name = "chat-kserve-self-signed-certs"
    made = of(spec)
    assert [secret_volume(pod(made[role])) for role in roles] == [{"secretName": name, "optional": True}] * 3
    assert secret_volume(pod(made["decode-group"], "workerTemplate")) == {"secretName": name, "optional": True}
    made = of(spec, TLS)
    assert [secret_volume(pod(made[role])) for role in roles] == [{"secretName": name}] * 3


def test_a_secret_of_ones_own_is_waited_for() -> None:
    volume = {"name": "tls-certs", "secret": {"secretName": "mine"}}
    spec = {"template": {"containers": [{"name": "main"}], "volumes": [volume]}}
    assert secret_volume(pod(of(spec)["decode-deployment"])) == {"secretName": "mine"}


def test_the_tokenizer_with_tls() -> None:
    made = objects(manifest({"router": {"scheduler": {"tokenizer": {}}}}), settings=TLS)
    item = container(pod(made["tokenizer-deployment"]))
    assert item["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"
    assert "--ssl-certfile /var/run/kserve/tls/tls.crt" in item["command"][2]
