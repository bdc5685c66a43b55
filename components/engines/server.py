"""What keeps a server's container from starting or from being reached, in any family.

A container is checked as Kubernetes gets it. Paths are relative to the container; ``host`` stands for the argument with
the address. What is known only in the pod (a ``$(NAME)`` reference, a shell variable) is not checked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..findings import Problem
from ..kubernetes.images import parse
from ..kubernetes.probes import PROBE_FIELDS
from ..kubernetes.scalars import describe
from ..kubernetes.values import mapping, mappings
from .command_line import flag_of
from .command_reader import container_commands, is_shell, literals, script_of, script_place
from .companions import ROUTING_SIDECAR
from .engine import Engine
from .generic import GENERIC
from .known import ENGINES, engine_commands, engine_of, model_of, other_engine, starts
from .preconditions import precondition_problems
from .tool import is_off

Container = Mapping[str, Any]

_FURTHER = ("--one-more", "argument")
"""Words that show where further arguments end up."""
_FIRST = 4
"""Number of leading words that tell which program a command line starts: ``python3 -m vllm.entrypoints…``."""
_LOOPBACK = re.compile(r"127\.[0-9.]+|\[?::1\]?|localhost")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_ON = frozenset(["1", "on", "true", "yes"])
_POSITIONAL = re.compile(r"\$\{?[0-9@*#]")
"""How a script refers to its arguments."""
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_EMPTY_VOLUMES = frozenset(["configMap", "downwardAPI", "emptyDir", "projected", "secret"])
"""Volumes that can't contain a model."""
_FOREIGN_PATHS = frozenset(["/healthz", "/live", "/livez", "/ready", "/readyz", "/startupz"])


class Server(NamedTuple):
    """A known engine as its container starts it. ``flags`` are those of its command line, with their values. ``env``
    has the variables with literal values. ``starts`` says whether the engine's program itself starts, and not a wrapper
    in an image of its name."""

    engine: Engine
    words: Sequence[Any]
    flags: Mapping[str, Any]
    env: Mapping[str, str]
    starts: bool

    def value(self, flag: str) -> str:
        """The value of a flag; empty if it is missing or not known."""
        stated = self.flags.get(flag)
        text = str(stated) if isinstance(stated, str | int) else ""
        return "" if "$" in text else text

    def has(self, flag: str) -> bool:
        return flag in self.flags

    @property
    def exports_metrics(self) -> bool:
        flag = self.engine.metrics_flag
        return not flag or self.has(flag) or self.env.get(self.engine.metrics_variable, "").lower() in _ON

    @property
    def has_certificate(self) -> bool:
        return any(self.has(name) or name in self.env for name in self.engine.certificate)

    @property
    def slots(self) -> int | None:
        """Requests that it serves at once, which its load metric can't exceed; None if that is not known."""
        flag, *variables = self.engine.slots or ("",)
        if not self.has(flag) and self.starts and self.env.keys().isdisjoint(variables):
            return self.engine.default_slots
        stated = self.value(flag) if self.has(flag) else next((self.env.get(name, "") for name in variables), "")
        return int(stated) if stated.isdecimal() and int(stated) else None


def server_of(container: Container) -> Server | None:
    """The server in a container; None if its engine or its script is not known."""
    words = _server_words(container)
    engine = engine_of(container.get("image"), [*words, container.get("name")]) if words is not None else GENERIC
    if engine is GENERIC or words is None:
        return None
    by_itself = engine.starts_by_itself and _is_image_of(engine, container) and not container.get("command")
    runs = by_itself or any(starts(engine, word) for word in words)
    return Server(engine, words, engine.dialect.flags(words), literals(container.get("env")), runs)


def _is_image_of(engine: Engine, container: Container) -> bool:
    image = container.get("image")
    suffix = f"/{engine.root_image}"
    return bool(engine.root_image) and isinstance(image, str) and parse(image).repository.endswith(suffix)


def default_port(container: Container) -> int | None:
    """Port of the engine whose program the command line starts without a port; otherwise None."""
    server = server_of(container)
    return server.engine.port if server and server.starts and not server.has("--port") else None


def command_words(container: Container) -> list[Any]:
    """The words with which a container starts its server; those of all commands in a script without an engine."""
    words = _server_words(container)
    return [word for command in container_commands(container) for word in command] if words is None else words


def takes(container: Container) -> str:
    """How a container uses further arguments: as ``words``, as ``shell text``, or for ``nothing``."""
    words = command_words({**container, "args": [*(container.get("args") or []), " ".join(_FURTHER)]})
    if " ".join(_FURTHER) in words:
        return "words"
    return "shell text" if _FURTHER[0] in words else "nothing"


