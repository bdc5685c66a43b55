"""Model sources: downloads and their credentials, claims, modelcars, adapters.

Not proved: that the storage initializer's image does what it is told.
"""

from __future__ import annotations

from typing import Any

import pytest

from modelservices.kubernetes.scalars import Opaque

from .services import MODEL, Data, container, env, findings, main, manifest, messages, objects, of, pod

LOCAL = "internal.serving.kserve.io/localmodel"


def server_pod(spec: dict[str, Any], *others: dict[str, Any], settings: Any = None, **metadata: Any) -> dict[str, Any]:
    return pod(objects(manifest(spec, **metadata), *others, settings=settings)["decode-deployment"])


def model(uri: str, **fields: Any) -> dict[str, Any]:
    return {"model": {"uri": uri, "name": "m", **fields}}


def mounts(item: dict[str, Any]) -> dict[str, Any]:
    return {mount["mountPath"]: {k: v for k, v in mount.items() if k != "mountPath"} for mount in item["volumeMounts"]}


def volumes(spec: dict[str, Any]) -> dict[str, Any]:
    return {volume["name"]: {k: v for k, v in volume.items() if k != "name"} for volume in spec["volumes"]}


def secret(name: str, keys: list[str], annotations: dict[str, str] | None = None) -> dict[str, Any]:
    prefixed = {f"serving.kserve.io/s3-{key}": value for key, value in (annotations or {}).items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": "models", "annotations": prefixed},
        "data": dict.fromkeys(keys, "${secret:x}"),
    }


def account(name: str, *secrets: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": "models"},
        "secrets": [{"name": item} for item in secrets],
    }


def reference(name: str, key: str) -> dict[str, Any]:
    return {"secretKeyRef": {"name": name, "key": key}}


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("hf://org/model@v1.2", "hf://org/model:v1.2"),
        ("hf://org/model:0a1b2c", "hf://org/model:0a1b2c"),
        ("s3://bucket/a@b", "s3://bucket/a@b"),
    ],
)
def test_a_revision_stands_behind_a_colon(uri: str, wanted: str) -> None:
    assert container(server_pod(model(uri)), "storage-initializer")["args"] == [wanted, "/mnt/models"]


@pytest.mark.parametrize("uri", ["hf://model", "hf://org/model/folder", "hf://org/model@refs/pr/1", "hf://org/"])
def test_what_the_storage_initializer_does_not_take_for_a_repository(uri: str) -> None:
    assert ("spec.model.uri", "warning", "bad-source") in findings(manifest(model(uri)))


def test_a_model_of_the_hub_is_downloaded() -> None:
    spec = server_pod(model("hf://org/model"))
    made = container(spec, "storage-initializer")
    assert made == {
        "name": "storage-initializer",
        "image": "kserve/storage-initializer:v0.16.0",
        "args": ["hf://org/model", "/mnt/models"],
        "env": [
            {"name": "HF_HUB_ENABLE_HF_TRANSFER", "value": "1"},
            {"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"},
            {"name": "HF_XET_NUM_CONCURRENT_RANGE_GETS", "value": "8"},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "kserve-provision-location", "mountPath": "/mnt/models"}],
    }
    assert mounts(container(spec))["/mnt/models"] == {"name": "kserve-provision-location", "readOnly": True}
    assert volumes(spec)["kserve-provision-location"] == {"emptyDir": {}}


def test_the_initializer_is_a_setting() -> None:
    own = {"storageInitializer": {"image": "mine:1", "memoryLimit": "8Gi"}}
    made = container(server_pod(model("s3://bucket/m"), settings=own), "storage-initializer")
    assert (made["image"], made["resources"]["limits"]) == ("mine:1", {"cpu": "1", "memory": "8Gi"})
    assert made.get("env", []) == []


