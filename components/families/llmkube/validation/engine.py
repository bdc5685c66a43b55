"""Checks of a service against the release of the engine in its image."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ....engines import known
from ....engines.command_line import generated_problems, user_problems, variable_problems
from ....engines.command_reader import filled_in
from ....engines.generic import GENERIC
from ....engines.known import argument_problems, other_engine, unknown_release
from ....engines.llama_cpp import LLAMA_CPP, LONG_ROPE
from ....engines.releases import Release
from ....engines.server import server_problems
from ....findings import Problem
from ..context import Context
from ..deployment import image
from .metrics import metric_problems

_CACHES = frozenset(["HOME", "XDG_CACHE_HOME"])
_WAYS_OUT = "set HOME in spec.env to a writable path"


def engine_problems(service: Context, pod: Mapping[str, Any]) -> Iterator[Problem]:
    """Problems of the command line, model format, metrics and user with the engine. ``pod`` is the spec of the
    service's pods, empty if none run in the cluster."""
    if not pod:
        return
    container = pod["containers"][0]
    release = service.engine.release_of(image(service))
    if release is not None and service.engine.reads("extraArgs"):
        yield from _release_problems(service, release)
        yield from _flag_problems(service, release, container)
        yield from _format_problems(service, release)
    if not service.engine.reads("extraArgs"):
        line = service.spec.args, service.spec.command
        yield from argument_problems(*line, image(service), "spec", container.get("env"))
        yield from known.variable_problems(container, "spec")
    yield from metric_problems(service)
    yield from _home_problems(service, container)
    yield from _mode_problems(service, container)
    yield from _server_problems(service, container, pod)


def _server_problems(service: Context, container: Mapping[str, Any], pod: Mapping[str, Any]) -> Iterator[Problem]:
    engine, args = service.engine, service.arguments_field
    for problem in server_problems(container, pod):
        field = problem.path.partition(".")[0]
        if problem.code == "other-port" and field == "args" and engine.reads("extraArgs"):
            continue  # reported at the field that sets the port
        if problem.code == "no-effect" and not (service.spec.extraArgs or service.spec.args):
            continue  # generated for the engine, in front of which a script may do without them
        if field.endswith("Probe"):
            path = problem.path.replace(field, f"spec.probeOverrides.{field.removesuffix('Probe')}")
        elif field == "host":
            by_arguments = not engine.reads("bindAddress") or engine.host_flag in service.extra_flags
            path = args if by_arguments else "spec.bindAddress"
        elif problem.code == "no-user" and service.storage.is_filled:
            continue  # reported for the downloader, which also needs it
        elif problem.code == "no-user":
            path = "spec.podSecurityContext.runAsUser"
        else:
            path = {"args": args, "env": "spec.env", "image": "spec.image"}[field]
        yield replace(problem, path=path)


def _release_problems(service: Context, release: Release) -> Iterator[Problem]:
    other = other_engine(service.spec.image, service.engine)
    if other and not service.spec.command and not service.engine.command:
        message = (
            f"is an image of {other.title}, but runtime {service.spec.runtime} is {service.engine.title}; make the "
            "two match"
        )
        yield Problem("spec.image", message, "warning", "other-engine")
    if release.asked and service.spec.image:
        yield Problem("spec.image", unknown_release(service.engine, release), "info", "unknown-release")


def _flag_problems(service: Context, release: Release, container: Mapping[str, Any]) -> Iterator[Problem]:
    engine = service.engine
    line = service.command_line
    overridden = {argument.words for argument, _ in line.overridden}
    for argument in (*service.arguments, *engine.trailing):
        if argument.field and argument.words not in overridden:
            for message in generated_problems(argument, engine, release):
                severity = "warning" if release.asked else "error"
                yield Problem(f"spec.{argument.field}", message, severity, "not-in-release")
    for message in variable_problems([variable.name for variable in service.spec.env], engine, release):
        yield Problem("spec.env", message, "warning", "unknown-variable")
    words = filled_in(service.spec.extraArgs, container.get("env"))
    for index, message, code in user_problems(words, engine, release):
        yield Problem(f"spec.extraArgs[{index}]", message, "warning", code)


