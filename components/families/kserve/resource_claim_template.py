"""Devices by dynamic resource allocation, requested by annotations: one claim template, one claim per pod.

Mirrors kserve/kserve pkg/controller/v1alpha2/llmisvc/managed_dra.go at v0.20.0-rc0.
Decisions: K22 (docs/decisions).
"""

from collections.abc import Iterator
from typing import Any

from ...findings import Problem
from ...kubernetes.metadata import is_dns_label, is_subdomain
from ...kubernetes.objects import Object
from ...kubernetes.scalars import describe
from . import names
from .context import Service
from .pods import MAIN, Pod, change_container, with_generated

PREFIX = "serving.kserve.io/exp-dra-"
_CLASS, _COUNT, _SELECTOR, _CONTAINER = (
    PREFIX + name for name in ("device-class", "device-count", "cel-selector", "container-name")
)
_CLAIM = "managed-device"
_REQUEST = "device"


def _annotation(service: Service, key: str) -> str:
    return str(service.metadata.annotations.get(key, "")).strip()


def wanted(service: Service) -> bool:
    return _CLASS in service.metadata.annotations


def claim_template(service: Service) -> Object:
    """Like KServe's, the template has no labels."""
    count = _annotation(service, _COUNT)
    exactly: dict[str, Any] = {"deviceClassName": _annotation(service, _CLASS)}
    if count not in ("", "1"):
        exactly["count"] = int(count)
    selectors = [{"cel": {"expression": line}} for line in _expressions(service)]
    if selectors:
        exactly["selectors"] = selectors
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": names.resource_claim_template(service.name), "namespace": service.namespace},
        "spec": {"spec": {"devices": {"requests": [{"name": _REQUEST, "exactly": exactly}]}}},
    }


def _expressions(service: Service) -> list[str]:
    lines = (line.strip() for line in _annotation(service, _SELECTOR).splitlines())
    return [line for line in lines if line]


def with_device(pod: Pod, service: Service) -> Pod:
    if not wanted(service):
        return pod
    template = names.resource_claim_template(service.name)
    pod = with_generated(pod, {"resourceClaims": [{"name": _CLAIM, "resourceClaimTemplateName": template}]})
    return change_container(pod, _with_claim, _annotation(service, _CONTAINER) or MAIN)


def _with_claim(item: dict[str, Any]) -> dict[str, Any]:
    resources = item.get("resources", {})
    claims = resources.get("claims", [])
    if any(claim["name"] == _CLAIM for claim in claims):
        return item
    return {**item, "resources": {**resources, "claims": [*claims, {"name": _CLAIM}]}}


def problems(service: Service) -> Iterator[Problem]:
    used = [key for key in service.metadata.annotations if key.startswith(PREFIX)]
    known = (_CLASS, _COUNT, _SELECTOR, _CONTAINER)
    for key in used:
        if key not in known:
            yield _problem(key, f"is not a known annotation; known are {', '.join(known)}")
    if used and not wanted(service):
        yield _problem(used[0], f"needs {_CLASS} beside it, which names the device class")
        return
    if wanted(service):
        yield from _value_problems(service)


def _value_problems(service: Service) -> Iterator[Problem]:
    device_class, count, container = (_annotation(service, key) for key in (_CLASS, _COUNT, _CONTAINER))
    if not is_subdomain(device_class):
        yield _problem(_CLASS, f"must be the name of a DeviceClass, got {describe(device_class)}")
    if _COUNT in service.metadata.annotations and not (count.isdecimal() and int(count) >= 1):
        yield _problem(_COUNT, f"must be a whole number, 1 or more, got {describe(count)}")
    if _SELECTOR in service.metadata.annotations and not _expressions(service):
        yield _problem(_SELECTOR, "has no CEL expression; write one expression per line, or remove it")
    if _CONTAINER in service.metadata.annotations and not is_dns_label(container):
        yield _problem(_CONTAINER, f"must be the name of a container, got {describe(container)}")


def _problem(key: str, message: str) -> Problem:
    return Problem(f'metadata.annotations["{key}"]', message, key=key)
