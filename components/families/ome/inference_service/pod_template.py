"""The pod template of a component: its spec, the model's volume, and what the platform adds.

Decisions: M7, M8 (docs/decisions).
"""

import re
from collections.abc import Mapping
from typing import Any

from ....engines.gpus import gpus_wanted
from ....engines.probes import OME_PROBES, with_budget
from ....engines.server import command_words
from ....engines.vllm import serving
from ....kubernetes.gpu import NVIDIA
from ....kubernetes.model import dump
from ....kubernetes.pod import Container, PodSpec
from ....kubernetes.pod_edits import with_env
from ....kubernetes.probes import Timing, http, probe, tcp
from ....kubernetes.resources import with_whole_pairs
from ....ome_keys.pod_template import change_template, main, with_main, with_node_labels, with_volume, with_volumes
from ..base_model import BaseModel
from ..settings import OMESettings
from .component import MAIN, Component, Part, TemplateOf, engine_of, main_port, source_of
from .component_spec import RouterSpec
from .context import Context
from .injection import injected
from .labels import component_annotations, described
from .role import account_of
from .spec import InferenceService

MODEL_INIT = "ome.io/inject-model-init"
_OPEN_PORT = Timing(period=10, timeout=1, failures=3)
"""OME's default readiness probe of a main container: its port is open."""
_POD_FIELDS = frozenset(PodSpec.model_fields) - {"containers", "initContainers", "resources"}


def pod_template(context: Context, component: Component, part: Part, settings: OMESettings) -> dict[str, Any]:
    """Labels, annotations and spec of one of a component's pods, before documented keys change it."""
    pod, runner = source_of(component, part)
    spec: dict[str, Any] = {field: value for field, value in dump(pod).items() if field in _POD_FIELDS}
    if pod.initContainers:
        spec["initContainers"] = [_plain(container) for container in pod.initContainers]
    others = [_plain(container) for container in pod.containers if container.name != runner.name]
    spec["containers"] = [filled(_container(runner, component, part, settings), context.service), *others]
    if component.role == "router":
        spec["serviceAccountName"] = account_of(component)
    if not engine_of(runner).service_links:
        spec.setdefault("enableServiceLinks", False)
    template: dict[str, Any] = {"metadata": described(context, component, part), "spec": spec}
    if component.role != "router" and context.model:
        template = _with_model(template, context.model, component_annotations(context, component), settings)
    if component.role != "router":
        words = command_words(main(template))
        template = with_main(template, with_env(main(template), serving.side_channel(words)))
    template = _with_shared_memory(template, runner)
    return injected(template, settings, context.model)


def _plain(container: Container) -> dict[str, Any]:
    """The container as the API server stores it: devices in both limits and requests, protocols explicit."""
    result = dump(container)
    if container.resources:
        result["resources"] = {part: values for part, values in with_whole_pairs(result["resources"]).items() if values}
    if container.ports:
        result["ports"] = [{"protocol": "TCP", **port} for port in result["ports"]]
    return result


def _container(runner: Container, component: Component, part: Part, settings: OMESettings) -> dict[str, Any]:
    result = _serving(runner, component, part, settings)
    if component.workload == "Deployment" and runner.name == MAIN:
        result.setdefault("readinessProbe", probe(tcp(main_port(runner)), _OPEN_PORT))
    return result


def _serving(runner: Container, component: Component, part: Part, settings: OMESettings) -> dict[str, Any]:
    result = _plain(runner)
    if isinstance(component.spec, RouterSpec):
        return with_env(result, [{"name": name, "value": value} for name, value in component.spec.config.items()])
    gpus = str(result.get("resources", {}).get("limits", {}).get(NVIDIA, ""))
    if gpus.isdecimal():
        size = int(gpus) * (1 + component.workers)
        result = with_env(result, [{"name": "PARALLELISM_SIZE", "value": str(size)}])
    engine = engine_of(runner)
    probed = any((runner.startupProbe, runner.readinessProbe, runner.livenessProbe))
    if part != "worker" and engine.probed_by_ome and not probed:
        flags, variables = engine.dialect.names(command_words(result)), [each["name"] for each in result.get("env", [])]
        handler = http(engine.health, main_port(runner), engine.scheme(flags, variables))
        timings = with_budget(OME_PROBES, settings.startup.budgetSeconds)
        result |= {f"{kind}Probe": probe(handler, timing) for kind, timing in timings.items()}
    return result


def _with_model(
    template: dict[str, Any], model: BaseModel, annotations: dict[str, Any], settings: OMESettings
) -> dict[str, Any]:
    """Mount the model's files from a claim, or from the node (then only on nodes that have them)."""
    volume = model.volume()
    if volume and annotations.get(MODEL_INIT) == "true":
        template = with_volumes(template, [volume[0]])
    elif volume:
        template = with_volume(template, *volume)
        template = with_main(template, with_env(main(template), [{"name": "MODEL_PATH", "value": model.path}]))
    return with_node_labels(template, model.node_labels) if settings.modelNodeSelector else template


def _with_shared_memory(template: dict[str, Any], runner: Container) -> dict[str, Any]:
    """Enlarge /dev/shm, through which the GPUs of a pod that share a model communicate; the default is 64 MiB."""
    engine = engine_of(runner)
    if gpus_wanted(engine, engine.dialect.flags(command_words(dump(runner)))) < 2:
        return template
    volume = {"name": "dshm", "emptyDir": {"medium": "Memory"}}
    return with_volume(template, volume, {"name": "dshm", "mountPath": "/dev/shm"})


def templates_of(context: Context, component: Component) -> TemplateOf:
    """A function that builds a component's pod templates, with documented keys applied."""

    def of(part: Any) -> dict[str, Any]:
        template = pod_template(context, component, part, context.settings)
        if component.role == "router":
            return template
        return change_template(template, context.effective, context.settings, context.service.name)

    return of


_VALUE = r"\{\{ *\.(Name|Namespace|(?:Annotations|Labels)\.\w+) *\}\}"


def filled(value: Any, service: InferenceService) -> Any:
    """The value with its placeholders filled in. Placeholders without a value stay."""
    if isinstance(value, Mapping):
        return {key: filled(item, service) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, service) for item in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    metadata = service.metadata
    known = {"Name": service.name, "Namespace": service.namespace}
    known |= {f"Labels.{key}": label for key, label in metadata.labels.items()}
    known |= {f"Annotations.{key}": text for key, text in metadata.annotations.items()}
    return re.sub(_VALUE, lambda match: str(known.get(match[1], match[0])), value)
