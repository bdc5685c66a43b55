"""What a download has from its server. Not proved here: that the programs that download read these variables."""

from typing import Any

import pytest

from modelservices.kubernetes.download_env import with_server_env

TOKEN = {"valueFrom": {"secretKeyRef": {"name": "hub", "key": "token"}}}
CACHE = {"name": "cache", "mountPath": "/models"}
CERTIFICATES = {"name": "certificates", "mountPath": "/certs", "readOnly": True}


def var(name: str, value: str = "x") -> dict[str, Any]:
    return {"name": name, "value": value}


def download(server: list[dict[str, Any]], name: str = "model-downloader", **fields: Any) -> dict[str, Any]:
    """The download's container beside a server with these variables."""
    pod = {
        "initContainers": [{"name": name, "volumeMounts": [CACHE], **fields}],
        "containers": [
            {"name": "sidecar", "env": [var("HTTPS_PROXY", "other")]},
            {"name": "main", "env": server, "volumeMounts": [CERTIFICATES, {"name": "no-volume", "mountPath": "/ca"}]},
        ],
        "volumes": [{"name": "certificates"}, {"name": "cache"}],
    }
    return with_server_env(pod)["initContainers"][0]


@pytest.mark.parametrize("name", ["model-downloader", "draft-model-downloader", "storage-initializer", "model-unpack"])
def test_a_download_has_what_its_server_says_of_the_hub(name: str) -> None:
    server = [
        {"name": "HF_TOKEN", **TOKEN},
        var("HF_ENDPOINT", "https://hub.example.com"),
        var("https_proxy", "http://proxy.example.com"),
        var("NO_PROXY", ".svc"),
        var("AWS_ENDPOINT_URL", "https://s3.example.com"),
        var("VLLM_LOGGING_LEVEL", "DEBUG"),
        var("HOME", "/home"),
    ]
    assert download(server, name)["env"] == server[:5]


def test_an_older_name_of_the_token_is_today_s() -> None:
    assert download([{"name": "HUGGING_FACE_HUB_TOKEN", **TOKEN}])["env"] == [{"name": "HF_TOKEN", **TOKEN}]


def test_what_the_download_has_itself_takes_precedence() -> None:
    server = [var("HF_TOKEN"), var("HTTPS_PROXY"), var("AWS_ACCESS_KEY_ID"), var("AWS_REGION")]
    given = [var("HF_TOKEN", "mine"), var("HTTPS_PROXY", "mine"), var("AWS_ENDPOINT_URL", "mine")]
    assert download(server, env=given)["env"] == given
    # A Secret may have any credentials.
    source = [{"secretRef": {"name": "source"}}]
    assert download(server, envFrom=source)["env"] == [var("HTTPS_PROXY")]


def test_certificates_bring_their_mount() -> None:
    found = download([var("SSL_CERT_FILE", "/certs/ca.pem"), var("REQUESTS_CA_BUNDLE", "/ca/ca.pem")])
    assert found["volumeMounts"] == [CACHE, CERTIFICATES]
    assert download([var("ssl_cert_file", "/certs/ca.pem")])["volumeMounts"] == [CACHE, CERTIFICATES]
    assert download([var("SSL_CERT_FILE", "/etc/ssl/cert.pem")])["volumeMounts"] == [CACHE]


def test_a_variable_brings_those_that_it_names() -> None:
    server = [var("HTTPS_PROXY", "http://$(PROXY_USER)@proxy"), var("PROXY_USER", "me")]
    assert download(server)["env"] == [server[1], server[0]]


def test_other_init_containers_and_pods_without_any_stay_as_they_are() -> None:
    assert download([var("HF_TOKEN")], "prepare") == {"name": "prepare", "volumeMounts": [CACHE]}
    pod = {"containers": [{"name": "main", "env": [var("HF_TOKEN")]}]}
    assert with_server_env(pod) == pod


def test_the_server_may_be_in_another_pod() -> None:
    pod = {"initContainers": [{"name": "storage-initializer"}], "containers": [{"name": "main"}]}
    made = with_server_env(pod, {"name": "main", "env": [{"name": "HF_TOKEN", **TOKEN}]})
    assert made["initContainers"][0]["env"] == [{"name": "HF_TOKEN", **TOKEN}]


@pytest.mark.parametrize(
    ("server", "given", "taken"),
    [
        (
            {"envFrom": [{"secretRef": {"name": "hub"}}, {"configMapRef": {"name": "c"}}]},
            {},
            [{"secretRef": {"name": "hub"}}],
        ),
        ({"envFrom": [{"secretRef": {"name": "hub"}}], "env": [{"name": "HF_TOKEN", **TOKEN}]}, {}, None),
        ({"envFrom": [{"secretRef": {"name": "hub"}}]}, {"env": [{"name": "HF_TOKEN", **TOKEN}]}, None),
        ({"envFrom": [{"configMapRef": {"name": "c"}}]}, {}, None),
    ],
)
def test_secrets_that_a_server_takes_whole_may_have_the_token(server: Any, given: Any, taken: Any) -> None:
    pod = {"initContainers": [{"name": "model-downloader", **given}], "containers": [{"name": "main", **server}]}
    assert with_server_env(pod)["initContainers"][0].get("envFrom") == taken
