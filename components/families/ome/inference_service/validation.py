"""Checks of an InferenceService and its objects that need more than its manifest."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines import known, server, server_groups
from ....engines.command_reader import container_commands
from ....engines.gpus import too_few_gpus
from ....engines.known import model_of
from ....findings import Problem
from ....kubernetes.args import Dialect
from ....kubernetes.field_paths import depth
from ....kubernetes.gpu import NVIDIA
from ....kubernetes.metadata import is_subdomain
from ....kubernetes.model import dump, read
from ....kubernetes.pod import PodSpec
from ....kubernetes.pod_checks import pod_problems
from ....kubernetes.values import value_at
from ....ome_keys import keys
from ....ome_keys.flags import engine_of
from ....ome_keys.objects import storage_problems
from ....ome_keys.pod_template import contradictions, main, security_problems
from ..base_model import BaseModel
from .component import Component, Part, places_of, source_of
from .context import Context
from .exposure import Exposure, exposure_of
from .injection import injection_problems
from .labels import component_annotations
from .pod_template import templates_of
from .scaling import idle_keys, scaling_of, scaling_problems
from .service import serving_port
from .spec import InferenceService

_PATH = re.compile(r"(?<!\$)\$\(MODEL_PATH\)")
_BOUNDS = {keys.MIN_REPLICAS: "minReplicas", keys.MAX_REPLICAS: "maxReplicas"}


def problems(context: Context) -> Iterator[Problem]:
    made = tuple(context.components.values())
    effective = context.effective
    yield from _overridden(context.service, effective)
    yield from mode_problems(context.service, made, context.mode)
    yield from runner_problems(made)
    yield from ingress_problems(exposure_of(context))
    yield from idle_keys([scaling_of(context, component) for component in made])
    for component in made:
        yield from scaling_problems(scaling_of(context, component))
        yield from idle_fields(context, component)
        yield from (_with_runtime(problem, context, component) for problem in _pod_problems(context, component))
    yield from _transfer_problems(context)
    pods = max((component.high for component in made if component.role != "router"), default=1)
    yield from storage_problems(effective, pods)


def _transfer_problems(context: Context) -> Iterator[Problem]:
    """Checks that a prefill engine and its decoder transfer KV blocks in the same way."""
    parts = [context.components.get(role) for role in ("engine", "decoder")]
    present = [component for component in parts if component is not None]
    if len(present) < len(parts):
        return
    templates = [templates_of(context, component)(component.serving_part) for component in present]
    yield from within("spec.decoder.runner", server_groups.transfer_problems(*map(main, templates)))


def _overridden(service: InferenceService, effective: Mapping[str, Any]) -> Iterator[Problem]:
    """Warns if a field and a key of the manifest differ; the field takes precedence."""
    engine = service.spec.engine
    for key, field in _BOUNDS.items():
        value = getattr(engine, field) if engine else None
        if value is not None and key in effective and int(effective[key]) != value:
            message = f"is {value}, but {key} is {effective[key]}; the field takes precedence"
            yield Problem(f"spec.engine.{field}", message, "warning", "overridden")


def _with_runtime(problem: Problem, context: Context, component: Component) -> Problem:
    """The problem of a merged component, naming the runtime if the field comes from there and not from the manifest."""
    manifest, runtime = ({"spec": {component.role: dump(spec)}} for spec in (component.stated, component.runtime))
    if depth(problem.path, manifest) >= depth(problem.path, runtime):
        return problem
    return replace(problem, message=f"{problem.message} (from the runtime {context.runtime})")


def _pod_problems(context: Context, component: Component) -> Iterator[Problem]:
    """Checks a component's pods by one template, because they differ little."""
    path, path_of_main = places_of(component, component.serving_part)
    template = templates_of(context, component)(component.serving_part)
    if not template["spec"]["containers"][0].get("image"):
        return
    pod, problems = read(PodSpec, template["spec"])
    problems += list(pod_problems(pod, path)) if pod else []
    for problem in problems:
        yield replace(problem, path=problem.path.replace(f"{path}.containers[0]", path_of_main, 1))
    if component.role == "router":
        yield from within(path_of_main, router_problems(main(template), serving_port(component)))
    else:
        yield from contradictions(template, context.effective, context.settings)
        yield from security_problems(template, context.effective, path)
        yield from claim_problems(context.model, context.service.namespace)
        yield from model_problems(context.model, template, path_of_main)
        yield from path_problems(context, template, path_of_main)
        yield from gpu_problems(template, path_of_main, one_pod=component.workload == "Deployment")
        yield from command_problems(main(template), path_of_main)
        yield from within(path_of_main, server.server_problems(main(template), template["spec"]))
        if component.workload == "LeaderWorkerSet":
            yield from _worker_problems(context, component, template)
        scraped = context.effective.get(keys.MONITORING_SCRAPE) == "true"
        yield from metrics_problems(
            template, path_of_main, wanted=scraped or scaling_of(context, component).asks_engine
        )
    containers = [container["name"] for container in template["spec"]["containers"]]
    if component.role == "engine":
        yield from injection_problems(component_annotations(context, component), containers, context.settings)


