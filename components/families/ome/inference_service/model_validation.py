"""What is wrong with the server in a component's main container: its model, GPUs, command line and metrics."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines import known, server
from ....engines.gpus import too_few_gpus
from ....engines.known import model_of
from ....findings import Problem
from ....kubernetes.gpu import NVIDIA
from ....kubernetes.values import value_at
from ....ome_keys.flags import engine_of
from ....ome_keys.pods import main
from ..base_model import BaseModel

_BESIDE_THE_MODEL = ("--tokenizer", "--tokenizer-path", "--speculative-draft-model-path", "--speculative-model")
"""Flags with the path of what the server loads beside the model."""


def claim_problems(model: BaseModel | None, namespace: str) -> Iterator[Problem]:
    """A model on a claim that pods of the namespace can't mount."""
    if model and model.claim and model.claim["namespace"] not in ("", namespace):
        message = f"is on a claim of the namespace {model.claim['namespace']}, which pods in {namespace} can't mount; "
        yield Problem("spec.model.name", message + "make a claim and a BaseModel here", code="claim-elsewhere")


def model_problems(model: BaseModel | None, template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """A model, its tokenizer or its draft that is read from where nothing is mounted. ``path``: the main container."""
    if model is None:
        return
    container = main(template)
    words, engine = server.command_words(container), engine_of(container)
    read = [model_of(engine, words), *(engine.value_of(words, flag) for flag in _BESIDE_THE_MODEL)]
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in container.get("volumeMounts", [])]
    for place in dict.fromkeys(value for value in read if value):
        if place.startswith("/") and not any(f"{place}/".startswith(f"{mount}/") for mount in mounts):
            where = f"model {model.name} is mounted at {model.path}" if model.path else "model is not mounted"
            message = f"the server reads {place}, where nothing is mounted (the {where}); write $(MODEL_PATH) instead"
            yield Problem(f"{path}.args", message, "warning", "model-path")


def gpu_problems(template: Mapping[str, Any], path: str, *, one_pod: bool) -> Iterator[Problem]:
    """A server for GPUs that asks for none in so many words (it would see all of its node's), or for too few."""
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


def server_problems(template: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Words and variables that the release in the image does not take, and what keeps the server from starting or from
    being reached."""
    container = main(template)
    yield from command_problems(container, path)
    yield from within(path, server.server_problems(container, template["spec"]))


def command_problems(container: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """Words and variables that the release in the image does not take."""
    args, command = container.get("args", []), container.get("command", [])
    yield from known.argument_problems(args, command, container.get("image"), path)
    yield from known.variable_problems(container, path)


def within(path: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of a container by the paths of the manifest; ``path`` is the container's."""
    for problem in problems:
        yield replace(problem, path=f"{path}.{'args' if problem.path == 'host' else problem.path}")


def metrics_problems(template: Mapping[str, Any], path: str, *, wanted: bool) -> Iterator[Problem]:
    """A server whose metrics something reads (KEDA, Prometheus) and that is started without them."""
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
