"""Accounts of the pods, their rights, and the routing sidecar that needs them.

Not proved: that a cluster lets these accounts do what they are for.
"""

from __future__ import annotations

from typing import Any

import pytest

from .services import DATA_PARALLEL, SCHEDULER, TLS, container, env, main, manifest, objects, of, pod


def accounts(made: dict[str, Any]) -> dict[str, str]:
    return {role: obj["metadata"]["name"] for role, obj in made.items() if obj["kind"] == "ServiceAccount"}


def bindings(made: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        role: (obj["roleRef"]["name"], obj["subjects"][0]["name"])
        for role, obj in made.items()
        if obj["kind"] == "RoleBinding" and not role.startswith("epp/")
    }


def named(name: str, spec: dict[str, Any] | None = None) -> dict[str, Any]:
    return {**(spec or main()), "serviceAccountName": name}


@pytest.mark.parametrize(
    ("spec", "made", "bound", "used"),
    [
        ({}, {}, {}, None),
        ({"template": named("mine")}, {}, {}, "mine"),
        (
            {"prefill": {}},
            {"decode-service-account": "chat-kserve"},
            {"decode-role-binding": ("chat-kserve-role", "chat-kserve")},
            "chat-kserve",
        ),
        ({"prefill": {}, "template": named("mine")}, {}, {"decode-role-binding": ("chat-kserve-role", "mine")}, "mine"),
        (DATA_PARALLEL, {"decode-service-account": "chat-kserve-mn"}, {}, "chat-kserve-mn"),
        ({**DATA_PARALLEL, "worker": named("worker")}, {}, {}, "worker"),
        ({**DATA_PARALLEL, "worker": named("worker"), "template": named("leader")}, {}, {}, "leader"),
        (
            {**DATA_PARALLEL, "prefill": DATA_PARALLEL},
            {"decode-service-account": "chat-kserve-mn", "prefill-service-account": "chat-kserve-mn-prefill"},
            {"decode-role-binding": ("chat-kserve-mn-role", "chat-kserve-mn")},
            "chat-kserve-mn",
        ),
    ],
)
def test_accounts(spec: dict[str, Any], made: dict[str, str], bound: dict[str, Any], used: str | None) -> None:
    found = of(spec)
    assert accounts(found) == made
    assert bindings(found) == bound
    main_object = found.get("decode-deployment") or found["decode-group"]
    names = ["template"] if "decode-deployment" in found else ["leaderTemplate", "workerTemplate"]
    assert {pod(main_object, name).get("serviceAccountName") for name in names} == {used}


def test_made_accounts_have_the_secrets_of_the_default_one() -> None:
    default = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": "models", "annotations": {"a": "b"}},
        "secrets": [{"name": "s"}],
        "imagePullSecrets": [{"name": "pull"}],
    }
    reader = {**default, "metadata": {**default["metadata"], "name": "reader"}, "secrets": [{"name": "r"}]}
    made = objects(manifest({"prefill": {}, **SCHEDULER}), default)
    for role in ("decode-service-account", "epp/service-account"):
        assert made[role]["secrets"] == [{"name": "s"}] and made[role]["imagePullSecrets"] == [{"name": "pull"}]
        assert "annotations" not in made[role]["metadata"]
    made = objects(manifest({"template": named("reader"), **SCHEDULER}), default, reader)
    assert made["epp/service-account"]["secrets"] == [{"name": "r"}]
    assert made["epp/service-account"]["metadata"]["annotations"] == {"a": "b"}


def test_the_routing_sidecar() -> None:
    made = of({"prefill": {}, **SCHEDULER})
    sidecar = container(pod(made["decode-deployment"]), "llm-d-routing-sidecar")
    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["command"] == [
        "/app/pd-sidecar",
        "--port=8000",
        "--vllm-port=8001",
        "--kv-connector=nixlv2",
        "--enable-ssrf-protection=true",
        "--pool-group=inference.networking.k8s.io",
        "--inference-pool=models/chat-inference-pool",
        "--secure-proxy=false",
    ]
    assert env(sidecar)["INFERENCE_POOL_NAME"] == "chat-inference-pool"
    assert made["decode-role"]["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {
            "apiGroups": ["inference.networking.x-k8s.io", "inference.networking.k8s.io"],
            "resources": ["inferencepools"],
            "verbs": ["get", "list", "watch"],
        },
    ]


def test_the_routing_sidecar_with_tls_and_a_pool_of_ones_own() -> None:
    spec = {"prefill": {}, "router": {"scheduler": {"pool": {"ref": {"name": "mine"}}}}}
    sidecar = container(pod(of(spec, TLS)["decode-deployment"]), "llm-d-routing-sidecar")
    assert sidecar["command"][-6:] == [
        "--inference-pool=models/mine",
        "--secure-proxy=true",
        "--cert-path=/var/run/kserve/tls",
        "--enable-tls=decoder",
        "--enable-tls=prefiller",
        "--tls-insecure-skip-verify=prefiller",
    ]
    assert env(sidecar)["INFERENCE_POOL_NAME"] == "mine"


def test_the_sidecar_knows_no_pool_without_a_router() -> None:
    sidecar = container(pod(of({"prefill": {}})["decode-deployment"]), "llm-d-routing-sidecar")
    assert "INFERENCE_POOL_NAME" not in env(sidecar)
