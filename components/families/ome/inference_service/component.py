"""The components of a service: what its manifest and its runtime say together, and which workload each becomes.

What a runtime says beside its configs (nodes, resources, the settings of an accelerator) is for all its services.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/components/base.go at v0.1.5, and utils/merging.go.
Decisions: M11, M14, M18 (docs/decisions).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ....engines.command_line import flag_of
from ....engines.command_reader import is_shell
from ....engines.engine import Engine
from ....kubernetes.args import without_flags
from ....kubernetes.model import Spec, dump
from ....kubernetes.pod import Container, PodSpec
from ....kubernetes.strategic_merge import merge
from ....kubernetes.values import without_empty
from ....ome_keys import flags, keys
from .. import names
from ..base_model import BaseModel
from ..runtime_selection import settings_on
from ..serving_runtime import AcceleratorConfig, ServingRuntime, Sizes
from .component_spec import MAIN, ComponentSpec, EngineSpec, LeaderSpec, RouterSpec, WorkerSpec
from .spec import InferenceService

Workload = Literal["Deployment", "LeaderWorkerSet", "KnativeService", "RayCluster"]
Part = Literal["pod", "leader", "worker", "revision", "ray-pod"]

TemplateOf = Callable[[str], dict[str, Any]]
Fields = dict[str, Any]
"""A component, its leader, its workers or a container as mappings."""

ROLES = ("engine", "decoder", "router")
DEFAULT_PORT = 8080

# Workload of an engine by its annotation ome.io/deploymentMode.
_WORKLOADS: Mapping[str, Workload] = {
    "RawDeployment": "Deployment",
    "Serverless": "KnativeService",
    "MultiNode": "LeaderWorkerSet",
    "MultiNodeRayVLLM": "RayCluster",
}
_MAX_REPLICAS = {"router": 2}


@dataclass(frozen=True)
class Component:
    """``spec`` is ``stated`` (from the manifest) merged over ``runtime`` (from the runtime)."""

    service: str
    role: str
    workload: Workload
    spec: ComponentSpec
    stated: ComponentSpec
    runtime: ComponentSpec

    @property
    def name(self) -> str:
        return names.component(self.service, self.role)

    @property
    def engine(self) -> EngineSpec | None:
        """The spec of an engine or decoder, which may span nodes; None for a router."""
        return self.spec if isinstance(self.spec, EngineSpec) else None

    @property
    def low(self) -> int:
        return 1 if self.spec.minReplicas is None else self.spec.minReplicas

    @property
    def high(self) -> int:
        return self.spec.maxReplicas or _MAX_REPLICAS.get(self.role, 3)

    @property
    def serving_part(self) -> Part:
        """The pods that receive requests: the leaders of a LeaderWorkerSet, otherwise all."""
        return "leader" if self.workload == "LeaderWorkerSet" else "pod"

    @property
    def workers(self) -> int:
        worker = self.engine.worker if self.engine else None
        return (worker.size or 0) if worker else 0


def components(
    service: InferenceService, runtime: ServingRuntime | None, mode: str, model: BaseModel | None = None
) -> tuple[Component, ...]:
    """The service's engine, decoder and router.

    ``mode`` is the service's deployment mode if it decides the workload, otherwise empty.
    """
    wanted = {role: getattr(service.spec, role) for role in ROLES}
    if not any(wanted.values()):
        wanted["engine"] = EngineSpec()
    return tuple(
        _component(service, role, stated, runtime, mode, model) for role, stated in wanted.items() if stated is not None
    )


def _component(
    service: InferenceService,
    role: str,
    stated: ComponentSpec,
    runtime: ServingRuntime | None,
    mode: str,
    model: BaseModel | None,
) -> Component:
    specs = RouterSpec if role == "router" else EngineSpec
    base = _base(role, runtime) or specs()
    merged = _with_names(_merged(_stated_fields(base), _stated_fields(stated)))
    if runtime and role != "router":
        merged = with_runtime(merged, stated, runtime, settings_on(_accelerator(service, stated), runtime, model))
    spec = specs.model_validate(merged)
    workload = _workload(role, spec, mode, with_decoder=service.spec.decoder is not None)
    return Component(service.name, role, workload, spec, stated, base)


def _merged(base: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a component of the manifest over the runtime's. What the manifest sets in a container named like the
    runtime's runner overrides the runner."""
    result = merge(base, stated)
    parts = {part: _merged(base.get(part, {}), stated[part]) for part in ("leader", "worker") if part in stated}
    name = result.get("runner", {}).get("name", MAIN)
    own = next((each for each in stated.get("containers", []) if each["name"] == name), None)
    if own and "runner" in base:
        parts["runner"] = _overridden(base["runner"], own, stated.get("runner", {}))
    return {**result, **parts}


