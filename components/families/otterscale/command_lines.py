"""Checks command lines and the picker's configuration against the releases of the engine, the routing proxy and the
endpoint picker that their images have."""

from collections.abc import Iterator
from dataclasses import replace

from ...engines import server
from ...engines.command_line import user_problems, variable_problems
from ...engines.command_reader import filled_in
from ...engines.companions import ENDPOINT_PICKER, ROUTING_SIDECAR, renamed_plugin
from ...engines.gpus import too_few_gpus
from ...engines.vllm import VLLM, serving
from ...findings import Problem
from ...kubernetes.endpoint_picker.spec import EndpointPickerSpec
from ...kubernetes.model import dump
from ...kubernetes.objects import Object
from ...kubernetes.scalars import describe
from .deployment import Role
from .spec import ModelServiceSpec, RoutingProxySpec

_COPIES_ELSEWHERE = frozenset(
    [
        *("--data-parallel-address", "--data-parallel-backend", "--data-parallel-rank", "--headless"),
        *("--data-parallel-external-lb", "--data-parallel-hybrid-lb"),
    ]
)
"""Flags by which users configure themselves where the other data-parallel copies are."""


def command_line_problems(spec: ModelServiceSpec) -> Iterator[Problem]:
    """``spec`` has its default images filled in."""
    release = VLLM.release_of(spec.engine.image)
    if release is not None:
        words = filled_in(spec.engine.args, [dump(variable) for variable in spec.engine.env])
        for index, message, code in user_problems(words, VLLM, release):
            yield Problem(f"spec.engine.args[{index}]", message, "warning", code)
        for message in variable_problems([variable.name for variable in spec.engine.env], VLLM, release):
            yield Problem("spec.engine.env", message, "warning", "unknown-variable")
    if spec.routingProxy:
        yield from _connector_problems(spec.routingProxy)


def server_problems(spec: ModelServiceSpec, role: Role, deployment: Object) -> Iterator[Problem]:
    """Problems that keep a role's vLLM from starting or from being reached."""
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    for problem in server.server_problems(container, pod):
        if problem.code != "other-port":  # reported with the argument that repeats the flag
            field = "args" if problem.path == "host" else problem.path.partition(".")[0]
            yield replace(problem, path=f"spec.engine.{field}")
    sizes, path = role.parallelism, f"spec.{role.name}.parallelism"
    flags = VLLM.dialect.names(spec.engine.args)
    if sizes.data > sizes.dataLocal and flags.isdisjoint(_COPIES_ELSEWHERE):
        message = (
            f"is {sizes.data}, but a pod has devices for {sizes.dataLocal} of the copies, and a Deployment's pods "
            "don't know each other's addresses, so vLLM never serves; set dataLocal to the same number, and add "
            "copies by replicas"
        )
        yield Problem(f"{path}.data", message, "warning", "copies-elsewhere")
        return
    message = too_few_gpus(VLLM, VLLM.dialect.flags(container["args"]), container.get("resources", {}))
    if message and flags.isdisjoint(serving.GENERATED):
        yield Problem("spec.engine.args", message, "warning", "too-few-accelerators")


def _connector_problems(proxy: RoutingProxySpec) -> Iterator[Problem]:
    release = ROUTING_SIDECAR.release_of(proxy.image)
    fact = (release.fact("--connector") or release.fact("--kv-connector")) if release else None
    if release and fact and isinstance(proxy.connector, str) and proxy.connector not in ("", *fact.choices):
        message = (
            f"must be a connector that {ROUTING_SIDECAR.title} {release.number} has ({', '.join(fact.choices)}), got "
            f"{describe(proxy.connector)}, with which it exits at start"
        )
        severity = "error" if ROUTING_SIDECAR.is_in(proxy.image) else "warning"
        yield Problem("spec.routingProxy.connector", message, severity, "not-in-release")


def picker_problems(picker: EndpointPickerSpec, plugins: str) -> Iterator[Problem]:
    """Flags and plugins of the settings that the picker's release lacks: the picker exits at start. ``plugins`` is the
    setting of the plugins."""
    release = ENDPOINT_PICKER.release_of(picker.image)
    if release is None:
        return
    severity = "error" if ENDPOINT_PICKER.is_in(picker.image) and not release.asked else "warning"
    for name, value in picker.flags.items():
        for _, message, code in user_problems([f"--{name}={value}"], ENDPOINT_PICKER, release):
            yield Problem(f"settings.otterscale.epp.flags.{name}", message, severity, code)
    for plugin in picker.pluginsConfig.plugins if picker.pluginsConfig else ():
        if name := renamed_plugin(plugin.type, picker.image):
            message = f"has the plugin {plugin.type}, which the picker in {picker.image} names {name}; write {name}"
            yield Problem(plugins, message, severity, "not-in-release")
