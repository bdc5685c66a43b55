"""References to variables that a container does not have, in any family: Kubernetes leaves ``$(NAME)`` as it is.

Only names in capitals count: a shell runs ``$(hostname)``, and a template may have ``$(name)``.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ..findings import Problem
from ..kubernetes.env import REFERENCE
from ..kubernetes.pod_edits import SERVERS
from ..kubernetes.pod_templates import Container, containers_of
from ..kubernetes.rendered import RenderedObject
from ..kubernetes.source import Source
from ..kubernetes.values import mappings
from .places import places

_CAPITALS = re.compile(r"[A-Z_][A-Z0-9_]*")
_SET_LATER = re.compile(
    r"(LWS|TPU|JAX|RAY|KUBERAY|DD|OTEL|ISTIO|VAULT|JOB|KUBERNETES)_.*"  # controllers and webhooks
    r"|.*_SERVICE_(HOST|PORT(_.*)?)|.*_PORT(_[0-9]+_(TCP|UDP|SCTP)(_.*)?)?"  # Services of the namespace
)
"""Variables that others than the manifest may set."""


def unset_variables(
    objects: Iterable[RenderedObject], said: Iterable[tuple[Source, Problem]]
) -> Iterator[tuple[Source, Problem]]:
    """A warning for each reference in a server's pods that nothing fills in."""
    reported = {source for source, problem in said if problem.code == "model-path"}
    for record in objects:
        found = [each for each in _unset(record) if each[1] != "MODEL_PATH" or record.source not in reported]
        written = places(record) if found else {}
        for text, name in dict.fromkeys(found):
            message = (
                f"has $({name}), but the container has no variable {name} (those of its image don't count), so the "
                f"text stays as it is; add {name} to env, or write $$({name}) if the text is meant"
            )
            yield record.source, Problem(written.get(text, record.field), message, "warning", "unset-variable")


def _unset(record: RenderedObject) -> Iterator[tuple[str, str]]:
    for container in containers_of(record.body) if record.key.kind in SERVERS else ():
        env = mappings(container.body.get("env"))
        names = {str(variable.get("name")) for variable in env}
        if not container.body.get("envFrom"):
            yield from _references(_texts(container, env), names)


def _texts(container: Container, env: Iterable[Any]) -> list[Any]:
    body = container.body
    values = [variable.get("value") for variable in env]
    return [*(body.get("command") or []), *(body.get("args") or []), *values]


def _references(texts: Iterable[Any], names: Collection[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        for name in REFERENCE.findall(text) if isinstance(text, str) and "$(" in text else ():
            if name not in names and _CAPITALS.fullmatch(name) and not _SET_LATER.fullmatch(name):
                yield text, name