def test_a_users_initializer_changes_the_generated_one_but_not_what_it_does() -> None:
    change = {
        "name": "storage-initializer",
        "image": "mine:1",
        "args": ["rm"],
        "command": ["sh"],
        "env": [{"name": "HF_XET_HIGH_PERFORMANCE", "value": "0"}, {"name": "A", "value": "b"}],
        "resources": {"limits": {"memory": "4Gi"}},
    }
    made = container(server_pod({"template": {**main(), "initContainers": [change]}}), "storage-initializer")
    assert "command" not in made and made["args"] == ["hf://org/model", "/mnt/models"]
    assert made["image"] == "mine:1"
    assert made["resources"]["limits"] == {"cpu": "1", "memory": "4Gi"}
    assert env(made)["HF_XET_HIGH_PERFORMANCE"] == "0" and env(made)["A"] == "b"


@pytest.mark.parametrize(
    ("uri", "mount"),
    [
        ("pvc://claim/some/path", {"subPath": "some/path"}),
        ("pvc://claim/", {}),
        ("pvc://claim", {}),
    ],
)
def test_a_model_on_a_claim_is_mounted(uri: str, mount: dict[str, str]) -> None:
    spec = server_pod(model(uri))
    assert mounts(container(spec))["/mnt/models"] == {"name": "kserve-pvc-source", "readOnly": True, **mount}
    assert volumes(spec)["kserve-pvc-source"] == {"persistentVolumeClaim": {"claimName": "claim"}}
    assert "initContainers" not in spec


def test_a_modelcar() -> None:
    spec = server_pod(model("oci://registry.example.com/m:1"), settings={"storageInitializer": {"uidModelcar": 7}})
    assert spec["shareProcessNamespace"] is True
    assert volumes(spec)["kserve-provision-location"] == {"emptyDir": {}}
    server, car = container(spec), container(spec, "modelcar")
    assert env(server)["MODEL_INIT_MODE"] == "async"
    assert server["securityContext"]["runAsUser"] == car["securityContext"]["runAsUser"] == 7
    assert mounts(server)["/mnt"] == {"name": "kserve-provision-location"}
    assert car["image"] == container(spec, "modelcar-init")["image"] == "registry.example.com/m:1"
    assert car["args"] == ["sh", "-c", "ln -sf /proc/$$$$/root/models /mnt/models && sleep infinity"]
    assert car["resources"] == {
        "requests": {"cpu": "10m", "memory": "15Mi"},
        "limits": {"cpu": "10m", "memory": "15Mi"},
    }


def test_modelcars_can_be_forbidden() -> None:
    own = {"storageInitializer": {"enableModelcar": False}}
    assert [path for path, _, _ in findings(manifest(model("oci://r/m:1")), settings=own)] == ["spec.model.uri"]


@pytest.mark.parametrize("uri", ["hf://a/b", "s3://a/b", "pvc://a/b", "oci://a/b"])
def test_nothing_is_attached_when_the_initializer_is_off(uri: str) -> None:
    spec = server_pod({**model(uri), "storageInitializer": {"enabled": False}})
    assert "initContainers" not in spec and len(spec["containers"]) == 1
    assert not {"/mnt/models", "/mnt"} & mounts(container(spec)).keys()


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("org/model", "must start with one of hf://, s3://, pvc://, oci://, got 'org/model'"),
        ("gs://bucket/m", "must start with one of hf://, s3://, pvc://, oci://, got 'gs://bucket/m'"),
        ("hf://", "must start with one of hf://, s3://, pvc://, oci://, got 'hf://'"),
        ("pvc:///path", "must name a claim as pvc://claim/path, got 'pvc:///path'"),
        ("pvc://Claim/path", "must name a claim as pvc://claim/path, got 'pvc://Claim/path'"),
        ("hf://org/my model", "must not contain blanks, got 'hf://org/my model'"),
    ],
)
def test_uris_that_no_one_can_load(uri: str, message: str) -> None:
    assert messages(manifest(model(uri))) == [f"spec.model.uri: {message}"]


def test_a_model_is_required() -> None:
    own = manifest()
    del own["spec"]["model"]
    assert findings(own) == [("spec.model.uri", "error", "required")]


