"""What renders and would not serve: each is rendered right, or is a finding that names field and way out.

Not proved: that vLLM, the picker and the sidecar behave as their rules here say; their flags are the engines' tests.
"""

from __future__ import annotations

from typing import Any

import pytest

from .services import (
    ROUTER,
    SCHEDULER,
    TLS,
    container,
    env,
    findings,
    main,
    manifest,
    objects,
    of,
    pod,
    refusals,
    volume,
)

CERTIFICATE = ["--ssl-certfile=/var/run/kserve/tls/tls.crt", "--ssl-keyfile=/var/run/kserve/tls/tls.key"]
TRANSFER = main(env=[{"name": "VLLM_ADDITIONAL_ARGS", "value": """--kv-transfer-config '{"kv_role":"kv_both"}'"""}])
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


def schemes(item: dict[str, Any]) -> list[str]:
    return [item[probe]["httpGet"]["scheme"] for probe in PROBES]


def test_probes_service_and_certificate_follow_a_server_with_its_own_tls() -> None:
    made = of({"template": main(args=CERTIFICATE)})
    deployment = pod(made["decode-deployment"])
    assert schemes(container(deployment)) == ["HTTPS"] * 3
    assert made["service"]["spec"]["ports"][0]["appProtocol"] == "https"
    assert made["self-signed-certs"]["type"] == "kubernetes.io/tls"
    assert volume(deployment, "tls-certs")["secret"] == {"secretName": "chat-kserve-self-signed-certs"}
    assert findings(manifest({"template": main(args=CERTIFICATE)})) == []


def test_a_certificate_of_another_place_needs_no_secret() -> None:
    made = of({"template": main(args=["--ssl-certfile", "/certs/tls.crt"])})
    assert "self-signed-certs" not in made
    assert schemes(container(pod(made["decode-deployment"]))) == ["HTTPS"] * 3


def test_a_scheme_of_ones_own_stays_and_is_warned_of() -> None:
    probe = {"httpGet": {"path": "/health", "port": 8000, "scheme": "HTTP"}}
    spec = {"template": main(args=CERTIFICATE, livenessProbe=probe)}
    assert schemes(container(pod(of(spec)["decode-deployment"]))) == ["HTTPS", "HTTP", "HTTPS"]
    path = "spec.template.containers[0].livenessProbe.httpGet.scheme"
    assert findings(manifest(spec)) == [(path, "warning", "probe-scheme")]


def test_https_probes_of_a_server_without_tls() -> None:
    probe = {"httpGet": {"path": "/health", "port": 8000, "scheme": "HTTPS"}}
    spec = {"template": main(livenessProbe=probe)}
    path = "spec.template.containers[0].livenessProbe.httpGet.scheme"
    assert findings(manifest(spec)) == [(path, "warning", "probe-scheme")]
    assert findings(manifest(spec), settings=TLS) == []


def test_own_tls_beside_a_scheduler_is_one_sided() -> None:
    spec = {"template": main(args=CERTIFICATE), **SCHEDULER}
    path = "spec.template.containers[main].args"
    assert findings(manifest(spec)) == [(path, "warning", "tls-on-one-side")]


def test_ports_follow_the_servers_own() -> None:
    made = of({"template": main(args=["--port", "9000"]), **SCHEDULER})
    item = container(pod(made["decode-deployment"]))
    assert [port["containerPort"] for port in item["ports"]] == [9000]
    assert [item[probe]["httpGet"]["port"] for probe in PROBES] == [9000] * 3
    assert (
        made["service"]["spec"]["ports"][0] | {"port": 8000, "targetPort": 9000} == made["service"]["spec"]["ports"][0]
    )
    assert made["epp/inference-pool"]["spec"]["targetPorts"] == [{"number": 9000}]


def test_the_sidecar_follows_the_servers_port_and_stays_where_it_is() -> None:
    made = of({"template": main(args=["--port=9001"]), "prefill": {}, **SCHEDULER})
    decode = pod(made["decode-deployment"])
    command = container(decode, "llm-d-routing-sidecar")["command"]
    assert "--vllm-port=9001" in command and "--port=8000" in command
    assert container(decode)["livenessProbe"]["httpGet"]["port"] == 9001
    assert made["service"]["spec"]["ports"][0]["targetPort"] == 8000


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        (
            {"prefill": {"template": main(args=["--port", "9000"])}},
            "spec.prefill.template",
            "different-ports",
        ),
        (
            {"template": main(args=["--port", "8000"]), "prefill": {}},
            "spec.template.containers[main].args",
            "same-port",
        ),
    ],
)
def test_ports_that_can_not_be_followed(spec: dict[str, Any], path: str, code: str) -> None:
    assert refusals(manifest(spec)) == [(path, "error", code)]


