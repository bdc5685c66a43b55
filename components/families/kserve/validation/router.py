"""Checks of routes, gateways, the scheduler and its configuration."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....engines.command_line import user_problems
from ....engines.command_reader import commands, is_shell, script_of
from ....engines.companions import ENDPOINT_PICKER, ROUTING_SIDECAR
from ....engines.server import takes
from ....engines.tool import Tool
from ....findings import Problem
from ....kubernetes.endpoint_picker.config import plugin_problems, profile_problems, shape_problems, unknown_fields
from ....kubernetes.labels import VERSION
from ....kubernetes.metadata import is_host_name
from ....kubernetes.model import dump
from ....kubernetes.scalars import Opaque, describe, shape
from .. import http_route, inference_pool, names, prefiller_tls, scheduler_config, serve, tokenizer
from ..configs import SYSTEM_NAMESPACE
from ..context import Service, Workload
from ..listening import serving_port
from ..pods import container
from ..router_spec import RouteSpec
from ..scheduler_arguments import (
    CAMEL_CASE,
    KEBAB_CASE,
    annotated_release,
    kebab_case,
    lost_flags,
    main_words,
    release,
    template,
    user_config,
    without_flags,
)
from ..service_account import SIDECAR, has_sidecar
from .model import main_problems

_URL_TEXT = re.compile(r"(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+")
_MAX_PATH = 1024 - len("/v1/chat/completions/")
_BAD_PATH = ("//", "/./", "/../", "%2f", "%2F")


def router_problems(service: Service) -> Iterator[Problem]:
    gateway, http = service.router.gateway, service.http
    if service.router.route is None:
        return
    if http.refs and http.spec:
        message = "has both refs and spec; name your routes in refs, or describe the one to make in spec"
        yield Problem("spec.router.route.http", message)
    if http.refs and gateway and not gateway.refs:
        message = "excludes the platform's gateway (gateway: {}), because these routes choose their gateways"
        yield Problem("spec.router.route.http.refs", f"{message}; remove gateway")
    yield from _group_problems(service.router.route)
    if not http.refs and not http.spec:
        yield _without_preset("route", "http.spec")
    if http_route.wanted(service):
        yield from _parent_problems(service)
        yield from _path_problems(service)
        yield from _host_problems(service)
        yield from http_route.problems(service)


def _without_preset(part: str, field: str) -> Problem:
    """A part of the router that only a preset states, so that none completes it."""
    message = f"makes no {part} without {field}, which only a router of a service or base config gets from a preset"
    return Problem(f"spec.router.{part}", message, "warning", "no-effect")


def _group_problems(route: RouteSpec) -> Iterator[Problem]:
    if route.weight is not None or route.group:
        message = (
            "only sets a label on the route, because traffic is not split within a group here; write "
            "router.route.http.spec with weighted backendRefs"
        )
        field = "group" if route.group else "weight"
        yield Problem(f"spec.router.route.{field}", message, "warning", "no-effect")


def _parent_problems(service: Service) -> Iterator[Problem]:
    stated = service.sources[-1].spec if service.sources else service.spec
    http = stated.router.route.http if stated.router and stated.router.route else None
    parents = (http.spec.parentRefs if http and http.spec else None) or []
    if not service.gateway_refs or not parents:
        return
    if sorted(map(_place, service.gateway_refs)) != sorted(map(_place, parents)):
        message = "names other gateways than router.gateway.refs; keep one of the two"
        yield Problem("spec.router.route.http.spec.parentRefs", message)


def _host_problems(service: Service) -> Iterator[Problem]:
    for index, name in enumerate((service.http.spec.hostnames if service.http.spec else None) or []):
        if isinstance(name, str) and not is_host_name(name):
            message = f"must be a host name in lower case, without scheme and port, got {describe(name)}"
            yield Problem(f"spec.router.route.http.spec.hostnames[{index}]", message, code="bad-value")


def _place(ref: Any) -> tuple[str, str, str]:
    return str(ref.namespace or ""), str(ref.name), str(ref.sectionName or "")


def _path_problems(service: Service) -> Iterator[Problem]:
    model = service.model_name
    path = f"/{names.publisher_model(service.namespace, model)}"
    if not _URL_TEXT.fullmatch(model) or any(part in path for part in _BAD_PATH) or path.endswith(("/.", "/..", "/")):
        message = "is part of the route's paths, so it must have only characters that a URL path may have"
        yield Problem("spec.model.name", f"{message}, got {describe(model)}")
    elif len(path) > _MAX_PATH:
        message = (
            f"makes a path of {len(path)} characters in the route, which exceeds the Gateway API's limit of 1024 with "
            "its suffix; choose a shorter name"
        )
        yield Problem("spec.model.name", message, code="name-too-long")


def scheduler_problems(service: Service) -> Iterator[Problem]:
    if service.router.scheduler is None:
        return
    path, chosen = "spec.router.scheduler", service.scheduler.pool
    stated = service.sources[-1].spec.router if service.sources else None
    pool = stated.scheduler.pool if stated and stated.scheduler else None
    if chosen and chosen.ref and pool and pool.spec:
        yield Problem(f"{path}.pool", "has both spec and ref; describe the pool to make in spec, or name yours in ref")
    yield from _config_problems(service, f"{path}.config")
    if not service.has_scheduler:
        yield from () if service.pool_ref else [_without_preset("scheduler", "template")]
        return
    yield from _plugin_problems(service, path)
    yield from main_problems(template(service), f"{path}.template")
    if inference_pool.pool_spec(service).appProtocol not in (None, inference_pool.DEFAULT_PROTOCOL):
        message = "needs release 1.4 or newer of the Inference Extension; make sure that the cluster has it"
        yield Problem(f"{path}.pool.spec.appProtocol", message, "warning", "needs-release")
    yield from picker_problems(service, f"{path}.template.containers[main].args")
    if annotated_release(service) is None:
        yield Problem(f'{path}.annotations["{VERSION}"]', "must be a version such as 0.10.0", key=VERSION)
    if tokenizer.wanted(service):
        yield from main_problems(tokenizer.template(service), f"{path}.tokenizer.template")


def _plugin_problems(service: Service, path: str) -> Iterator[Problem]:
    written, running = user_config(service), release(service) or (0, 0, 0)
    if written is not None:
        yield from unknown_fields(written.config, written.path)
        yield from shape_problems(written.config, written.path)
        yield from plugin_problems(written.config, written.path)
        yield from profile_problems(scheduler_config.migrated(written.config, running, {}, None), written.path)
        for index, plugin, names in scheduler_config.dropped_parameters(written.config, running):
            version, listed = ".".join(map(str, running)), f"{', '.join(names)} of {plugin}"
            message = f"some parameters are left out, because release {version} of the endpoint picker does not take "
            message += f"them: {listed}"
            yield Problem(f"{written.path}.plugins[{index}].parameters", message, "warning", "dropped-parameter")


def _config_problems(service: Service, path: str) -> Iterator[Problem]:
    config = service.scheduler.config
    if config is None:
        return
    if config.inline is not None and config.ref is not None:
        yield Problem(path, "has both inline and ref; keep one")
    elif config.ref is not None:
        yield from _config_map_problems(service, config.ref.name, config.ref.key, f"{path}.ref")
    elif config.inline is not None and not (isinstance(config.inline, dict) and config.inline):
        advice = "; remove the | or > after inline" if isinstance(config.inline, str) and config.inline else ""
        yield Problem(f"{path}.inline", f"must be a mapping, got {shape(config.inline)}{advice}")


def _config_map_problems(service: Service, name: Any, key: str, path: str) -> Iterator[Problem]:
    if isinstance(name, Opaque) or not name:
        yield Problem(f"{path}.name", "must be the plain name of a ConfigMap among the manifests")
        return
    data = service.known.config_map(service.namespace, name)
    if not isinstance(data, dict):
        where = f"in namespace {service.namespace} or {SYSTEM_NAMESPACE}"
        message = f"ConfigMap {name} is not among the manifests, {where}, but its text becomes part of the command"
        message += "; add it"
        yield Problem(f"{path}.name", message, code="not-found", missing=name)
    elif key not in data:
        yield Problem(f"{path}.key", f"is not a key of ConfigMap {name}; it has {', '.join(sorted(data))}")


def picker_problems(service: Service, path: str) -> Iterator[Problem]:
    """``path`` leads to the arguments of the picker's container."""
    main = container(dump(template(service))) or {}
    command, args = main.get("command", []), main.get("args", [])
    if is_shell([*command, *args]):
        yield from _shell_problems(main, service, path)
        return
    yield from _lost_flag_problems(service, path)
    if command and not str(command[-1]).startswith("-") and args and not str(args[0]).startswith(("-", "$")):
        message = (
            f"the first argument is {str(args[0]).split()[0]}, where the endpoint picker stops reading flags; move "
            "the whole command line to command, and keep only options in args"
        )
        yield Problem(path, message)
        return
    flags = scheduler_config.flags_moved(release(service) or (0, 0, 0), with_file=False)
    words = without_flags(main_words(service), flags)[0]
    yield from _flag_problems(words, ENDPOINT_PICKER, main.get("image"), path)


