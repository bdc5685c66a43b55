"""Where a pod's server listens, from its command line: its port, and whether it speaks TLS.

The presets set port 8000 (8001 behind the routing sidecar), and the settings turn TLS on. A user's ``--port`` or
certificate takes precedence, as vLLM takes the last value of a flag. Probes, ports, sidecar, Service and pool follow
it.

Decisions: K16 (docs/decisions).
"""

from collections.abc import Mapping
from typing import Any

from ...engines.command_reader import container_commands
from ...engines.server import default_port
from ...engines.tool import is_off
from ...engines.vllm import serving
from ...kubernetes.model import dump
from ...kubernetes.probes import PROBE_FIELDS
from . import serve
from .context import Service, Workload
from .flag_values import CERTIFICATE_PATH
from .pods import MAIN, Pod, change_container, container
from .service_account import SIDECAR, has_sidecar

SERVICE_PORT = 8000
"""The port for clients, whatever port the pods use."""
SERVING_PORT = 8000
"""The preset's port on which a pod takes requests."""
_BEHIND_SIDECAR = 8001


def speaks_tls(item: Mapping[str, Any]) -> bool | None:
    """Whether a model server or routing sidecar takes requests by TLS; None if its command is not known."""
    if item.get("name") == SIDECAR:
        return not is_off(serve.words(item), "--secure-proxy")
    if item.get("name") != MAIN or not item.get("command"):
        return None
    return serve.flags(item).get(serving.TLS[0]) is not None


def preset_port(service: Service, workload: Workload) -> int:
    """The server's port unless the user sets another. With the presets' start command, it is the port of the command's
    role."""
    start = server_of(workload).get("command")
    if start and serve.is_start(start):
        return serve.ROLES[start[1]].port
    return _BEHIND_SIDECAR if service.prefill and not workload.is_prefill else SERVING_PORT


def server_port(service: Service, workload: Workload, item: Mapping[str, Any]) -> int:
    stated = serve.flags(item).get("--port")
    if stated and stated.isdecimal():
        return int(stated)
    by_default = None if stated or serve.is_start(item.get("command")) else default_port(item)
    return by_default or preset_port(service, workload)


def server_of(workload: Workload) -> dict[str, Any]:
    """The model server's container in the pods that take requests, from the merged spec."""
    return next((container(dump(pod)) or {} for _, pod in workload.pods), {})


def serving_port(service: Service, workload: Workload) -> int:
    """The port on which a pod takes requests: the routing sidecar's if there is one, otherwise the server's."""
    return SERVING_PORT if has_sidecar(workload) else server_port(service, workload, server_of(workload))


def serves_tls(service: Service, workload: Workload) -> bool:
    has_certificate = serve.flags(server_of(workload)).get(serving.TLS[0]) is not None
    return service.tls or (has_certificate and not has_sidecar(workload))


def following_server(pod: Pod, service: Service, workload: Workload) -> Pod:
    """Adapt the pod's ports and probes to the port and scheme of its server."""
    main = container(pod)
    if main is None:
        return pod
    before, now = preset_port(service, workload), server_port(service, workload, main)
    if now != before:
        pod = change_container(pod, lambda item: _with_port(item, before, now))
        pod = change_container(pod, lambda item: _calling(item, before, now), SIDECAR, "initContainers")
    if speaks_tls(main) and not service.tls:
        pod = change_container(pod, lambda item: _with_https(item, _stated_schemes(service, workload)))
    return pod


def _with_port(item: dict[str, Any], before: int, now: int) -> dict[str, Any]:
    taken = {port["containerPort"] for port in item.get("ports", [])}
    ports = [
        {**port, "containerPort": now} if port["containerPort"] == before and now not in taken else port
        for port in item.get("ports", [])
    ]
    probes = {
        name: {**item[name], "httpGet": {**item[name]["httpGet"], "port": now}}
        for name in PROBE_FIELDS
        if item.get(name, {}).get("httpGet", {}).get("port") == before
    }
    return {**item, **({"ports": ports} if ports else {}), **probes}


def _calling(sidecar: dict[str, Any], before: int, now: int) -> dict[str, Any]:
    moved = {f"--vllm-port={before}": f"--vllm-port={now}"}
    return {**sidecar, "command": [moved.get(word, word) for word in sidecar.get("command", [])]}


def _with_https(item: dict[str, Any], stated: set[str]) -> dict[str, Any]:
    """Probes of the presets become HTTPS; a scheme that the user wrote stays."""
    probes = {
        name: {**item[name], "httpGet": {**item[name]["httpGet"], "scheme": "HTTPS"}}
        for name in PROBE_FIELDS
        if name not in stated and "httpGet" in item.get(name, {})
    }
    return {**item, **probes}


def _stated_schemes(service: Service, workload: Workload) -> set[str]:
    sources = [source.spec for source in service.sources if not source.name.startswith("preset ")]
    specs = [spec.prefill if workload.is_prefill else spec for spec in sources]
    pods = [pod for spec in specs if spec for pod in (spec.template, spec.worker) if pod]
    mains = [item for pod in pods for item in pod.containers if item.name == MAIN]
    probes = [(name, getattr(item, name)) for item in mains for name in PROBE_FIELDS]
    return {name for name, probe in probes if probe and probe.httpGet and probe.httpGet.scheme}


def reads_certificates(pod: Mapping[str, Any]) -> bool:
    """Whether a command line of the pod names the files of the service's certificate."""
    items = [*pod.get("containers", []), *pod.get("initContainers", [])]
    return any(
        CERTIFICATE_PATH in str(word)
        for item in items
        for command in container_commands(serve.started(item))
        for word in command
    )
