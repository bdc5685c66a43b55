"""What OME's pod webhook adds to pods at run time. No webhook runs here, so the pod templates include it.

Mirrors sgl-project/ome pkg/webhook/admission/pod/model_init_injector.go at v0.1.5.
Decisions: M9 (docs/decisions).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ....findings import Problem
from ....kubernetes.pod_edits import change_container, container_of, with_env, with_mounts
from ....ome_keys.pod_template import main, with_main, with_volumes
from .. import names
from ..base_model import BaseModel
from ..settings import ModelInit, OMESettings, resources

MAIN = "ome-container"

_AGGREGATED_PORT = "9088"
_SCRAPED_PORT = "9091"
_MODEL_SOURCE = "/mnt/model-source"
_MODEL_FINAL = "/mnt/model"

# Network settings of the RDMA profile oci-roce.
_RDMA_ENV = {
    "GLOO_SOCKET_IFNAME": "eth0",
    "HCOLL_ENABLE_MCAST_ALL": "0",
    "IB_RX_QUEUE_LEN": "8192",
    "NCCL_CROSS_NIC": "2",
    "NCCL_CUMEM_ENABLE": "0",
    "NCCL_DEBUG": "INFO",
    "NCCL_IB_GID_INDEX": "3",
    "NCCL_IB_HCA": "=" + ",".join(f"mlx5_{n}" for n in (0, 1, *range(3, 11), *range(12, 18))),
    "NCCL_IB_QPS_PER_CONNECTION": "16",
    "NCCL_IB_SL": "0",
    "NCCL_IB_SPLIT_DATA_ON_QPS": "0",
    "NCCL_IB_TC": "41",
    "NCCL_IB_TIMEOUT": "22",
    "NCCL_IGNORE_CPU_AFFINITY": "1",
    "NCCL_NET_PLUGIN": "none",
    "NCCL_SOCKET_IFNAME": "eth0",
    "NCCL_SOCKET_NTHREADS": "16",
    "RX_QUEUE_LEN": "8192",
    "UCX_NET_DEVICES": "eth0",
    "UCX_TLS": "tcp",
    "coll_hcoll_enable": "0",
}
_RDMA_VOLUMES = (
    ({"name": "dshm", "emptyDir": {"medium": "Memory"}}, {"name": "dshm", "mountPath": "/dev/shm"}),
    ({"name": "devinf", "hostPath": {"path": "/dev/infiniband"}}, {"name": "devinf", "mountPath": "/dev/infiniband"}),
)
_RDMA_SECURITY = {"capabilities": {"add": ["IPC_LOCK", "CAP_SYS_ADMIN"]}, "privileged": True}


def injected(template: dict[str, Any], settings: OMESettings, model: BaseModel | None) -> dict[str, Any]:
    annotations = template["metadata"]["annotations"]
    result = _with_scraping(template, settings)
    if annotations.get("ome.io/inject-model-init") == "true":
        result = _with_model_init(result, settings.modelInit, model)
    if annotations.get("rdma.ome.io/auto-inject") == "true":
        result = _with_rdma(result, annotations.get("rdma.ome.io/container-name") or MAIN)
    return result


def _with_scraping(template: dict[str, Any], settings: OMESettings) -> dict[str, Any]:
    annotations = template["metadata"]["annotations"]
    defaults = settings.metricsAggregator
    scraping = annotations.get("ome.io/enable-prometheus-scraping", str(defaults.enablePrometheusScraping).lower())
    if scraping != "true":
        return template
    aggregation = annotations.get("ome.io/enable-metric-aggregation", str(defaults.enableMetricAggregation).lower())
    port = _AGGREGATED_PORT if aggregation == "true" else _SCRAPED_PORT
    added = {"prometheus.io/port": port, "prometheus.io/path": "/metrics"}
    return {**template, "metadata": {**template["metadata"], "annotations": {**annotations, **added}}}


def _with_model_init(template: dict[str, Any], config: ModelInit, model: BaseModel | None) -> dict[str, Any]:
    """Add an init container that decrypts the model into memory, where the engine reads it."""
    annotations, spec = template["metadata"]["annotations"], template["spec"]
    if any(container["name"] == "model-init" for container in spec.get("initContainers", [])):
        return template
    volume = model.volume() if model else None
    name = volume[0]["name"] if volume else names.volume(annotations.get("ome.io/base-model-name", "model"))
    source = {"name": name, "mountPath": _MODEL_SOURCE}
    decrypted = {"name": "model-empty-dir", "mountPath": _MODEL_FINAL}
    if volume and "subPath" in volume[1]:
        source["subPath"] = volume[1]["subPath"]
    init = {
        "name": "model-init",
        "image": config.image,
        "args": ["enigma", "--config", "/ome-agent.yaml", "--debug"],
        "env": _agent_env(annotations, template["metadata"]["labels"], config),
        "resources": resources(config),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [decrypted, source],
    }
    security = main(template).get("securityContext")
    if security:
        init["securityContext"] = security
    result = with_volumes(template, [{"name": "model-empty-dir", "emptyDir": {"medium": "Memory"}}])
    result = with_main(result, with_mounts(main(result), [decrypted]))
    result["spec"] = {**result["spec"], "initContainers": [*spec.get("initContainers", []), init]}
    return result


def _agent_env(annotations: Mapping[str, Any], labels: Mapping[str, Any], config: ModelInit) -> list[dict[str, Any]]:
    key = annotations.get("ome.io/base-model-decryption-key-name", "")
    values = {
        "AUTH_TYPE": config.authType,
        "COMPARTMENT_ID": config.compartmentId,
        "VAULT_ID": config.vaultId,
        "MODEL_NAME": annotations.get("ome.io/base-model-name", ""),
        "KEY_NAME": key,
        "SECRET_NAME": annotations.get("ome.io/base-model-decryption-secret-name", f"{key}-dek"),
        "DISABLE_MODEL_DECRYPTION": annotations.get("ome.io/disable-model-decryption", "false"),
        "MODEL_TYPE": labels.get("base-model-type", "Serving"),
        "LOCAL_PATH": _MODEL_SOURCE,
        "MODEL_STORE_DIRECTORY": _MODEL_FINAL,
        "REGION": config.region,
    }
    return [{"name": f"OME_AGENT_{name}", "value": value} for name, value in values.items()]


def _with_rdma(template: dict[str, Any], target: str) -> dict[str, Any]:
    """Add RDMA devices and settings to one container; no change if the pod has no such container."""
    if container_of(template["spec"], target) is None:
        return template
    result = with_volumes(template, [volume for volume, _ in _RDMA_VOLUMES])
    return {**result, "spec": change_container(result["spec"], _rdma_container, target)}


def _rdma_container(container: Mapping[str, Any]) -> dict[str, Any]:
    result = with_env(container, [{"name": name, "value": value} for name, value in _RDMA_ENV.items()])
    result = with_mounts(result, [mount for _, mount in _RDMA_VOLUMES])
    stated = result.get("securityContext", {})
    capabilities = {**_RDMA_SECURITY["capabilities"], **stated.get("capabilities", {})}
    wanted = [*stated.get("capabilities", {}).get("add", []), *_RDMA_SECURITY["capabilities"]["add"]]
    capabilities["add"] = list(dict.fromkeys(wanted))
    result["securityContext"] = {**_RDMA_SECURITY, **stated, "capabilities": capabilities}
    return result


def injection_problems(
    annotations: Mapping[str, Any], containers: list[str], settings: OMESettings
) -> Iterator[Problem]:
    """Annotations whose request can't be met."""
    path = "metadata.annotations"
    if annotations.get("ome.io/inject-model-init") == "true" and not settings.modelInit.image:
        yield Problem(path, "ome.io/inject-model-init needs the image of settings.ome.modelInit", code="required")
    if annotations.get("ome.io/inject-serving-sidecar") == "true":
        message = "ome.io/inject-serving-sidecar has no effect here; write the container under spec.engine.containers"
        yield Problem(path, message, "warning", "no-sidecar")
    target = annotations.get("rdma.ome.io/container-name") or MAIN
    if annotations.get("rdma.ome.io/auto-inject") == "true" and target not in containers:
        message = (
            f"rdma.ome.io/auto-inject has no effect, because there is no container {target}; name one of {containers}"
        )
        yield Problem(path, message, "warning", "no-container")
