"""The scheduler (endpoint picker): its Deployment, Service, account and rights. Pools are in ``pool.py``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...kubernetes import rbac, yaml_text
from ...kubernetes.endpoint_picker.deployment import picker_deployment
from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, GROUPS
from ...kubernetes.endpoint_picker.service import picker_service
from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.pod import PodSpec
from ...kubernetes.propagation import Propagation
from . import inference_pool, names, scheduler_config, tls, tokenizer, tracing
from .context import Service
from .labels import metadata, owned_labels, propagation, template_metadata
from .pods import Pod, change_container, container, has_flag
from .router_spec import SchedulerSpec
from .server_pod import with_limits
from .service_account import service_account, with_account

PART = "epp"
ROLE = "deployment"
TARGET = "scheduler"
POD = "scheduler pod"
VERSION = "app.kubernetes.io/version"
CONFIG_TEXT = ("--config-text", "-config-text", "--configText", "-configText")
_CONFIG_FLAGS = (*CONFIG_TEXT, "--config-file", "-config-file", "--configFile", "-configFile")
_SERVICE_PORTS = frozenset(["grpc", "grpc-health", "metrics", "zmq"])
_LEASE = (*rbac.READ, "create", "update", "patch", "delete")
_RULES = (
    rbac.rule([""], ["pods"], rbac.READ),
    rbac.rule(GROUPS, ["inferencepools", "inferenceobjectives", "inferencemodels"], rbac.READ),
    rbac.rule([ALPHA_GROUP], ["inferencemodelrewrites", "inferencepoolimports"], rbac.READ),
    rbac.rule(["llm-d.ai"], ["inferenceobjectives", "inferencemodelrewrites"], rbac.READ),
    rbac.rule(["discovery.k8s.io"], ["endpointslices"], rbac.READ),
    rbac.rule(["coordination.k8s.io"], ["leases"], _LEASE),
)


def objects(service: Service) -> dict[str, Object]:
    """All objects of the scheduler but the pool, by role."""
    account = account_name(service)
    role = names.scheduler_role(service.name)
    binding = metadata(service, TARGET, names.scheduler_role_binding(service.name))
    delegator = metadata(service, TARGET, names.scheduler_cluster_role_binding(service.namespace, service.name))
    del delegator["namespace"]
    made = account == names.scheduler_account(service.name)
    return {
        **({"service-account": _account(service)} if made else {}),
        "role": rbac.role(metadata(service, TARGET, role), _RULES),
        "role-binding": rbac.role_binding(binding, role, account, service.namespace),
        "cluster-role-binding": rbac.cluster_role_binding(
            delegator, "system:auth-delegator", account, service.namespace
        ),
        ROLE: _deployment(service),
        "service": _service(service),
    }


def spec(service: Service) -> SchedulerSpec:
    router = service.spec.router
    return (router.scheduler if router else None) or SchedulerSpec()


def template(service: Service) -> PodSpec:
    return spec(service).template or PodSpec()


def layers(service: Service) -> Propagation:
    return propagation(service, TARGET, {"spec.template": POD})


def account_name(service: Service) -> str:
    return template(service).serviceAccountName or names.scheduler_account(service.name)


def _account(service: Service) -> Object:
    """The scheduler's account has the Secrets, and the annotations, of the account that the workload names."""
    workload = service.spec.template
    pattern = workload.serviceAccountName if workload and workload.serviceAccountName else ""
    meta = metadata(service, TARGET, names.scheduler_account(service.name))
    annotations = service.known.annotations("ServiceAccount", service.namespace, pattern) if pattern else {}
    meta |= {"annotations": dict(annotations)} if annotations else {}
    return service_account(service, meta, pattern or "default")


def _deployment(service: Service) -> Object:
    described = metadata(service, TARGET, names.scheduler_deployment(service.name))
    template = {"metadata": template_metadata(service, POD), "spec": _pod(service)}
    return picker_deployment(described, spec(service).replicas, owned_labels(service, TARGET), template)