def _server_words(container: Container) -> list[Any] | None:
    """The words in the order in which the engine gets them; None for a script without an engine."""
    commands = container_commands(container)
    if not is_shell([*(container.get("command") or []), *(container.get("args") or [])]):
        return commands[0]
    started = engine_commands(commands) if script_of(container) else []
    return started[-1] if started else None


def server_problems(container: Container, pod: Mapping[str, Any]) -> Iterator[Problem]:
    """Warnings of all checks below for one container; ``pod`` is the spec that contains it."""
    yield from _unread_problems(container)
    server = server_of(container)
    if server is None:
        return
    yield from _image_problems(server, container)
    yield from _address_problems(server)
    yield from _number_problems(server)
    yield from _port_problems(server, container)
    yield from _path_problems(server, container)
    yield from _prefix_problems(server, container)
    yield from _file_problems(server, container)
    yield from _offline_problems(server, pod)
    yield from _user_problems(server, container, pod)
    yield from precondition_problems(server.engine, server.words, server.flags, container)


def _unread_problems(container: Container) -> Iterator[Problem]:
    """Flags after a shell's script that does not use its arguments."""
    line = [*(container.get("command") or []), *(container.get("args") or [])]
    place = script_place(line) if is_shell(line) else None
    if place is None or _POSITIONAL.search(line[place]):
        return
    if any(map(flag_of, line[place + 1 :])):
        message = 'has flags after a shell script that does not use its arguments ("$@"); write them into the script'
        yield Problem("args", message, "warning", "no-effect")


def port(server: Server) -> int | None:
    """Port on which the server listens; None if it is not known."""
    stated = server.value("--port") or ("" if server.has("--port") else server.env.get(server.engine.port_variable, ""))
    if stated:
        return int(stated) if stated.isdecimal() else None
    return None if server.has("--port") or not server.starts else server.engine.port


def _image_problems(server: Server, container: Container) -> Iterator[Problem]:
    """An image of another engine than the one that the container starts."""
    started = next((each for each in ENGINES for word in server.words[:_FIRST] if starts(each, word)), None)
    other = other_engine(container.get("image"), started) if started else None
    if started and other:
        message = (
            f"is an image of {other.title}, but the container starts {started.title}, which that image does not "
            f"contain; use an image of {started.title}"
        )
        yield Problem("image", message, "warning", "other-engine")


def _address_problems(server: Server) -> Iterator[Problem]:
    engine = server.engine
    if server.has(engine.socket_flag):
        message = (
            f"{engine.socket_flag} makes {engine.title} listen on a Unix socket, which no probe and no request "
            "reaches; remove it"
        )
        yield Problem("args", message, "warning", "unreachable")
        return
    has_flag = server.has(engine.host_flag)
    stated = server.value(engine.host_flag) if has_flag else server.env.get(engine.host_variable, "")
    host = stated or ("" if has_flag or not server.starts else engine.default_host)
    if _LOOPBACK.fullmatch(host) or host.endswith(".sock"):
        how = f"says {host}" if stated else f"is not given, and {engine.title} listens on {host}"
        message = (
            f"{engine.host_flag} {how}, which can be reached only from inside the pod, so no probe succeeds; write "
            f"{engine.host_flag} 0.0.0.0"
        )
        yield Problem("host", message, "warning", "unreachable")


def _port_problems(server: Server, container: Container) -> Iterator[Problem]:
    """Probes, or without any the container's ports, that use another port than the server's."""
    listens = port(server)
    ports = {item.get("name"): item.get("containerPort") for item in mappings(container.get("ports"))}
    asked: dict[Any, str] = {}
    for name in PROBE_FIELDS:
        for field in ("httpGet", "tcpSocket"):
            at = mapping(mapping(container.get(name)).get(field)).get("port")
            if at is not None and (at in ports or not isinstance(at, str)):  # unknown names have a finding
                asked.setdefault(ports.get(at, at), f"{name}.{field}.port")
    others = {at: path for at, path in asked.items() if at != listens}
    if listens is None:
        return
    if others and len(others) == len(asked):
        message = f"the server listens on {listens}, but probes and the Service use {next(iter(others))}; use one port"
        yield Problem("args", message, "warning", "other-port")
    elif others:
        for at, path in others.items():
            message = f"is {at}, but the server listens on {listens}, so the probe never succeeds; use one port"
            yield Problem(path, message, "warning", "other-port")
    elif not asked and ports and listens not in ports.values():
        message = (
            f"the server listens on {listens}, but requests go to the container's ports, and {listens} is not one of "
            "them; use one port"
        )
        yield Problem("args", message, "warning", "other-port")


