"""Checks for services that render but would not serve: arguments, ports, probes and connectors that don't match."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....engines import server
from ....engines.command_reader import literals, split
from ....engines.known import model_of, served_names
from ....engines.preconditions import built_for, needs_device
from ....engines.server_groups import transfer_problems
from ....engines.vllm import serving
from ....findings import Problem
from ....kubernetes.model import dump
from ....kubernetes.resources import accelerators
from .. import names, serve
from ..context import Service, Workload
from ..http_route import are_istios
from ..listening import (
    PROBE_FIELDS,
    SERVING_PORT,
    server_of,
    server_port,
    serves_tls,
    serving_port,
    speaks_tls,
)
from ..pods import MAIN, container
from ..service_account import has_sidecar
from ..storage import LOCATION
from .download import download_problems
from .router import sidecar_problems

_PROGRAM = re.compile(
    r"env|exec|(trtllm-)?serve|nohup|numactl|python[0-9.]*|ray|sglang|(ba|da|z)?sh|vllm|[A-Z_][A-Z0-9_]*=.*"
)
"""Words with which a command line begins. Another word is a second model, which is reported as such."""
_MAX_PORT = 65535
_TLS_SETTING = "settings.kserve.ingress.enableLLMInferenceServiceTLS"


def serving_problems(service: Service) -> Iterator[Problem]:
    for each in service.workloads:
        yield from _argument_problems(each)
        yield from _roce_problems(each, service)
        yield from sidecar_problems(each, tls=service.tls)
    yield from download_problems(service)
    yield from _port_problems(service)
    yield from _certificate_problems(service)
    yield from _transfer_problems(service)
    yield from _istio_problems(service)


def _argument_problems(each: Workload) -> Iterator[Problem]:
    """Arguments and ``VLLM_ADDITIONAL_ARGS`` are appended to the preset's ``vllm serve <model>``, which takes no second
    program."""
    for path, pod in each.pods:
        for index, item in enumerate(pod.containers):
            server = dump(item)
            if item.name != MAIN or not serve.is_start(server.get("command")):
                continue
            fields = {
                "args[0]": server.get("args", []),
                f"env[{serving.MORE_WORDS}].value": [literals(server.get("env")).get(serving.MORE_WORDS)],
            }
            for field, texts in fields.items():
                yield from _second_program(texts, f"{path}.containers[{index}].{field}")


def _roce_problems(each: Workload, service: Service) -> Iterator[Problem]:
    for path, template in each.pods:
        pod = dump(template)
        main = container(pod) or {}
        started = serve.is_start(main.get("command"))
        if serve.asks_for_roce(pod, service) and not started and serve.ROCE not in str(main.get("command")):
            message = (
                f"{serve.ROCE} has no effect, because only the presets' start script reads it, and the container has "
                "another command; set NCCL_IB_HCA, NCCL_IB_GID_INDEX and UCX_NET_DEVICES"
            )
            yield Problem(f"{path}.containers[{MAIN}].env", message, "warning", "no-effect")


def _second_program(texts: Sequence[Any], path: str) -> Iterator[Problem]:
    words = [word for text in texts if isinstance(text, str) for word in split(text)[:1]]
    first = words[0] if words else "-"
    if not _PROGRAM.fullmatch(first.rpartition("/")[2]):
        return
    message = (
        f"the first argument is {first}, but args are appended to the preset's command, vllm serve; move the whole "
        "command line to command, and keep only options in args"
    )
    yield Problem(path, message, code="command-as-arguments")


def _port_problems(service: Service) -> Iterator[Problem]:
    for each in service.workloads:
        stated = serve.flags(server_of(each)).get("--port") or ""
        if stated and "$" not in stated and not (stated.isdecimal() and 1 <= int(stated) <= _MAX_PORT):
            message = f"--port must be a number between 1 and {_MAX_PORT}, got {stated}"
            yield Problem(f"{each.path}.template.containers[{MAIN}].args", message)
        if has_sidecar(each) and server_port(service, each, server_of(each)) == SERVING_PORT:
            message = f"the server listens on {SERVING_PORT}, which is the routing sidecar's port; remove the flag"
            yield Problem(f"{each.path}.template.containers[{MAIN}].args", message, code="same-port")
    ports = {each.path: serving_port(service, each) for each in service.workloads}
    if len({*ports.values()}) > 1:
        listed = ", ".join(f"{path} {port}" for path, port in ports.items())
        message = (
            f"the port differs from that of the other pods ({listed}), but Service and pool have a single port; use "
            "one port"
        )
        yield Problem("spec.prefill.template", message, code="different-ports")


def _certificate_problems(service: Service) -> Iterator[Problem]:
    for each in service.workloads:
        has_certificate = serve.flags(server_of(each)).get(serving.TLS[0]) is not None
        if has_certificate and not service.tls and (has_sidecar(each) or service.has_scheduler):
            message = "the server speaks TLS because of this flag, but routing sidecar and scheduler speak HTTP to it; "
            message += f"set {_TLS_SETTING} instead"
            yield Problem(f"{each.path}.template.containers[{MAIN}].args", message, "warning", "tls-on-one-side")


def _transfer_problems(service: Service) -> Iterator[Problem]:
    """Prefill and decode pods both need a connector for KV blocks. A side without one comes last, where problems are
    reported."""
    if service.prefill is None:
        return
    sides = {each.path: server_of(each) for each in (service.prefill, service.decode)}
    first, last = sorted(sides, key=lambda path: not serve.has_flag(sides[path], serving.KV_TRANSFER))
    for problem in transfer_problems(serve.started(sides[first]), serve.started(sides[last])):
        yield replace(problem, path=f"{last}.template.containers[{MAIN}].{problem.path}")


def _istio_problems(service: Service) -> Iterator[Problem]:
    if service.spec.router and are_istios(service) and serves_tls(service, service.decode):
        message = (
            "the gateway is Istio's and speaks plaintext to the pods, but they serve TLS; add a DestinationRule with "
            f"trafficPolicy.tls.mode SIMPLE for {names.workload_service(service.name)} (and for the Service that "
            "Istio makes for the pool), or leave TLS off"
        )
        yield Problem("spec.router", message, "warning", "tls-behind-istio")


def server_problems(pod: Mapping[str, Any], model_name: str) -> Iterator[Problem]:
    """Problems that keep the server of a finished pod from starting, from being reached, or from knowing its model."""
    for index, item in enumerate(pod.get("containers", [])):
        if item["name"] != MAIN:
            continue
        path = f"containers[{index}]"
        yield from _device_problems(pod, item, path)
        for problem in [*_folder_problems(pod, item), *server.server_problems(item, pod)]:
            yield replace(problem, path=f"{path}.{'args' if problem.path == 'host' else problem.path}")
        started = server.server_of(item)
        names = served_names(started.engine, started.words) if started and not started.engine.any_name else []
        if names and model_name not in names and not any("$" in name for name in names):
            message = (
                f"the server names its model {', '.join(names)}, but routes and clients request {model_name}, so "
                f"every request gets a 404; add {model_name}, or set spec.model.name"
            )
            yield Problem(f"{path}.args", message, "warning", "served-name")


def _device_problems(pod: Mapping[str, Any], main: Mapping[str, Any], path: str) -> Iterator[Problem]:
    built = needs_device(main)
    others = [item["name"] for item in pod.get("containers", []) if accelerators(item.get("resources", {}))]
    if built and (others or not pod.get("resourceClaims")):
        where = f", which the container {others[0]} does: is that the server?" if others else ""
        message = f"the container requests no GPU{where}: {main['image']} serves with devices of {built} only"
        yield Problem(f"{path}.resources", message, "warning", "no-gpus")


def tokenizer_problems(pod: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems that keep the tokenizer of a finished pod from starting or from being reached."""
    for index, item in enumerate(pod.get("containers", [])):
        if item["name"] == MAIN:
            for problem in [*_folder_problems(pod, item), *server.server_problems(item, pod)]:
                path = "args" if problem.path == "host" else problem.path
                yield replace(problem, path=f"containers[{index}].{path}")


