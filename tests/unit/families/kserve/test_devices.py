"""Devices by dynamic resource allocation, and disk for tiers of the KV cache.

Not proved: that a driver gives the devices.
"""

from __future__ import annotations

import pytest

from .services import DATA_PARALLEL, container, main, of, pod, server, volume

DRA = "serving.kserve.io/exp-dra-"


def test_a_device_for_each_pod() -> None:
    notes = {f"{DRA}device-class": "gpu.example.com", f"{DRA}device-count": "2", f"{DRA}cel-selector": "a > 1\n\nb < 2"}
    made = of(DATA_PARALLEL, annotations=notes)
    assert made["resource-claim-template"] == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "chat-managed-dra", "namespace": "models"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "device",
                            "exactly": {
                                "deviceClassName": "gpu.example.com",
                                "count": 2,
                                "selectors": [{"cel": {"expression": "a > 1"}}, {"cel": {"expression": "b < 2"}}],
                            },
                        }
                    ]
                }
            }
        },
    }
    for name in ("leaderTemplate", "workerTemplate"):
        spec = pod(made["decode-group"], name)
        assert spec["resourceClaims"] == [{"name": "managed-device", "resourceClaimTemplateName": "chat-managed-dra"}]
        assert container(spec)["resources"] == {"claims": [{"name": "managed-device"}]}


def test_a_device_for_another_container() -> None:
    notes = {f"{DRA}device-class": "gpu.example.com", f"{DRA}container-name": "side"}
    spec = {"template": {"containers": [{"name": "main"}, {"name": "side", "image": "s:1"}]}}
    made = pod(of(spec, annotations=notes)["decode-deployment"])
    assert container(made, "side")["resources"] == {"claims": [{"name": "managed-device"}]}
    assert "resources" not in container(made)


KV = {
    "cpu": "10Gi",
    "secondary": [
        {"fileSystem": {"emptyDir": {"size": "20Gi"}}},
        {"fileSystem": {"pvc": {"ref": {"name": "kv", "path": "a"}}}},
        {"fileSystem": {"pvc": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    ],
}


def test_tiers_of_the_kv_cache() -> None:
    limits = {"resources": {"requests": {"ephemeral-storage": "1Gi"}, "limits": {"ephemeral-storage": "30Gi"}}}
    made = of({"kvCacheOffloading": KV, "template": main(**limits), "prefill": {}})
    spec = pod(made["decode-deployment"])
    assert volume(spec, "kv-cache-secondary-0")["emptyDir"] == {"sizeLimit": "20Gi"}
    assert volume(spec, "kv-cache-secondary-1")["persistentVolumeClaim"] == {"claimName": "kv"}
    assert volume(spec, "kv-cache-secondary-2")["ephemeral"] == {
        "volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}
    }
    assert [mount for mount in container(spec)["volumeMounts"] if "kv-cache" in mount["mountPath"]] == [
        {"name": "kv-cache-secondary-0", "mountPath": "/mnt/kv-cache-0"},
        {"name": "kv-cache-secondary-1", "mountPath": "/mnt/kv-cache-1", "subPath": "a"},
        {"name": "kv-cache-secondary-2", "mountPath": "/mnt/kv-cache-2"},
    ]
    assert container(spec)["resources"]["requests"]["ephemeral-storage"] == "21Gi"
    assert "kv-cache" not in str(made["prefill-deployment"])


@pytest.mark.parametrize(
    ("given", "size", "wanted"),
    [
        (None, "20Gi", "20Gi"),
        ("500Mi", "1Gi", "1524Mi"),
        ("1G", "1G", "1953125Ki"),
        ("1", "1", "2"),
        ("0.5Gi", "1Ki", "524289Ki"),
    ],
)
def test_disk_that_is_asked_for(given: str | None, size: str, wanted: str) -> None:
    kv = {"cpu": "1Gi", "secondary": [{"fileSystem": {"emptyDir": {"size": size}}}]}
    requests = {"resources": {"requests": {"ephemeral-storage": given}}} if given else {}
    made = server({"kvCacheOffloading": kv, "template": main(**requests)})
    assert made["resources"]["requests"] == {"ephemeral-storage": wanted}
