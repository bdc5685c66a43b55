"""The scheduler (endpoint picker): its Deployment, Service, account and rights. ``inference_pool.py`` has the pools.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/scheduler.go at v0.20.0-rc0.
Decisions: K9 (docs/decisions).
"""

from ...engines.tool import is_off
from ...kubernetes import rbac
from ...kubernetes.endpoint_picker.deployment import picker_deployment
from ...kubernetes.endpoint_picker.destination_rule import destination_rule
from ...kubernetes.endpoint_picker.inference_pool import ALPHA_GROUP, GROUPS
from ...kubernetes.endpoint_picker.role import events
from ...kubernetes.endpoint_picker.service import picker_service
from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.propagation import Propagation
from . import inference_pool, names, serve, tls, tracing
from .context import Service
from .http_route import are_istios
from .labels import metadata, owned_labels, propagation, template_metadata
from .pods import Pod, change_container, container
from .scheduler_arguments import POD, TARGET, main_words, template, with_config
from .server_pod import with_limits, with_pull_secrets, without_preset_dns
from .service_account import service_account, with_account

PART = "epp"
ROLE = "deployment"
_LEADER_ELECTION = ("--ha-enable-leader-election", "-ha-enable-leader-election")
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
    """All objects of the scheduler except the pools, by role."""
    account = account_name(service)
    role = names.scheduler_role(service.name)
    binding = metadata(service, TARGET, names.scheduler_role_binding(service.name))
    delegator = metadata(service, TARGET, names.scheduler_cluster_role_binding(service.namespace, service.name))
    del delegator["namespace"]
    main = container(dump(template(service)))
    elects_leader = _has_several(service) or bool(main and serve.has_flag(main, *_LEADER_ELECTION))
    rules = [*_RULES, events()] if elects_leader else _RULES
    made = account == names.scheduler_account(service.name)
    described = metadata(service, TARGET, names.scheduler_deployment(service.name))
    pods = {"metadata": template_metadata(service, POD), "spec": _pod(service)}
    # Istio's gateways talk plaintext to a picker, which serves TLS by default.
    needs_rule = are_istios(service) and not is_off(main_words(service), "--secure-serving")
    exposed = metadata(service, TARGET, inference_pool.picker(service).name)
    return {
        **({"service-account": _account(service)} if made else {}),
        "role": rbac.role(metadata(service, TARGET, role), rules),
        "role-binding": rbac.role_binding(binding, role, account, service.namespace),
        "cluster-role-binding": rbac.cluster_role_binding(
            delegator, "system:auth-delegator", account, service.namespace
        ),
        ROLE: picker_deployment(described, service.scheduler.replicas, owned_labels(service, TARGET), pods),
        "service": _service(service),
        **({"destination-rule": destination_rule(exposed)} if needs_rule else {}),
    }


def layers(service: Service) -> Propagation:
    return propagation(service, TARGET, {"spec.template": POD})


def account_name(service: Service) -> str:
    return template(service).serviceAccountName or names.scheduler_account(service.name)


def _account(service: Service) -> Object:
    """The scheduler's account, with the Secrets and annotations of the account that the workload names."""
    workload = service.spec.template
    pattern = workload.serviceAccountName if workload and workload.serviceAccountName else ""
    meta = metadata(service, TARGET, names.scheduler_account(service.name))
    annotations = service.known.annotations("ServiceAccount", service.namespace, pattern) if pattern else {}
    meta |= {"annotations": dict(annotations)} if annotations else {}
    return service_account(service, meta, pattern or "default")


def _has_several(service: Service) -> bool:
    return (service.scheduler.replicas or 1) > 1


def _pod(service: Service) -> Pod:
    pod = without_preset_dns(dump(template(service)), service, "router", "scheduler", "template")
    if _has_several(service):
        pod = _with_leader_election(pod)
    pod = with_pull_secrets(tracing.with_scheduler_tracing(with_config(pod, service), service), service)
    return with_limits(tls.without_waiting(with_account(pod, account_name(service)), service))


def _with_leader_election(pod: Pod) -> Pod:
    main = container(pod)
    if main is None or serve.has_flag(main, *_LEADER_ELECTION):
        return pod
    return change_container(pod, lambda item: {**item, "args": [*item.get("args", []), _LEADER_ELECTION[0]]})


def _service(service: Service) -> Object:
    """The Service for those ports of the scheduler's containers that have a known name."""
    known = ("grpc", "grpc-health", "metrics", "zmq")
    ports = {
        port.name: port for item in template(service).containers for port in item.ports or [] if port.name in known
    }
    exposed = [
        {"name": name, "port": port.containerPort, "protocol": port.protocol or "TCP", "targetPort": name}
        for name, port in sorted(ports.items())
    ]
    described = metadata(service, TARGET, inference_pool.picker(service).name)
    return picker_service(described, {"ports": exposed, "selector": owned_labels(service, TARGET)})
