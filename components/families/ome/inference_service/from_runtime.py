"""What a runtime says for the engines and decoders of all its services, beside their configs: nodes, resources, and the
settings of an accelerator.

Mirrors sgl-project/ome pkg/controller/v1beta1/inferenceservice/utils/merging.go at v0.1.5.
Decisions: M14 (docs/decisions).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....engines.command_line import flag_of
from ....kubernetes.model import dump
from ....kubernetes.values import without_empty
from ..serving_runtime import AcceleratorConfig, ServingRuntime, Sizes
from .component_spec import ComponentSpec

Part = dict[str, Any]
_TENSOR = ("--tensor-parallel-size", "--tp", "--tp-size")
_PIPELINE = ("--pipeline-parallel-size", "--pp", "--pp-size")


def with_runtime(spec: Part, stated: ComponentSpec, runtime: ServingRuntime, config: AcceleratorConfig) -> Part:
    """A merged component with what the runtime says beside the component's config. The service comes first."""
    parts = {name: spec[name] for name in ("leader", "worker") if spec.get(name)}
    changed = {name: _fitted(part, stated, runtime, config) for name, part in parts.items()}
    return _fitted(spec, stated, runtime, config) | changed


def _fitted(part: Part, stated: ComponentSpec, runtime: ServingRuntime, config: AcceleratorConfig) -> Part:
    nodes = {**part.get("nodeSelector", {}), **(runtime.spec.nodeSelector or {}), **(stated.nodeSelector or {})}
    part = {**part, **without_empty({"nodeSelector": nodes})}
    part = _with_main(part, lambda container: _with_settings(container, config))
    if stated.runner is not None and stated.runner.resources is not None:
        return part
    resources = {str(container.name): dump(container).get("resources", {}) for container in runtime.spec.containers}
    return _with_main(part, lambda container: _with_resources(container, resources.get(container["name"], {})))


def _with_main(part: Part, change: Callable[[Part], Part]) -> Part:
    if part.get("runner"):
        return {**part, "runner": change(part["runner"])}
    if part.get("containers"):
        first, *others = part["containers"]
        return {**part, "containers": [change(first), *others]}
    return part


def _with_resources(container: Part, resources: Mapping[str, Any]) -> Part:
    stated = container.get("resources") or {}
    merged = {kind: {**values, **stated.get(kind, {})} for kind, values in resources.items()}
    return {**container, **without_empty({"resources": {**stated, **merged}})}


def _with_settings(container: Part, config: AcceleratorConfig) -> Part:
    """Variables and flags replace those that are there and follow the others; sizes only replace."""
    variables = {entry["name"]: entry for entry in container.get("env", [])}
    variables |= {name: {"name": name, "value": value} for name, value in config.environmentOverride.items()}
    sizes = config.tensorParallelismOverride or Sizes()
    args, command = container.get("args") or [], container.get("command") or []
    groups = {flag_of(group[0]) or group[0]: group for group in [*_groups(args), *_groups(config.runtimeArgsOverride)]}
    args = [word for group in groups.values() for word in group] if config.runtimeArgsOverride else args
    changed = {"env": [*variables.values()], "args": _resized(args, sizes), "command": _resized(command, sizes)}
    return {**container, **without_empty(changed)}


def _groups(words: Sequence[Any]) -> Iterator[list[Any]]:
    """Each flag, named as ``flag_of`` does, with its value; other words alone."""
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
