"""What a container may do on its node: no privileges, no added capabilities, and the runtime's confinement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Name
from modelservices.kubernetes.security import SAFE_SYSCTLS
from modelservices.kubernetes.values import field_path, mapping

from ..fields import fields, is_on
from ..rule import ObjectRule, Parameters

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_HARMLESS = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""Capabilities of Pod Security's baseline: a container that drops none of them already has them."""


_SELINUX_TYPES = ("container_t", "container_init_t", "container_kvm_t", "container_engine_t")


class Capabilities(Parameters):
    add: list[Name] = []
    """Capabilities that containers may add besides those of Pod Security's baseline (`IPC_LOCK`)."""


class Confinement(Parameters):
    seLinuxTypes: list[Name] = []
    """SELinux types that containers may have besides those of Pod Security's baseline (`container_t`, …)."""
    sysctls: list[Name] = []
    """Kernel parameters that pods may set besides those of Pod Security's baseline."""


def check_privileged(obj: Object, _parameters: Parameters) -> Iterator[Problem]:
    for path, value in fields(obj, "privileged"):
        if is_on(value):
            message = (
                "the container is privileged, so it can do anything on its node; remove privileged, and request "
                "devices by resources.limits"
            )
            yield Problem(path, message)


def check_capabilities(obj: Object, parameters: Capabilities) -> Iterator[Problem]:
    allowed = {*_HARMLESS, *map(_capability, parameters.add)}
    for path, value in fields(obj, "capabilities"):
        added = mapping(value).get("add")
        names = [name for name in added if isinstance(name, str)] if isinstance(added, list) else []
        wrong = [name for name in names if _capability(name) not in allowed]
        if wrong:
            message = f"adds {', '.join(wrong)}: remove it, or let the platform list it under capabilities.add"
            yield Problem(f"{path}.add", message)


def _capability(name: str) -> str:
    """Runtimes accept a name in any case, with or without the prefix."""
    return name.upper().removeprefix("CAP_")


def check_confinement(obj: Object, parameters: Confinement) -> Iterator[Problem]:
    for path, value in fields(obj, "procMount"):
        if isinstance(value, str) and value not in ("", "Default"):
            yield Problem(path, "shows the container what the runtime hides of /proc; leave procMount out")
    for name in ("seccompProfile", "appArmorProfile"):
        for path, value in fields(obj, name):
            kind = mapping(value).get("type")
            if isinstance(kind, str) and kind not in ("RuntimeDefault", "Localhost"):
                yield Problem(f"{path}.type", "removes the runtime's confinement; use RuntimeDefault")
    for path, value in fields(obj, "seLinuxOptions"):
        yield from _selinux(mapping(value), path, parameters)
    for path, value in fields(obj, "sysctls"):
        yield from _sysctls(value, path, parameters)
    for pod in pods(obj):
        template = pod.path.removesuffix("spec").rstrip(".")
        yield from _unconfined(mapping(pod.metadata.get("annotations")), f"{template}.metadata.annotations".lstrip("."))


def _selinux(options: Mapping[str, Any], path: str, parameters: Confinement) -> Iterator[Problem]:
    kind = options.get("type")
    if isinstance(kind, str) and kind and kind not in (*_SELINUX_TYPES, *parameters.seLinuxTypes):
        message = (
            f"{kind} is no type of SELinux that confines a container: leave it out, or let the platform list it under "
            "confinement.seLinuxTypes"
        )
        yield Problem(f"{path}.type", message)
    for field in ("user", "role"):
        if isinstance(options.get(field), str) and options[field]:
            yield Problem(f"{path}.{field}", f"gives the container a {field} of SELinux: leave it out")


def _sysctls(value: Any, path: str, parameters: Confinement) -> Iterator[Problem]:
    for index, item in enumerate(value if isinstance(value, list) else ()):
        name = mapping(item).get("name")
        # The kernel accepts slashes for dots.
        if isinstance(name, str) and name.replace("/", ".") not in (*SAFE_SYSCTLS, *parameters.sysctls):
            message = (
                f"{name} changes more than the pod: leave it out, or let the platform list it under confinement.sysctls"
            )
            yield Problem(f"{path}[{index}].name", message)


def check_hosts(obj: Object, _parameters: Parameters) -> Iterator[Problem]:
    """The kubelet sends probes and hooks from the node's network, so another host gets requests in its node's name."""
    for action in ("httpGet", "tcpSocket"):
        for path, value in fields(obj, action):
            host = mapping(value).get("host")
            if isinstance(host, str) and host:
                message = f"makes the node ask {host} in place of the pod: leave host out, a header can name a host"
                yield Problem(f"{path}.host", message)


def _unconfined(annotations: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """AppArmor's annotations, which preceded its field."""
    for name, value in annotations.items():
        allowed = value in ("", "runtime/default") or str(value).startswith("localhost/")
        if name.startswith(_APP_ARMOR) and isinstance(value, str) and not allowed:
            yield Problem(field_path(path, name), "removes the runtime's confinement; use runtime/default")


PRIVILEGED = ObjectRule("privileged", "No container is privileged.", "mandatory", Parameters, check_privileged)
CAPABILITIES = ObjectRule(
    "capabilities", "No container adds capabilities that reach further.", "mandatory", Capabilities, check_capabilities
)
PROBE_HOST = ObjectRule("probe-host", "Probes and hooks ask the pod itself.", "mandatory", Parameters, check_hosts)
CONFINEMENT = ObjectRule(
    "confinement", "Containers are confined as the runtime does it.", "mandatory", Confinement, check_confinement
)
