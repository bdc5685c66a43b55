"""Whether a component's main container finds its model, and the GPUs that its server needs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines import known, server, server_groups
from ....engines.gpus import too_few_gpus
from ....engines.known import model_of
from ....findings import Problem
from ....kubernetes.gpu import NVIDIA
from ....kubernetes.values import value_at
from ....ome_keys.flags import command_words, engine_of, expanded
from ....ome_keys.pods import main
from ..base_model import BaseModel


def model_problems(
    model: BaseModel | None, namespace: str, template: Mapping[str, Any], path: str
) -> Iterator[Problem]:
    """A model that is read from where nothing is mounted, and a claim that can't be. ``path``: the main container."""
    if model is None:
        return
    if model.claim and model.claim["namespace"] not in ("", namespace):
        message = f"is on a claim of the namespace {model.claim['namespace']}, which pods in {namespace} can't mount: "
        yield Problem("spec.model.name", message + "make a claim and a BaseModel here", code="claim-elsewhere")
    container = main(template)
    words = command_words(container)
    found = model_of(engine_of(container), words)
    place = expanded(found, container) if found else ""
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in container.get("volumeMounts", [])]
    if place.startswith("/") and not any(f"{place}/".startswith(f"{mount}/") for mount in mounts):
        where = f"the model {model.name} is mounted at {model.path}" if model.path else "the model is mounted nowhere"
        message = f"the server reads {place}, where nothing is mounted ({where}): write $(MODEL_PATH) instead"
        yield Problem(f"{path}.args", message, "warning", "model-path")


def gpu_problems(template: Mapping[str, Any], path: str, *, one_pod: bool) -> Iterator[Problem]:
    """A server for GPUs that asks for none in so many words (it would see all of its node's), or for too few."""
    container = main(template)
    engine, count = engine_of(container), value_at(container, "resources", "limits", NVIDIA)
    if engine.needs_gpu and str(count) == "0":
        message = f"is 0, and {engine.container} runs on GPUs: ask for at least 1, or take an image for CPUs"
        yield Problem(f'{path}.resources.limits["{NVIDIA}"]', message, "warning", "no-gpu")
    message = too_few_gpus(engine, command_words(container), container.get("resources", {}))
    if message and one_pod:
        yield Problem(f"{path}.args", message, "warning", "too-few-accelerators")


def argument_problems(template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Words of a command line, and variables, that the release in the image does not take."""
    container = main(template)
    yield from known.argument_problems(
        container.get("args", []), container.get("command", []), container.get("image"), path
    )
    yield from known.variable_problems(container, path)


def server_problems(template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """What keeps the server from starting or from being reached."""
    for problem in server.server_problems(main(template), template["spec"]):
        yield _at(path, problem)


def group_problems(leader: Mapping[str, Any], worker: Mapping[str, Any], size: int, path: str) -> Iterator[Problem]:
    """What differs between leader and workers; ``path`` is the workers' main container."""
    for problem in server_groups.group_problems(main(leader), main(worker), size):
        yield _at(path, problem)


def _at(path: str, problem: Problem) -> Problem:
    return replace(problem, path=f"{path}.{'args' if problem.path == 'host' else problem.path}")


def transfer_problems(prefill: Mapping[str, Any], decode: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """KV blocks that don't get from the engine to the decoder, whose main container is at ``path``."""
    for problem in server_groups.transfer_problems(main(prefill), main(decode)):
        yield _at(path, problem)


def metrics_problems(template: Mapping[str, Any], path: str, *, wanted: bool) -> Iterator[Problem]:
    """A server whose metrics something reads (KEDA, Prometheus) and that is started without them."""
    container = main(template)
    engine = engine_of(container)
    flag, silent = engine.metrics_flag, engine.silent_flag
    given = engine.dialect.names(command_words(container))
    if wanted and flag and flag not in given:
        message = f"has no {flag}, without which {engine.title} has no metrics to scale by or scrape"
        yield Problem(f"{path}.args", f"{message}: add it", "warning", "no-metrics")
    if wanted and silent and silent in given:
        message = f"has {silent}, with which {engine.title} has no metrics to scale by or scrape: remove it"
        yield Problem(f"{path}.args", message, "warning", "no-metrics")