def test_a_cached_model_is_mounted_from_the_caches_claim() -> None:
    annotations = {f"{LOCAL}-sourceuri": "hf://org/model", f"{LOCAL}-pvc-name": "cache"}
    spec = server_pod(model("hf://org/model/sub"), labels={LOCAL: "x"}, annotations=annotations)
    assert mounts(container(spec))["/mnt/models"] == {
        "name": "kserve-pvc-source",
        "readOnly": True,
        "subPath": "models/759d2c8a9177d6ad/sub",
    }
    assert LOCAL not in str(objects(manifest(model("hf://org/model"), labels={LOCAL: "x"}, annotations=annotations)))


@pytest.mark.parametrize("missing", ["label", "sourceuri", "pvc-name", "other uri"])
def test_a_model_that_is_not_in_the_cache_is_downloaded(missing: str) -> None:
    annotations = {f"{LOCAL}-sourceuri": "hf://org/model", f"{LOCAL}-pvc-name": "cache"}
    annotations.pop(f"{LOCAL}-{missing}", None)
    uri = "hf://other/model" if missing == "other uri" else "hf://org/model"
    labels = {} if missing == "label" else {LOCAL: "x"}
    assert container(server_pod(model(uri), labels=labels, annotations=annotations), "storage-initializer")


def test_the_token_of_the_hub() -> None:
    others = [account("default", "hub", "s3"), secret("hub", ["HF_TOKEN"]), secret("s3", ["AWS_SECRET_ACCESS_KEY"])]
    found = env(container(server_pod(model("hf://a/b"), *others), "storage-initializer"))
    assert found["HF_TOKEN"] == reference("hub", "HF_TOKEN")
    assert "AWS_SECRET_ACCESS_KEY" not in found