def _number_problems(server: Server) -> Iterator[Problem]:
    """Variables in the place of flags, with numbers that the server does not take."""
    engine, prefix = server.engine, server.engine.flag_variables
    for name, value in server.env.items() if prefix is not None else ():
        regular = f"--{name.removeprefix(prefix or '').lower().replace('_', '-')}"
        flag = engine.flags_of_variables.get(name, regular)
        bounds = engine.bounds.get(flag) if name.startswith(prefix or "") else None
        if bounds and not server.has(flag) and "$" not in value and not bounds.takes(value, engine.suffixes):
            message = f"{name} is {describe(value)}, but {engine.title} expects {bounds}"
            yield Problem("env", message, "warning", "unknown-value")


def _path_problems(server: Server, container: Container) -> Iterator[Problem]:
    """Health checks at the paths of other programs."""
    for name in PROBE_FIELDS:
        asked = mapping(mapping(container.get(name)).get("httpGet")).get("path")
        if server.engine.health and asked in _FOREIGN_PATHS:
            message = (
                f"is {asked}, which {server.engine.title} does not serve, so the probe never succeeds; write "
                f"{server.engine.health}"
            )
            yield Problem(f"{name}.httpGet.path", message, "warning", "probe-path")


def _prefix_problems(server: Server, container: Container) -> Iterator[Problem]:
    """Probes outside the prefix below which the server answers."""
    flag = server.engine.prefix_flag
    prefix = server.value(flag).rstrip("/")
    for name in PROBE_FIELDS if prefix else ():
        asked = mapping(mapping(container.get(name)).get("httpGet")).get("path")
        if isinstance(asked, str) and not asked.startswith(f"{prefix}/"):
            message = (
                f"the server answers only below {prefix} because of {flag}, but the probes ask at {asked}; remove "
                f"{flag}, or write the probes yourself"
            )
            yield Problem("args", message, "warning", "unreachable")
            return


def _file_problems(server: Server, container: Container) -> Iterator[Problem]:
    """A certificate at a path where nothing is mounted: the engines' images contain none."""
    mounts = [str(mount.get("mountPath")).rstrip("/") for mount in mappings(container.get("volumeMounts"))]
    for flag in server.engine.certificate if _is_image_of(server.engine, container) else ():
        file = server.value(flag) if flag.startswith("-") else server.env.get(flag, "")
        if file.startswith("/") and not any(file.startswith(f"{mount}/") for mount in mounts):
            message = (
                f"{flag} names {file}, but nothing is mounted there, so the server does not start; mount the file there"
            )
            yield Problem("args", message, "warning", "no-file")


def _offline_problems(server: Server, pod: Mapping[str, Any]) -> Iterator[Problem]:
    """A repository that can't be loaded: the hub is off, and no volume of the pod can contain it."""
    off = next((name for name in _OFFLINE if server.env.get(name, "").lower() in _ON), "")
    if not off or any(set(volume) - _EMPTY_VOLUMES - {"name"} for volume in mappings(pod.get("volumes"))):
        return
    model = model_of(server.engine, server.words) or ""
    if _REPOSITORY.fullmatch(model):
        message = (
            f"{off} is set, but the server loads the repository {model}, which is on no volume of the pod; remove "
            f"{off}, or mount the hub's cache"
        )
        yield Problem("env", message, "warning", "offline")


def _user_problems(server: Server, container: Container, pod: Mapping[str, Any]) -> Iterator[Problem]:
    """A root image in a container that must not run as root: the kubelet refuses to start it."""
    if _is_image_of(server.engine, container) and must_not_be_root(container, pod):
        message = (
            "the image runs as root, but runAsNonRoot forbids that, so the container never starts unless the cluster "
            "assigns a user, as OpenShift does; set runAsUser, or use an image that sets a numeric user"
        )
        yield Problem("image", message, "warning", "no-user")


def must_not_be_root(container: Container, pod: Mapping[str, Any]) -> bool:
    """Whether a container must not run as root, and leaves the choice of the user to its image."""
    context = {**mapping(pod.get("securityContext")), **mapping(container.get("securityContext"))}
    return context.get("runAsNonRoot") is True and context.get("runAsUser") is None


def pod_serves_tls(pod: Mapping[str, Any]) -> bool | None:
    """Whether requests reach a pod over TLS: at its routing sidecar if it has one, otherwise at its server. None if
    neither is known."""
    return next((tls for tls in _served(pod) if tls is not None), None)


def _served(pod: Mapping[str, Any]) -> Iterator[bool | None]:
    items = [*mappings(pod.get("initContainers")), *mappings(pod.get("containers"))]
    sidecars = [item for item in items if ROUTING_SIDECAR.is_in(item.get("image"))]
    for item in sidecars:
        yield not is_off([word for command in container_commands(item) for word in command], "--secure-proxy")
    for item in mappings(pod.get("containers")):
        yield None if item in sidecars else serves_tls(item)


def serves_tls(container: Mapping[str, Any]) -> bool | None:
    """Whether a model server accepts requests over TLS; None if its program is not known."""
    server = server_of(container)
    if server is None or not server.engine.certificate:
        return None
    return server.has_certificate
