"""What KServe's controller and webhook do beyond presets: dumped fields, credentials, users, templates as JSON.

Not proven here: that a cluster with KServe has the same objects (tests/conformance/oracle).
"""

from typing import Any

import pytest

from modelservices.families.kserve.templates import fill

from .services import TLS, Data, config, findings, main, manifest, messages, objects, of, plan

PREFILL = {"prefill": {}}
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "loader", "namespace": "models"}}
HUB = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "hub", "namespace": "models"},
    "stringData": {"HF_TOKEN": "${secret:hf}"},
}
KEYS = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "keys", "namespace": "models"},
    "stringData": {"AWS_ACCESS_KEY_ID": "${secret:id}", "AWS_SECRET_ACCESS_KEY": "${secret:key}"},
}


def pod(obj: Data) -> dict[str, Any]:
    return obj["spec"]["template"]["spec"]


def container(obj: Data, name: str, field: str = "containers") -> dict[str, Any]:
    (found,) = [item for item in pod(obj)[field] if item["name"] == name]
    return found


def variables(obj: Data) -> dict[str, Any]:
    return {item["name"]: item for item in container(obj, "storage-initializer", "initContainers").get("env", [])}


def sidecar_words(spec: Data, settings: Data) -> list[str]:
    item = container(of(spec, settings)["decode-deployment"], "llm-d-routing-sidecar", "initContainers")
    return [*item["command"], *item.get("args", [])]


@pytest.mark.parametrize(
    ("command", "skip"),
    [
        (["/pd", "--enable-tls=prefiller,decoder"], "--tls-insecure-skip-verify=prefiller"),
        (["/pd", "--enable-tls", "prefiller"], "--tls-insecure-skip-verify=prefiller"),
        (["/pd", "--prefiller-use-tls"], "--prefiller-tls-insecure-skip-verify"),
        (["/pd", "--prefiller-use-tls=false"], None),
        (["/pd", "--enable-tls=decoder"], None),
        (["/pd", "--enable-tls=prefiller", "--tls-insecure-skip-verify=decoder"], None),
    ],
)
def test_the_sidecar_does_not_verify_addresses_of_prefill_pods(command: list[str], skip: str | None) -> None:
    sidecar = {"name": "llm-d-routing-sidecar", "command": command}
    spec = {**PREFILL, "template": {"initContainers": [sidecar], "containers": [{"name": "main"}]}}
    assert sidecar_words(spec, TLS) == [*command, *([skip] if skip else [])]


def test_a_script_that_starts_the_sidecar_has_to_skip_the_check_itself() -> None:
    script = "exec /pd --port=8000 --vllm-port=8001 --enable-tls=prefiller"
    for line, expected in ((script, ["missing-flag"]), (f"{script} --tls-insecure-skip-verify=prefiller", [])):
        sidecar = {"name": "llm-d-routing-sidecar", "command": ["sh", "-c", line]}
        spec = {**PREFILL, "template": {"initContainers": [sidecar], "containers": [{"name": "main"}]}}
        assert sidecar_words(spec, TLS) == sidecar["command"]
        path = "spec.template.initContainers[llm-d-routing-sidecar]"
        found = findings(manifest(spec), settings=TLS)
        assert [(where, code) for where, _, code in found if where.startswith(path)] == [
            (f"{path}.command", code) for code in expected
        ]


def test_without_tls_the_sidecar_stays_as_it_is() -> None:
    assert not [word for word in sidecar_words(PREFILL, {}) if "insecure" in word]


def test_a_template_trims_blanks_and_no_line_ends() -> None:
    """KServe fills in the JSON of a config, where a line end is two letters."""
    context = {"ObjectMeta": {"name": "chat"}, "Spec": {}, "GlobalConfig": {}}
    assert fill("a \\\n  {{- if .ObjectMeta.Name }}\n  b\n  {{- end }}", context) == "a \\\n\n  b\n"


def test_an_empty_uri_of_a_dumped_config_is_none() -> None:
    base = config({"model": {"uri": ""}, "template": {"nodeSelector": {"pool": "a"}}})
    found = objects(manifest({"baseRefs": [{"name": "base"}]}), base)["decode-deployment"]
    assert pod(found)["nodeSelector"] == {"pool": "a"}