def test_s3_credentials_of_the_pods_account() -> None:
    notes = {"endpoint": "minio:9000", "usehttps": "0", "region": "eu-1", "verifyssl": "0"}
    others = [account("reader", "s3"), secret("s3", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"], notes)]
    spec = {**model("s3://bucket/m"), "template": {**main(), "serviceAccountName": "reader"}}
    assert env(container(server_pod(spec, *others), "storage-initializer")) == {
        "AWS_ACCESS_KEY_ID": reference("s3", "AWS_ACCESS_KEY_ID"),
        "AWS_SECRET_ACCESS_KEY": reference("s3", "AWS_SECRET_ACCESS_KEY"),
        "S3_USE_HTTPS": "0",
        "S3_ENDPOINT": "minio:9000",
        "AWS_ENDPOINT_URL": "http://minio:9000",
        "S3_VERIFY_SSL": "0",
        "AWS_DEFAULT_REGION": "eu-1",
    }


def test_an_endpoint_that_is_not_known_yet() -> None:
    later = Opaque(None)
    others = [account("default", "s3"), secret("s3", ["AWS_SECRET_ACCESS_KEY"])]
    others[1]["metadata"]["annotations"] = {"serving.kserve.io/s3-endpoint": later}
    found = env(container(server_pod(model("s3://b/m"), *others), "storage-initializer"))
    assert found["S3_ENDPOINT"] is later and found["AWS_ENDPOINT_URL"] == "https://$(S3_ENDPOINT)"


def test_s3_settings_count_where_the_secret_says_nothing() -> None:
    own = {"credentials": {"s3": {"s3Endpoint": "s3.example.com", "s3SecretAccessKeyName": "key"}}}
    others = [account("default", "s3"), secret("s3", ["key", "AWS_ACCESS_KEY_ID"])]
    found = env(container(server_pod(model("s3://b/m"), *others, settings=own), "storage-initializer"))
    assert found["AWS_ENDPOINT_URL"] == "https://s3.example.com"
    assert found["AWS_SECRET_ACCESS_KEY"] == reference("s3", "key")


def test_accounts_and_secrets_that_are_not_among_the_manifests_give_no_credentials() -> None:
    assert "AWS_SECRET_ACCESS_KEY" not in str(of(model("s3://b/m")))
    assert "secretKeyRef" not in str(objects(manifest(model("s3://b/m")), account("default", "gone")))


def adapters(*items: tuple[str, str], uri: str = "hf://org/model", **limits: int) -> dict[str, Any]:
    return model(uri, lora={"adapters": [{"name": name, "uri": source} for name, source in items], **limits})


def test_adapters_are_downloaded_together_with_the_model() -> None:
    spec = server_pod(adapters(("sql", "hf://org/sql"), ("legal", "s3://bucket/legal")))
    made = container(spec, "storage-initializer")
    assert made["args"] == [
        *("hf://org/model", "/mnt/models"),
        *("s3://bucket/legal", "/mnt/lora/legal"),
        *("hf://org/sql", "/mnt/lora/sql"),
    ]
    assert made["volumeMounts"] == [{"name": "kserve-provision-location", "mountPath": "/mnt"}]
    assert mounts(container(spec))["/mnt"] == {"name": "kserve-provision-location", "readOnly": True}


@pytest.mark.parametrize(
    ("items", "place"),
    [
        ((("sql", "hf://org/sql"),), "/mnt/lora/sql"),
        ((("sql", "hf://org/sql"), ("legal", "hf://org/legal")), "/mnt/lora"),
    ],
)
def test_adapters_of_a_model_on_a_claim(items: tuple[tuple[str, str], ...], place: str) -> None:
    spec = server_pod(adapters(*items, uri="pvc://claim/m"))
    assert mounts(container(spec, "storage-initializer")) == {place: {"name": "kserve-provision-location"}}
    assert mounts(container(spec))[place] == {"name": "kserve-provision-location", "readOnly": True}
    assert mounts(container(spec))["/mnt/models"]["name"] == "kserve-pvc-source"


def test_adapters_on_claims_are_mounted_each_claim_once() -> None:
    spec = server_pod(adapters(("b", "pvc://shared/b"), ("a/1", "pvc://shared/a"), ("c", "pvc://own")))
    found = mounts(container(spec))
    assert found["/mnt/lora/a-1"] == {"name": "lora-pvc-a-1", "readOnly": True, "subPath": "a"}
    assert found["/mnt/lora/b"] == {"name": "lora-pvc-a-1", "readOnly": True, "subPath": "b"}
    assert found["/mnt/lora/c"] == {"name": "lora-pvc-c", "readOnly": True}
    claims = [
        volume["persistentVolumeClaim"]["claimName"] for volume in spec["volumes"] if "persistentVolumeClaim" in volume
    ]
    assert sorted(claims) == ["own", "shared"]


def test_adapters_on_the_models_claim_share_its_volume() -> None:
    spec = server_pod(adapters(("a", "pvc://claim/a"), uri="pvc://claim/m"))
    assert mounts(container(spec))["/mnt/lora/a"]["name"] == "kserve-pvc-source"


@pytest.mark.parametrize(
    ("names", "folders"),
    [
        (["a/b", "a:b"], ["a-b", "a-b-2"]),
        (["a-b", "a-b-2", "a-b-3", "a/b"], ["a-b", "a-b-2", "a-b-3", "a-b-4"]),
        (["a-b", "a-b-3", "a/b", "a:b"], ["a-b", "a-b-3", "a-b-2", "a-b-4"]),
    ],
)
def test_adapters_whose_names_make_one_folder_get_one_each(names: list[str], folders: list[str]) -> None:
    items = [(name, f"hf://o/{number}") for number, name in enumerate(names)]
    made = container(server_pod(adapters(*items)), "storage-initializer")
    assert made["args"][3::2] == [f"/mnt/lora/{folder}" for folder in folders]


def test_flags_of_adapters_come_before_the_users() -> None:
    spec = {**adapters(("a", "hf://o/a"), maxRank=16, maxAdapters=4, maxCpuAdapters=8), "template": main(args=["--x"])}
    assert container(server_pod(spec))["args"] == [
        "--enable-lora",
        "--max-lora-rank=16",
        "--max-loras=4",
        "--max-cpu-loras=8",
        "--lora-modules",
        '\'{"name":"a","path":"/mnt/lora/a"}\'',
        '\'{"name":"publishers/models/models/a","path":"/mnt/lora/a"}\'',
        "--x",
    ]


def test_modules_that_the_user_passes_stand() -> None:
    spec = {**adapters(("a", "hf://o/a")), "template": main(args=["--lora-modules", "x=/y"])}
    assert container(server_pod(spec))["args"] == ["--lora-modules", "x=/y"]


def test_no_adapters_no_flags() -> None:
    assert "args" not in container(server_pod(model("hf://o/m", lora={"maxRank": 8})))


@pytest.mark.parametrize(
    ("item", "path"),
    [
        (("m", "hf://o/a"), "spec.model.lora.adapters[0].name"),
        ((".", "hf://o/a"), "spec.model.lora.adapters[0].name"),
        (("a", "oci://o/a"), "spec.model.lora.adapters[0].uri"),
        (("a", "/data"), "spec.model.lora.adapters[0].uri"),
    ],
)
def test_adapters_that_can_not_be(item: tuple[str, str], path: str) -> None:
    assert [found for found, _, _ in findings(manifest(adapters(item)))] == [path]


def test_two_adapters_of_one_name() -> None:
    found = findings(manifest(adapters(("a", "hf://o/1"), ("a", "hf://o/2"))))
    assert found == [("spec.model.lora.adapters[1].name", "error", "duplicate")]


def test_adapters_need_the_initializer() -> None:
    spec = {**adapters(("a", "hf://o/a")), "storageInitializer": {"enabled": False}}
    assert [path for path, _, _ in findings(manifest(spec))] == ["spec.model.lora.adapters[0].uri"]


@pytest.mark.parametrize(
    ("confidential", "variables"),
    [
        ({"enabled": True}, {"CONFIDENTIAL_ENABLED": "true"}),
        (
            {"enabled": True, "resourceId": "kbs:///default/key/m"},
            {"CONFIDENTIAL_ENABLED": "true", "CONFIDENTIAL_RESOURCE_ID": "kbs:///default/key/m"},
        ),
        ({"enabled": False, "resourceId": "kbs:///default/key/m"}, {}),
    ],
)
def test_an_encrypted_model_is_decrypted_by_the_download(confidential: Data, variables: Data) -> None:
    made = pod(of({"model": {**MODEL, "confidential": confidential}})["decode-deployment"])
    given = env(container(made, "storage-initializer"))
    assert {name: value for name, value in given.items() if name.startswith("CONFIDENTIAL")} == variables


@pytest.mark.parametrize("uri", ["pvc://claim/m", "oci://registry.example.com/m:1"])
def test_decryption_of_what_is_not_downloaded(uri: str) -> None:
    own = manifest({"model": {"uri": uri, "name": "m", "confidential": {"enabled": True}}})
    assert findings(own) == [("spec.model.confidential", "warning", "no-effect")]


def test_the_key_of_an_encrypted_model() -> None:
    own = manifest({"model": {**MODEL, "confidential": {"enabled": True, "resourceId": "kbs://x"}}})
    assert findings(own) == [("spec.model.confidential.resourceId", "error", "bad-value")]


def test_the_server_runs_as_the_modelcar_s_own_user() -> None:
    """It reads the files through the modelcar's process."""
    car = {"name": "modelcar", "securityContext": {"runAsUser": 1234}}
    template = {"containers": [{"name": "main"}, car]}
    spec = server_pod({**model("oci://registry.example.com/m:1"), "template": template})
    users = [container(spec, name)["securityContext"]["runAsUser"] for name in ("main", "modelcar")]
    assert users == [1234, 1234]
