"""What can't be said about routes, gateways, the scheduler and its configuration."""

import re
from collections.abc import Iterator
from typing import Any

from ....findings import Problem
from ....kubernetes.endpoint_picker.config import plugin_problems, shape_problems, unknown_fields
from ....kubernetes.labels import VERSION
from ....kubernetes.scalars import Opaque, describe, shape
from .. import http_route, inference_pool, names, scheduler_config, tokenizer
from ..context import Service
from ..router_spec import RouteSpec
from ..scheduler_arguments import annotated_release, given_config, release, template
from .companions import picker_problems
from .workload import main_problems

_URL_TEXT = re.compile(r"(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+")
_MAX_PATH = 1024 - len("/v1/chat/completions/")
_BAD_PATH = ("//", "/./", "/../", "%2f", "%2F")


def router_problems(service: Service) -> Iterator[Problem]:
    gateway, http = service.router.gateway, service.http
    if service.router.route is None:
        return
    if http.refs and http.spec:
        yield Problem("spec.router.route.http", "has refs and spec: name your own routes, or describe the one to make")
    if http.refs and gateway and not gateway.refs:
        message = "are your own routes, which the platform's gateway (gateway: {}) does not go with: remove gateway"
        yield Problem("spec.router.route.http.refs", message)
    yield from _group_problems(service.router.route)
    if http_route.wanted(service):
        yield from _parent_problems(service)
        yield from _path_problems(service)
        yield from http_route.problems(service)


def _group_problems(route: RouteSpec) -> Iterator[Problem]:
    if route.weight is not None or route.group:
        message = (
            "labels the route only: traffic is not split over the services of a group here; "
            "write router.route.http.spec with weighted backendRefs"
        )
        field = "group" if route.group else "weight"
        yield Problem(f"spec.router.route.{field}", message, "warning", "no-effect")


def _parent_problems(service: Service) -> Iterator[Problem]:
    """Parents of an own route spec beside gateway.refs must be the same gateways."""
    own = service.sources[-1].spec if service.sources else service.spec
    http = own.router.route.http if own.router and own.router.route else None
    parents = (http.spec.parentRefs if http and http.spec else None) or []
    if not service.gateway_refs or not parents:
        return
    if sorted(map(_place, service.gateway_refs)) != sorted(map(_place, parents)):
        yield Problem("spec.router.route.http.spec.parentRefs", "are other gateways than router.gateway.refs: keep one")


def _place(ref: Any) -> tuple[str, str, str]:
    return str(ref.namespace or ""), str(ref.name), str(ref.sectionName or "")


def _path_problems(service: Service) -> Iterator[Problem]:
    """The model's name is a part of the route's paths."""
    model = service.model_name
    path = f"/{names.publisher_model(service.namespace, model)}"
    if not _URL_TEXT.fullmatch(model) or any(part in path for part in _BAD_PATH) or path.endswith(("/.", "/..", "/")):
        message = f"is a part of the route's paths and may hold only what a URL path holds, got {describe(model)}"
        yield Problem("spec.model.name", message)
    elif len(path) > _MAX_PATH:
        message = f"makes a path of {len(path)} characters in the route, with what follows it more than the 1024 that "
        yield Problem("spec.model.name", f"{message}the Gateway API allows: choose a shorter one", code="name-too-long")


def scheduler_problems(service: Service) -> Iterator[Problem]:
    if service.router.scheduler is None:
        return
    path, chosen = "spec.router.scheduler", service.scheduler.pool
    own = service.sources[-1].spec.router if service.sources else None
    own_pool = own.scheduler.pool if own and own.scheduler else None
    if chosen and chosen.ref and own_pool and own_pool.spec:
        yield Problem(f"{path}.pool", "has spec and ref: describe the pool to make, or name your own")
    yield from _config_problems(service, f"{path}.config")
    if not service.has_scheduler:
        return
    yield from _plugin_problems(service, path)
    yield from main_problems(template(service), f"{path}.template")
    if inference_pool.pool_spec(service).appProtocol not in (None, inference_pool.DEFAULT_PROTOCOL):
        message = "is known to the Inference Extension from release 1.4 on: make sure that the cluster has it"
        yield Problem(f"{path}.pool.spec.appProtocol", message, "warning", "needs-release")
    yield from picker_problems(service, f"{path}.template.containers[main].args")
    if annotated_release(service) is None:
        key = VERSION
        yield Problem(f'{path}.annotations["{key}"]', "must be a version such as 0.10.0", key=key)
    if tokenizer.wanted(service):
        yield from main_problems(tokenizer.template(service), f"{path}.tokenizer.template")


def _plugin_problems(service: Service, path: str) -> Iterator[Problem]:
    """What keeps the picker from starting with the user's configuration, and what its release does without."""
    given, running = given_config(service), release(service) or (0, 0, 0)
    if given is not None:
        yield from unknown_fields(given.config, given.path)
        yield from shape_problems(given.config, given.path)
        yield from plugin_problems(given.config, given.path)
        for index, plugin, names in scheduler_config.dropped_parameters(given.config, running):
            version = ".".join(map(str, running))
            listed = f"{', '.join(names)} of {plugin}"
            message = f"are left out, as release {version} of the endpoint picker does not take them: {listed}"
            yield Problem(f"{given.path}.plugins[{index}].parameters", message, "warning", "dropped-parameter")


def _config_problems(service: Service, path: str) -> Iterator[Problem]:
    config = service.scheduler.config
    if config is None:
        return
    if config.inline is not None and config.ref is not None:
        yield Problem(path, "has inline and ref: keep one")
    elif config.ref is not None:
        yield from _config_map_problems(service, config.ref.name, config.ref.key, f"{path}.ref")
    elif config.inline is not None and not (isinstance(config.inline, dict) and config.inline):
        advice = ": remove the | or > after inline" if isinstance(config.inline, str) and config.inline else ""
        yield Problem(f"{path}.inline", f"must be a mapping, got {shape(config.inline)}{advice}")


def _config_map_problems(service: Service, name: Any, key: str, path: str) -> Iterator[Problem]:
    if isinstance(name, Opaque) or not name:
        yield Problem(f"{path}.name", "must be the plain name of a ConfigMap among the manifests")
        return
    data = service.known.field("ConfigMap", service.namespace, name, "data")
    if not isinstance(data, dict):
        where = f"{service.namespace}/{name}"
        message = f"ConfigMap {where} is not among the manifests: add it, its text is part of the command"
        yield Problem(f"{path}.name", message, code="not-found", missing=name)
    elif key not in data:
        yield Problem(f"{path}.key", f"is not a key of ConfigMap {name}; it has {', '.join(sorted(data))}")
