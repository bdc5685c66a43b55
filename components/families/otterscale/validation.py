"""Checks of a ModelService beyond its schema: what the API server would reject, and what can't work.

Decisions: O5 (docs/decisions).
"""

import re
from collections.abc import Iterator

from ...engines.vllm import DIALECT, serving
from ...findings import Problem
from ...kubernetes.env import env_problems
from ...kubernetes.images import is_reference
from ...kubernetes.metadata import (
    MAX_LABEL,
    is_dns_label,
    is_host_name,
    is_subdomain,
    label_problems,
    metadata_problems,
)
from ...kubernetes.model import dump
from ...kubernetes.pod_checks import claim_problems, toleration_problems
from ...kubernetes.resources import resource_problems
from ...kubernetes.scalars import describe
from .devices import device_problems, without_device
from .spec import Engine, HTTPRouteSpec, ModelService, ModelServiceSpec, ModelSource, RoleSpec
from .unpack import CREDENTIALS_PATH, SCRATCH_PATH

PULL_POLICIES = ("Always", "IfNotPresent", "Never")

_MAX_HOSTNAMES = 16
_INTERVAL = re.compile(r"(0|([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)")


def problems(service: ModelService) -> Iterator[Problem]:
    spec = service.spec
    yield from metadata_problems(service.metadata)
    if len(service.name) > MAX_LABEL:
        message = (
            f"must have at most {MAX_LABEL} characters, because every pod has it as a label, got {len(service.name)}"
        )
        yield Problem("metadata.name", message, code="name-too-long")
    yield from _model_problems(spec.model)
    yield from _engine_problems(spec.engine)
    yield from _role_problems(spec.decode, spec.accelerator.type, "spec.decode")
    if spec.prefill:
        yield from _role_problems(spec.prefill, spec.accelerator.type, "spec.prefill")
    yield from _proxy_problems(spec)
    if spec.httpRoute:
        yield from _route_problems(spec.httpRoute)
    yield from _monitor_problems(spec)


def _model_problems(model: ModelSource) -> Iterator[Problem]:
    path = model.mountPath.rstrip("/")
    taken = [SCRATCH_PATH] + ([CREDENTIALS_PATH] if model.imagePullSecrets else [])
    if path and not path.startswith("/"):
        yield Problem("spec.model.mountPath", f"must begin with a /, got {describe(path)}", code="bad-value")
    if ":" in path:
        yield Problem("spec.model.mountPath", f"must not have a colon, got {describe(path)}", code="bad-value")
    if path in taken:
        message = f"must be another path, because the container that unpacks the model uses {path}"
        yield Problem("spec.model.mountPath", message, code="bad-value")
    if isinstance(model.image, str) and not is_reference(model.image):
        message = (
            f"{describe(model.image)} is not an image reference, so nothing is unpacked; write registry/repository:tag"
        )
        yield Problem("spec.model.image", message, "warning", "bad-image")
    names = [secret.name for secret in model.imagePullSecrets]
    for index, name in enumerate(names):
        where = f"spec.model.imagePullSecrets[{index}].name"
        if name == "":
            yield Problem(where, "is required and names the Secret with the registry's credentials", code="required")
        elif isinstance(name, str) and not is_subdomain(name):
            yield Problem(where, f"is not the name of a Secret, got {describe(name)}", code="bad-value")
        elif isinstance(name, str) and name in names[:index]:
            yield Problem(where, f"{name} is listed twice; remove one", code="duplicate-name")


def _engine_problems(engine: Engine) -> Iterator[Problem]:
    policy = engine.imagePullPolicy
    if isinstance(policy, str) and policy not in ("", *PULL_POLICIES):
        message = f"must be one of {', '.join(PULL_POLICIES)}, got {describe(policy)}"
        yield Problem("spec.engine.imagePullPolicy", message, code="bad-value")
    yield from env_problems(engine.env, "spec.engine.env")
    for index, word in enumerate(engine.args):
        flag = DIALECT.name(word)
        if flag in serving.GENERATED:
            message = f"sets {flag} again, and vLLM uses the last one; use the field of the spec instead"
            yield Problem(f"spec.engine.args[{index}]", message, "warning", "repeated-flag")


def _role_problems(role: RoleSpec, accelerator: str, path: str) -> Iterator[Problem]:
    yield from device_problems(role, accelerator, f"{path}.resources")
    yield from resource_problems(dump(without_device(role.resources, accelerator)), f"{path}.resources")
    yield from toleration_problems(role.tolerations, f"{path}.tolerations")
    yield from label_problems(role.nodeSelector, f"{path}.nodeSelector")
    yield from claim_problems(role.resources, f"{path}.resources")
    sizes = role.parallelism
    if sizes and sizes.dataLocal > sizes.data:
        message = (
            f"is {sizes.dataLocal}, more than data, {sizes.data}, the copies of all pods, so vLLM does not start; "
            "lower it"
        )
        yield Problem(f"{path}.parallelism.dataLocal", message, "warning", "more-local-than-all")