def sidecar_problems(each: Workload, *, tls: bool) -> Iterator[Problem]:
    if has_sidecar(each) and each.spec.template:
        sidecar = container(dump(each.spec.template), SIDECAR, "initContainers") or {}
        path = f"{each.path}.template.initContainers[{SIDECAR}]"
        yield from _flag_problems(serve.words(sidecar), ROUTING_SIDECAR, sidecar.get("image"), f"{path}.args")
        flag = prefiller_tls.missing_flag(sidecar) if tls else ""
        if flag and takes(sidecar) == "nothing":
            message = (
                "the routing sidecar verifies the certificates of prefill pods, which don't have the addresses that it "
                f"calls, so every prompt for them fails; add {flag} to the script"
            )
            yield Problem(f"{path}.command", message, "warning", "missing-flag")


def _flag_problems(words: Sequence[Any], tool: Tool, image: Any, path: str) -> Iterator[Problem]:
    known = tool.release_of(image) if tool.is_in(image) else None
    for said in user_problems(words, tool, known) if known else ():
        yield Problem(path, said.message, "warning", said.code)


def _shell_problems(main: Mapping[str, Any], service: Service, path: str) -> Iterator[Problem]:
    """Checks a shell script, which is passed on unchanged: other command lines are adapted to the release."""
    words = [word for command in commands(script_of(main)) for word in command]
    old = [word.partition("=")[0] for word in words if CAMEL_CASE.fullmatch(word)]
    if old and (release(service) or (0, 0, 0)) >= KEBAB_CASE:
        written = ", ".join(map(str, map(kebab_case, old)))
        message = f"the shell script uses {', '.join(old)}, which this release does not know; write {written}"
        yield Problem(path, message, code="unknown-flag")
    if takes(main) == "nothing" and "config" not in " ".join(words):
        message = (
            "the shell script does not pass on its arguments, so the picker gets no configuration; "
            'end it with "$@", or start the picker without a shell'
        )
        yield Problem(path, message, "warning", "no-config")


def _lost_flag_problems(service: Service, path: str) -> Iterator[Problem]:
    for flag, value in lost_flags(service).items():
        if flag != scheduler_config.SCRAPE_PORT:
            why = "this release takes it only in its configuration file; set it there, in the parameters of "
            why += "metrics-data-source"
        elif value != str(serving_port(service, service.decode)):
            why = "this release reads metrics at the pool's port"
        else:
            continue
        yield Problem(path, f"--{flag}={value} is left out, because {why}", "warning", "dropped-flag")