def test_a_name_that_the_webhook_wrote_gives_way_to_the_config_s() -> None:
    base = config({"model": {"uri": "hf://a/b", "name": "a/b"}})
    spec = {"baseRefs": [{"name": "base"}], "model": {"uri": "hf://a/b", "name": "chat"}}
    for own, served in ((spec, "a/b"), ({**spec, "model": {"uri": "hf://a/b", "name": "mine"}}, "mine")):
        command = container(objects(manifest(own), base)["decode-deployment"], "main")["command"]
        assert f"--served-model-name {served} " in command[2]


@pytest.mark.parametrize("scheduler", [{}, {"template": {"serviceAccountName": "loader", **main()}}])
def test_the_tokenizer_downloads_with_the_account_of_scheduler_or_server(scheduler: dict[str, Any]) -> None:
    template = main() if scheduler else {"serviceAccountName": "loader", **main()}
    spec = {"router": {"scheduler": {"tokenizer": {}, **scheduler}}, "template": template}
    account = {**ACCOUNT, "secrets": [{"name": "hub"}]}
    found = objects(manifest(spec), account, HUB)["tokenizer-deployment"]
    assert variables(found)["HF_TOKEN"]["valueFrom"] == {"secretKeyRef": {"name": "hub", "key": "HF_TOKEN"}}


S3 = {"model": {"uri": "s3://bucket/model", "name": "m"}}
NAMED = {"serving.kserve.io/storageSecretName": "keys"}


def test_an_annotation_names_the_secret_of_the_download() -> None:
    found = variables(objects(manifest(S3, annotations=NAMED), KEYS)["decode-deployment"])
    assert found["AWS_ACCESS_KEY_ID"]["valueFrom"]["secretKeyRef"]["name"] == "keys"
    assert findings(manifest(S3, annotations=NAMED)) == [
        ('metadata.annotations["serving.kserve.io/storageSecretName"]', "warning", "credentials-not-found")
    ]


def test_an_account_with_a_role_says_where_s3_is() -> None:
    annotations = {
        "eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/r",
        "serving.kserve.io/s3-region": "eu-west-1",
        "serving.kserve.io/s3-useaccelerate": "true",
    }
    account = {**ACCOUNT, "metadata": {**ACCOUNT["metadata"], "annotations": annotations}}
    spec = {**S3, "template": {"serviceAccountName": "loader", **main()}}
    found = variables(objects(manifest(spec), account)["decode-deployment"])
    assert {name: item["value"] for name, item in found.items()} == {
        "AWS_DEFAULT_REGION": "eu-west-1",
        "S3_USE_ACCELERATE": "true",
    }


def test_a_download_s_container_without_a_download_is_left_out() -> None:
    own = {"name": "storage-initializer", "env": [{"name": "A", "value": "b"}]}
    spec = {"model": {"uri": "pvc://weights", "name": "m"}, "template": {**main(), "initContainers": [own]}}
    assert "initContainers" not in pod(of(spec)["decode-deployment"])
    assert ("spec.template.initContainers[storage-initializer]", "warning", "no-effect") in findings(manifest(spec))


def test_server_and_modelcar_are_one_user() -> None:
    spec = {"model": {"uri": "oci://r.example/m:1"}, "template": main(securityContext={"runAsUser": 1000})}
    found = of(spec)["decode-deployment"]
    users = [container(found, name)["securityContext"]["runAsUser"] for name in ("main", "modelcar")]
    assert users == [1010, 1010]


def test_a_scheduler_s_configuration_may_be_kserve_s_for_all() -> None:
    ref = {"config": {"ref": {"name": "shared", "key": "epp"}}}
    text = "kind: EndpointPickerConfig\napiVersion: llm-d.ai/v1alpha1\nplugins: [{type: max-score-picker, name: mine}]"
    shared = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "shared", "namespace": "kserve"},
        "data": {"epp": text},
    }
    spec = {"router": {"scheduler": ref}}
    found = plan(manifest(spec), shared).raise_for_errors().services[0].parts["epp"].objects["deployment"]
    assert any("mine" in str(word) for word in container(found, "main")["args"])
    assert any("in namespace models or kserve" in said for said in messages(manifest(spec)))