def _format_problems(service: Context, release: Release) -> Iterator[Problem]:
    spec, model = service.spec, service.model.spec
    storage, methods = service.storage, release.fact("--quantization")
    one_file = storage.file or storage.path.endswith(".gguf")
    one_file = one_file or (storage.kind == "none" and service.source.kind == "http")
    if service.engine.reads("vllmConfig") and one_file and methods and "gguf" not in methods.choices:
        message = (
            f"Model {spec.modelRef} is one file, but vLLM {release.number} loads only folders and repositories (0.25 "
            "dropped GGUF); name the Hugging Face repository as its source and set spec.skipModelInit, or use "
            "runtime llamacpp"
        )
        yield Problem("spec.modelRef", message, "warning", "no-gguf")
    if service.engine.loads == {"file"} and storage.path and _is_other_format(service):
        message = (
            f"Model {spec.modelRef} is not in the format GGUF, the only one that {service.engine.title} loads; name a "
            "GGUF file (spec.files, or its URL), or use runtime vllm or sglang"
        )
        yield Problem("spec.modelRef", message, "warning", "wrong-format")
    if service.engine.reads("jinja") and spec.ropeScaling and spec.ropeScaling.type == LONG_ROPE:
        message = "has no effect, because llama.cpp reads factor and originalContext from the model's file; remove it"
        yield Problem("spec.ropeScaling.type", message, "warning", "no-effect")
    templates = service.extra_flags.keys() & {"--chat-template", "--chat-template-file"}
    if service.engine.reads("jinja") and spec.jinja and not templates and model.format == "gguf":
        message = (
            "uses the chat template of the model's file; if the file has no tokenizer.chat_template, add "
            "--chat-template or --chat-template-file to extraArgs"
        )
        yield Problem("spec.jinja", message, "info", "chat-template")


_OTHER_FORMATS = (".7z", ".bin", ".gz", ".onnx", ".pt", ".pth", ".safetensors", ".tar", ".zip")


def _is_other_format(service: Context) -> bool:
    """Whether a model is not GGUF, by its manifest or its file's name."""
    files, source = service.storage.files, service.source
    name = files[0] if files else source.text.partition("?")[0]
    return service.model.spec.format in ("mlx", "pytorch", "safetensors") or name.lower().endswith(_OTHER_FORMATS)


def _home_problems(service: Context, container: Mapping[str, Any]) -> Iterator[Problem]:
    """Warns if a server keeps caches below HOME and can't write there."""
    engine, context = service.server.engine, service.spec.securityContext
    if not engine.writes_home:
        return
    values = {variable["name"]: variable.get("value") for variable in container.get("env", [])}
    if service.engine is GENERIC and service.foreign_user and not _CACHES & values.keys():
        message = f"has no HOME, and a user that the image does not know has / as home, where {engine.title} can't "
        yield Problem("spec.env", f"{message}write its caches: {_WAYS_OUT}", "warning", "no-home")
    if (
        context
        and context.readOnlyRootFilesystem
        and not _has_place(container, values, as_root=not service.foreign_user)
    ):
        home = values.get("HOME")
        where = f"HOME ({home}); mount a volume there, or" if home else "HOME:"
        message = f"makes the file system read-only, but {engine.title} needs to write caches below {where} {_WAYS_OUT}"
        yield Problem("spec.securityContext.readOnlyRootFilesystem", message, "warning", "no-home")


_SERVES = {
    "embedding": ("embeddings", "--embedding", "LLAMA_ARG_EMBEDDINGS"),
    "rerank": ("reranking", "--reranking", "LLAMA_ARG_RERANKING"),
}
"""What llama-server refuses without a flag or a variable, by mode."""


def _mode_problems(service: Context, container: Mapping[str, Any]) -> Iterator[Problem]:
    """Warns if only the endpoint's path tells what a service is for: llama-server needs to know, too."""
    if service.engine is not LLAMA_CPP or service.spec.mode or service.mode not in _SERVES:
        return
    what, flag, variable = _SERVES[service.mode]
    if flag not in service.extra_flags and variable not in {each["name"] for each in container.get("env", [])}:
        message = f"is for {what}, which llama-server refuses without {flag}; set spec.mode to {service.mode}"
        yield Problem("spec.endpoint.path", message, "warning", "missing-flag")


def _has_place(container: Mapping[str, Any], env: Mapping[str, Any], *, as_root: bool) -> bool:
    """Whether at least some of the caches are on a writable volume."""
    places = [f"{value}/" for name, value in env.items() if name in _CACHES and isinstance(value, str)]
    places += ["/root/"] if as_root and "HOME" not in env else []
    mounts = container.get("volumeMounts", [])
    folders = [f"{mount['mountPath'].rstrip('/')}/" for mount in mounts if not mount.get("readOnly")]
    unknown = any(name in _CACHES and not isinstance(value, str) for name, value in env.items())
    return unknown or any(
        place.startswith(folder) or folder.startswith(place) for place in places for folder in folders
    )