@pytest.mark.parametrize(
    ("spec", "without"),
    [
        ({"template": TRANSFER, "prefill": {}}, "spec.prefill"),
        ({"prefill": {"template": TRANSFER}}, "spec"),
    ],
)
def test_kv_transfer_on_one_side(spec: dict[str, Any], without: str) -> None:
    path = f"{without}.template.containers[main].args"
    assert findings(manifest(spec)) == [(path, "warning", "kv-transfer-on-one-side")]


def test_kv_transfer_on_both_sides_or_without_prefill() -> None:
    assert findings(manifest({"template": TRANSFER, "prefill": {"template": TRANSFER}})) == []
    assert findings(manifest({"template": TRANSFER})) == []


COMMAND = "command-as-arguments"


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["python3 -m vllm.entrypoints.openai.api_server --model=/mnt/models"], ("args[0]", "error", COMMAND)),
        (["python3.12", "-m", "vllm.entrypoints.openai.api_server"], ("args[0]", "error", COMMAND)),
        (["/usr/bin/vllm", "serve", "/mnt/models"], ("args[0]", "error", COMMAND)),
        (["VLLM_USE_V1=1 vllm serve /mnt/models"], ("args[0]", "error", COMMAND)),
        (["my-model", "--max-model-len=1"], ("args", "warning", "duplicate")),
        (["--max-model-len=1"], None),
        (["$(MORE)"], None),
    ],
)
def test_a_whole_command_as_arguments(args: list[str], found: tuple[str, str, str] | None) -> None:
    others = ("unknown-flag", "unset-variable")
    errors = [each for each in findings(manifest({"template": main(args=args)})) if each[2] not in others]
    assert errors == ([(f"spec.template.containers[0].{found[0]}", *found[1:])] if found else [])


def test_a_whole_command_in_the_variable_for_more_arguments() -> None:
    def more(value: str) -> dict[str, Any]:
        return {"template": main(env=[{"name": "VLLM_ADDITIONAL_ARGS", "value": value}])}

    path = "spec.template.containers[0].env[VLLM_ADDITIONAL_ARGS].value"
    assert findings(manifest(more("vllm serve /mnt/models"))) == [(path, "error", "command-as-arguments")]
    assert findings(manifest(more("--max-model-len=1"))) == []


def test_a_command_of_ones_own_takes_any_arguments() -> None:
    assert findings(manifest({"template": main(command=["/start"], args=["python3"])})) == []


ACCOUNT = {
    "apiVersion": "v1",
    "kind": "ServiceAccount",
    "metadata": {"name": "default", "namespace": "models"},
    "secrets": [{"name": "keys"}, {"name": "default-dockercfg-x7k2p"}],
}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "keys", "namespace": "models"},
    "stringData": {"HF_TOKEN": "${secret:token}"},
}


def test_credentials_that_nobody_sees() -> None:
    path = "spec.template.serviceAccountName"
    found = [f for f in findings(manifest(), ACCOUNT) if f[1] != "info"]
    assert found == [(path, "warning", "credentials-not-found")]
    assert [f for f in findings(manifest(), ACCOUNT, SECRET) if f[1] != "info"] == []
    claim = manifest({"model": {"uri": "pvc://claim/path", "name": "m"}})
    assert [f for f in findings(claim, ACCOUNT) if f[1] != "info"] == []


S3 = {"model": {"uri": "s3://models/m", "name": "m"}}


@pytest.mark.parametrize(
    ("annotations", "settings", "config_map", "folder"),
    [
        ({"serving.kserve.io/s3-cabundle-configmap": "corp"}, {}, "corp", "/etc/ssl/custom-certs"),
        (
            {"serving.kserve.io/s3-cabundle-configmap": "corp", "serving.kserve.io/s3-cabundle": "/ca/cabundle.crt"},
            {},
            "corp",
            "/ca",
        ),
        (
            {},
            {"storageInitializer": {"caBundleConfigMapName": "all", "caBundleVolumeMountPath": "/ca"}},
            "global-ca-bundle",
            "/ca",
        ),
    ],
)
def test_a_private_ca_is_mounted(annotations: dict[str, str], settings: Any, config_map: str, folder: str) -> None:
    account = {**ACCOUNT, "secrets": [{"name": "keys"}]}
    keys = {"AWS_ACCESS_KEY_ID": "${secret:id}", "AWS_SECRET_ACCESS_KEY": "${secret:key}"}
    secret = {**SECRET, "metadata": {**SECRET["metadata"], "annotations": annotations}, "stringData": keys}
    spec = pod(objects(manifest(S3), account, secret, settings=settings)["decode-deployment"])
    item = container(spec, "storage-initializer")
    assert volume(spec, "cabundle-cert")["configMap"] == {"name": config_map}
    mounts = {mount["name"]: mount for mount in item["volumeMounts"]}
    assert mounts["cabundle-cert"] == {"name": "cabundle-cert", "mountPath": folder, "readOnly": True}
    assert env(item)["CA_BUNDLE_CONFIGMAP_NAME"] == config_map
    assert env(item)["CA_BUNDLE_VOLUME_MOUNT_POINT"] == folder