def _folder_problems(pod: Mapping[str, Any], main: Mapping[str, Any]) -> Iterator[Problem]:
    """A model's folder without a model: nothing is mounted there, or a volume that nothing fills."""
    started = server.server_of(main)
    model = model_of(started.engine, started.words) if started and built_for(main.get("image")) else None
    mounts = main.get("volumeMounts", [])
    if not model or not model.startswith("/mnt/") or any(mount["name"] == LOCATION for mount in mounts):
        return  # place_problems reports a download that the server does not see
    covering = [mount for mount in mounts if f"{model}/".startswith(f"{str(mount['mountPath']).rstrip('/')}/")]
    if covering and not all(_is_idle(pod, main, mount["name"]) for mount in covering):
        return
    what = "an empty volume" if covering else "nothing"
    fills = "fill it" if covering else "mount a volume there"
    message = (
        f"the server loads {model}, where {what} is mounted, so it takes the path for a repository and exits; "
        f"{fills}, turn storageInitializer on, or write the container's command"
    )
    yield Problem("args", message, "warning", "model-path")


def _is_idle(pod: Mapping[str, Any], main: Mapping[str, Any], volume: str) -> bool:
    """Whether a volume is empty at the start and no other container of the pod can fill it."""
    found = next((each for each in pod.get("volumes", []) if each["name"] == volume), {})
    others = [item for item in [*pod.get("initContainers", []), *pod.get("containers", [])] if item is not main]
    mounted = [mount["name"] for item in others for mount in item.get("volumeMounts", [])]
    return "emptyDir" in found and volume not in mounted


def scheme_problems(pod: Mapping[str, Any], *, tls: bool) -> Iterator[Problem]:
    """Probes that never succeed, because their scheme is not their server's. ``tls`` is the setting."""
    for field in ("containers", "initContainers"):
        for index, item in enumerate(pod.get(field, [])):
            secure = speaks_tls(item)
            for name in PROBE_FIELDS:
                scheme = item.get(name, {}).get("httpGet", {}).get("scheme", "HTTP")
                if secure is None or "httpGet" not in item.get(name, {}) or (scheme == "HTTPS") == secure:
                    continue
                why = "by TLS, as its command says" if secure else "by plain HTTP"
                hint = "" if secure or tls else f", or set {_TLS_SETTING}"
                message = f"is {scheme}, but the server takes requests {why}; remove the scheme{hint}"
                yield Problem(f"{field}[{index}].{name}.httpGet.scheme", message, "warning", "probe-scheme")