def _pod(service: Service) -> Pod:
    pod = dump(template(service))
    if (spec(service).replicas or 1) > 1:
        pod = _with_leader_election(pod)
    pod = tracing.with_scheduler_tracing(_with_config(pod, service), service)
    return with_limits(tls.without_waiting(with_account(pod, account_name(service)), service))


def _with_leader_election(pod: Pod) -> Pod:
    main = container(pod)
    flag = "ha-enable-leader-election"
    if main is None or has_flag(main, f"--{flag}", f"-{flag}"):
        return pod
    return change_container(pod, lambda item: {**item, "args": [*item.get("args", []), f"--{flag}"]})


def release(service: Service) -> scheduler_config.Version | None:
    """Which release of the endpoint picker runs; None when the annotation is no version."""
    return scheduler_config.version(template_metadata(service, POD).get("annotations", {}).get(VERSION))


def _with_config(pod: Pod, service: Service) -> Pod:
    """The configuration as an argument: the service's own, what its container names, or the default one."""
    main = container(pod)
    if main is None:
        return pod
    running = release(service) or (0, 0, 0)
    given = _inline(service)
    if given is None and not has_flag(main, *_CONFIG_FLAGS):
        adapters = bool(service.spec.model.lora and service.spec.model.lora.adapters)
        given = scheduler_config.default_config(disaggregated=service.prefill is not None, adapters=adapters)
    args = list(main.get("args", []))
    if given is not None:
        args += ["--config-text", given if isinstance(given, str) else yaml_text.document(given)]
    moved: dict[str, str] = {}
    if any(arg in CONFIG_TEXT for arg in args):
        flags = scheduler_config.flags_moved(running)
        args, moved = _without_flags(args, flags)
        command, more = _without_flags(main.get("command", []), flags)
        moved |= more
        main = {**main, **({"command": command} if command else {})}
    url = tokenizer.url(service) if tokenizer.wanted(service) else None
    args = [_migrated(arg, before, running, moved, url) for before, arg in zip([None, *args], args, strict=False)]
    return change_container(pod, lambda item: {**main, "args": args})


def _migrated(
    arg: Any, before: Any, running: scheduler_config.Version, moved: Mapping[str, str], url: str | None
) -> Any:
    config = scheduler_config.parse(arg) if before in CONFIG_TEXT and isinstance(arg, str) else None
    return arg if config is None else yaml_text.document(scheduler_config.migrated(config, running, moved, url))


def _inline(service: Service) -> Any:
    """The service's own configuration, as a mapping or as the text of a ConfigMap."""
    config = spec(service).config
    if config is None:
        return None
    if config.ref is not None:
        data = service.known.field("ConfigMap", service.namespace, config.ref.name, "data")
        return data.get(config.ref.key) if isinstance(data, Mapping) else None
    return config.inline


def _without_flags(args: Iterable[Any], names: frozenset[str]) -> tuple[list[Any], dict[str, str]]:
    """Arguments without some flags, and the values that those had (``--flag=value`` and ``--flag value``)."""
    kept: list[Any] = []
    found: dict[str, str] = {}
    waiting = ""
    for arg in args:
        flag, equals, value = arg.lstrip("-").partition("=") if isinstance(arg, str) else ("", "", "")
        if isinstance(arg, str) and arg.startswith("-") and flag in names:
            found[flag] = value if equals else "true"
            waiting = "" if equals else flag
        elif waiting and isinstance(arg, str) and not arg.startswith("-"):
            found[waiting], waiting = arg, ""
        else:
            kept.append(arg)
            waiting = ""
    return kept, found


def _service(service: Service) -> Object:
    """In front of the ports of the scheduler's containers that have a known name."""
    ports = {port.name: port for item in template(service).containers for port in item.ports or []}
    listed = [
        {
            "name": name,
            "port": ports[name].containerPort,
            "protocol": ports[name].protocol or "TCP",
            "targetPort": name,
        }
        for name in sorted(_SERVICE_PORTS.intersection(ports))
    ]
    described = metadata(service, TARGET, inference_pool.picker(service).name)
    return picker_service(described, {"ports": listed, "selector": owned_labels(service, TARGET)})