@pytest.mark.parametrize("uri", ["hf://org/model", "pvc://claim/path"])
def test_a_mount_of_ones_own_stays_as_it_is(uri: str) -> None:
    own = {"name": "mine", "mountPath": "/mnt/models"}
    template = {**main(volumeMounts=[own]), "volumes": [{"name": "mine", "emptyDir": {}}]}
    item = container(pod(of({"model": {"uri": uri, "name": "m"}, "template": template})["decode-deployment"]))
    assert [mount for mount in item["volumeMounts"] if mount["mountPath"] == "/mnt/models"] == [own]


NIXL = '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'
HOST = "VLLM_NIXL_SIDE_CHANNEL_HOST"
OWN = {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, None),
        ({"args": ["--kv-transfer-config", NIXL]}, {"name": HOST, "valueFrom": OWN}),
        (
            {"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": f"--kv-transfer-config '{NIXL}'"}]},
            {"name": HOST, "valueFrom": OWN},
        ),
        (
            {"args": ["--kv-transfer-config", NIXL], "env": [{"name": HOST, "value": "10.0.0.1"}]},
            {"name": HOST, "value": "10.0.0.1"},
        ),
    ],
)
def test_nixl_announces_the_pod_s_own_address(given: dict[str, Any], expected: dict[str, Any] | None) -> None:
    server = container(pod(of({"template": main(**given)})["decode-deployment"]), "main")
    assert next((entry for entry in server.get("env", []) if entry["name"] == HOST), None) == expected


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"args": ["--max-modle-len=8"]}, ["spec.template.containers[0].args[0]"]),
        ({"args": ["--max-model-len=8", "--speculative-model", "x"]}, ["spec.template.containers[0].args[1]"]),
        ({"command": ["vllm", "serve"], "args": ["/m", "--strange"]}, ["spec.template.containers[0].args[1]"]),
        ({"command": ["/bin/sh", "-c"], "args": ["mine --strange"]}, []),
        ({"image": "mine:1", "command": ["mine"], "args": ["--strange"]}, []),
    ],
)
def test_arguments_that_the_engine_s_release_does_not_take(given: dict[str, Any], paths: list[str]) -> None:
    found = findings(manifest({"template": main(**given)}))
    assert [(path, severity) for path, severity, code in found if code == "unknown-flag"] == [
        (path, "warning") for path in paths
    ]


SGLANG = {"image": "mirror.example.com/sglang:v0.5.15", "command": ["python3", "-m", "sglang.launch_server"]}


def test_everything_follows_a_server_that_listens_on_its_own_default_port() -> None:
    made = of({"template": main(**SGLANG, args=["--host", "::"]), **SCHEDULER})
    item = container(pod(made["decode-deployment"]))
    assert [item[probe]["httpGet"]["port"] for probe in PROBES] == [30000] * 3
    assert made["service"]["spec"]["ports"][0]["targetPort"] == 30000
    assert made["epp/inference-pool"]["spec"]["targetPorts"] == [{"number": 30000}]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({**SGLANG}, "args", "unreachable"),
        ({"args": ["--host", "127.0.0.1"]}, "args", "unreachable"),
        ({"env": [{"name": "VLLM_ADDITIONAL_ARGS", "value": "--uds /tmp/x"}]}, "args", "unreachable"),
        ({"image": "vllm/vllm-openai:v0.25.1"}, "image", "no-user"),
        ({"args": ["--served-model-name", "other"]}, "args", "served-name"),
        ({"readinessProbe": {"httpGet": {"port": 9000}}}, "readinessProbe.httpGet.port", "other-port"),
    ],
)
def test_what_keeps_a_server_from_serving(fields: dict[str, Any], field: str, code: str) -> None:
    path = f"spec.template.containers[0].{field}"
    assert findings(manifest({"template": main(**fields)})) == [(path, "warning", code)]


def test_a_further_name_beside_the_model_s_own() -> None:
    assert findings(manifest({"template": main(args=["--served-model-name", "other", "org/model"])})) == []