def _worker_problems(context: Context, component: Component, leader: Mapping[str, Any]) -> Iterator[Problem]:
    """Checks the workers of a group: the paths and words of their servers, and differences from the leader."""
    worker, path = templates_of(context, component)("worker"), places_of(component, "worker")[1]
    differences = server_groups.group_problems(main(leader), main(worker), 1 + component.workers)
    yield from within(path, differences)
    if path != places_of(component, "leader")[1]:
        yield from model_problems(context.model, worker, path)
        yield from command_problems(main(worker), path)


def idle_fields(context: Context, component: Component) -> Iterator[Problem]:
    """Warns about fields that only a Knative Service or a route uses, on other components."""
    knative = component.workload == "KnativeService"
    config = exposure_of(context).config
    routed = component is context.entry and config.enableGatewayAPI and not config.disableIngressCreation
    reasons = {
        "canaryTrafficPercent": "all requests go to the newest revision here",
        "containerConcurrency": "" if knative else f"only Knative limits requests, but this is a {component.workload}",
        "timeoutSeconds": "" if knative or routed else "neither Knative nor an HTTPRoute limits requests here",
    }
    for field, why in reasons.items():
        if why and getattr(component.spec, field) is not None:
            yield Problem(f"spec.{component.role}.{field}", f"has no effect: {why}", "warning", "no-effect")


def mode_problems(service: InferenceService, made: tuple[Component, ...], mode: str) -> Iterator[Problem]:
    """Reports contradictions between the deployment mode and the components; the components take precedence."""
    by_role = {component.role: component for component in made}
    engine = by_role.get("engine")
    several_nodes = engine is not None and engine.workload == "LeaderWorkerSet"
    path = f'metadata.annotations["{keys.DEPLOYMENT_MODE}"]'
    if mode in ("RawDeployment", "Serverless", "MultiNodeRayVLLM") and several_nodes:
        message = f"is {mode}, but spec.engine has a leader and workers, which take precedence"
        yield Problem(path, message, "warning", "overridden")
    if mode == "MultiNode" and not several_nodes:
        message = "is MultiNode, which needs spec.engine.leader and spec.engine.worker; add both"
        yield Problem(path, message, "error", "overridden")
    if mode == "PDDisaggregated" and "decoder" not in by_role:
        yield Problem(path, "is PDDisaggregated, which needs spec.decoder; add it", "error", "overridden")
    if mode == "Serverless" and "decoder" in by_role:
        message = "is Serverless, but an InferenceService with a decoder can't scale to zero, so Deployments are made"
        yield Problem(path, message, "warning", "overridden")


def runner_problems(made: tuple[Component, ...]) -> Iterator[Problem]:
    for component in made:
        parts: tuple[Part, ...] = ("leader", "worker") if component.workload == "LeaderWorkerSet" else ("pod",)
        for part in parts:
            if not source_of(component, part)[1].image:
                path = f"spec.{component.role}.{part}.runner" if len(parts) > 1 else f"spec.{component.role}.runner"
                yield Problem(path, "has no image; name a runtime that sets it, or write it here", code="required")


def ingress_problems(exposure: Exposure) -> Iterator[Problem]:
    """Checks host names, additional domains and the Gateway."""
    if exposure.config.disableIngressCreation:
        return
    host = exposure.host(exposure.context.service.name)
    if not is_subdomain(host):
        message = f"{host} is not a valid host name; correct domainTemplate and ingressDomain of settings.ome.ingress"
        yield Problem("metadata.name", message)
    if exposure.config.additionalIngressDomains and not exposure.context.settings.additionalHosts:
        message = "additional ingress domains are left out, as in OME; set settings.ome.additionalHosts to serve them"
        yield Problem("metadata.annotations", message, "info", "no-effect")
    if exposure.config.enableGatewayAPI and not exposure.config.omeIngressGateway:
        message = "needs a Gateway; write settings.ome.ingress.omeIngressGateway as namespace/name"
        yield Problem("metadata.name", message, code="required")


_BESIDE_THE_MODEL = ("--tokenizer", "--tokenizer-path", "--speculative-draft-model-path", "--speculative-model")
"""Flags with paths of other files that the server loads."""


_ROUTERS = ("sglang_router.launch_router", "sgl-model-gateway", "sglang-router", "smg")
"""Programs and the module that start SGLang's router."""
_ROUTER_PORT = "30000"


