"""The pod of a model server: the merged spec, and what the rules add to it step by step.

Decisions: L16 (docs/decisions).
"""

from typing import Any

from ...engines.vllm import serving
from ...kubernetes.model import dump
from ...kubernetes.pod import PodSpec
from ...kubernetes.resources import with_whole_pairs
from ...kubernetes.values import value_at
from . import (
    kv_offload,
    listening,
    lora,
    names,
    prefiller_tls,
    resource_claim_template,
    serve,
    service_account,
    storage,
    tls,
    tracing,
)
from .context import Service, Workload
from .pods import Pod, change_container, container, with_env


def server_pod(service: Service, workload: Workload, spec: PodSpec) -> Pod:
    """A workload's pod: a single pod, or the leader or a worker of a group."""
    pod = dump(spec)
    pod = _with_command(pod, service, workload)
    pod = storage.with_model(pod, service, service_account.named_account(workload))
    pod = service_account.with_account(pod, service_account.account(service, workload))
    pod = lora.with_flags(pod, service)
    pod = kv_offload.with_tiers(pod, workload)
    pod = _with_side_channel(pod)
    pod = tracing.with_server_tracing(pod, service, workload.role)
    pod = resource_claim_template.with_device(pod, service)
    pod = listening.following_server(_with_pool(pod, service), service, workload)
    pod = prefiller_tls.with_encrypted_prefiller(pod, service)
    return finished(pod, service)


def finished(pod: Pod, service: Service) -> Pod:
    """Final changes to every server's pod. Service links are off, because a Service called vllm would set VLLM_PORT."""
    return with_limits({"enableServiceLinks": False, **tls.without_waiting(pod, service)})


def with_limits(pod: Pod) -> Pod:
    """Give extended resources that a container only requests the equal limit that the API server requires."""
    for field in ("containers", "initContainers"):
        if field in pod:
            pod = {**pod, field: [_with_resources(item) for item in pod[field]]}
    return pod


def without_preset_dns(pod: Pod, service: Service, *path: str) -> Pod:
    """In the node's network a preset's dnsPolicy is left out: the node's resolver knows no Services. ``path`` leads
    to the pod in the service's spec."""
    stated = [dump(source.spec) for source in service.sources if not source.name.startswith("preset ")]
    if pod.get("hostNetwork") is not True or any(value_at(spec, *path, "dnsPolicy") for spec in stated):
        return pod
    return {key: value for key, value in pod.items() if key != "dnsPolicy"}


def with_pull_secrets(pod: Pod, service: Service) -> Pod:
    """Pull another pod with the model server's Secrets if it is in the same registry."""
    server = dump(service.spec.template) if service.spec.template else {}
    if pod.get("imagePullSecrets") or not server.get("imagePullSecrets") or _registry(pod) != _registry(server):
        return pod
    return {**pod, "imagePullSecrets": server["imagePullSecrets"]}


def _registry(pod: Pod) -> str | None:
    image = (container(pod) or {}).get("image")
    return image.partition("/")[0] if isinstance(image, str) else None


def _with_resources(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "resources": with_whole_pairs(item["resources"])} if "resources" in item else item


def _with_command(pod: Pod, service: Service, workload: Workload) -> Pod:
    server = container(pod)
    if server is None or not serve.is_start(server.get("command")):
        return pod
    command = serve.command(server["command"], service, workload, pod)
    return change_container(pod, lambda item: {**item, "command": command})


def _with_side_channel(pod: Pod) -> Pod:
    """Set the address that NIXL announces if the server's arguments or variables ask for its connector."""
    server = container(pod) or {}
    values = [variable.get("value") for variable in server.get("env", [])]
    return with_env(pod, serving.side_channel([*server.get("args", []), *server.get("command", []), *values]))


def _with_pool(pod: Pod, service: Service) -> Pod:
    """Tell the routing sidecar the name of its pool if there is a router."""
    if service.spec.router is None:
        return pod
    pool = service.pool_ref or names.inference_pool(service.name)
    return with_env(pod, [{"name": "INFERENCE_POOL_NAME", "value": pool}], service_account.SIDECAR, "initContainers")