def _overridden(runner: Mapping[str, Any], own: Mapping[str, Any], stated: Mapping[str, Any]) -> Fields:
    """The runtime's runner with the manifest's container and then its runner merged over it. Without arguments of the
    manifest's runner it keeps its own, except flags that the container's arguments repeat, as those are joined with
    them; a container with a command and arguments replaces the whole command line."""
    fields = {name: value for name, value in own.items() if name != "args"}
    left = without_flags(runner.get("args", []), own.get("args", []), flags.engine_of(runner).dialect)
    if own.get("command") and own.get("args"):
        left = []
    return merge(merge({**runner, "args": left}, fields), stated)


def _accelerator(service: InferenceService, stated: ComponentSpec) -> str:
    selectors = (getattr(stated, "acceleratorOverride", None), service.spec.acceleratorSelector)
    names = (selector.get("acceleratorClass") for selector in selectors if isinstance(selector, Mapping))
    return str(next(filter(None, names), ""))


def _with_names(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The component with default names for unnamed runners. A missing name is reported elsewhere."""
    parts = {part: _with_names(spec[part]) for part in ("leader", "worker") if part in spec}
    runner = {"runner": {"name": MAIN, **spec["runner"]}} if "runner" in spec else {}
    return {**spec, **parts, **runner}


def _base(role: str, runtime: ServingRuntime | None) -> ComponentSpec | None:
    """A runtime's config for a component. Runtimes in the old form have the engine's pod directly in their spec."""
    if runtime is None:
        return None
    config = getattr(runtime.spec, f"{role}Config")
    if config is not None or role != "engine" or not runtime.spec.containers:
        return config
    fields = {*PodSpec.model_fields, "labels", "annotations"}
    return EngineSpec.model_validate({name: value for name, value in dump(runtime.spec).items() if name in fields})


def _stated_fields(spec: ComponentSpec | LeaderSpec | WorkerSpec) -> dict[str, Any]:
    """A component as it is merged, without the empty texts (``image: ""``) of its containers."""
    fields = dump(spec)
    if "containers" in fields:
        fields["containers"] = [{k: v for k, v in item.items() if v != ""} for item in fields["containers"]]
    parts = {part: getattr(spec, part, None) for part in ("leader", "worker")}
    return fields | {part: _stated_fields(inner) for part, inner in parts.items() if inner is not None}


def _workload(role: str, spec: ComponentSpec, mode: str, *, with_decoder: bool) -> Workload:
    several_nodes = isinstance(spec, EngineSpec) and (spec.leader is not None or spec.worker is not None)
    may_sleep = role == "router" or (role == "engine" and not with_decoder)
    asked = spec.annotations.get(keys.DEPLOYMENT_MODE) if role == "engine" else None
    if isinstance(asked, str) and asked in _WORKLOADS:
        return _WORKLOADS[asked] if may_sleep or asked != "Serverless" else "Deployment"
    if several_nodes:
        return "LeaderWorkerSet"
    if mode == "RawDeployment":
        return "Deployment"
    if role == "engine" and mode == "MultiNodeRayVLLM":
        return "RayCluster"
    if may_sleep and (mode == "Serverless" or spec.minReplicas == 0):
        return "KnativeService"
    return "Deployment"


def source_of(component: Component, part: Part) -> tuple[PodSpec, Container]:
    """Pod spec and main container of a part. A leader or worker without a main container uses the component's."""
    engine = component.engine
    group_part = None
    if engine and component.workload == "LeaderWorkerSet":
        group_part = engine.worker if part == "worker" else engine.leader
    main = (main_container(group_part) if group_part is not None else None) or main_container(component.spec)
    return (group_part if group_part is not None else component.spec), main or Container(name=MAIN)


def places_of(component: Component, part: Part) -> tuple[str, str]:
    """Paths in the manifest of a part's pod and main container."""
    engine, role = component.engine, f"spec.{component.role}"
    group_part = None
    if engine and component.workload == "LeaderWorkerSet":
        group_part = engine.worker if part == "worker" else engine.leader
    pod = role if group_part is None else f"{role}.{'worker' if part == 'worker' else 'leader'}"
    holder, place = (
        (component.spec, role) if group_part is None or main_container(group_part) is None else (group_part, pod)
    )
    return pod, f"{place}.{'runner' if holder.runner else 'containers[0]'}"


def main_container(spec: ComponentSpec | LeaderSpec | WorkerSpec) -> Container | None:
    """The runner merged over its namesake container, with both's arguments; without a runner, the first container. A
    shell's own arguments (``-c`` and the script) come first."""
    runner = spec.runner
    named = next((item for item in spec.containers if runner is None or item.name == runner.name), None)
    if runner is None or named is None:
        return runner or named
    lists = (named.args or [], runner.args or [])
    arguments = [word for words in (reversed(lists) if is_shell(runner.command or []) else lists) for word in words]
    merged = merge(dump(named), dump(runner)) | ({"args": arguments} if arguments else {})
    return Container.model_validate(merged)


def engine_of(runner: Container) -> Engine:
    return flags.engine_of(dump(runner))


def serving_runner(component: Component) -> Container:
    return source_of(component, component.serving_part)[1]


def main_port(runner: Spec | None) -> int:
    ports = runner.ports if isinstance(runner, Container) else None
    return ports[0].containerPort if ports else DEFAULT_PORT


_TENSOR = ("--tensor-parallel-size", "--tp", "--tp-size")
_PIPELINE = ("--pipeline-parallel-size", "--pp", "--pp-size")


def with_runtime(spec: Fields, stated: ComponentSpec, runtime: ServingRuntime, config: AcceleratorConfig) -> Fields:
    """A merged component with the runtime's fields outside its config applied. The service takes precedence."""
    parts = {name: spec[name] for name in ("leader", "worker") if spec.get(name)}
    changed = {name: _fitted(part, stated, runtime, config) for name, part in parts.items()}
    return _fitted(spec, stated, runtime, config) | changed


def _fitted(part: Fields, stated: ComponentSpec, runtime: ServingRuntime, config: AcceleratorConfig) -> Fields:
    nodes = {**part.get("nodeSelector", {}), **(runtime.spec.nodeSelector or {}), **(stated.nodeSelector or {})}
    part = {**part, **without_empty({"nodeSelector": nodes})}
    part = _with_main(part, lambda container: _with_settings(container, config))
    if stated.runner is not None and stated.runner.resources is not None:
        return part
    resources = {str(container.name): dump(container).get("resources", {}) for container in runtime.spec.containers}
    return _with_main(part, lambda container: _with_resources(container, resources.get(container["name"], {})))


def _with_main(part: Fields, change: Callable[[Fields], Fields]) -> Fields:
    if part.get("runner"):
        return {**part, "runner": change(part["runner"])}
    if part.get("containers"):
        first, *others = part["containers"]
        return {**part, "containers": [change(first), *others]}
    return part


def _with_resources(container: Fields, resources: Mapping[str, Any]) -> Fields:
    stated = container.get("resources") or {}
    merged = {kind: {**values, **stated.get(kind, {})} for kind, values in resources.items()}
    return {**container, **without_empty({"resources": {**stated, **merged}})}


def _with_settings(container: Fields, config: AcceleratorConfig) -> Fields:
    """Apply an accelerator's settings: variables and flags are replaced or added, sizes are only replaced."""
    variables = {entry["name"]: entry for entry in container.get("env", [])}
    variables |= {name: {"name": name, "value": value} for name, value in config.environmentOverride.items()}
    sizes = config.tensorParallelismOverride or Sizes()
    args, command = container.get("args") or [], container.get("command") or []
    groups = {flag_of(group[0]) or group[0]: group for group in [*_groups(args), *_groups(config.runtimeArgsOverride)]}
    args = [word for group in groups.values() for word in group] if config.runtimeArgsOverride else args
    changed = {"env": [*variables.values()], "args": _resized(args, sizes), "command": _resized(command, sizes)}
    return {**container, **without_empty(changed)}


def _groups(words: Sequence[Any]) -> Iterator[list[Any]]:
    """Each flag (as ``flag_of`` names it) with its value; other words alone."""
    rest = [*words]
    while rest:
        word = rest.pop(0)
        flag = flag_of(word)
        joined = flag and isinstance(word, str) and "=" in word
        takes = flag and not joined and rest and not flag_of(rest[0])
        yield [word, rest.pop(0)] if takes else [word]


def _resized(words: Sequence[Any], sizes: Sizes) -> list[Any]:
    both = ((_TENSOR, sizes.tensorParallelSize), (_PIPELINE, sizes.pipelineParallelSize))
    wanted: dict[str, int | None] = {flag: size for flags, size in both for flag in flags}
    changed: list[Any] = []
    for group in _groups(words):
        size = wanted.get(flag_of(group[0]))
        changed += [group[0], str(size)] if size and len(group) == 2 else group
    return changed