def router_problems(container: Mapping[str, Any], port: int) -> Iterator[Problem]:
    """Warns if SGLang's router listens on another port than that of its Services."""
    for words in container_commands(container):
        if any(str(word).rpartition("/")[2] in _ROUTERS for word in words):
            stated = str(Dialect().flags(words).get("--port", _ROUTER_PORT))
            if stated.isdecimal() and int(stated) != port:
                message = f"the router listens on {stated}, but its Services send requests to {port}; set --port {port}"
                yield Problem("args", message, "warning", "other-port")


def claim_problems(model: BaseModel | None, namespace: str) -> Iterator[Problem]:
    if model and model.claim and model.claim["namespace"] not in ("", namespace):
        message = f"is on a claim of the namespace {model.claim['namespace']}, which pods in {namespace} can't mount; "
        yield Problem("spec.model.name", message + "make a claim and a BaseModel here", code="claim-elsewhere")


def model_problems(model: BaseModel | None, template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Warns if the server reads the model, its tokenizer or its draft from an unmounted path."""
    if model is None:
        return
    container = main(template)
    words, engine = server.command_words(container), engine_of(container)
    read = [model_of(engine, words), *(engine.value_of(words, flag) for flag in _BESIDE_THE_MODEL)]
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in container.get("volumeMounts", [])]
    own = next((variable for variable in container.get("env", []) if variable["name"] == "MODEL_PATH"), {})
    own_path = bool(own) and own.get("value") != model.path
    advice = "leave the variable MODEL_PATH to OME" if own_path else "write $(MODEL_PATH) instead"
    advice = advice if model.path else "set the model's storage.path, or mount the folder"
    for place in dict.fromkeys(value for value in read if value):
        if place.startswith("/") and not any(f"{place}/".startswith(f"{mount}/") for mount in mounts):
            where = f"model {model.name} is mounted at {model.path}" if model.path else "model is not mounted"
            message = f"the server reads {place}, where nothing is mounted (the {where}); {advice}"
            yield Problem(f"{path}.args", message, "warning", "model-path")


def path_problems(context: Context, template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Warns if a command line refers to the model's path, but none is set. An unknown model is reported elsewhere."""
    container, model = main(template), context.model
    known = any(variable["name"] == "MODEL_PATH" for variable in container.get("env", [])) or container.get("envFrom")
    texts = map(str, [*container.get("command", []), *container.get("args", [])])
    if known or not any(_PATH.search(text) for text in texts) or (context.service.spec.model and not model):
        return
    why = f"the model {model.name} has no storage.path" if model else "the service names no model"
    message = f"has $(MODEL_PATH), which is not set, because {why}; add that, or write the path itself"
    yield Problem(f"{path}.args", message, "warning", "model-path")


def gpu_problems(template: Mapping[str, Any], path: str, *, one_pod: bool) -> Iterator[Problem]:
    """Warns if a server requests too few GPUs, or explicitly none: it would then see all GPUs of its node."""
    container = main(template)
    engine, count = engine_of(container), value_at(container, "resources", "limits", NVIDIA)
    if engine.needs_gpu and str(count) == "0":
        message = f"is 0, but {engine.container} needs a GPU; request at least 1, or use an image for CPUs"
        yield Problem(f'{path}.resources.limits["{NVIDIA}"]', message, "warning", "no-gpus")
    message = too_few_gpus(
        engine, engine.dialect.flags(server.command_words(container)), container.get("resources", {})
    )
    if message and one_pod:
        yield Problem(f"{path}.args", message, "warning", "too-few-accelerators")


def command_problems(container: Mapping[str, Any], path: str) -> Iterator[Problem]:
    args, command = container.get("args", []), container.get("command", [])
    yield from known.argument_problems(args, command, container.get("image"), path, container.get("env"))
    yield from known.variable_problems(container, path)


def within(path: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of a container, with paths in the manifest; ``path`` is the container's."""
    for problem in problems:
        yield replace(problem, path=f"{path}.{'args' if problem.path == 'host' else problem.path}")


def metrics_problems(template: Mapping[str, Any], path: str, *, wanted: bool) -> Iterator[Problem]:
    """Warns if KEDA or Prometheus reads metrics that the server is started without."""
    container = main(template)
    engine = engine_of(container)
    flag, silent = engine.metrics_flag, engine.silent_flag
    flags = engine.dialect.names(server.command_words(container))
    if wanted and flag and flag not in flags:
        message = f"{flag} is missing, so {engine.title} exports no metrics to scale by or scrape; add it"
        yield Problem(f"{path}.args", message, "warning", "no-metrics")
    if wanted and silent and silent in flags:
        message = (
            f"{silent} turns the metrics of {engine.title} off, so there is nothing to scale by or scrape; remove it"
        )
        yield Problem(f"{path}.args", message, "warning", "no-metrics")