def test_connectors_that_do_not_go_together() -> None:
    def transfer(connector: str) -> dict[str, Any]:
        return main(args=["--kv-transfer-config", f"""'{{"kv_connector":"{connector}","kv_role":"kv_both"}}'"""])

    spec = {"template": transfer("NixlConnector"), "prefill": {"template": transfer("LMCacheConnectorV1")}}
    path = "spec.template.containers[main].args"
    assert findings(manifest(spec)) == [(path, "warning", "connectors-differ")]
    assert findings(manifest({**spec, "prefill": {"template": transfer("NixlConnector")}})) == []


def test_a_group_of_two_releases() -> None:
    spec = {"parallelism": {"data": 4, "dataLocal": 2}, "worker": main(image="ghcr.io/llm-d/llm-d-cuda:v0.5.1")}
    path = "spec.worker.containers[main].image"
    assert findings(manifest(spec)) == [(path, "warning", "images-differ")]


@pytest.mark.parametrize(("adapters", "place"), [(1, "/mnt"), (2, "/mnt")])
def test_adapters_beside_a_model_in_an_image_are_where_the_server_looks(adapters: int, place: str) -> None:
    """Both are in one volume, which the server has at /mnt: the model's link, and the adapters' folders."""
    found = [{"name": f"a{number}", "uri": f"hf://org/a{number}"} for number in range(adapters)]
    spec = {"model": {"uri": "oci://registry.example.com/model:1", "name": "m", "lora": {"adapters": found}}}
    made = pod(of(spec)["decode-deployment"])
    mounts = [container(made, name)["volumeMounts"] for name in ("main", "storage-initializer")]
    where = [[m["mountPath"] for m in each if m["name"] == "kserve-provision-location"] for each in mounts]
    assert where == [[place], [place]]
    assert container(made, "storage-initializer")["args"][:2] == ["hf://org/a0", "/mnt/lora/a0"]


@pytest.mark.parametrize(
    ("timeouts", "found"),
    [
        ({"request": "30s", "backendRequest": "20s"}, []),
        ({"request": "0s", "backendRequest": "20s"}, []),
        ({"request": "30s", "backendRequest": "1m"}, ["backendRequest"]),
        ({"request": "half a minute"}, ["request"]),
    ],
)
def test_the_timeouts_of_a_route(timeouts: dict[str, str], found: list[str]) -> None:
    rules = [{"backendRefs": [{"name": "chat-kserve-workload-svc", "port": 8000}], "timeouts": timeouts}]
    spec = {"router": {"route": {"http": {"spec": {"rules": rules}}}, "gateway": {}}}
    path = "spec.router.route.http.spec.rules[0].timeouts"
    assert refusals(manifest(spec)) == [(f"{path}.{field}", "error", "bad-value") for field in found]


@pytest.mark.parametrize("port", ["0", "-1", "70000", "http"])
def test_a_port_that_can_not_be(port: str) -> None:
    path = "spec.template.containers[main].args"
    assert findings(manifest({"template": main(args=[f"--port={port}"])})) == [(path, "error", "invalid")]


def test_a_model_whose_name_no_path_holds() -> None:
    spec = {"model": {"uri": "hf://org/m", "name": "m" * 1000}, **ROUTER}
    assert findings(manifest(spec)) == [("spec.model.name", "error", "name-too-long")]
    assert findings(manifest({"model": spec["model"]})) == []


@pytest.mark.parametrize(
    ("volume", "others", "expected"),
    [
        ({"emptyDir": {}}, [], ["model-path"]),
        (
            {"emptyDir": {}},
            [{"name": "fetch", "image": "x:1", "volumeMounts": [{"name": "m", "mountPath": "/out"}]}],
            [],
        ),
        ({"persistentVolumeClaim": {"claimName": "c"}}, [], []),
    ],
)
def test_a_volume_that_nothing_fills(volume: dict[str, Any], others: list[Any], expected: list[str]) -> None:
    template = main(volumeMounts=[{"name": "m", "mountPath": "/mnt/models"}])
    template |= {"volumes": [{"name": "m", **volume}], "initContainers": others}
    found = findings(manifest({"storageInitializer": {"enabled": False}, "template": template}))
    assert [code for path, _, code in found if path == "spec.template.containers[0].args"] == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("--max-lora-rank=48 --enable-lora", "unknown-value"),
        ("--enforce-eagr", "unknown-flag"),
        ("--max-model-len 8", ""),
        ("""--hf-overrides '{"a": 1}'""", ""),
    ],
)
def test_arguments_in_a_variable_are_checked_like_the_others(text: str, code: str) -> None:
    spec = {"template": main(env=[{"name": "VLLM_ADDITIONAL_ARGS", "value": text}])}
    path = "spec.template.containers[0].env[VLLM_ADDITIONAL_ARGS].value"
    assert findings(manifest(spec)) == ([(path, "warning", code)] if code else [])
