"""The init containers: which there are, what they are told, which script they run.

Not proved here: what the scripts do (the folder scripts).
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.families.llmkube.scripts import Variant, download, prepare

from .render import KEY, SOURCE, brief, plan, pod

ROOTS = {"allowedHostPathRoots": ["/srv"]}


def containers(spec: Any = None, model: Any = None, settings: Any = None) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in pod(spec, model, settings).get("initContainers", [])}


def variables(container: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["name"], item["value"]) for item in container["env"]]


@pytest.mark.parametrize(
    ("spec", "model", "settings", "expected"),
    [
        ({}, {}, {}, ["model-cache-prep", "model-downloader"]),
        ({}, {}, {"modelCachePath": ""}, ["model-downloader"]),
        ({}, {}, {"prepareModelCache": False}, ["model-downloader"]),
        ({"skipModelInit": True}, {}, {}, []),
        ({"runtime": "tgi"}, {"source": "org/name", "files": ["a"]}, {}, []),
        ({"runtime": "generic", "image": "x"}, {}, {}, []),
    ],
)
def test_which_containers(spec: Any, model: Any, settings: Any, expected: list[str]) -> None:
    assert list(containers(spec, model, settings)) == expected


REPOSITORY = {"source": "hf://org/name", "files": ["a", "b/c"]}
URL = "https://huggingface.co/org/name/resolve/main/"


@pytest.mark.parametrize(
    ("model", "settings", "expected"),
    [
        (
            {},
            {},
            [("MODEL_SOURCE", SOURCE), ("CACHE_DIR", f"/models/{KEY}"), ("MODEL_PATH", f"/models/{KEY}/chat-q4.gguf")],
        ),
        (
            {},
            {"modelCachePath": ""},
            [("MODEL_SOURCE", SOURCE), ("CACHE_DIR", ""), ("MODEL_PATH", "/models/ai-chat-q4.gguf")],
        ),
        (
            REPOSITORY,
            {"modelCachePath": ""},
            [("MODEL_SOURCE", URL), ("CACHE_DIR", "/models/ai-chat-q4"), ("MODEL_FILES", "a\nb/c")],
        ),
        (
            {**REPOSITORY, "source": "org/name"},
            {"modelCachePath": ""},
            [("MODEL_SOURCE", URL), ("CACHE_DIR", "/models/ai-chat-q4"), ("MODEL_FILES", "a\nb/c")],
        ),
        (
            {"source": "s3://bucket/pre/", "files": ["a"], "sourceSecretRef": {"name": "keys"}},
            {"modelCachePath": ""},
            [
                ("MODEL_SOURCE", "s3://bucket/pre/"),
                ("CACHE_DIR", "/models/ai-chat-q4"),
                ("MODEL_FILES", "a"),
                ("S3_BUCKET", "bucket"),
                ("S3_PREFIX", "pre/"),
            ],
        ),
    ],
)
def test_what_the_downloader_is_told(model: Any, settings: Any, expected: Any) -> None:
    assert variables(containers({}, model, settings)["model-downloader"]) == expected


HEX = "ABCDEF01" * 8


@pytest.mark.parametrize(
    ("model", "settings", "variant"),
    [
        ({}, {}, Variant("http")),
        ({"refreshPolicy": "OnChange"}, {}, Variant("http", on_change=True)),
        ({"sha256": HEX}, {}, Variant("http", sha256=HEX.lower())),
        ({}, {"modelCachePath": ""}, Variant("http", cached=False)),
        ({}, {"caCertConfigMap": "ca"}, Variant("http", ca_bundle=True)),
        (REPOSITORY, {}, Variant("http", several=True)),
        ({**REPOSITORY, "refreshPolicy": "OnChange", "sha256": HEX}, {}, Variant("http", several=True, on_change=True)),
        ({"source": "s3://b/k", "refreshPolicy": "OnChange"}, {}, Variant("s3")),
        (
            {"source": "s3://b/k", "files": ["a"], "refreshPolicy": "OnChange"},
            {},
            Variant("s3", several=True, on_change=True),
        ),
        ({"source": "/srv/m.gguf", "refreshPolicy": "OnChange"}, ROOTS, Variant("node")),
    ],
)
def test_which_script(model: Any, settings: Any, variant: Variant) -> None:
    assert containers({}, model, settings)["model-downloader"]["command"] == ["sh", "-c", download(variant)]


@pytest.mark.parametrize(
    ("spec", "settings", "owner", "mode"),
    [
        ({}, {}, "0:102", "g+rwX"),
        ({"podSecurityContext": {"fsGroup": 2000}}, {}, "0:2000", "g+rwX"),
        ({"podSecurityContext": {"runAsUser": 5}}, {}, "5:102", "g+rwX"),
        ({"podSecurityContext": {"runAsUser": 1000, "runAsGroup": 1000}}, {}, "1000:1000", "g+rwX"),
        ({"podSecurityContext": {"runAsUser": 5, "runAsGroup": 6, "fsGroup": 2000}}, {}, "0:2000", "g+rwX"),
        ({"podSecurityContext": {"runAsUser": 5, "fsGroup": 0}}, {}, "5:0", "g+rwX"),
        ({"podSecurityContext": {"supplementalGroups": [5]}}, {}, "0:102", "g+rwX"),
        ({}, {"defaultFSGroup": 0}, "100:100", "770"),
        ({"podSecurityContext": {"fsGroup": 0}}, {}, "100:100", "770"),
    ],
)
def test_who_gets_the_cache(spec: Any, settings: Any, owner: str, mode: str) -> None:
    assert containers(spec, {}, settings)["model-cache-prep"]["command"] == ["sh", "-c", prepare(owner, mode)]


def test_security_of_the_containers() -> None:
    user = {"podSecurityContext": {"runAsUser": 1001, "runAsGroup": 1002, "runAsNonRoot": True}}
    found = containers(user)
    assert found["model-downloader"]["securityContext"] == {
        "runAsUser": 1001,
        "runAsGroup": 1002,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert found["model-cache-prep"]["securityContext"] == {
        "runAsUser": 0,
        "runAsNonRoot": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"], "add": ["CHOWN", "FOWNER"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert "runAsNonRoot" not in containers()["model-cache-prep"]["securityContext"]


def test_volumes_of_a_model_of_the_node_behind_an_authority() -> None:
    template = pod({}, {"source": "file:///srv/m.gguf"}, {**ROOTS, "caCertConfigMap": "ca"})
    assert template["volumes"] == [
        {"name": "model-cache", "persistentVolumeClaim": {"claimName": "llmkube-model-cache"}},
        {"name": "host-model", "hostPath": {"path": "/srv/m.gguf", "type": "File"}},
        {"name": "custom-ca-cert", "configMap": {"name": "ca"}},
    ]
    preparation, downloader = template["initContainers"]
    assert preparation["volumeMounts"] == [{"name": "model-cache", "mountPath": "/models"}]
    assert downloader["volumeMounts"] == [
        {"name": "model-cache", "mountPath": "/models"},
        {"name": "host-model", "mountPath": "/host-model/model.gguf", "readOnly": True},
        {"name": "custom-ca-cert", "mountPath": "/custom-certs", "readOnly": True},
    ]


def test_the_secret_of_the_source() -> None:
    model = {"source": "s3://b/k", "sourceSecretRef": {"name": "keys"}}
    assert containers({}, model)["model-downloader"]["envFrom"] == [{"secretRef": {"name": "keys"}}]
    assert "envFrom" not in containers()["model-downloader"]


def test_a_model_of_the_node_without_a_cache_is_worth_a_warning() -> None:
    found = plan({}, {"source": "/srv/m.gguf"}, {**ROOTS, "modelCachePath": ""})
    assert brief(found.findings) == ["warning spec.modelRef no-cache"]
    (service,) = found.services
    downloader = service.objects["deployment"]["spec"]["template"]["spec"]["initContainers"][0]
    assert downloader["command"][2] == download(Variant("node", cached=False))