def _proxy_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    proxy = spec.routingProxy
    if spec.prefill and proxy is None:
        message = "is missing, so no request reaches the prefill pods; add the proxy, which runs beside decode"
        yield Problem("spec.routingProxy", message, "warning", "prefill-without-proxy")
    if spec.prefill and proxy and serving.KV_TRANSFER not in DIALECT.names(spec.engine.args):
        message = (
            f"{serving.KV_TRANSFER} is missing, so no KV blocks get from prefill to decode and every prompt is "
            'computed twice; add it, for example {"kv_connector":"NixlConnector","kv_role":"kv_both"}'
        )
        yield Problem("spec.engine.args", message, "warning", "no-kv-transfer")
    yield from _connector_problems(spec)
    yield from _tls_problems(spec)
    if proxy and proxy.secureProxy:
        message = "makes the proxy serve HTTPS, but gateway and endpoint picker speak HTTP to the pods; remove it"
        yield Problem("spec.routingProxy.secureProxy", message, "warning", "secure-proxy")
    if proxy and proxy.targetPort == spec.engine.port:
        message = (
            f"is also spec.engine.port, so proxy and vLLM both listen on {proxy.targetPort} and the pod never starts; "
            "use two ports"
        )
        yield Problem("spec.routingProxy.targetPort", message, code="same-port")


_CONNECTORS = {"nixl": "Nixl", "lmcache": "LMCache"}
"""Prefixes of the proxy's connectors, and what the matching vLLM connectors have in their names."""


def _connector_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    proxy, config = spec.routingProxy, DIALECT.flags(spec.engine.args).get(serving.KV_TRANSFER)
    if not spec.prefill or proxy is None or not isinstance(config, str) or not isinstance(proxy.connector, str):
        return
    wanted = next((name for begin, name in _CONNECTORS.items() if proxy.connector.startswith(begin)), "")
    if wanted and '"kv_connector"' in config and wanted.lower() not in config.lower():
        message = (
            f"is {proxy.connector}, which needs a {wanted}Connector in {serving.KV_TRANSFER} of spec.engine.args; "
            "make the two match, or no KV blocks get from prefill to decode"
        )
        yield Problem("spec.routingProxy.connector", message, "warning", "connectors-differ")


def _tls_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    proxy, serves = spec.routingProxy, serving.TLS[0] in DIALECT.names(spec.engine.args)
    if serves:
        message = (
            f"the server speaks TLS because of {serving.TLS[0]}, but endpoint picker, gateway and routing proxy speak "
            f"HTTP to it; remove {serving.TLS[0]}"
        )
        yield Problem("spec.engine.args", message, "warning", "tls-on-one-side")
    elif spec.prefill and proxy and proxy.prefillerUseTLS:
        message = "makes the proxy speak TLS to prefill pods, but their vLLM speaks HTTP; remove it"
        yield Problem("spec.routingProxy.prefillerUseTLS", message, "warning", "tls-on-one-side")


def _route_problems(route: HTTPRouteSpec) -> Iterator[Problem]:
    gateway = route.gatewayRef
    if len(gateway.name) > 253:
        yield Problem("spec.httpRoute.gatewayRef.name", "must have at most 253 characters", code="bad-value")
    if gateway.namespace and not is_dns_label(gateway.namespace):
        message = f"is not the name of a namespace, got {describe(gateway.namespace)}"
        yield Problem("spec.httpRoute.gatewayRef.namespace", message, code="bad-value")
    if len(route.hostnames) > _MAX_HOSTNAMES:
        message = f"must have at most {_MAX_HOSTNAMES} items, got {len(route.hostnames)}"
        yield Problem("spec.httpRoute.hostnames", message, code="bad-value")
    for index, name in enumerate(route.hostnames):
        if isinstance(name, str) and not is_host_name(name):
            message = f"must be a host name in lower case, without port, got {describe(name)}"
            yield Problem(f"spec.httpRoute.hostnames[{index}]", message, code="bad-value")


def _monitor_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    monitor = spec.monitoring.podMonitor
    if monitor.enabled and monitor.portName not in ("", "http", *(["proxy"] if spec.routingProxy else [])):
        message = f"is {monitor.portName}, a port that the pods don't have, so nothing is scraped; write http"
        yield Problem("spec.monitoring.podMonitor.portName", message, "warning", "not-scraped")
    if monitor.enabled and not _INTERVAL.fullmatch(monitor.interval):
        message = f"must be a duration such as 30s or 1m30s, got {describe(monitor.interval)}"
        yield Problem("spec.monitoring.podMonitor.interval", message, code="bad-value")
