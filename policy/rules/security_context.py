"""What a container may do on its node: no privileges, no added capabilities, and the runtime's confinement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelservices.findings import Problem
from modelservices.kubernetes.objects import Object
from modelservices.kubernetes.pod_templates import pods
from modelservices.kubernetes.scalars import Name
from modelservices.kubernetes.values import field_path, mapping

from ..fields import fields, is_on
from ..rule import ObjectRule, Parameters

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_HARMLESS = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
"""What Pod Security's baseline allows: a container that drops none of them has them already."""


class Capabilities(Parameters):
    add: list[Name] = []
    """Capabilities that containers may add beside those of Pod Security's baseline (`IPC_LOCK`)."""


class Confinement(Parameters):
    seLinuxTypes: list[Name] = []
    """Types of SELinux that containers may have beside `container_…`."""


def check_privileged(obj: Object, _parameters: Parameters) -> Iterator[Problem]:
    for path, value in fields(obj, "privileged"):
        if is_on(value):
            message = (
                "the container is privileged, so it can do anything on its node: remove privileged, and ask for "
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
    """Runtimes take a name in any case, with and without its prefix."""
    return name.upper().removeprefix("CAP_")


def check_confinement(obj: Object, parameters: Confinement) -> Iterator[Problem]:
    for path, value in fields(obj, "procMount"):
        if value == "Unmasked":
            yield Problem(path, "shows the container what the runtime hides of /proc: leave procMount out")
    for name in ("seccompProfile", "appArmorProfile"):
        for path, value in fields(obj, name):
            if mapping(value).get("type") == "Unconfined":
                yield Problem(f"{path}.type", "takes the runtime's confinement away: use RuntimeDefault")
    for path, value in fields(obj, "seLinuxOptions"):
        kind = mapping(value).get("type")
        if isinstance(kind, str) and kind and not kind.startswith("container_") and kind not in parameters.seLinuxTypes:
            message = (
                f"{kind} is no type of SELinux for containers: leave it out, or let the platform list it under "
                "confinement.seLinuxTypes"
            )
            yield Problem(f"{path}.type", message)
    for pod in pods(obj):
        template = pod.path.removesuffix("spec").rstrip(".")
        yield from _unconfined(mapping(pod.metadata.get("annotations")), f"{template}.metadata.annotations".lstrip("."))


def _unconfined(annotations: Mapping[str, Any], path: str) -> Iterator[Problem]:
    """AppArmor's annotations, which came before its field."""
    for name, value in annotations.items():
        if name.startswith(_APP_ARMOR) and value == "unconfined":
            yield Problem(field_path(path, name), "takes the runtime's confinement away: use runtime/default")


PRIVILEGED = ObjectRule("privileged", "No container is privileged.", "mandatory", Parameters, check_privileged)
CAPABILITIES = ObjectRule(
    "capabilities", "No container adds capabilities that reach further.", "mandatory", Capabilities, check_capabilities
)
CONFINEMENT = ObjectRule(
    "confinement", "Containers are confined as the runtime does it.", "mandatory", Confinement, check_confinement
)
