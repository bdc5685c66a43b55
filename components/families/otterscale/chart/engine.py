"""The engine of a ModelService, from the containers of a chart's decode and prefill pods."""

from collections.abc import Iterator
from typing import Any

from ....engines.command_reader import is_shell
from ....engines.vllm import serving as flags
from ....findings import Problem
from ....kubernetes.env import entry, merge_env
from ....kubernetes.values import without_empty
from .devices import SIMULATOR
from .no_counterpart import lost
from .roles import Serving
from .values import ChartValues

TOKEN = "HF_TOKEN"
_FROM_SIZES = frozenset(["DP_SIZE", "TP_SIZE", "DP_SIZE_LOCAL"])
"""Variables that a ModelService sets itself."""


def engine(values: ChartValues, serving: list[Serving]) -> tuple[dict[str, Any], list[Problem]]:
    """The engine of all roles, taken from decode, and problems for what it leaves out of the containers."""
    made = {role.name: _engine(values, role) for role in serving}
    problems = [problem for role in serving for problem in _problems(values, role)] + list(_tracing_problems(values))
    if any(role.name == "prefill" and role.values.containers for role in serving):
        problems += _differences(made["decode"], made["prefill"])
    port = {"port": values.routing.servicePort} if values.routing.servicePort else {}
    return {**made["decode"], **port}, problems


def _engine(values: ChartValues, role: Serving) -> dict[str, Any]:
    container = role.values.container
    image = "" if SIMULATOR in container.image else container.image
    args = [*_tracing_flags(values), *role.command.args]
    env = merge_env(list(_generated_env(values, role)), container.env)
    return without_empty(
        {
            "image": image,
            "imagePullPolicy": container.imagePullPolicy,
            "args": args,
            "env": [variable for variable in env if variable["name"] not in _FROM_SIZES],
        }
    )


def _generated_env(values: ChartValues, role: Serving) -> Iterator[dict[str, Any]]:
    """Variables that the chart adds to the user's. Cache locations are left out, as an unpacked model needs none."""
    secret, tracing = values.modelArtifacts.authSecretName, values.tracing
    if secret:
        yield {"name": TOKEN, "valueFrom": {"secretKeyRef": {"name": secret, "key": TOKEN}}}
    for variable in values.accelerator.env.get(role.values.accelerator.type or values.accelerator.type, []):
        yield entry(variable)
    if tracing.enabled:
        yield {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": tracing.otlpEndpoint}
        yield {"name": "OTEL_TRACES_EXPORTER", "value": "otlp"}
        yield {"name": "OTEL_TRACES_SAMPLER", "value": tracing.sampling.sampler}
        yield {"name": "OTEL_TRACES_SAMPLER_ARG", "value": tracing.sampling.samplerArg}


def _tracing_flags(values: ChartValues) -> list[str]:
    tracing = values.tracing
    if not tracing.enabled:
        return []
    return [flags.TRACES, tracing.otlpEndpoint, flags.DETAILED_TRACES, tracing.vllm.collectDetailedTraces]


def _tracing_problems(values: ChartValues) -> Iterator[Problem]:
    if values.tracing.enabled and values.routing.proxy.enabled:
        message = "reaches only vLLM; the routing proxy's traces are set by settings.otterscale.epp.tracing"
        yield Problem("tracing.enabled", message, "warning", "no-counterpart")
    if values.tracing.enabled and values.tracing.serviceNames:
        message = "has no counterpart, because the pods of all roles have the same variables"
        yield Problem("tracing.serviceNames", message, "warning", "no-counterpart")


def _problems(values: ChartValues, role: Serving) -> Iterator[Problem]:
    container, command, path = role.values.container, role.command, f"{role.name}.containers[0]"
    if command.other:
        what = "the words of a shell" if is_shell(command.other.split()) else command.other
        yield lost(f"{path}.command", f"the pods run `vllm serve`, not {what}; write its flags into engine.args")
    if SIMULATOR in container.image:
        yield lost(f"{path}.image", "the simulator has no `vllm serve`, so the engine's default image is used")
    elif container.modelCommand == "imageDefault":
        message = "becomes `vllm serve`; an image that is started otherwise has no counterpart"
        yield Problem(f"{path}.modelCommand", message, "info", "command")
    yield from _flag_problems(values, role, f"{path}.args")


def _flag_problems(values: ChartValues, role: Serving, path: str) -> Iterator[Problem]:
    command, routing = role.command, values.routing
    behind_proxy = routing.proxy.enabled and role.name == "decode"
    port = (routing.proxy.targetPort or 8200) if behind_proxy else (routing.servicePort or 8000)
    if command.port and command.port != str(port):
        message = f"--port {command.port} has no counterpart: vLLM listens on {port}, as routing says"
        yield Problem(path, message, "warning", "no-counterpart")
    if command.model and not _is_the_model(command.model, values):
        message = f"--model {command.model} has no counterpart: the model is that of model.image"
        yield Problem(path, message, "warning", "no-counterpart")
    if command.names and command.names != (values.modelArtifacts.name,):
        message = f"--served-model-name has no counterpart: requests name the model {values.modelArtifacts.name}"
        yield Problem(path, message, "warning", "no-counterpart")


def _is_the_model(model: str, values: ChartValues) -> bool:
    artifacts = values.modelArtifacts
    path = artifacts.uri.partition("://")[2]
    return model in (artifacts.name, path) or model.startswith(artifacts.mountPath or "/model-cache")


def _differences(decode: dict[str, Any], prefill: dict[str, Any]) -> Iterator[Problem]:
    for field in ("image", "imagePullPolicy", "args", "env"):
        if _unordered(prefill.get(field)) != _unordered(decode.get(field)):
            message = (
                "has no counterpart where it differs from decode, because a ModelService has one engine for all roles"
            )
            yield Problem(f"prefill.containers[0].{field}", message, "warning", "no-counterpart")


def _unordered(value: Any) -> Any:
    is_env = isinstance(value, list) and all(isinstance(item, dict) for item in value)
    return {item["name"]: item for item in value} if is_env else value
